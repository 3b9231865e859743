/// How far a compiled kernel may be from exact arithmetic: every float carries its value without any rounding and a
/// first-order bound on the error of the kernel, from the unit roundoff of each operation's type. `tilec check` takes
/// its tolerance from here.
///
/// Control flow, comparisons, choices and integers follow the exact values: where an error would turn a decision, the
/// bound does not see it. What a conversion to an integer may give lies between what two more runs leave, which convert
/// the least and the greatest value of each float (`Converted`). A bound is infinite where the error has no bound, as
/// for 1 / x around 0.
#ifndef BACKEND_INTERPRETER_BOUNDS_H
#define BACKEND_INTERPRETER_BOUNDS_H

#include "backend/interpreter/Interpreter.h"

namespace tile {

/// The elements of one buffer after a launch; both empty if it does not hold floats.
struct BoundedElements {
  /// What exact arithmetic leaves.
  std::vector<double> values;
  /// Every kernel that rounds as the language says, in any order of its sums, leaves something this close to it.
  std::vector<double> errors;
};

struct BoundsReport {
  InterpretReport run;
  /// One per buffer of the invocation.
  std::vector<BoundedElements> buffers;
};

/// As `interpret`, but buffers of floats are not written: what they would hold is in the report. They must be accessed
/// as what they hold. Floats of the arguments and buffers are taken as exact. So is a float constant whose low half of
/// the mantissa is zero; another is taken as a rounded decimal number.
llvm::Expected<BoundsReport> interpretBounds(mlir::func::FuncOp kernel, const Invocation &invocation,
                                             const InterpretOptions &options = {});

} // namespace tile

#endif
