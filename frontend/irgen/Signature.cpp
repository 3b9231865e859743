/// The signature of a kernel: parameters are taken apart into what the ABI passes, extents bind dims, and the function
/// gets its arguments in the order of the contract.
#include "frontend/ast/Children.h"
#include "frontend/irgen/Kernel.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

//===-- Leaves

bool KernelBuilder::flattenParameters() {
  bool isValid = true;
  for (const ast::Parameter &parameter : kernel.parameters) {
    if (parameter.mode == ast::Parameter::Mode::Scratch || (parameter.defaultValue && !parameter.isOptional)) {
      bool isScratch = parameter.mode == ast::Parameter::Mode::Scratch;
      evaluator.report(Code::E0900, parameter.range,
                       std::string(isScratch ? "`scratch`" : "a default of a kernel's run-time parameter") +
                           " is not supported by this version");
      return false;
    }
    if (parameter.isVolatile) {
      evaluator.report(Code::E0900, parameter.range, "`volatile` is not supported by this version");
      return false;
    }
    if (!parameter.type) {
      evaluator.report(Code::E0401, parameter.range,
                       "parameter " + quote(parameter.name.text) + " of a kernel has no type");
      isValid = false;
      continue;
    }
    size_t first = leaves.size();
    std::optional<Shape> shape = flatten(parameter.name.text, parameter, *parameter.type, /*isStrided=*/false);
    if (!shape) {
      isValid = false;
      continue;
    }
    if (parameter.isOptional) {
      auto choice = values.choices.find("has(" + parameter.name.text + ")");
      std::optional<bool> isPresent = true;
      if (choice != values.choices.end())
        isPresent =
            evaluator.evaluateStaticCondition(*choice->second.syntax, quote("has(" + parameter.name.text + ")"));
      for (size_t i = first; i < leaves.size(); ++i)
        leaves[i].isPresent = isPresent.value_or(true);
      shape->isAbsent = !isPresent.value_or(true);
    }
    shapes.push_back(std::move(*shape));
  }
  return isValid;
}

/// `tensor<f32>` and `tensor<f32, M, N>`: the extents are missing, or in the wrong brackets.
void KernelBuilder::reportShapeless(const ast::Parameter &parameter, const ast::GenericApply &tensor) {
  DiagnosticBuilder diagnostic = evaluator.report(Code::E0401, tensor.range,
                                                  "parameter " + quote(parameter.name.text) +
                                                      " is a tensor without extents; expected `tensor<type>[extents]`");
  std::string extents;
  for (const ast::Argument &extent : llvm::drop_begin(tensor.arguments))
    extents += (extents.empty() ? "" : ", ") + evaluator.text(extent.range);
  if (!tensor.shape && !extents.empty())
    diagnostic.replace(tensor.range, "tensor<" + evaluator.text(tensor.arguments.front().range) + ">[" + extents + "]",
                       "write ");
  else
    diagnostic.help("`tensor<f32>[N]` has one axis and gives its extent the name `N`, `tensor<f32>[M, N]` has two");
}

