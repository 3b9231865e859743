// Compiled kernels: load a cubin, check arguments against what it says about itself, launch.
//
//   tile::Result<tile::Module> module = tile::Module::loadFile("softmax.cubin");
//   tile::Result<tile::Kernel> softmax = module->kernel("softmax");
//   tile::Status status = softmax->launch(stream, {tile::Argument::tensor(x, tile::DataType::F32, {m, n}), …});
//
// Everything happens in the context that is current in the calling thread, on the stream that the caller passes. Errors
// are values. Kernels and prepared launches keep their module loaded.

#ifndef TILE_RUNTIME_LAUNCH_MODULE_H
#define TILE_RUNTIME_LAUNCH_MODULE_H

#include "runtime/Result.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/launch/Argument.h"
#include "runtime/launch/Bind.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct CUstream_st;

namespace tile {

class LoadedModule;
struct DeviceProperties;

/// Fails where `device` does not run code for `target`, such as `sm_90a`.
Status checkTarget(const std::string &target, const DeviceProperties &device);

/// A launch whose arguments are checked: repeated launches cost little more than the driver's call. Not to be used by
/// two threads at once. The host's scalars, extents and strides are fixed; memory may change.
class Prepared {
public:
  Prepared(Prepared &&);
  Prepared &operator=(Prepared &&);
  ~Prepared();

  /// Launches on `stream`; returns when the launch is queued. An empty grid is a success that launches nothing.
  Status launch(CUstream_st *stream);

  /// The same with other memory: `bases` has one entry per parameter in source order, of which those of scalars and of
  /// absent parameters do not count. Alignment and overlap are checked again and the variant is chosen again.
  Status launch(CUstream_st *stream, const std::vector<const void *> &bases);

  /// What was bound: the variant, the grid, the values of dims.
  const Binding &binding() const;

private:
  friend class Kernel;
  struct State;
  explicit Prepared(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

/// A kernel of a loaded module, with all its instances.
class Kernel {
public:
  /// Checks `arguments`, one per parameter in source order, and launches. See `bindArguments` for the errors.
  Status launch(CUstream_st *stream, const std::vector<Argument> &arguments) const;

  /// Checks now and launches later. `given` are compile-time parameters that the caller sets by name.
  Result<Prepared> prepare(const std::vector<Argument> &arguments,
                           const std::vector<std::pair<std::string, int64_t>> &given = {}) const;

  /// The instances, the preferred one first; never empty.
  const std::vector<const KernelContract *> &instances() const { return contracts; }

private:
  friend class Module;
  Kernel(std::shared_ptr<LoadedModule> module, std::vector<const KernelContract *> contracts)
      : module(std::move(module)), contracts(std::move(contracts)) {}
  std::shared_ptr<LoadedModule> module;
  std::vector<const KernelContract *> contracts;
};

/// A loaded cubin.
class Module {
public:
  /// Loads `cubin` into the current context. Fails if it has no manifest, is for another GPU, or the driver refuses it.
  static Result<Module> load(std::string_view cubin);
  static Result<Module> loadFile(const std::string &path);

  const Manifest &manifest() const;

  /// Fails with the names that there are.
  Result<Kernel> kernel(std::string_view name) const;

private:
  explicit Module(std::shared_ptr<LoadedModule> loaded) : loaded(std::move(loaded)) {}
  std::shared_ptr<LoadedModule> loaded;
};

} // namespace tile

#endif // TILE_RUNTIME_LAUNCH_MODULE_H
