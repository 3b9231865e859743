/// What a kernel's schedule may set beside its compile-time parameters: the values of a launch configuration, and which
/// of them are legal. The frontend and the dialect's verifier both ask here, wherever a value comes from.
#ifndef IR_TILE_KNOBS_H
#define IR_TILE_KNOBS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

namespace tile {

struct Knob {
  llvm::StringLiteral name;
  int64_t least, most;
  llvm::ArrayRef<int64_t> choices; ///< all legal values; empty: whatever lies between
  llvm::StringLiteral expected;    ///< the legal values in words
  bool isHonoured;                 ///< by this version

  bool accepts(int64_t value) const {
    return value >= least && value <= most && (choices.empty() || llvm::is_contained(choices, value));
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