std::optional<KernelBuilder::Shape> KernelBuilder::flatten(const std::string &name, const ast::Parameter &parameter,
                                                           const ast::Expr &type, bool isStrided) {
  auto leaf = [&](KernelLeaf leaf) {
    leaf.name = name;
    leaf.parameter = &parameter;
    leaf.range = type.range;
    leaves.push_back(std::move(leaf));
    Shape shape;
    shape.leaf = leaves.size() - 1;
    return shape;
  };
  auto refuse = [&](const std::string &found, const Type &known = Type()) {
    DiagnosticBuilder diagnostic = evaluator.report(Code::E0401, type.range,
                                                    "parameter " + quote(name) + " is " + found +
                                                        "; expected a tensor, scalar, pointer or tuple of them");
    evaluator.suggestScalar(diagnostic, known, type.range);
    return std::nullopt;
  };
  if (auto *strided = dynCast<ast::StridedType>(&type))
    return flatten(name, parameter, *strided->tensor, true);
  if (auto *tuple = dynCast<ast::Tuple>(&type)) {
    Shape shape;
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      std::optional<Shape> element = flatten(name + "." + std::to_string(i), parameter, *tuple->elements[i], false);
      if (!element)
        return std::nullopt;
      shape.elements.push_back(std::move(*element));
    }
    return shape;
  }
  if (dynCast<ast::ArrayType>(&type)) {
    evaluator.report(Code::E0900, type.range, "array parameters are not supported by this version");
    return std::nullopt;
  }
  if (auto *named = dynCast<ast::Name>(&type)) {
    // `E`, a type that was given as syntax: what it stands for is taken apart in its place.
    BindingPtr binding = scope->find(named->text);
    auto *given = binding ? binding->value.as<TypeConstant>() : nullptr;
    if (given && given->syntax)
      return flatten(name, parameter, *given->syntax, isStrided);
  }
  auto *apply = dynCast<ast::GenericApply>(&type);
  auto *constructor = apply ? dynCast<ast::Name>(apply->base) : nullptr;
  if (constructor && constructor->text == "tensor") {
    if (apply->arguments.size() != 1 || !apply->shape) {
      reportShapeless(parameter, *apply);
      return std::nullopt;
    }
    std::optional<Scalar> scalar = evaluator.evaluateScalarType(evaluator.operand(*apply->arguments.front().value));
    if (!scalar)
      return std::nullopt;
    KernelLeaf tensor;
    tensor.kind = KernelLeaf::Kind::Tensor;
    tensor.scalar = *scalar;
    tensor.isStrided = isStrided;
    tensor.extents = &*apply->shape;
    return leaf(tensor);
  }
  if (constructor && constructor->text == "tile")
    return refuse("a tile");
  std::optional<Type> known = evaluator.evaluateType(type);
  if (!known)
    return std::nullopt;
  if (known->isUnit())
    return Shape();
  if (!known->isScalar())
    return refuse(known->text(), *known);
  if (parameter.mode != ast::Parameter::Mode::In) {
    evaluator
        .report(Code::E0401, type.range,
                "parameter " + quote(name) + " is " +
                    (parameter.mode == ast::Parameter::Mode::Out ? "`out`" : "`inout`") + " and " + known->text() +
                    "; expected `out` and `inout` before tensors only")
        .help(known->element.isPointer ? "leave it out: `store` writes through any pointer"
                                       : "a result is a tensor of rank 0: `out " + name + ": tensor<" + known->text() +
                                             ">[]`, written as `" + name + "[] = …`");
    return std::nullopt;
  }
  KernelLeaf scalar;
  scalar.kind = known->element.isPointer ? KernelLeaf::Kind::Pointer : KernelLeaf::Kind::Scalar;
  scalar.scalar = known->element.scalar;
  return leaf(scalar);
}

//===-- Dims

/// Whether a name in an extent is bound by the launch, and is no compile-time parameter or constant.
bool KernelBuilder::isDimName(const std::string &name) const {
  if (llvm::any_of(kernel.generics, [&](const ast::GenericParameter &generic) { return generic.name.text == name; }))
    return false;
  const LoadedModule *owner = nullptr;
  return !module.find(name, owner);
}

/// Names whose values the extent is computed from.
static void collectNames(const ast::Expr &expr, std::vector<const ast::Name *> &names) {
  if (auto *name = dynCast<ast::Name>(&expr))
    names.push_back(name);
  forEachChild(expr, {[&](const ast::Expr &child, ast::ChildRole role) {
                        if (role == ast::ChildRole::Value)
                          collectNames(child, names);
                      },
                      [](const ast::Block &) {}});
}

std::vector<const ast::Name *> irgen::namesIn(const ast::Expr &extent) {
  std::vector<const ast::Name *> names;
  collectNames(extent, names);
  return names;
}

