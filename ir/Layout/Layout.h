//===- Layout.h - where each element of a tile lives ------------*- C++ -*-===//
//
// A `Layout` maps a hardware index to tensor coordinates: (register, lane, warp, block) for a tile in registers,
// (offset) for one in shared memory. It is linear over F2 on the power-of-two part of every dim: bit i of a hardware
// index contributes a coordinate vector, its *basis*, by exclusive or. A zero basis replicates.
//
// An extent is m·2^k with m odd. m is an *odd digit*: the most significant digit of its dim, and a digit of the
// register, warp or offset index, above all bits there. An odd digit of the hardware index that belongs to no dim
// replicates (12 warps on a 64x64 tile).
//
// Within the algebra coordinates are *packed*: the low k bits of all dims in one word, the last dim lowest. For a
// power-of-two shape this is the row-major position, so reshaping leaves the bases as they are.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_LAYOUT_H
#define TILE_IR_LAYOUT_LAYOUT_H

#include "ir/Layout/DigitMap.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// The parts of a hardware index.
enum class HwDim : uint8_t { Register, Lane, Warp, Block, Offset };
constexpr int kNumHwDims = 5;

/// A digit of a hardware index whose radix is odd.
struct OddDigit {
  static constexpr int kReplicated = -1;
  int radix;
  int dim = kReplicated; // the dim whose most significant digit this is
  bool operator==(const OddDigit &other) const { return radix == other.radix && dim == other.dim; }
};

using Shape = std::vector<int64_t>;
using Coords = std::vector<int64_t>;

/// The largest odd factor that a dim keeps; see `physicalExtent`.
constexpr int kMaxOddFactor = 31;
/// The smallest extent m·2^k >= `extent` with odd m <= kMaxOddFactor. Positions past `extent` hold unspecified values.
int64_t physicalExtent(int64_t extent);
Shape physicalShape(const Shape &shape);

/// A run of hardware-index digits that lands in one dim: `((hw / divisor) % modulus) * scale`. The terms of one dim are
/// combined by exclusive or, and an odd one (modulus not a power of two) is added.
struct CoordTerm {
  HwDim hw;
  int64_t divisor;
  int64_t modulus;
  int64_t scale;
  bool operator==(const CoordTerm &o) const {
    return hw == o.hw && divisor == o.divisor && modulus == o.modulus && scale == o.scale;
  }
};

/// The terms of an index whose bit i contributes `targets[i]` by exclusive or, in as few terms as runs of bits.
std::vector<CoordTerm> runTerms(HwDim hw, const std::vector<uint64_t> &targets);

/// The digits of one part of the hardware index that hold nothing new: whoever has them all 0 owns the data.
struct FreeDigits {
  uint64_t bits = 0;    // mask
  std::vector<int> odd; // positions in `Layout::odd`
  bool empty() const { return bits == 0 && odd.empty(); }
};

class Layout {
public:
  enum class Kind : uint8_t { Registers, Shared };

  Layout() = default;
  /// A layout with no digits yet; `shape` must be physical. See `appendBit` and `appendOdd`.
  explicit Layout(Shape shape, Kind kind = Kind::Registers);

  // -- Building ------------------------------------------------------------
  /// Appends the next more significant bit of `hw`; `packedBasis` 0 replicates.
  void appendBit(HwDim hw, uint64_t packedBasis);
  /// Appends the next odd digit of `hw`, above all bits of it.
  void appendOdd(HwDim hw, OddDigit digit);

  // -- The tile ------------------------------------------------------------
  bool isShared() const { return kind == Kind::Shared; }
  int rank() const { return static_cast<int>(extents.size()); }
  const Shape &shape() const { return extents; }
  int64_t extent(int dim) const { return extents[dim]; }
  int64_t numElements() const;
  /// k and m of the extent m·2^k.
  int lowBits(int dim) const;
  int oddFactor(int dim) const;
  /// Position of the dim's bit 0 in a packed coordinate, and the number of packed bits of all dims.
  int packedShift(int dim) const;
  int packedBits() const;
  /// The packed word with `coordinate` (< 2^k) in `dim`, and back.
  uint64_t pack(int dim, int64_t coordinate) const { return uint64_t(coordinate) << packedShift(dim); }
  int64_t unpack(int dim, uint64_t packed) const {
    return static_cast<int64_t>((packed >> packedShift(dim)) & ((uint64_t(1) << lowBits(dim)) - 1));
  }

