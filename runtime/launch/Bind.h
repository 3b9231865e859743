// Arguments against a kernel's contract: what the launch passes, or why there is none.
//
// Pure: no GPU, no memory is touched. The GPU launcher, the CPU interpreter and `tilec check` all bind through here, so
// a wrong argument is refused everywhere alike and in the same words. Messages name the parameter; an extent that does
// not fit names both parameters and both extents.

#ifndef TILE_RUNTIME_LAUNCH_BIND_H
#define TILE_RUNTIME_LAUNCH_BIND_H

#include "runtime/Result.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/launch/Argument.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tile {

/// Programs the hardware takes along the first axis of a grid.
constexpr int64_t kMaxGrid = (int64_t(1) << 31) - 1;

struct BindOptions {
  int numSms = 1;  ///< What `num_sms()` is in grids and heuristics.
  int device = -1; ///< The ordinal of the launch's GPU; tensors known to be elsewhere are refused. -1: not checked.
  /// Compile-time parameters that the caller sets by name; their heuristics do not apply.
  std::vector<std::pair<std::string, int64_t>> given;
  std::string_view gpu; ///< The name of the launch's GPU, for which instances may have been tuned. Empty: unknown.
};

/// Arguments that fit.
struct Binding {
  const KernelContract *kernel = nullptr;
  /// Chosen by the arguments; null where the contract has no variants.
  const Variant *variant = nullptr;
  /// The value of each name of `kernel->names`.
  std::vector<Value> values;
  /// The kernel's arguments in the order of `kernel->abi`, each in its low bytes.
  std::vector<uint64_t> cells;
  /// Programs per axis of the language's grid.
  std::vector<int64_t> grid;

  /// True if the grid has no program: the launch is a success without doing anything.
  bool isEmpty() const;
};

/// Binds to one instance. `arguments` are in source order, one per parameter. Fails with
/// - `NotCompiled` if the instance is for other element types, optional parameters or compile-time values;
/// - `InvalidArgument` for everything that no instance of the kernel could take.
Result<Binding> bindArguments(const KernelContract &kernel, const std::vector<Argument> &arguments,
                              const BindOptions &options = {});

/// Binds to the instance that was tuned for this launch: for its GPU, the variant that its arguments take, and the
/// values that the tuning's key has for them. Without such a one to the first of `instances` that fits. When none does
/// and they differ in why, the message lists them.
Result<Binding> bindInstance(const std::vector<const KernelContract *> &instances,
                             const std::vector<Argument> &arguments, const BindOptions &options = {});

/// The hardware's grid for `grid` programs. Fails if an axis is larger than the GPU takes.
Status layOutGrid(const Variant &variant, const std::vector<int64_t> &grid, unsigned hardware[3]);

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_BIND_H