/// Names in order of appearance; the place that declares each is found by `checkDims`.
void KernelBuilder::collectDims() {
  for (const KernelLeaf &leaf : leaves) {
    if (leaf.kind != KernelLeaf::Kind::Tensor || !leaf.isPresent)
      continue;
    for (const ast::ExprPtr &extent : *leaf.extents) {
      for (const ast::Name *name : namesIn(*extent)) {
        bool isKnown = llvm::any_of(dims, [&](const Dim &dim) { return dim.name == name->text; });
        bool isParameter = llvm::any_of(
            kernel.generics, [&](const ast::GenericParameter &generic) { return generic.name.text == name->text; });
        if (!isKnown && (isParameter || isDimName(name->text))) {
          Dim dim;
          dim.name = name->text;
          dim.range = name->range;
          dims.push_back(std::move(dim));
        }
      }
    }
  }
}

/// Extents that are given are numbers that a tensor can have.
bool KernelBuilder::checkGivenDims() {
  bool isValid = true;
  for (const Dim &dim : dims) {
    auto given = values.choices.find(dim.name);
    if (given == values.choices.end() || scope->find(dim.name))
      continue;
    Value value = evaluator.evaluateConstant(*given->second.syntax, quote(dim.name));
    auto *number = value.as<IntConstant>();
    if (value.isError() || (number && number->value >= 0 && number->value <= INT64_MAX)) {
      isValid &= !value.isError();
      continue;
    }
    evaluator
        .report(Code::E0301, given->second.syntax->range,
                "extent " + quote(dim.name) + " is " + value.describe() + "; expected an integer from 0 to 2^63 - 1")
        .secondary(dim.range, "declared here");
    isValid = false;
  }
  return isValid;
}

std::optional<SolvableExtent> tile::solvableExtent(const ast::Expr &extent) {
  auto *binary = dynCast<ast::Binary>(&extent);
  if (!binary)
    return std::nullopt;
  bool commutes = binary->op == ast::BinaryOp::Add || binary->op == ast::BinaryOp::Mul;
  bool isReversed = commutes && !dynCast<ast::Name>(binary->lhs);
  auto *name = dynCast<ast::Name>(isReversed ? binary->rhs : binary->lhs);
  auto *literal = dynCast<ast::IntLiteral>(isReversed ? binary->lhs : binary->rhs);
  std::string_view inverse = binary->op == ast::BinaryOp::Add   ? "-"
                             : binary->op == ast::BinaryOp::Sub ? "+"
                             : binary->op == ast::BinaryOp::Mul ? "/"
                                                                : "";
  if (!name || !literal || inverse.empty() || (inverse == "/" && literal->value == 0))
    return std::nullopt;
  return SolvableExtent{name->text, inverse, static_cast<int64_t>(literal->value)};
}

int64_t SolvableExtent::solve(int64_t extent) const {
  return inverse == "-" ? extent - constant : inverse == "+" ? extent + constant : extent / constant;
}

/// `N` declares N; so do `N + c`, `c + N`, `N - c`, `c * N` and `N * c` where nothing else does.
void KernelBuilder::declareDim(const KernelLeaf &leaf, size_t axis, const ast::Expr &extent) {
  mlir::OpBuilder &builder = evaluator.builder;
  auto find = [&](const ast::Expr &expr) -> Dim * {
    auto *name = dynCast<ast::Name>(&expr);
    auto it = llvm::find_if(dims, [&](const Dim &dim) { return name && dim.name == name->text; });
    return it == dims.end() ? nullptr : &*it;
  };
  auto declare = [&](Dim &dim, llvm::ArrayRef<mlir::Attribute> inverse) {
    dim.isDeclared = true;
    dim.parameter = leaf.name;
    dim.axis = axis;
    dim.inverse.assign(inverse.begin(), inverse.end());
  };
  if (Dim *dim = find(extent)) {
    // A bare occurrence takes precedence over a computed one, and the first over later ones.
    if (!dim->isDeclared || !dim->inverse.empty())
      declare(*dim, {});
    return;
  }
  std::optional<SolvableExtent> solvable = solvableExtent(extent);
  auto it = llvm::find_if(dims, [&](const Dim &dim) { return solvable && dim.name == solvable->name; });
  if (it == dims.end() || it->isDeclared)
    return;
  declare(*it, {builder.getStringAttr("extent"), builder.getI64IntegerAttr(solvable->constant),
                builder.getStringAttr(solvable->inverse)});
}

