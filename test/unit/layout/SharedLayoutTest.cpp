// Shared layouts against the swizzles of the PTX ISA, and what reaches them without bank conflicts.
#include "ir/Layout/Constructors.h"
#include "ir/Layout/MatrixAccess.h"
#include "ir/Layout/ShapeOps.h"
#include "test/unit/layout/SimulatedThreads.h"
#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

#include <set>

using namespace tile;

static void expectBijective(const Layout &shared) {
  std::set<Coords> seen;
  for (int64_t offset = 0; offset < shared.size(HwDim::Offset); ++offset)
    seen.insert(shared.offsetCoords(offset));
  EXPECT_EQ(int64_t(seen.size()), shared.numElements()) << shared.str();
  EXPECT_EQ(shared.size(HwDim::Offset), shared.numElements()) << shared.str();
}

TEST(SharedLayout, PlainOrdersAreBijectiveAndContiguous) {
  forEachSmallShape(kMaxSmallExtent, [](const Shape &shape) {
    for (const std::vector<int> &order : {rowMajorOrder(int(shape.size())), std::vector<int>{0, 1}}) {
      if (order.size() == shape.size())
        expectBijective(sharedLayout(shape, order));
    }
  });
  Layout rows = sharedLayout({4, 8}, {1, 0});
  for (int64_t offset = 0; offset < 32; ++offset)
    EXPECT_EQ(rows.offsetCoords(offset), (Coords{offset / 8, offset % 8}));
}

TEST(SharedLayout, TextRoundTrips) {
  Layout shared = nvmmaSharedLayout({8, 192}, 16, 128);
  std::string error;
  EXPECT_EQ(shared.str(), "8x192: offset b1 b2 b4 b8 b16 b32 a1^b8 a2^b16 a4^b32 b*3");
  EXPECT_EQ(Layout::parse(shared.str(), error), shared) << error;
}

TEST(NvmmaShared, IsTheSwizzleOfThePtxIsa) {
  // Chunks of 16 bytes, xored by the row: rows of 128 bytes by all three bits of it, narrower ones by bits that make
  // the pattern repeat every 1024, 512 or 256 bytes.
  struct Case {
    int swizzleBytes, rowsPerStep, period;
  };
  for (auto [swizzleBytes, rowsPerStep, period] : {Case{128, 1, 8}, Case{64, 2, 4}, Case{32, 4, 2}})
    for (int elementBits : {8, 16, 32})
      for (Shape shape : {Shape{64, 128}, Shape{16, 192}}) {
        if (widestSwizzle(shape, elementBits) < swizzleBytes)
          continue;
        int elementBytes = elementBits / 8;
        Layout shared = nvmmaSharedLayout(shape, elementBits, swizzleBytes);
        expectBijective(shared);
        int64_t perRow = swizzleBytes / elementBytes;
        for (int64_t offset = 0; offset < shared.size(HwDim::Offset); ++offset) {
          int64_t block = offset / perRow / shape[0], row = offset / perRow % shape[0];
          int64_t byte = offset % perRow * elementBytes;
          int64_t chunk = (byte / 16) ^ (row / rowsPerStep % period);
          Coords expected = {row, block * perRow + (chunk * 16 + byte % 16) / elementBytes};
          ASSERT_EQ(shared.offsetCoords(offset), expected) << shared.str() << " offset " << offset;
        }
      }
}

TEST(NvmmaShared, OddFactorsOfBothDimsAreAboveAllBits) {
  Layout shared = nvmmaSharedLayout({24, 192}, 16, 128);
  expectBijective(shared);
  EXPECT_EQ(shared.str(), "24x192: offset b1 b2 b4 b8 b16 b32 a1^b8 a2^b16 a4^b32 b*3 a*3");
}

TEST(NvmmaShared, GroupsOfEightRowsHaveOneDistance) {
  Layout shared = nvmmaSharedLayout({48, 128}, 16, 128);
  expectBijective(shared);
  EXPECT_EQ(shared.str(), "48x128: offset b1 b2 b4 b8 b16 b32 a1^b8 a2^b16 a4^b32 b64 a8 a*3");
  EXPECT_EQ(nvmmaSharedLayout({32, 128}, 16, 128).str(),
            "32x128: offset b1 b2 b4 b8 b16 b32 a1^b8 a2^b16 a4^b32 a8 a16 b64");
}

