/// A spec as a function that the interpreter runs: the kernel's signature with every extent known and every float an
/// f64, one program, and the body of the spec, in which a tensor used as a value is all of its elements.
#include "frontend/irgen/EmptyTiles.h"
#include "frontend/irgen/Fields.h"
#include "frontend/irgen/Kernel.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

/// Dims are compile-time values here, and keep their names: a spec that holds for one shape only is an error.
bool KernelBuilder::declareGivenDims() {
  bool isValid = true;
  for (const Dim &dim : dims) {
    if (scope->find(dim.name) || !isDimName(dim.name))
      continue;
    auto given = values.choices.find(dim.name);
    if (given == values.choices.end()) {
      evaluator.report(Code::E0308, dim.range, "dim " + quote(dim.name) + " has no value; a spec needs every extent")
          .help("pass `-D " + dim.name + "=…`");
      isValid = false;
      continue;
    }
    Value value = evaluator.evaluateConstant(*given->second.syntax, "dim " + quote(dim.name));
    auto *integer = value.as<IntConstant>();
    if (!integer) {
      if (!value.isError())
        evaluator.report(Code::E0206, given->second.syntax->range,
                         "dim " + quote(dim.name) + " is " + value.describe() + "; expected an integer");
      isValid = false;
      continue;
    }
    Binding binding;
    binding.kind = Binding::Kind::Dim;
    binding.range = dim.range;
    binding.value = IntConstant{integer->value, std::nullopt, Symbolic::atom(dim.name)};
    evaluator.declare(dim.name, std::move(binding));
  }
  return isValid;
}

/// Extents of a tensor; those of what a raw pointer points to are given with the options.
std::optional<std::vector<irgen::Dim>> KernelBuilder::specExtents(const KernelLeaf &leaf) {
  auto size = values.pointerSizes.find(leaf.name);
  if (leaf.kind == KernelLeaf::Kind::Pointer && size == values.pointerSizes.end()) {
    evaluator
        .report(Code::E0308, leaf.parameter->name.range,
                "nothing says how many elements " + quote(leaf.name) + " points to; a spec needs to know")
        .help("write `@check(sizes = {" + leaf.name + ": …})`");
    return std::nullopt;
  }
  std::vector<irgen::Dim> result;
  auto add = [&](Operand operand, const std::string &what) {
    std::optional<irgen::Dim> dim = evaluator.toDim(operand, what + " " + quote(leaf.name), /*least=*/0);
    if (dim)
      result.push_back(*dim);
    return dim.has_value();
  };
  if (leaf.kind == KernelLeaf::Kind::Pointer) {
    std::optional<HostExpression> number = evaluateNow(*size->second);
    if (!number || !add({*number->constant, size->second->range}, "the size of"))
      return std::nullopt;
    return result;
  }
  for (const ast::ExprPtr &extent : *leaf.extents)
    if (!add(evaluator.operand(*extent), "an extent of"))
      return std::nullopt;
  return result;
}

