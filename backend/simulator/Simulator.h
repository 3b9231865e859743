/// \file
/// Runs kernels given as PTX text on the CPU, thread by thread, as the PTX ISA defines it, and says what is wrong with
/// them: races, missing fences and waits, accesses out of bounds, undefined values, deadlocks. What a schedule leaves
/// open is drawn from a seed. README.md has the model and its limits.
#ifndef BACKEND_SIMULATOR_SIMULATOR_H
#define BACKEND_SIMULATOR_SIMULATOR_H

#include "backend/simulator/Checks.h"
#include "backend/simulator/check/Access.h"
#include "backend/simulator/check/Finding.h"
#include "backend/simulator/counters/Counters.h"
#include "backend/simulator/machine/Program.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tile::sim {

/// Why a text or a launch is refused. `line` is that of the PTX, 0 where it is not about one.
struct Refusal {
  std::string message;
  unsigned line = 0;
};

/// Memory that a kernel gets a pointer to. The caller keeps it alive; a run writes `bytes`.
struct Buffer {
  std::string name; ///< for messages
  uint8_t *bytes = nullptr;
  uint64_t size = 0;
  bool defined = true; ///< whether the kernel may read what is there before it has written it
  bool writable = true;
};

/// An argument: a pointer to a buffer (its place in `Launch::buffers`, and an offset in bytes), or a scalar's bytes.
struct Argument {
  bool isPointer = false;
  unsigned buffer = 0;
  uint64_t offset = 0;
  std::vector<uint8_t> scalar;
};

struct Launch {
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {1, 1, 1};
  uint64_t dynamicShared = 0; ///< bytes
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
};

struct RunOptions {
  uint64_t seed = 0;
  unsigned hostThreads = 0; ///< 0: as many as the machine has
  Checks checks;
  check::EqualWrites equalWrites = check::EqualWrites::AreNoConflict;
  bool counters = false;                          ///< what each instruction moves and computes
  uint64_t maxSteps = 0;                          ///< operations that a warp may run in some lane; 0: any number
  std::function<void(const std::string &)> print; ///< what `vprintf` prints
};

/// How often the operations of one instruction ran.
struct InstructionCount {
  uint64_t warps = 0; ///< times that a warp issued it
  uint64_t lanes = 0; ///< lanes that took part, over all these times
};

/// What left the ways that the simulator is fast on: in an ordinary kernel next to nothing. Tests pin it.
struct LongWays {
  uint64_t requests = 0; ///< for memory, whose lanes do not all lie in bounds of one region
  uint64_t cells = 0;    ///< of shadow memory, where one look at the latest accesses did not do
};

struct RunResult {
  std::vector<Finding> findings;
  std::vector<InstructionCount> counts;    ///< by `Program::origins`
  std::vector<CountedInstruction> counted; ///< likewise; empty unless `RunOptions::counters`
  LongWays longWays;
  bool finished = false; ///< every thread returned
};

/// A kernel of a module, decoded. Fails if the module has an instruction that is not known, wherever it stands.
std::variant<std::unique_ptr<const Program>, Refusal> load(const ptx::Module &module, const std::string &kernel);

/// Runs it. Fails before anything runs if the launch does not fit the kernel.
std::variant<RunResult, Refusal> run(const Program &program, const Launch &launch, const RunOptions &options = {});

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_SIMULATOR_H
