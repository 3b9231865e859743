#include "frontend/parse/AstBuilder.h"

using namespace tile;
using namespace tile::ast;
using namespace tile::syntax;

ExprPtr AstBuilder::type(TileParser::TypeContext *context) {
  Nesting nesting(*this, context, 1);
  SourceRange whole = range(context);
  if (context->STRIDED())
    return stridedType(context->type(), whole);
  if (context->ARRAY_OPEN())
    return arrayType(context->expression(), context->type(), whole);
  if (context->WILDCARD())
    return std::make_unique<Wildcard>(whole);
  if (auto *named = context->namedType()) {
    ExprPtr name = qualifiedName(named->qualifiedName());
    if (!named->genericArguments())
      return name;
    return genericApply(std::move(name), named->genericArguments(), named->shape(), whole);
  }
  std::vector<ExprPtr> elements;
  bool isTuple = true;
  if (auto *types = context->types()) {
    for (auto *each : types->type())
      elements.push_back(type(each));
    isTuple = elements.size() != 1 || types->TRAILING_COMMA();
  }
  if (context->LAMBDA()) {
    auto node = std::make_unique<FnType>(whole);
    node->parameters = std::move(elements);
    node->result = optionalType(context->type());
    return node;
  }
  if (!isTuple)
    return std::move(elements[0]);
  auto node = std::make_unique<Tuple>(whole);
  node->elements = std::move(elements);
  return node;
}

ExprPtr AstBuilder::optionalType(TileParser::TypeContext *context) { return context ? type(context) : nullptr; }

ExprPtr AstBuilder::qualifiedName(TileParser::QualifiedNameContext *context) {
  auto names = context->NAME();
  Nesting nesting(*this, context, names.size());
  SourceRange first = range(names[0]);
  auto name = std::make_unique<Name>(first);
  name->text = text(first);
  ExprPtr result = std::move(name);
  for (size_t i = 1; i < names.size(); ++i) {
    auto member = std::make_unique<Member>(first.to(range(names[i])));
    member->base = std::move(result);
    member->name = identifier(names[i]);
    result = std::move(member);
  }
  return result;
}

ExprPtr AstBuilder::genericApply(ExprPtr base, TileParser::GenericArgumentsContext *genericArguments,
                                 TileParser::ShapeContext *shape, SourceRange whole) {
  auto node = std::make_unique<GenericApply>(whole);
  node->base = std::move(base);
  node->arguments = arguments(genericArguments->arguments());
  if (shape)
    node->shape = expressions(shape->expressions());
  return node;
}

ExprPtr AstBuilder::stridedType(TileParser::TypeContext *tensor, SourceRange whole) {
  auto node = std::make_unique<StridedType>(whole);
  node->tensor = type(tensor);
  return node;
}

ExprPtr AstBuilder::arrayType(TileParser::ExpressionContext *extent, TileParser::TypeContext *element,
                              SourceRange whole) {
  auto node = std::make_unique<ArrayType>(whole);
  node->extent = expression(extent);
  node->element = type(element);
  return node;
}