  // -- The hardware --------------------------------------------------------
  /// Packed bases of the bits of `hw`, least significant first.
  const std::vector<uint64_t> &bits(HwDim hw) const { return bases[int(hw)]; }
  /// Odd digits of `hw`, least significant first; all of them above the bits.
  const std::vector<OddDigit> &odd(HwDim hw) const { return oddDigits[int(hw)]; }
  /// Number of values of the index `hw`.
  int64_t size(HwDim hw) const;
  int64_t numRegisters() const { return size(HwDim::Register); }
  int64_t numLanes() const { return size(HwDim::Lane); }
  int64_t numWarps() const { return size(HwDim::Warp); }
  int64_t numBlocks() const { return size(HwDim::Block); }
  /// The digits of an index of `hw`, and the index of given digits.
  DigitIndex split(HwDim hw, int64_t index) const;
  int64_t join(HwDim hw, const DigitIndex &digits) const;

  // -- Evaluation ----------------------------------------------------------
  Coords coords(int64_t reg, int64_t lane, int64_t warp, int64_t block = 0) const;
  Coords offsetCoords(int64_t offset) const;
  /// The register's part: the coordinates it has in lane 0 of warp 0 of block 0.
  Coords registerOffset(int64_t reg) const { return coords(reg, 0, 0, 0); }
  /// The part of (lane, warp, block) in `dim`, in as few terms as its bits form runs.
  std::vector<CoordTerm> threadTerms(int dim) const;
  /// Whether no bit of `dim` is set both by a register and by a (lane, warp, block) digit: xor, add and or of the two
  /// parts are then the same.
  bool isRegisterPartDisjoint(int dim) const;
  /// The lowest register whose `registerOffset` is `offset`, if one has it.
  std::optional<int64_t> registerAt(const Coords &offset) const;

  // -- Algebra -------------------------------------------------------------
  /// The flat map: input bits and odd digits in order register, lane, warp, block, offset; output bits packed, output
  /// odd digits those of the dims with m > 1, in order.
  DigitMap map() const;
  /// No element is held twice; every element is held.
  bool isInjective() const { return map().isInjective(); }
  bool isSurjective() const { return map().isSurjective(); }
  /// The digits of `hw` that repeat what earlier digits (of register, lane, warp, block, in this order) hold.
  FreeDigits freeDigits(HwDim hw) const;
  /// Whether all free digits of the index are 0. The owners hold every element exactly once.
  bool isOwner(int64_t reg, int64_t lane, int64_t warp, int64_t block = 0) const;

  // -- Value ---------------------------------------------------------------
  bool operator==(const Layout &other) const;
  bool operator!=(const Layout &other) const { return !(*this == other); }
  size_t hash() const;
  /// `16x96: reg b1 a8 b*3; lane b2 b4 a1 a2 a4; warp b8 b16`. Dims are a, b, …; `a1^b2` has two coordinates, `0`
  /// replicates, `b*3` is the odd digit of dim b, `0*3` one that replicates. A shared layout reads `16x8: offset b1 …`.
  std::string str() const;
  /// The inverse of `str`; on failure says in `error` what was found and expected.
  static std::optional<Layout> parse(std::string_view text, std::string &error);

private:
  struct DigitPart {
    uint64_t packed = 0;
    std::vector<int> odd; // per dim
  };
  void accumulate(HwDim hw, int64_t index, DigitPart &part) const;
  Coords toCoords(const DigitPart &part) const;

  Shape extents;
  Kind kind = Kind::Registers;
  std::array<std::vector<uint64_t>, kNumHwDims> bases;
  std::array<std::vector<OddDigit>, kNumHwDims> oddDigits;
};

/// The layout without registers that repeat other registers of the same thread.
Layout withoutReplicatedRegisters(const Layout &layout);
/// Whether every thread holds the same elements, in the same order, once repeated registers are dropped.
bool equalUpToReplication(const Layout &a, const Layout &b);
/// For each register of `dst` the register of `src` of the same thread that holds the same element. None when some
/// thread has no such register, or when which it is depends on the thread. Both are of one shape.
std::optional<std::vector<int64_t>> matchRegisters(const Layout &src, const Layout &dst);
/// Number of contiguous elements of dim `dim` in consecutive registers, aligned in every thread: the widest vector a
/// load or store along `dim` can use.
int64_t maxVector(const Layout &layout, int dim);

} // namespace tile

#endif // TILE_IR_LAYOUT_LAYOUT_H
