#include "frontend/parse/AstBuilder.h"
#include "frontend/parse/Literals.h"

using namespace tile;
using namespace tile::ast;
using namespace tile::syntax;

std::unique_ptr<Module> AstBuilder::build(TileParser::ModuleContext *context) {
  auto module = std::make_unique<Module>();
  module->file = source.file;
  for (auto *each : context->item()) {
    if (each->exception)
      continue;
    try {
      module->items.push_back(item(each));
    } catch (Broken) { // reported
    }
  }
  return module;
}

/// The `///` lines between the end of what stands above and the item's name.
std::string AstBuilder::documentation(const antlr4::ParserRuleContext *context) const {
  std::string result;
  auto first = std::lower_bound(list.docs.begin(), list.docs.end(), context->start->getTokenIndex(),
                                [](const DocLine &line, size_t token) { return line.token < token; });
  size_t last = context->start->getTokenIndex();
  for (auto *child : context->children)
    if (auto *rule = dynamic_cast<antlr4::ParserRuleContext *>(child))
      last = rule->start->getTokenIndex(); // of the item after its decorators
  for (; first != list.docs.end() && first->token <= last; ++first) {
    std::string_view line = source.sources.text(first->range).substr(3);
    if (!line.empty() && line[0] == ' ')
      line.remove_prefix(1);
    result += (result.empty() ? "" : "\n") + std::string(line);
  }
  return result;
}

ItemPtr AstBuilder::item(TileParser::ItemContext *context) {
  ItemPtr result;
  if (auto *each = context->importItem()) {
    result = importItem(each);
  } else if (auto *each = context->constItem()) {
    auto node = std::make_unique<ConstItem>(range(each));
    node->name = identifier(each->NAME());
    node->type = optionalType(each->type());
    node->value = expression(each->expression());
    result = std::move(node);
  } else if (auto *each = context->structItem()) {
    result = structItem(each);
  } else if (auto *each = context->fnItem()) {
    result = function(each);
  } else if (auto *each = context->kernelItem()) {
    result = kernel(each);
  } else if (auto *each = context->specItem()) {
    auto node = std::make_unique<SpecItem>(range(each));
    node->name = identifier(each->NAME());
    node->body = block(each->block());
    result = std::move(node);
  } else {
    auto node = std::make_unique<StaticAssertItem>(range(context->staticAssert()));
    std::tie(node->condition, node->message) = staticAssert(context->staticAssert());
    result = std::move(node);
  }
  result->doc = documentation(context);
  result->decorators = decorators(context->decorator());
  return result;
}

ItemPtr AstBuilder::importItem(TileParser::ImportItemContext *context) {
  auto node = std::make_unique<ImportItem>(range(context));
  auto names = context->NAME();
  node->isQuoted = context->STRING() != nullptr;
  auto *path = node->isQuoted ? context->STRING() : names[0];
  node->pathRange = range(path);
  node->path = node->isQuoted ? stringValue(source, node->pathRange) : text(node->pathRange);
  if (context->AS())
    node->alias = identifier(names.back());
  return node;
}

ItemPtr AstBuilder::structItem(TileParser::StructItemContext *context) {
  auto node = std::make_unique<StructItem>(range(context));
  node->name = identifier(context->NAME());
  node->generics = generics(context->generics());
  for (auto *each : context->field())
    if (!each->exception)
      node->fields.push_back({identifier(each->NAME()), type(each->type()), optionalExpression(each->expression())});
  return node;
}

std::unique_ptr<FnDecl> AstBuilder::function(TileParser::FnItemContext *context) {
  auto node = std::make_unique<FnDecl>(range(context));
  node->name = identifier(context->NAME());
  node->generics = generics(context->generics());
  node->parameters = parameters(context->parameters());
  node->result = optionalType(context->type());
  node->body = block(context->block());
  return node;
}

/// Symbols of variants, lines of the assembler's log and section names of a cubin repeat the name. NVIDIA's assembler
/// keeps it in buffers of a fixed size, which a name of some thousand letters overruns.
static constexpr size_t kMaxKernelName = 256;

