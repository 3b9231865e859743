/// What a kernel's schedule may set beside its compile-time parameters: the values of a launch configuration, and which
/// of them are legal. The frontend and the dialect's verifier both ask here, wherever a value comes from.
#ifndef IR_TILE_KNOBS_H
#define IR_TILE_KNOBS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tile {

struct Knob {
  llvm::StringLiteral name;
  int64_t least, most;
  bool isPowerOfTwo;
  llvm::StringLiteral expected; ///< the legal values in words
  bool isHonoured;              ///< by this version

  bool accepts(int64_t value) const {
    return value >= least && value <= most && (!isPowerOfTwo || (value & (value - 1)) == 0);
  }
};

/// Every knob, by name.
llvm::ArrayRef<Knob> allKnobs();

/// Null if there is none of that name.
const Knob *findKnob(llvm::StringRef name);

/// `name`, or the knob that Triton calls so: `warps` for `num_warps`.
llvm::StringRef plainKnob(llvm::StringRef name);

} // namespace tile

#endif
