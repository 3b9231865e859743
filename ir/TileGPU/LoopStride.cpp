#include "ir/TileGPU/LoopStride.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile::tgpu;

/// Ops back from an index that are looked at; addresses that people write take a handful.
static constexpr int kMaxDepth = 64;
static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min(), kHighest = std::numeric_limits<int64_t>::max();

static bool isIndex(Type type) { return type.isIndex() || type.isInteger(64); }

/// What a value of `type` may be, as signed.
static std::pair<int64_t, int64_t> boundsOf(Type type) {
  if (isIndex(type))
    return {kLowest, kHighest};
  unsigned width = type.getIntOrFloatBitWidth();
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

LoopStride::LoopStride(LoopLikeOpInterface loop) : loop(loop) {}

std::optional<int64_t> LoopStride::of(Value index) {
  std::optional<int64_t> step;
  if (std::optional<OpFoldResult> given = loop.getSingleStep())
    step = getConstantIntValue(*given);
  std::optional<Linear> found = step ? linear(index, 0) : std::nullopt;
  int64_t stride = 0;
  if (!found || llvm::MulOverflow(found->factor, *step, stride) || !llvm::isInt<32>(stride))
    return std::nullopt;
  return stride;
}

std::optional<LoopStride::Linear> LoopStride::linear(Value value, int depth) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  std::optional<Linear> result = depth < kMaxDepth ? compute(value, depth) : std::nullopt;
  known[value] = result;
  return result;
}

std::optional<LoopStride::Linear> LoopStride::compute(Value value, int depth) {
  Type type = value.getType();
  if (!type.isIntOrIndex() || (type.isInteger() && type.getIntOrFloatBitWidth() > 64))
    return std::nullopt;
  auto [lowest, highest] = boundsOf(type);
  if (value == loop.getSingleInductionVar()) {
    std::optional<int64_t> first, end;
    if (std::optional<OpFoldResult> bound = loop.getSingleLowerBound())
      first = getConstantIntValue(*bound);
    if (std::optional<OpFoldResult> bound = loop.getSingleUpperBound())
      end = getConstantIntValue(*bound);
    return Linear{1, first.value_or(lowest), end && *end > kLowest ? *end - 1 : highest};
  }
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
    return Linear{0, constant.getSExtValue(), constant.getSExtValue()};
  if (loop.isDefinedOutsideOfLoop(value))
    return Linear{0, lowest, highest};
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::IndexCastOp, arith::ExtSIOp>(op)) {
    std::optional<Linear> operand = linear(op->getOperand(0), depth + 1);
    // A cast to fewer bits wraps as arithmetic does.
    return operand && operand->least >= lowest && operand->most <= highest ? operand : std::nullopt;
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<Linear> lhs = linear(op->getOperand(0), depth + 1), rhs = linear(op->getOperand(1), depth + 1);
  if (!lhs || !rhs)
    return std::nullopt;
  Linear result{0, lowest, highest};
  __int128 least = lhs->least, most = lhs->most;
  bool overflows = false;
  if (isa<arith::AddIOp>(op)) {
    overflows = llvm::AddOverflow(lhs->factor, rhs->factor, result.factor);
    least += rhs->least;
    most += rhs->most;
  } else if (isa<arith::SubIOp>(op)) {
    overflows = llvm::SubOverflow(lhs->factor, rhs->factor, result.factor);
    least -= rhs->most;
    most -= rhs->least;
  } else {
    // Linear where one side is a constant.
    if (lhs->least == lhs->most)
      std::swap(lhs, rhs);
    bool isConstant = rhs->least == rhs->most;
    if (!isConstant && (lhs->factor != 0 || rhs->factor != 0))
      return std::nullopt;
    overflows = isConstant && llvm::MulOverflow(lhs->factor, rhs->least, result.factor);
    auto corners = {__int128(lhs->least) * rhs->least, __int128(lhs->least) * rhs->most,
                    __int128(lhs->most) * rhs->least, __int128(lhs->most) * rhs->most};
    least = std::min(corners);
    most = std::max(corners);
  }
  if (overflows)
    return std::nullopt;
  if (isIndex(type))
    return result;
  if (least < lowest || most > highest)
    return std::nullopt;
  result.least = static_cast<int64_t>(least);
  result.most = static_cast<int64_t>(most);
  return result;
}