TEST(NvmmaShared, TransposedSwapsTheLastTwoDims) {
  Layout shared = nvmmaSharedLayout({32, 64}, 16, 64, MatrixOrder::Transposed);
  Layout other = nvmmaSharedLayout({64, 32}, 16, 64);
  for (int64_t offset = 0; offset < 2048; ++offset) {
    Coords coords = other.offsetCoords(offset);
    ASSERT_EQ(shared.offsetCoords(offset), (Coords{coords[1], coords[0]}));
  }
}

TEST(NvmmaShared, WidestSwizzleIsWhatThePowerOfTwoPartSpans) {
  EXPECT_EQ(widestSwizzle({64, 64}, 16), 128);
  EXPECT_EQ(widestSwizzle({64, 96}, 16), 64);
  EXPECT_EQ(widestSwizzle({64, 24}, 8), 0);
  EXPECT_EQ(widestSwizzle({32, 64}, 8, MatrixOrder::Transposed), 32);
}

TEST(SharedAccess, VectorsAreAlignedAndContiguous) {
  // The accesses themselves are executed by the conversion tests; here, how wide they are.
  Layout registers = coalescedLayout({64, 64}, 16, {1, 64}, {1, 0}, 4);
  EXPECT_EQ(planSharedAccess(registers, nvmmaSharedLayout({64, 64}, 16, 128), 8).vector, 8);
  EXPECT_EQ(planSharedAccess(registers, sharedLayout({64, 64}, {0, 1}), 8).vector, 1);
  EXPECT_EQ(planSharedAccess(registers, sharedLayout({64, 64}, {1, 0}), 4).vector, 4);
}

TEST(BankConflicts, ColumnOfAnUnswizzledTileMeetsOneBank) {
  // 32 lanes along a column of 32 rows of 128 bytes.
  std::string error;
  Layout column = *Layout::parse("32x32: reg b1 b2 b4 b8 b16; lane a1 a2 a4 a8 a16; warp", error);
  EXPECT_EQ(countWavefronts(column, sharedLayout({32, 32}, {1, 0}), 32, 1), 32);
  EXPECT_EQ(countWavefronts(column, sharedLayout({32, 32}, {0, 1}), 32, 1), 1);
  EXPECT_EQ(countWavefronts(column, nvmmaSharedLayout({32, 32}, 32, 128), 32, 1), 4);
  EXPECT_EQ(countWavefronts(column, nvmmaSharedLayout({32, 32}, 32, 128), 32, 4), 4);
}

TEST(BankConflicts, ElementsOfOneWordDoNotConflict) {
  std::string error;
  Layout row = *Layout::parse("64: reg a32; lane a1 a2 a4 a8 a16; warp", error);
  EXPECT_EQ(countWavefronts(row, sharedLayout({64}, {0}), 8, 1), 1);
  Layout same = *Layout::parse("2: reg a1; lane 0 0 0 0 0; warp", error);
  EXPECT_EQ(countWavefronts(same, sharedLayout({2}, {0}), 32, 1), 1);
}

/// Executes the instructions by their definition and compares with the layout.
static void expectLoads(const MatrixAccess &access, const Layout &registers, const Layout &shared, int elementBits) {
  int perWord = 32 / elementBits, perRow = 128 / elementBits;
  for (int64_t warp = 0; warp < registers.numWarps(); ++warp)
    for (size_t i = 0; i < access.offsets.size(); ++i)
      for (int lane = 0; lane < 32; ++lane)
        for (int matrix = 0; matrix < access.matrices; ++matrix)
          for (int element = 0; element < perWord; ++element) {
            bool transposed = access.order == MatrixOrder::Transposed;
            int row = transposed ? lane % 4 * 2 + element : lane / 4;
            int column = transposed ? lane / 4 : lane % 4 * perWord + element;
            int64_t start = evaluateTerms(access.threadTerms, matrix * 8 + row, warp, access.offsets[i]);
            ASSERT_EQ(start % perRow, 0);
            int64_t reg = access.registers[i].at(matrix * perWord + element);
            ASSERT_EQ(shared.offsetCoords(start + column), registers.coords(reg, lane, warp));
          }
}

