#include "ir/Tile/TileOps.h"

using namespace mlir;
using namespace tile;

/// The largest grid extent that a launch takes, along any axis.
static constexpr uint64_t kMaxPrograms = std::numeric_limits<int32_t>::max();

static ConstantIntRanges indexRange(uint64_t low, uint64_t high) {
  unsigned width = IndexType::kInternalStorageBitWidth;
  return ConstantIntRanges::fromUnsigned(APInt(width, low), APInt(width, high));
}

void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), indexRange(0, kMaxPrograms - 1));
}

void NumProgramsOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), indexRange(1, kMaxPrograms));
}

void DimOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), indexRange(0, std::numeric_limits<int64_t>::max()));
}
