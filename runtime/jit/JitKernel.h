// The code of a kernel that is in memory, and which of it a launch takes. Internal to this folder.
//
// A launch is looked up by its shapes: types, extents, strides, and scalars where those can make a difference. Shapes
// that were not seen yet may still be served by code that is there: its contract says so, by its heuristics and by the
// key of its tuning. Only what neither finds is compiled.

#ifndef TILE_RUNTIME_JIT_JITKERNEL_H
#define TILE_RUNTIME_JIT_JITKERNEL_H

#include "runtime/jit/SourceKernel.h"

#include <shared_mutex>
#include <unordered_map>

namespace tile {

/// Code on a GPU, and for which launches it was chosen.
struct JitInstance {
  std::string key; ///< Of JitCode.
  int device;
  Kernel kernel;
  /// By variant and sizes of the tuning key: launches for which it is the chosen one. Empty where nothing is tuned.
  std::vector<std::string> chosenFor;
};

/// What came of one state of the source.
struct JitGeneration {
  std::unique_ptr<SourceKernel> source;
  std::mutex compiling;                                                   ///< Held by the thread that uses `source`.
  std::shared_mutex mutex;                                                ///< Of what follows.
  std::unordered_map<std::string, std::shared_ptr<JitInstance>> launches; ///< By shape.
  std::vector<std::shared_ptr<JitInstance>> instances;
  std::unordered_map<std::string, Error> refused; ///< By shape: what the compiler said.
};

struct JitKernel::State {
  static Result<std::shared_ptr<State>> open(std::shared_ptr<JitShared> shared, const std::string &file,
                                             const std::string &name, const std::map<std::string, std::string> &values);

  /// The code for a launch with `arguments` in the current context.
  Result<std::shared_ptr<JitInstance>> find(const std::vector<Argument> &arguments);
  Status reload();

private:
  std::shared_ptr<JitGeneration> generation();
  /// Null where nothing in memory serves it.
  std::shared_ptr<JitInstance> findServing(JitGeneration &from, const std::string &shape,
                                           const std::vector<Argument> &arguments, const JitGpu &gpu);
  Result<std::shared_ptr<JitInstance>> compile(JitGeneration &into, const std::string &shape,
                                               const std::vector<Argument> &arguments, const JitGpu &gpu);

  std::shared_ptr<JitShared> shared;
  std::string file, name;
  std::map<std::string, std::string> values;
  std::shared_mutex mutex; ///< Of `current`.
  std::shared_ptr<JitGeneration> current;
};

} // namespace tile

#endif // TILE_RUNTIME_JIT_JITKERNEL_H
