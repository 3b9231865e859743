/// What is seen of a pass pipeline while it runs: the IR after chosen passes, and the time of each.
#ifndef BACKEND_PIPELINE_PASSTRACE_H
#define BACKEND_PIPELINE_PASSTRACE_H

#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <string>
#include <vector>

namespace tile {

/// Wall time of a pass or of a step after the passes. A pass that runs several times is summed.
struct StepTime {
  std::string stage; ///< "tile", "tgpu", …
  std::string step;  ///< a pass's name, or "translate", "optimize", "generate", "assemble"
  double milliseconds;
};

/// The times of one compilation, in order of first appearance.
class StepTimes {
public:
  void add(llvm::StringRef stage, llvm::StringRef step, double milliseconds);
  const std::vector<StepTime> &steps() const { return all; }

  /// Runs `work` as a step of `stage`; gives what it gives.
  template <typename Work> auto measure(llvm::StringRef stage, llvm::StringRef step, Work work) {
    auto start = std::chrono::steady_clock::now();
    auto result = work();
    add(stage, step, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    return result;
  }

private:
  std::vector<StepTime> all;
};

/// Prints a table of times and their sum.
void printTimes(const StepTimes &times, llvm::raw_ostream &os);

/// Records the time of each pass of `passes` under `stage`. `times` must outlive `passes`.
void traceTimes(mlir::PassManager &passes, llvm::StringRef stage, StepTimes &times);

/// Keeps in `current` the argument of the pass that runs. `current` must outlive `passes`, whose context has no
/// threads.
void followPasses(mlir::PassManager &passes, std::string &current);

/// Prints the module to `os` after each pass that `names` holds. Needs a context without threads.
void printAfter(mlir::PassManager &passes, std::vector<std::string> names, llvm::raw_ostream &os);

} // namespace tile

#endif