TEST(MatrixAccess, LoadsTheOperandsOfMmaWithoutBankConflicts) {
  for (int elementBits : {8, 16, 32})
    for (const std::vector<int> &warps : {std::vector<int>{4, 1}, {2, 2}}) {
      int64_t k = 1024 / elementBits;
      for (int64_t m : {128, 96}) {
        Layout a = mmaOperandLayout(DotOperand::A, {m, k}, warps, elementBits);
        Layout shared = nvmmaSharedLayout({m, k}, elementBits, 128);
        std::optional<MatrixAccess> access = planMatrixAccess(a, shared, elementBits, MatrixOrder::RowMajor);
        ASSERT_TRUE(access) << a.str();
        EXPECT_EQ(access->matrices, 4);
        EXPECT_EQ(access->wavefronts, 4);
        expectLoads(*access, a, shared, elementBits);
      }
      // B with K contiguous.
      Layout b = mmaOperandLayout(DotOperand::B, {k, 128}, warps, elementBits);
      Layout shared = nvmmaSharedLayout({k, 128}, elementBits, 128, MatrixOrder::Transposed);
      std::optional<MatrixAccess> access = planMatrixAccess(b, shared, elementBits, MatrixOrder::RowMajor);
      ASSERT_TRUE(access) << b.str();
      EXPECT_EQ(access->wavefronts, 4);
      expectLoads(*access, b, shared, elementBits);
    }
}

TEST(MatrixAccess, TransposesSixteenBitOperandsWithoutBankConflicts) {
  Layout b = mmaOperandLayout(DotOperand::B, {64, 192}, {2, 2}, 16);
  Layout a = mmaOperandLayout(DotOperand::A, {128, 64}, {2, 2}, 16);
  Layout sharedB = nvmmaSharedLayout({64, 192}, 16, 128);
  Layout sharedA = nvmmaSharedLayout({128, 64}, 16, 128, MatrixOrder::Transposed);
  for (auto [registers, shared] : {std::pair(b, sharedB), std::pair(a, sharedA)}) {
    std::optional<MatrixAccess> access = planMatrixAccess(registers, shared, 16, MatrixOrder::Transposed);
    ASSERT_TRUE(access);
    EXPECT_EQ(access->wavefronts, 4);
    expectLoads(*access, registers, shared, 16);
    EXPECT_FALSE(planMatrixAccess(registers, shared, 16, MatrixOrder::RowMajor));
  }
}

/// How many different coordinates along `dim` the registers of the first instruction have, in one thread.
static size_t countCoordinates(const MatrixAccess &access, const Layout &registers, int dim) {
  std::set<int64_t> seen;
  for (int64_t reg : access.registers[0])
    seen.insert(registers.registerOffset(reg)[dim]);
  return seen.size();
}

TEST(MatrixAccess, AnInstructionIsForOneStepAlongK) {
  constexpr size_t kOfStep = 4; // a thread has two words of two elements
  Layout rows = nvmmaSharedLayout({64, 128}, 16, 128),
         columns = nvmmaSharedLayout({64, 128}, 16, 128, MatrixOrder::Transposed);
  Layout b = mmaOperandLayout(DotOperand::B, {64, 128}, {2, 2}, 16);
  for (auto [shared, order] : {std::pair(rows, MatrixOrder::Transposed), std::pair(columns, MatrixOrder::RowMajor)}) {
    MatrixAccess access = *planMatrixAccess(b, shared, 16, order);
    EXPECT_EQ(countCoordinates(access, b, 0), kOfStep);
    EXPECT_EQ(countCoordinates(access, b, 1), 2u);
  }
  // A warp of eight columns has no other matrices beside them.
  Layout few = mmaOperandLayout(DotOperand::B, {64, 8}, {1, 1}, 16);
  MatrixAccess access =
      *planMatrixAccess(few, nvmmaSharedLayout({64, 8}, 16, 128, MatrixOrder::Transposed), 16, MatrixOrder::RowMajor);
  EXPECT_EQ(access.matrices, 4);
  EXPECT_EQ(countCoordinates(access, few, 0), 2 * kOfStep);
}