/// Tensors are dense and row-major.
bool KernelBuilder::buildSpecArguments() {
  mlir::OpBuilder &builder = evaluator.builder;
  std::vector<Value> leafValues(leaves.size());
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    if (!leaf.isPresent)
      continue;
    Scalar scalar = evaluator.inSpec(leaf.scalar);
    mlir::Type element = mlirTypeOf(scalar, builder.getContext());
    SourceRange range = leaf.parameter->name.range;
    Fields passed(builder);
    if (leaf.kind == KernelLeaf::Kind::Scalar) {
      leafValues[i] = Value(addArgument(element, range), Type::scalar(scalar));
      passed.set("scalar", leaf.name);
      abi.push_back(passed.get());
      continue;
    }
    mlir::Value base = addArgument(PtrType::get(builder.getContext(), element), range);
    passed.set("pointer", leaf.name);
    abi.push_back(passed.get());
    Type type = Type::of(Type::Kind::View);
    type.element = {scalar};
    bool isPointer = leaf.kind == KernelLeaf::Kind::Pointer;
    type.isWritable = isPointer || leaf.parameter->mode != ast::Parameter::Mode::In;
    type.isConstant = !type.isWritable;
    std::optional<std::vector<irgen::Dim>> dimsOfLeaf = specExtents(leaf);
    if (!dimsOfLeaf)
      return false;
    llvm::SmallVector<mlir::OpFoldResult> extents, strides;
    for (const irgen::Dim &dim : *dimsOfLeaf) {
      type.extents.push_back(dim);
      extents.push_back(builder.getIndexAttr(dim.value));
    }
    int64_t stride = 1;
    for (const std::optional<irgen::Dim> &extent : llvm::reverse(type.extents)) {
      strides.insert(strides.begin(), builder.getIndexAttr(stride));
      stride *= extent->value;
    }
    auto view = MakeViewOp::create(builder, evaluator.at(range), evaluator.mlirType(type), base, extents, strides);
    leafValues[i] = Value(view.getResult(), type);
  }
  declareParameters(leafValues);
  return true;
}

mlir::DictionaryAttr KernelBuilder::buildSpecContract() {
  mlir::OpBuilder &builder = evaluator.builder;
  using Mode = ast::Parameter::Mode;
  Fields contract(builder);
  contract.set("name", kernel.name.text);
  llvm::SmallVector<mlir::Attribute> parameters;
  for (const KernelLeaf &leaf : leaves) {
    if (!leaf.isPresent)
      continue;
    Fields fields(builder);
    fields.set("name", leaf.name);
    fields.set("kind", leaf.kind == KernelLeaf::Kind::Scalar ? "scalar" : "tensor");
    fields.set("dtype", nameOf(evaluator.inSpec(leaf.scalar)));
    if (leaf.kind != KernelLeaf::Kind::Scalar) {
      Mode mode = leaf.kind == KernelLeaf::Kind::Pointer ? Mode::InOut : leaf.parameter->mode;
      fields.set("role", mode == Mode::Out ? "out" : mode == Mode::InOut ? "inout" : "in");
      llvm::SmallVector<mlir::Attribute> extents;
      if (std::optional<std::vector<irgen::Dim>> known = specExtents(leaf))
        for (const irgen::Dim &dim : *known)
          extents.push_back(builder.getArrayAttr({builder.getI64IntegerAttr(dim.value)}));
      fields.set("extents", extents);
    }
    parameters.push_back(fields.get());
  }
  contract.set("parameters", parameters);
  contract.set("dims", llvm::ArrayRef<mlir::Attribute>());
  contract.set("grid", llvm::ArrayRef<mlir::Attribute>(builder.getArrayAttr({builder.getI64IntegerAttr(1)})));
  contract.set("abi", llvm::ArrayRef(abi));
  return contract.get();
}

void KernelBuilder::buildSpec(const ast::SpecItem &spec) {
  unsigned errorsBefore = evaluator.engine.errorCount();
  Evaluator::FrameGuard guard(evaluator, &spec, scope);
  evaluator.frame->isKernel = true;
  evaluator.isSpec = true;
  evaluator.equalities = Equalities();
  mlir::OpBuilder::InsertionGuard insertion(evaluator.builder);
  takeConfiguration();
  mlir::func::FuncOp function = beginFunction();
  bool isValid = bindTypes() && flattenParameters();
  if (isValid)
    collectDims();
  isValid = isValid && declareGivenDims() && bindConstants() && buildSpecArguments();
  if (!isValid || evaluator.engine.errorCount() != errorsBefore)
    return;
  for (const ast::ExprPtr &condition : kernel.where)
    evaluator.assumeEqualities(*condition);
  runBody(function, spec.body);
  dropEmptyTiles(function);
  function->setAttr(TileDialect::kContract, buildSpecContract());
}
