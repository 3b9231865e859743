//===- SharedLayout.h - tiles in shared memory ------------------*- C++ -*-===//
//
// Constructors of shared layouts (offset → coordinates) and the questions that decide how registers reach them: which
// vectors, which addresses, how many bank conflicts, ldmatrix or not. Offsets count elements from the buffer's start,
// which is aligned to what the layout needs (1024 bytes for the 128-byte swizzle).
//
// An odd factor is above all bits of the offset, so a 64x192 tile is three 64x64 tiles one after the other.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_SHAREDLAYOUT_H
#define TILE_IR_LAYOUT_SHAREDLAYOUT_H

#include "ir/Layout/Layout.h"

namespace tile {

/// The elements in `order`, fastest dim first, without a swizzle.
Layout sharedLayout(const Shape &shape, const std::vector<int> &order);

/// `layout` with bits [from, from + count) of the offset xored by bits [by, by + count) of it.
Layout swizzleOffsets(const Layout &layout, int from, int by, int count);

/// The layout that TMA writes and `wgmma` reads (PTX ISA, shared-memory matrix layout): rows of `swizzleBytes` (32, 64
/// or 128) contiguous bytes along the last dim (the one before it when `transposed`), 16-byte chunks xored by address
/// bits 7 and up. A wider tile is several such tiles, one after the other, or eight rows of each in turn where the
/// number of rows is no power of two. The contiguous dim's power-of-two part spans at least `swizzleBytes`.
enum class MatrixOrder : uint8_t { RowMajor, Transposed };
Layout nvmmaSharedLayout(const Shape &shape, int elementBits, int swizzleBytes,
                         MatrixOrder matrixOrder = MatrixOrder::RowMajor);
/// The widest swizzle that `nvmmaSharedLayout` can use, or 0 when the contiguous dim is too small for any.
int widestSwizzle(const Shape &shape, int elementBits, MatrixOrder matrixOrder = MatrixOrder::RowMajor);

/// The most significant digits of a shared layout's offset, when a tile passes through a smaller buffer in rounds: they
/// name the round, and the rest is the offset in the buffer. All of them must be registers wherever the tile is used.
struct RoundDigits {
  int bits = 0;
  int odd = 0;
};

/// The offset at which `shared` has what a (register, lane, warp, block) of `registers` holds.
class OffsetMap {
public:
  OffsetMap(const Layout &registers, const Layout &shared, RoundDigits rounds = {});
  /// What each bit of `hw` contributes to the offset, by exclusive or.
  const std::vector<uint64_t> &columns(HwDim hw) const { return columnsOf[int(hw)]; }
  /// The register's part of the offset, and its round.
  int64_t registerOffset(int64_t reg) const;
  int64_t registerRound(int64_t reg) const;
  /// The (lane, warp, block) part of the offset, with `laneColumns` in the place of the lane's own.
  std::vector<CoordTerm> threadTerms(const std::vector<uint64_t> &laneColumns) const;
  std::vector<CoordTerm> threadTerms() const { return threadTerms(columns(HwDim::Lane)); }

private:
  int64_t weigh(int64_t reg, const std::vector<uint64_t> &registerColumns, const std::vector<int64_t> &weights) const;

  const Layout &registers;
  std::vector<uint64_t> columnsOf[kNumHwDims];
  std::vector<uint64_t> roundColumns;               // of registers
  std::vector<int64_t> offsetWeights, roundWeights; // of the odd digit of each dim
};

/// Whether no bit is set both by a column of registers and by a term of the thread: their xor is their sum.
bool partsAreDisjoint(const std::vector<uint64_t> &registerColumns, const std::vector<CoordTerm> &threadTerms);

/// How the registers of a layout reach a shared layout.
struct SharedAccess {
  int vector = 1;                              // elements per access
  std::vector<std::vector<int64_t>> registers; // per access the registers of its vector, in order of offset
  std::vector<int64_t> offsets;                // per access the register's part of the offset, in elements
  std::vector<int64_t> rounds;                 // per access its round, ascending
  std::vector<CoordTerm> threadTerms;          // the (lane, warp, block) part of the offset
  bool disjoint = false;                       // the two parts share no bit: their xor is their sum
  std::vector<int64_t> representative;         // per register the one that is accessed in its place
};
/// The accesses with the widest aligned vector of at most `maxVector` elements. A register that repeats another of its
/// thread is not accessed. Replicated threads access too; `Layout::freeDigits` tells which.
SharedAccess planSharedAccess(const Layout &registers, const Layout &shared, int maxVector, RoundDigits rounds = {});

/// Passes of the 32 four-byte banks that a warp needs for one access of `vector` elements; a warp moves 128 bytes a
/// pass at best. The same for every register and warp. An 8-byte access goes by half warps, a 16-byte one by quarters.
int countWavefronts(const Layout &registers, const Layout &shared, int elementBits, int vector);
/// The same for one phase of lanes that access `accessBytes` at the given byte addresses.
int countPasses(const std::vector<int64_t> &addresses, int accessBytes);

} // namespace tile

#endif // TILE_IR_LAYOUT_SHAREDLAYOUT_H