TEST(MatrixAccess, RefusesWhatTheInstructionCannotDo) {
  Layout b8 = mmaOperandLayout(DotOperand::B, {64, 128}, {1, 1}, 8);
  EXPECT_FALSE(planMatrixAccess(b8, nvmmaSharedLayout({64, 128}, 8, 128), 8, MatrixOrder::Transposed));
  Layout blocked = coalescedLayout({64, 64}, 16, {64, 64}, {1, 0}, 4);
  EXPECT_FALSE(planMatrixAccess(blocked, nvmmaSharedLayout({64, 64}, 16, 128), 16, MatrixOrder::RowMajor));
  // A warp that starts within a row.
  std::string error;
  Layout aligned = *Layout::parse("16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp 0", error);
  Layout shifted = *Layout::parse("16x16: reg b1 a8 b8; lane b2 b4 a1 a2 a4; warp b1", error);
  EXPECT_TRUE(planMatrixAccess(aligned, sharedLayout({16, 16}, {1, 0}), 16, MatrixOrder::RowMajor));
  EXPECT_FALSE(planMatrixAccess(shifted, sharedLayout({16, 16}, {1, 0}), 16, MatrixOrder::RowMajor));
  // Rows that are not 16 contiguous bytes.
  Layout a = mmaOperandLayout(DotOperand::A, {64, 64}, {1, 1}, 16);
  EXPECT_FALSE(planMatrixAccess(a, swizzleOffsets(sharedLayout({64, 64}, {1, 0}), 0, 7, 3), 16, MatrixOrder::RowMajor));
}

TEST(MatrixAccess, AccumulatorsAreStoredAsSixteenBit) {
  Layout acc = mmaAccumulatorLayout({64, 64}, {2, 2});
  std::optional<MatrixAccess> access =
      planMatrixAccess(acc, nvmmaSharedLayout({64, 64}, 16, 128), 16, MatrixOrder::RowMajor);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->wavefronts, 4);
  expectLoads(*access, acc, nvmmaSharedLayout({64, 64}, 16, 128), 16);
}

TEST(BankConflicts, SixteenByteStoresOfMatmulTilesHaveNone) {
  for (int elementBits : {8, 16, 32})
    for (int64_t rows : {64, 128, 192}) {
      Shape shape = {rows, 1024 / elementBits};
      Layout registers = coalescedLayout(shape, elementBits, shape, {1, 0}, 4);
      EXPECT_EQ(maxVector(registers, 1), 128 / elementBits);
      EXPECT_EQ(countWavefronts(registers, nvmmaSharedLayout(shape, elementBits, 128), elementBits, 128 / elementBits),
                4);
    }
}

TEST(BankConflicts, FactorsInRowsOfAllSwizzlesHaveNone) {
  for (int bytes : {32, 64, 128, 256})
    for (int64_t rows : {32, 64, 96, 128, 256}) {
      Shape shape = {rows, bytes / 2}, transposed = {bytes / 2, rows};
      int swizzle = widestSwizzle(shape, 16);
      EXPECT_EQ(swizzle, std::min(bytes, 128));
      Layout shared = nvmmaSharedLayout(shape, 16, swizzle);
      // Written by 16-byte copies.
      EXPECT_EQ(countWavefronts(coalescedLayout(shape, 16, shape, {1, 0}, 4), shared, 16, 8), 4) << shared.str();
      // Read as either factor, rows along K or across it.
      for (const std::vector<int> &warps : {std::vector<int>{1, 1}, {2, 2}, {4, 1}})
        for (DotOperand operand : {DotOperand::A, DotOperand::B}) {
          bool isAlongK = operand == DotOperand::A;
          for (auto [order, seen] :
               {std::pair(isAlongK ? MatrixOrder::RowMajor : MatrixOrder::Transposed, shared),
                std::pair(isAlongK ? MatrixOrder::Transposed : MatrixOrder::RowMajor, permuteLayout(shared, {1, 0}))}) {
            std::optional<MatrixAccess> access =
                planMatrixAccess(mmaOperandLayout(operand, seen.shape(), warps, 16), seen, 16, order);
            ASSERT_TRUE(access) << seen.str();
            EXPECT_EQ(access->wavefronts, access->matrices) << seen.str();
          }
        }
    }
}
