/// What found choices and compiled code are kept under: everything that they depend on, and nothing else.
#ifndef RUNTIME_SEARCH_KEYS_H
#define RUNTIME_SEARCH_KEYS_H

#include "runtime/compile/Build.h"
#include "runtime/search/Space.h"
#include "runtime/store/CacheEntry.h"
#include "runtime/store/TuneKey.h"

namespace tile {

/// Of the texts of the source that `session` has read: the file and what it imports, which is read when a kernel is
/// generated. Names do not count: a file is the same from another folder. The standard library is part of the compiler.
std::string sourceHash(const Session &session);

/// A GPU, as its driver names it, and that driver's version.
struct GpuName {
  std::string name, driver;
};
GpuName gpuName(const std::string &name, int driverVersion);

/// Of a launch of `kernel` that takes `variant`; `options` have the values that bindSignature adds.
TuneKey tuneKeyOf(const Session &session, const ast::KernelItem &kernel, const BuildOptions &options,
                  const Space &space, const GpuName &gpu, const std::string &variant);

/// What a key says of the launches that it is for.
struct TunedLaunch {
  std::string variant;
  std::map<std::string, std::string> values; ///< that arguments bind, beside those that `build` gives
};
/// None where `build` makes code for other launches, or for the same with other `-D`.
std::optional<TunedLaunch> readTunedLaunch(const TuneKey &key, const ast::KernelItem &kernel,
                                           const BuildOptions &build);

/// The compiler of a key: also which GPU its code is for.
std::string compilerOf(const BuildOptions &build);

/// The values of the tuning key, which `TuneKey::sizes` names: those of `Tuning::key`. None of a text that no search
/// makes.
std::optional<std::vector<int64_t>> readSizes(const std::string &sizes);

/// Of the cubin of `kernel` with the values of `options`. Dims count only where a heuristic may read them.
CacheParts cubinParts(const Session &session, const ast::KernelItem &kernel, const BuildOptions &options);

/// What people are told of it: the kernel, its values, the target.
CacheParts cubinFacts(const ast::KernelItem &kernel, const BuildOptions &options);

} // namespace tile

#endif