bool KernelBuilder::checkDims() {
  for (const KernelLeaf &leaf : leaves)
    if (leaf.kind == KernelLeaf::Kind::Tensor && leaf.isPresent)
      for (auto [axis, extent] : llvm::enumerate(*leaf.extents))
        declareDim(leaf, axis, *extent);
  bool isValid = true;
  for (Dim &dim : dims) {
    if (BindingPtr constant = scope->find(dim.name)) {
      auto *integer = constant->value.as<IntConstant>();
      if (integer)
        dim.value = static_cast<int64_t>(integer->value);
      // A parameter that stands alone as an extent is bound by the argument.
      for (Constant &bound : constants)
        if (bound.parameter->name.text == dim.name && dim.isDeclared && dim.inverse.empty())
          bound.source = "argument";
      continue;
    }
    if (dim.isDeclared)
      continue;
    evaluator.report(Code::E0400, dim.range, "nothing declares the dim " + quote(dim.name))
        .note("a dim is declared where it stands alone as an extent, or as `N + c` or `c * N`")
        .help("use " + quote(dim.name) + " alone as an extent of some tensor, or make it a compile-time parameter");
    isValid = false;
  }
  for (Constant &bound : constants)
    for (const KernelLeaf &leaf : leaves)
      if (leaf.kind == KernelLeaf::Kind::Tensor && bound.value.as<TypeConstant>())
        if (auto *apply = dynCast<ast::GenericApply>(leaf.parameter->type))
          if (auto *element = apply->arguments.empty() ? nullptr : dynCast<ast::Name>(apply->arguments.front().value))
            if (element->text == bound.parameter->name.text)
              bound.source = "argument";
  return isValid;
}

//===-- Arguments

mlir::Value KernelBuilder::addArgument(mlir::Type type, SourceRange range) {
  return entry->addArgument(type, evaluator.at(range));
}

bool KernelBuilder::isAliased(const std::string &name) const {
  return llvm::any_of(kernel.aliases, [&](const ast::KernelItem::Alias &alias) {
    return llvm::any_of(alias.names, [&](const ast::Identifier &other) { return other.text == name; });
  });
}

