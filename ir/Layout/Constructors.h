//===- Constructors.h - named register layouts ------------------*- C++ -*-===//
//
// Ways to build a register layout; what they give is an ordinary `Layout` and nothing remembers the name.
// All take a physical shape and fill it: every element is held by at least one thread. Bits of lanes and warps that
// the tile has no room for replicate; a tile larger than the thread block wraps into registers. An odd factor goes to
// a warp digit of the same radix where the constructor puts warps on that dim, and to the registers otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_CONSTRUCTORS_H
#define TILE_IR_LAYOUT_CONSTRUCTORS_H

#include "ir/Layout/Layout.h"

namespace tile {

constexpr int kLanesPerWarp = 32;
/// The widest load or store of one thread.
constexpr int kMaxVectorBits = 128;
constexpr int64_t kMaxVectorBytes = kMaxVectorBits / 8;

/// Each thread holds `sizePerThread` contiguous elements, warps are `threadsPerWarp` threads, the block is
/// `warpsPerBlock` warps; `order` lists the dims from the fastest. Sizes are powers of two, except that a number of
/// warps may have an odd factor.
Layout blockedLayout(const Shape &shape, const std::vector<int> &sizePerThread, const std::vector<int> &threadsPerWarp,
                     const std::vector<int> &warpsPerBlock, const std::vector<int> &order);

/// The layout for accesses to global memory that is contiguous along `order[0]`: per thread a vector of up to 16 bytes
/// (at most `contiguity[order[0]]` elements, and never so wide that threads stay idle), lanes along the fastest dims,
/// warps along the slowest so that a warp owns whole rows where it can.
Layout coalescedLayout(const Shape &shape, int elementBits, const std::vector<int64_t> &contiguity,
                       const std::vector<int> &order, int numWarps, int numLanes = kLanesPerWarp);

/// Row-major order of `rank` dims: the last is the fastest.
std::vector<int> rowMajorOrder(int rank);

// -- Tensor cores ------------------------------------------------------------
// The last two dims are the matrix (M×N, M×K or K×N); leading dims are batches and go to registers, or to the warps
// given for them. `warps` has one count per dim of the *accumulator*. In every dim the pieces that its warps own are
// contiguous within the power-of-two part.

/// Accumulator of `mma.sync` m16n8 (PTX ISA, mma.m16n8k16 fragments). M is a multiple of 16, N of 8.
Layout mmaAccumulatorLayout(const Shape &shape, const std::vector<int> &warps);

enum class DotOperand : uint8_t { A, B };
/// Operand of `mma.sync`: m16n8k16 for 16-bit, m16n8k8 for 32-bit (tf32), m16n8k32 for 8-bit elements. `kWidth` is the
/// number of consecutive K elements of a thread; 0 stands for what the instruction has, 32 bits. A larger one is legal
/// when both operands use it (a permutation of K).
Layout mmaOperandLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps, int elementBits,
                        int kWidth = 0);

/// Accumulator of `wgmma` m64nN: four warps to 64 rows. The warps of dim M are a multiple of 4; M is one of 64.
Layout wgmmaAccumulatorLayout(const Shape &shape, const std::vector<int> &warps);
/// A factor of the same product in registers: of A what `wgmma` takes, of B what `mma.sync` takes in its place.
Layout wgmmaOperandLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps, int elementBits);
/// What each warpgroup multiplies of a factor, as if one thread held all of it: for addresses in shared memory.
Layout wgmmaPieceLayout(DotOperand operand, const Shape &shape, const std::vector<int> &warps);

} // namespace tile

#endif // TILE_IR_LAYOUT_CONSTRUCTORS_H
