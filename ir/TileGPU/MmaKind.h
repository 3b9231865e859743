/// What mma.sync and wgmma are for each type of operands (PTX ISA, "Matrix multiply-accumulate operation using mma
/// instruction" and "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions"): the only place that lists
/// the types.
#ifndef IR_TILEGPU_MMAKIND_H
#define IR_TILEGPU_MMAKIND_H

#include "ir/Tile/TileOps.h"

namespace tile::tgpu {

struct MmaKind {
  /// Rows and columns that one instruction makes, and the bytes of K that it takes of each of them.
  static constexpr int64_t kRows = 16, kColumns = 8, kDepthBytes = 32;
  /// A thread holds elements of rows that are so far apart.
  static constexpr int64_t kHalfRows = kRows / 2;
  /// Of wgmma the rows, and the most columns, of which it takes multiples of `kColumns`.
  static constexpr int64_t kWarpgroupRows = 64, kMostColumns = 256;

  llvm::StringRef name;    ///< as the option of `tgpu-choose-mma` has it
  int64_t bits;            ///< of an operand's element
  llvm::StringRef operand; ///< as in `.bf16`
  llvm::StringRef unsignedOperand;
  llvm::StringRef result;
  bool isAsync; ///< wgmma multiplies what is in shared memory; of f32 it cuts the lower mantissa off, mma.sync is given
                ///< rounded factors

  llvm::StringRef operandFor(Signedness sign) const { return sign == Signedness::Signed ? operand : unsignedOperand; }
  /// K of one instruction, and elements in a 32-bit register.
  int64_t depth() const { return 8 * kDepthBytes / bits; }
  int64_t perWord() const { return 32 / bits; }
  /// Whether wgmma has a form of so many columns: of integers it lacks some.
  bool takesColumns(int64_t columns) const;
  /// Whether wgmma reads a factor whose elements are contiguous across K.
  bool isTransposable() const { return bits == 16; }
};

/// Warps that issue one wgmma.
constexpr int64_t kWarpgroupWarps = 4;

llvm::ArrayRef<MmaKind> allMmaKinds();

/// The kind for operands of `element`; null where no tensor core takes them. The two of 8-bit floats differ in nothing
/// but their names, and one instruction takes either as either factor.
const MmaKind *findMmaKind(mlir::Type element, Precision precision);

} // namespace tile::tgpu

#endif