/// The pointer, the dims that no earlier argument passed, and the strides. Views are made after all arguments exist, as
/// their extents may use dims of later tensors.
bool KernelBuilder::buildArguments() {
  mlir::OpBuilder &builder = evaluator.builder;
  auto entryOf = [&](std::string_view key, const std::string &name, std::optional<size_t> axis = std::nullopt) {
    llvm::SmallVector<mlir::NamedAttribute> fields = {{builder.getStringAttr(key), builder.getStringAttr(name)}};
    if (axis)
      fields.emplace_back(builder.getStringAttr("axis"), builder.getI64IntegerAttr(static_cast<int64_t>(*axis)));
    abi.push_back(builder.getDictionaryAttr(fields));
  };
  mlir::Type indexType = builder.getIndexType();
  std::vector<mlir::Value> bases(leaves.size());
  std::vector<llvm::SmallVector<mlir::OpFoldResult>> strides(leaves.size());
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    if (!leaf.isPresent)
      continue;
    if (leaf.kind == KernelLeaf::Kind::Scalar) {
      bases[i] = addArgument(mlirTypeOf(leaf.scalar, builder.getContext()), leaf.parameter->name.range);
      entryOf("scalar", leaf.name);
      continue;
    }
    bases[i] = addArgument(PtrType::get(builder.getContext(), mlirTypeOf(leaf.scalar, builder.getContext())),
                           leaf.parameter->name.range);
    entryOf("pointer", leaf.name);
    if (leaf.kind == KernelLeaf::Kind::Pointer)
      continue;
    for (const ast::ExprPtr &extent : *leaf.extents) {
      for (const ast::Name *name : namesIn(*extent))
        for (Dim &dim : dims) {
          if (dim.name != name->text || dim.value || scope->find(dim.name))
            continue;
          dim.argument = entry->getNumArguments();
          Binding binding;
          binding.kind = Binding::Kind::Dim;
          binding.range = dim.range;
          binding.value = Value(addArgument(indexType, dim.range), Type::scalar(Scalar::Index));
          evaluator.declare(dim.name, std::move(binding));
          entryOf("dim", dim.name);
        }
    }
    for (size_t axis = 0; axis < leaf.extents->size(); ++axis) {
      if (axis + 1 == leaf.extents->size() && !leaf.isStrided) {
        strides[i].push_back(builder.getIndexAttr(1));
        continue;
      }
      strides[i].push_back(addArgument(indexType, leaf.range));
      entryOf("stride", leaf.name, axis);
    }
  }
  std::vector<Value> leafValues(leaves.size());
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    if (!leaf.isPresent)
      continue;
    if (leaf.kind != KernelLeaf::Kind::Tensor) {
      bool isPointer = leaf.kind == KernelLeaf::Kind::Pointer;
      leafValues[i] = Value(bases[i], Type::tile({leaf.scalar, isPointer}, {}));
      continue;
    }
    using Mode = ast::Parameter::Mode;
    Type type = Type::of(Type::Kind::View);
    type.element = {leaf.scalar};
    type.isStrided = leaf.isStrided;
    type.isReadable = leaf.parameter->mode != Mode::Out;
    type.isWritable = leaf.parameter->mode != Mode::In;
    type.isConstant = leaf.parameter->mode == Mode::In && !isAliased(leaf.parameter->name.text);
    llvm::SmallVector<mlir::OpFoldResult> extents;
    for (const ast::ExprPtr &extent : *leaf.extents) {
      if (dynCast<ast::Wildcard>(extent)) {
        evaluator
            .report(Code::E0401, extent->range, "an extent of a kernel's tensor is `_`; expected a name or expression")
            .help("name it, and the kernel knows the extent by that name");
        return false;
      }
      Operand value = evaluator.operand(*extent);
      if (auto *integer = value.value.as<IntConstant>()) {
        std::optional<tile::irgen::Dim> dim = evaluator.toDim(value, "an extent of " + quote(leaf.name), /*least=*/0);
        if (!dim)
          return false;
        type.extents.push_back(*dim);
        extents.push_back(builder.getIndexAttr(static_cast<int64_t>(integer->value)));
        continue;
      }
      mlir::Value size = evaluator.toIndex(value, "an extent of " + quote(leaf.name));
      if (!size)
        return false;
      type.extents.push_back(std::nullopt);
      extents.push_back(size);
    }
    auto view = MakeViewOp::create(builder, evaluator.at(leaf.parameter->name.range), evaluator.mlirType(type),
                                   bases[i], extents, strides[i]);
    leafValues[i] = Value(view.getResult(), type);
  }
  declareParameters(leafValues);
  return true;
}

void KernelBuilder::declareParameters(const std::vector<Value> &leafValues) {
  for (auto [parameter, shape] : llvm::zip_equal(kernel.parameters, shapes)) {
    Binding binding;
    binding.kind = Binding::Kind::Parameter;
    binding.range = parameter.name.range;
    binding.value = shape.isAbsent ? Value(AbsentValue{parameter.name.text}) : assemble(shape, leafValues);
    evaluator.declare(parameter.name.text, std::move(binding));
  }
}

Value KernelBuilder::assemble(const Shape &shape, const std::vector<Value> &leafValues) {
  if (shape.leaf)
    return leafValues[*shape.leaf];
  std::vector<Value> elements;
  for (const Shape &element : shape.elements)
    elements.push_back(assemble(element, leafValues));
  return Value::tuple(std::move(elements));
}
