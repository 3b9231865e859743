#include "runtime/search/Rounding.h"

#include "ir/Tile/FloatToInteger.h"
#include "ir/Tile/TileOps.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace llvm;

namespace tile {

static bool roundsToIntegers(mlir::func::FuncOp kernel) {
  return kernel
      .walk([](mlir::Operation *op) {
        return isFloatToInteger(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The unit roundoff of the narrowest floats that `kernel`, tile IR, computes: of what a conversion or an operation
/// gives, and of tf32 products. 0 of a kernel without floats.
static double coarsestRounding(mlir::func::FuncOp kernel) {
  constexpr double kTf32 = 0x1p-11;
  double coarsest = 0;
  kernel.walk([&](mlir::Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op); dot && dot.getPrecision() == Precision::Tf32)
      coarsest = std::max(coarsest, kTf32);
    if (isa<LoadOp, LoadPtrOp>(op)) // rounds nothing
      return;
    for (mlir::Type type : op->getResultTypes())
      if (auto element = dyn_cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type)))
        coarsest = std::max(coarsest, std::ldexp(1.0, -static_cast<int>(element.getFPMantissaWidth())));
  });
  return coarsest;
}

AgreementOptions agreementOf(mlir::func::FuncOp kernel) {
  AgreementOptions agreement;
  agreement.intermediate = coarsestRounding(kernel);
  agreement.roundsToIntegers = roundsToIntegers(kernel);
  return agreement;
}

} // namespace tile
