/// Turns what a launcher checks before it picks a variant into attributes of the kernel's arguments, and names the
/// variant. The contract says which argument is what; see runtime/launch/README.md, `abi` and `requires`.
#include "ir/Analysis/AxisInfo.h"
#include "ir/Tile/TileOps.h"
#include "ir/TileGPU/TileGPUOps.h"
#include "ir/TileGPU/VariantRemark.h"
#include "ir/TileToTileGPU/Passes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

namespace tile::tgpu {
#define GEN_PASS_DEF_ASSUMEVARIANTPASS
#include "ir/TileToTileGPU/Passes.h.inc"
} // namespace tile::tgpu

/// The alignment in bytes and the bound of offsets that `align16`, `rows16` and `offsets31` promise.
static constexpr int64_t kAlignment = 16;
static constexpr int64_t kMaxOffset = (int64_t(1) << 31) - 1;

/// Raises the divisor that `fact` gives of the argument to `divisor`; both are powers of two times what the contract
/// says.
static void assumeDivisible(func::FuncOp kernel, unsigned argument, StringRef fact, int64_t divisor) {
  auto known = kernel.getArgAttrOfType<IntegerAttr>(argument, fact);
  if (!known || known.getInt() % divisor != 0)
    kernel.setArgAttr(argument, fact, Builder(kernel).getI64IntegerAttr(divisor));
}

static void assumeAtMost(func::FuncOp kernel, unsigned argument, int64_t maximum) {
  auto known = kernel.getArgAttrOfType<IntegerAttr>(argument, TileDialect::kMaximum);
  if (!known || known.getInt() > maximum)
    kernel.setArgAttr(argument, TileDialect::kMaximum, Builder(kernel).getI64IntegerAttr(maximum));
}

namespace {
/// A tensor parameter of the contract, as far as its rows are concerned.
struct TensorParameter {
  int64_t rank = 0;
  bool isStrided = false;
  int64_t elementBytes = 0; ///< 0 until its pointer is seen, which comes before its strides

  /// The elements of 16 bytes, at least one.
  int64_t elementsOfVector() const { return std::max<int64_t>(kAlignment / elementBytes, 1); }
  /// Whether there are rows whose elements are neighbours. Those of a single axis may have any length.
  bool hasRows() const { return rank > 1 && !isStrided; }
};
} // namespace

static llvm::StringMap<TensorParameter> tensorsOf(DictionaryAttr contract) {
  llvm::StringMap<TensorParameter> tensors;
  if (auto parameters = contract.getAs<ArrayAttr>("parameters"))
    for (auto parameter : parameters.getAsRange<DictionaryAttr>())
      if (parameter.getAs<StringAttr>("kind") == "tensor") {
        auto strided = parameter.getAs<BoolAttr>("strided");
        tensors[parameter.getAs<StringAttr>("name")] = {
            static_cast<int64_t>(parameter.getAs<ArrayAttr>("extents").size()), strided && strided.getValue()};
      }
  return tensors;
}

static LogicalResult assumeFast(func::FuncOp kernel, DictionaryAttr contract) {
  auto abi = contract.getAs<ArrayAttr>("abi");
  if (!abi || abi.size() != kernel.getNumArguments())
    return kernel.emitError() << "contract lists " << (abi ? abi.size() : 0) << " arguments; expected "
                              << kernel.getNumArguments();
  llvm::StringMap<TensorParameter> tensors = tensorsOf(contract);
  for (auto [argument, entry] : llvm::enumerate(abi.getAsRange<DictionaryAttr>())) {
    if (auto name = entry.getAs<StringAttr>("pointer"); name && tensors.contains(name)) {
      auto pointer = dyn_cast<PtrType>(kernel.getArgument(argument).getType());
      if (!pointer)
        return kernel.emitError() << "argument " << argument << " is " << kernel.getArgument(argument).getType()
                                  << "; expected the pointer of tensor `" << name.getValue() << "`";
      TensorParameter &tensor = tensors[name];
      tensor.elementBytes = elementBytes(pointer.getElementType());
      assumeDivisible(kernel, argument, TileDialect::kDivisibility, kAlignment);
      if (tensor.hasRows())
        assumeDivisible(kernel, argument, TileDialect::kRowDivisibility, tensor.elementsOfVector());
      kernel.setArgAttr(argument, TileGPUDialect::kNarrowOffsets, UnitAttr::get(kernel.getContext()));
    } else if (auto name = entry.getAs<StringAttr>("stride"); name && tensors.lookup(name).elementBytes) {
      const TensorParameter &tensor = tensors[name];
      // The innermost stride, which only a `strided` tensor passes, may be anything.
      bool isInnermost = entry.getAs<IntegerAttr>("axis").getInt() == tensor.rank - 1;
      if (!isInnermost)
        assumeDivisible(kernel, argument, TileDialect::kDivisibility, tensor.elementsOfVector());
    } else if (entry.getAs<StringAttr>("dim")) {
      assumeAtMost(kernel, argument, kMaxOffset);
    }
  }
  return success();
}

namespace {
struct AssumeVariantPass : public tgpu::impl::AssumeVariantPassBase<AssumeVariantPass> {
  using Base::Base;

  void runOnOperation() override {
    for (const std::string &name : variants)
      if (!findVariant(name)) {
        getOperation().emitError() << "variant is `" << name << "`; expected "
                                   << llvm::join(llvm::map_range(
                                                     allVariants(),
                                                     [](const Variant &known) { return "`" + known.name.str() + "`"; }),
                                                 " or ");
        return signalPassFailure();
      }
    for (auto kernel : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (auto contract = kernel->getAttrOfType<DictionaryAttr>(TileDialect::kContract))
        if (failed(makeVariants(kernel, contract)))
          return signalPassFailure();
  }

private:
  LogicalResult makeVariants(func::FuncOp kernel, DictionaryAttr contract) {
    for (const Variant &variant : allVariants()) {
      if (!llvm::is_contained(variants, variant.name) || !variant.isMade(takesTensors(contract)))
        continue;
      OpBuilder builder(kernel);
      auto form = cast<func::FuncOp>(builder.clone(*kernel));
      form.setSymName(variant.symbol(kernel.getSymName()));
      form->setAttr(TileGPUDialect::kVariant, builder.getStringAttr(variant.name));
      if (!variant.promisesNothing() && failed(assumeFast(form, contract)))
        return failure();
    }
    kernel.erase();
    return success();
  }
};
} // namespace
