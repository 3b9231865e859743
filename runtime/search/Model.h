/// How long a launch of a kernel in one configuration should take, from closed formulas: what is decided for its code,
/// by the passes that decide it, against what a multiprocessor does in a cycle. Nothing is compiled and nothing
/// measured.
///
/// A program takes a number of cycles of each unit of a multiprocessor, and a number of cycles alone, in which its own
/// steps wait for each other. All programs then take as long as the busiest multiprocessor: of its programs together
/// the unit that they need longest, or one after another, as many at a time as fit, each alone. No launch is faster
/// than its tensors pass through memory. The purpose is an order of configurations; a time of one may be wrong by half.
#ifndef RUNTIME_SEARCH_MODEL_H
#define RUNTIME_SEARCH_MODEL_H

#include "backend/target/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <optional>
#include <string>

namespace tile {

struct Estimate {
  std::string rejection;   ///< why it is not worth compiling; empty if it is
  double microseconds = 0; ///< of one launch
  std::string bound;       ///< what takes them: `tensor cores`, `latency`, `memory`, …
  int64_t warps = 0, sharedBytes = 0;
  int64_t registers = 0; ///< of a thread, for its tiles and what is beside them
  int64_t programs = 0;  ///< of the launch
  int64_t programsPerSm = 0;
  double waves = 0; ///< `programs` by how many run at a time
  /// The most additions that are one after another in an element of an output: how far orders of sums may differ.
  int64_t terms = 0;
  /// Of what the compiler decided: differs where the code does.
  uint64_t code = 0;
  bool copiesAhead = false; ///< whether it has a loop whose stages a knob may set

  int64_t threads() const { return 32 * warps; }
};

struct LaunchFacts {
  std::map<std::string, int64_t> values; ///< dims and integer scalars
  int64_t numSms = 0;                    ///< what `num_sms()` is
};

/// The estimate for the one kernel of `module`, tile IR, which is spent. What the compiler refuses is a rejection in
/// its words.
Estimate estimate(mlir::ModuleOp module, const LaunchFacts &launch, const Target &target);

/// What the compiler decides for the one kernel of `module`, which is spent, in the form `variant`, as text that is the
/// same where the code is. Empty where there is no such form.
std::string decidedCode(mlir::ModuleOp module, const Target &target, llvm::StringRef variant);

} // namespace tile

#endif
