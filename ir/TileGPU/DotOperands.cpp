#include "ir/TileGPU/DotOperands.h"

#include "ir/TileGPU/ProductShare.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// The widest swizzle repeats after this many bytes.
static constexpr int64_t kSwizzleBytes = 1024;

/// Chooses a swizzled shared layout, contiguous along the dim that the factor's registers are, from which ldmatrix
/// reads the fragments. Whether it can at all is a question of the algebra; it cannot for 8-bit factors across K.
static bool planMatrix(MmaOperand &operand, const Layout &source, int elementBits) {
  MatrixOrder order = maxVector(source, 0) > maxVector(source, 1) ? MatrixOrder::Transposed : MatrixOrder::RowMajor;
  int swizzle = widestSwizzle(source.shape(), elementBits, order);
  if (swizzle == 0)
    return false;
  Layout shared = nvmmaSharedLayout(source.shape(), elementBits, swizzle, order);
  for (MatrixOrder read : {MatrixOrder::RowMajor, MatrixOrder::Transposed})
    if ((operand.matrix = planMatrixAccess(operand.fragment, shared, elementBits, read))) {
      operand.store = planSharedAccess(source, shared, kMaxVectorBits / elementBits);
      operand.shared = std::move(shared);
      return true;
    }
  return false;
}

static MmaOperand planMmaOperand(Value factor, DotOperand which, const ProductShare &share) {
  const Layout &source = layoutOf(factor.getType()).getLayout();
  int elementBits = elementOf(factor.getType()).getIntOrFloatBitWidth();
  MmaOperand operand;
  operand.fragment = share.operand(which, source.shape(), elementOf(factor.getType()));
  operand.conversion = planConversion(source, operand.fragment, elementBits);
  if (operand.conversion.kind != ConversionKind::SharedMemory)
    return operand;
  operand.bytes = source.numElements() * elementBits / 8;
  if (planMatrix(operand, source, elementBits))
    return operand;
  SharedExchange &exchange = operand.conversion.exchange;
  operand.shared = exchange.layout;
  operand.store = exchange.store;
  operand.load = exchange.load;
  operand.bytes = exchange.bytes;
  return operand;
}

DotOperands tgpu::planDotOperands(DotOp dot) {
  DotOperands plan;
  std::optional<ProductShare> share = shareOf(dot);
  if (!share) {
    plan.rhsOffset = llvm::alignTo(rowMajorBytes(dot.getLhs().getType()), kMaxVectorBytes);
    plan.bytes = plan.rhsOffset + rowMajorBytes(dot.getRhs().getType());
    return plan;
  }
  plan.lhs = planMmaOperand(dot.getLhs(), DotOperand::A, *share);
  plan.rhs = planMmaOperand(dot.getRhs(), DotOperand::B, *share);
  plan.rhs.offset = plan.rhs.bytes ? llvm::alignTo(plan.lhs.bytes, kSwizzleBytes) : 0;
  plan.bytes = std::max(plan.lhs.bytes, plan.rhs.offset + plan.rhs.bytes);
  return plan;
}
