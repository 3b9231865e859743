// Kernels from source, in a running program: compiled when arguments of a new kind come, launched as libtile launches.
//
//   tile::Result<tile::Jit> jit = tile::Jit::create();
//   tile::Result<tile::JitKernel> softmax = jit->kernel("softmax.tile");
//   tile::Status status = softmax->launch(stream, {tile::Argument::tensor(x, tile::DataType::F32, {m, n}), …});
//
// A launch takes the code that is in memory for its arguments, else what the compile cache keeps, else compiles. Which
// configuration of `@autotune` it gets is what the database of tuned choices has for it, else the model's first;
// nothing is measured unless `JitOptions::tune` asks. All of this is `libtilec`; no header of it needs LLVM. Errors are
// values.
//
// Any thread may call anything here, several at once: what two of them need is compiled once, and a compilation keeps
// no launch waiting that has its code. A source file is read once; a change is noticed by `reload` alone, in a file
// that it imports also by the next compilation. While it compiles, the compiler catches its own crashes by signal
// handlers.

#ifndef TILE_RUNTIME_JIT_JIT_H
#define TILE_RUNTIME_JIT_JIT_H

#include "runtime/Result.h"
#include "runtime/launch/Argument.h"
#include "runtime/launch/Module.h"
#include "runtime/tune/TunePolicy.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tile {

struct JitShared;

struct JitOptions {
  /// Where compiled code and tuned choices are kept. Empty: where `tilec` keeps them, so that what `tilec tune` found
  /// is known here.
  std::string cacheFolder;
  /// A database of tuned choices in place of the folder's, such as one that is shipped with the application. It is
  /// written only where `tune` measures, and has to be there where it does not.
  std::string database;
  TunePolicy tune = TunePolicy::Never;
  /// The `tilec` of the same build, whose processes compile and measure candidates, with contents made for the purpose
  /// and never in the caller's memory. Used only where `tune` measures.
  std::string program = "tilec";
  double tuneSeconds = 10; ///< That measuring for one launch may take.
  /// Where `import "path"` looks besides the importing file's folder.
  std::vector<std::string> includeFolders;
  /// Takes warnings, whole texts: of the compiler, of a cache that cannot be used. Called by one thread at a time.
  std::function<void(const std::string &)> report;
};

/// What was done so far, by all kernels of a Jit.
struct JitStatistics {
  uint64_t compiled = 0;  ///< By this process.
  uint64_t fromCache = 0; ///< Code that was found there.
  uint64_t known = 0;     ///< Launches whose configuration was found in the database.
  uint64_t searches = 0;  ///< Launches whose configurations were measured.
};

/// A kernel of a source file. Copies are the same kernel.
class JitKernel {
public:
  /// Launches on `stream`, in the context that is current, with one argument per parameter in source order, those of a
  /// tuple one by one. Returns when the launch is queued. Fails with
  /// - `InvalidSource` where the compiler refuses the source for these arguments, which is remembered;
  /// - `InvalidArgument` for arguments that the kernel does not take;
  /// - what libtile says of the launch.
  Status launch(CUstream_st *stream, const std::vector<Argument> &arguments) const;

  /// The same in two steps: compiles and checks now, launches later.
  Result<Prepared> prepare(const std::vector<Argument> &arguments) const;

  /// Reads the source again and forgets what was compiled from it, of all copies; prepared launches go on with the code
  /// that they have. Where it fails, everything stays as it was.
  Status reload() const;

private:
  friend class Jit;
  struct State;
  explicit JitKernel(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

/// A compiler, its cache and its choices. Copies are the same one.
class Jit {
public:
  /// Needs no GPU. Fails for a database or a folder to include from that is not there. A cache that cannot be used is
  /// no failure: it is reported, and everything works without it.
  static Result<Jit> create(JitOptions options = {});

  /// The kernel `name` of `file`, or the only one, with compile-time parameters and knobs as `-D` takes them. Compiles
  /// nothing yet. Fails with `File` where the file cannot be read and with `InvalidSource` for a fault of its syntax.
  Result<JitKernel> kernel(const std::string &file, const std::string &name = "",
                           const std::map<std::string, std::string> &values = {}) const;

  JitStatistics statistics() const;

private:
  explicit Jit(std::shared_ptr<JitShared> shared) : shared(std::move(shared)) {}
  std::shared_ptr<JitShared> shared;
};

} // namespace tile

#endif // TILE_RUNTIME_JIT_JIT_H
