/// Short forms for the address arithmetic that lowerings emit: scalars of `arith`, folded where they are constant, and
/// the position of the thread.
#ifndef BACKEND_TILEGPUTOLLVM_EMIT_H
#define BACKEND_TILEGPUTOLLVM_EMIT_H

#include "ir/Layout/Layout.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace tile::tgpu {

/// Emits at the insertion point of a builder. Integer operations wrap.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value i32(int64_t value) { return constant(builder.getI32Type(), value); }
  mlir::Value i64(int64_t value) { return constant(builder.getI64Type(), value); }
  mlir::Value boolean(bool value) { return constant(builder.getI1Type(), value); }
  /// The constant 0 of any scalar type, null for a pointer.
  mlir::Value zero(mlir::Type type);

  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  /// The conjunction of two conditions, of which null is one that always holds.
  mlir::Value both(mlir::Value a, mlir::Value b) { return a && b ? bitAnd(a, b) : a ? a : b; }
  mlir::Value notOf(mlir::Value a) { return bitXor(a, boolean(true)); }
  mlir::Value minSigned(mlir::Value a, mlir::Value b);
  mlir::Value maxSigned(mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// `value`, an integer or index read as signed, in `type`.
  mlir::Value toInteger(mlir::Value value, mlir::Type type);
  /// The address `bytes` (i32 or i64, read as signed) after `pointer`, which may be an i32 in shared memory.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);

  /// Bits of `value` in another type of the same width.
  mlir::Value bitcast(mlir::Value value, mlir::Type type);

  /// Results of inline PTX; none, one, or several as a list. `memory` says that it reads or writes memory that others
  /// write, so that nothing moves across it.
  enum class Effect { None, Memory };
  llvm::SmallVector<mlir::Value> ptx(const std::string &text, const std::string &constraints, mlir::ValueRange operands,
                                     mlir::TypeRange results, Effect effect);
  /// The op that the last `ptx` made.
  mlir::Operation *lastPtx = nullptr;

  // -- The thread ------------------------------------------------------------------
  mlir::Value thread();
  mlir::Value lane();
  mlir::Value warp();
  mlir::Value isFirstThread();
  /// Waits for all threads of the block.
  void barrier();
  /// Waits for all threads of the warp, for what they wrote.
  void warpBarrier();

private:
  /// `known`, made where it is first asked for.
  mlir::Value once(mlir::Value &known, llvm::function_ref<mlir::Value()> make);

  mlir::Value threadIndex, laneIndex, warpIndex;
};

/// The value of `terms`, which name lane, warp and block, as i32. Blocks are 0.
mlir::Value emitTerms(Emitter &emit, llvm::ArrayRef<CoordTerm> terms);

/// A number made of a thread's part and a constant one: bits of the lower `numBits` combine by exclusive or, odd digits
/// above them by addition.
class SplitIndex {
public:
  /// `disjoint`: no bit is set in both parts, so that they may be added.
  SplitIndex(Emitter &emit, llvm::ArrayRef<CoordTerm> terms, int numBits, bool disjoint);
  mlir::Value with(int64_t constantPart) const;
  /// The bits of `constantPart` that may meet bits of the thread; the rest of it is a summand.
  int64_t mixedBits(int64_t constantPart) const { return disjoint ? 0 : constantPart & threadMask; }
  mlir::Value threadPart() const { return whole; }
  bool isSum() const { return disjoint; }

private:
  Emitter &emit;
  mlir::Value bits, whole; ///< i32
  int64_t threadMask = 0;  ///< bits that differ between threads
  bool disjoint;
};

/// The coordinates of a thread's elements along the dims of a register layout, as emitted values.
class ThreadCoordinates {
public:
  ThreadCoordinates(Emitter &emit, const Layout &layout);

  /// Coordinate along `dim` of register `reg`, as i32.
  mlir::Value coordinate(int dim, int64_t reg) const { return parts[dim].with(registerPart(dim, reg)); }
  /// The part that is the thread's (i32), and that of the register. Their sum is the coordinate where `isSum`.
  mlir::Value threadPart(int dim) const { return parts[dim].threadPart(); }
  int64_t registerPart(int dim, int64_t reg) const { return layout.registerOffset(reg)[dim]; }
  bool isSum(int dim) const { return parts[dim].isSum(); }

  /// Whether this thread is the one to act on its elements, where several threads hold them; null: always.
  mlir::Value isOwner();

private:
  Emitter &emit;
  const Layout &layout;
  llvm::SmallVector<SplitIndex> parts;
};

/// Whether all `free` digits of `index` (i32, an index of `hw`) are 0; null when there are none.
mlir::Value emitDigitsAreZero(Emitter &emit, const Layout &layout, HwDim hw, mlir::Value index, const FreeDigits &free);

/// The address space of global memory in LLVM's NVPTX back end.
constexpr unsigned kGlobalSpace = 1;

/// Name of the dynamic shared memory of a block, an external global.
constexpr llvm::StringLiteral kSharedName{"tile_shared"};
/// The address `offset` bytes into it.
mlir::Value sharedAddress(Emitter &emit, int64_t offset);
/// An address in shared memory, an i32 or such a pointer already, as a pointer.
mlir::Value sharedPointer(Emitter &emit, mlir::Value address);
/// Where the scratch of `op` begins; null if it has none.
mlir::Value scratchOf(Emitter &emit, mlir::Operation *op);

} // namespace tile::tgpu

#endif