ItemPtr AstBuilder::kernel(TileParser::KernelItemContext *context) {
  auto node = std::make_unique<KernelItem>(range(context));
  node->name = identifier(context->NAME());
  if (size_t length = node->name.text.size(); length > kMaxKernelName)
    report(Code::E0900, node->name.range,
           "found a kernel name of " + std::to_string(length) + " characters; expected at most " +
               std::to_string(kMaxKernelName));
  node->generics = generics(context->generics());
  node->parameters = parameters(context->parameters());
  for (auto *each : context->kernelClause())
    kernelClause(each, *node);
  node->body = block(context->block());
  return node;
}

void AstBuilder::addAlias(KernelItem &kernel, KernelItem::Alias alias) {
  if (alias.names.size() < 2) {
    report(Code::E0019, alias.range, "`alias` has fewer than two names; expected those of tensors that may overlap");
    throw Broken();
  }
  kernel.aliases.push_back(std::move(alias));
}

void AstBuilder::kernelClause(TileParser::KernelClauseContext *context, KernelItem &kernel) {
  std::vector<ExprPtr> values = expressions(context->expressions());
  if (context->GRID()) {
    if (kernel.gridRange.isValid()) {
      report(Code::E0018, range(context->GRID()), "a kernel has one `grid`; found a second")
          .secondary(kernel.gridRange, "the first");
      throw Broken();
    }
    kernel.grid = std::move(values);
    kernel.gridRange = range(context);
    kernel.isResident = context->RESIDENT() != nullptr;
    return;
  }
  if (context->ALIAS()) {
    KernelItem::Alias alias;
    alias.range = range(context);
    for (auto *name : context->names()->NAME())
      alias.names.push_back(identifier(name));
    addAlias(kernel, std::move(alias));
    return;
  }
  for (ExprPtr &value : values) {
    // In a list, after a comma, `alias(x, y)` is read as a call.
    auto *call = dynCast<Call>(value);
    auto *callee = call ? dynCast<Name>(call->callee) : nullptr;
    if (!context->WHERE() || !callee || callee->text != "alias") {
      (context->WHERE() ? kernel.where : kernel.specialize).push_back(std::move(value));
      continue;
    }
    KernelItem::Alias alias;
    alias.range = call->range;
    for (const Argument &argument : call->arguments) {
      auto *name = dynCast<Name>(argument.value);
      if (!name) {
        report(Code::E0019, argument.range,
               "found `" + text(argument.range) + "` in `alias`; expected a parameter's name");
        throw Broken();
      }
      alias.names.push_back({name->text, name->range});
    }
    addAlias(kernel, std::move(alias));
  }
}

std::vector<GenericParameter> AstBuilder::generics(TileParser::GenericsContext *context) {
  std::vector<GenericParameter> result;
  if (context)
    for (auto *each : context->genericParameter())
      result.push_back(
          {identifier(each->NAME()), optionalType(each->type()), optionalExpression(each->expression()), range(each)});
  return result;
}

std::vector<Parameter> AstBuilder::parameters(TileParser::ParametersContext *context) {
  std::vector<Parameter> result;
  for (auto *each : context->parameter())
    result.push_back(parameter(each));
  return result;
}

Parameter AstBuilder::parameter(TileParser::ParameterContext *context) {
  Parameter result;
  result.range = range(context);
  bool hasMode = false;
  for (auto *child : context->children) {
    auto *word = dynamic_cast<antlr4::tree::TerminalNode *>(child);
    if (!word || word->getSymbol()->getType() == TileParser::NAME)
      break;
    size_t type = word->getSymbol()->getType();
    if (type == TileParser::VOLATILE ? result.isVolatile : hasMode) {
      report(Code::E0018, range(word), "found `" + text(range(word)) + "` after another word of the kind")
          .help("a parameter is one of `out`, `inout` and `scratch`, or none of them");
      throw Broken();
    }
    if (type == TileParser::VOLATILE) {
      result.isVolatile = true;
      continue;
    }
    hasMode = true;
    result.mode = type == TileParser::OUT     ? Parameter::Mode::Out
                  : type == TileParser::INOUT ? Parameter::Mode::InOut
                                              : Parameter::Mode::Scratch;
  }
  result.name = identifier(context->NAME());
  result.type = optionalType(context->type());
  result.isOptional = context->QUESTION() != nullptr;
  result.defaultValue = optionalExpression(context->expression());
  return result;
}
