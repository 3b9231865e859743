/// \file
/// A kernel ready to run: a flat list of operations, each a handler with the places of its operands. Names are gone,
/// calls are inlined, immediates have become registers that hold the same value in every lane, so that a handler knows
/// one kind of operand. Calls that recurse are therefore not representable; the decoder refuses them.
#ifndef BACKEND_SIMULATOR_MACHINE_PROGRAM_H
#define BACKEND_SIMULATOR_MACHINE_PROGRAM_H

#include "backend/simulator/ptx/Syntax.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tile::sim {

class Warp;
struct Op;

constexpr unsigned kLanes = 32;
constexpr uint32_t kAllLanes = ~0u;

/// What an operation did to the program counter of the lanes that ran it.
enum class Step : uint8_t {
  Next,  ///< go on with the following operation
  Jump,  ///< the handler has set where each lane goes on
  Block, ///< nothing happened: run this operation again once what it waits for has come
  Yield, ///< go on with the following operation, but let other warps run first
};

/// 32 lanes of 4 bytes, or half of 32 lanes of 8.
struct alignas(64) Row {
  unsigned char bytes[4 * kLanes];
};

using Handler = Step (*)(Warp &, const Op &);

/// Where a register lives. `data` counts rows of 128 bytes from the start of the warp's registers, or
/// of the program's constants if `kConstant` is set; a 64-bit register takes two such rows as 32 lanes of 8 bytes, a
/// 128-bit one four. `index` numbers the register itself: its mask of undefined lanes, and of a predicate its value.
struct Slot {
  static constexpr uint32_t kConstant = 1u << 31;
  uint32_t data = 0;
  uint32_t index = 0;
};

/// Register 0 is never written and always defined; every constant carries its index.
constexpr uint32_t kConstantIndex = 0;
/// Likewise register 1, a predicate that is true in every lane; as one, register 0 is false.
constexpr uint32_t kTrueIndex = 1;

struct Op {
  Handler run = nullptr;
  const Slot *operands = nullptr; ///< results first, then sources
  uint16_t results = 0, sources = 0;
  bool guarded = false, guardNegated = false;
  bool leader = false;            ///< starts a basic block: where lanes that diverged may meet
  bool runsEmpty = false;         ///< runs even if the guard leaves no lane
  bool startsAsyncMatrix = false; ///< its registers are read and written after it has run
  Slot guard;
  uint32_t mode = 0;     ///< what the handler's family makes of it: an access descriptor, a barrier's kind, …
  uint32_t origin = 0;   ///< index into `Program::origins`
  int64_t immediate = 0; ///< a displacement in bytes, a branch target, …

  Slot result(unsigned i) const { return operands[i]; }
  Slot source(unsigned i) const { return operands[results + i]; }
};

/// How an operation touches memory.
struct Access {
  enum class Order : uint8_t { Weak, Relaxed, Acquire, Release, AcquireRelease, Volatile };
  enum class Scope : uint8_t { Cta, Cluster, Gpu, System };
  ptx::Space space = ptx::Space::Generic;
  uint8_t bytes = 4;            ///< of an element
  uint8_t count = 1;            ///< elements
  uint8_t align = 0;            ///< of the address, in bytes; 0: that of all elements together
  bool isSigned = false;        ///< a load extends by sign where the register is wider
  bool narrowAddress = false;   ///< the address register has 32 bits
  bool isCallParameter = false; ///< in the memory through which an inlined call hands over values
  Order order = Order::Weak;
  Scope scope = Scope::Gpu;
};

/// Memory that the lanes of an operation ask for, as the counters see it. A `cp.async` has two of them.
struct Transfer {
  enum class Kind : uint8_t { Load, Store, Atomic, LoadMatrix, StoreMatrix, Copy };
  /// What a lane moves: all that its access says, or what a source says: a number of bytes, or a predicate that says
  /// nothing is moved.
  enum class Amount : uint8_t { Whole, Given, Ignored };
  uint32_t op = 0; ///< index into `Program::ops`
  Kind kind = Kind::Load;
  Access access;
  uint8_t addressSource = 0;
  int64_t displacement = 0; ///< bytes
  Amount amount = Amount::Whole;
  uint8_t amountSource = 0;
  bool amountNegated = false; ///< of a predicate
};

/// What a matrix instruction computes.
struct MatrixWork {
  uint32_t op = 0;          ///< index into `Program::ops`
  std::string types;        ///< `bf16 x bf16 -> f32`
  uint64_t flops = 0;       ///< that a warp's part of it makes; a multiply-add is two
  uint64_t sharedBytes = 0; ///< of operands in shared memory: a warp's quarter of what its warpgroup reads
};

/// The instruction that an operation came from, for findings and counters.
struct Origin {
  std::string text;  ///< `ld.shared.v4.b32`, as written
  unsigned line = 0; ///< in the PTX text
  ptx::Location location;
  std::string opcode;    ///< `ld`
  ptx::Location charged; ///< the line of the kernel that it is done for: `location`, or that of the outermost call
};

/// A variable that the module or the kernel declares, with its place in its space.
struct PlacedVariable {
  std::string name;
  ptx::Space space = ptx::Space::Global;
  uint64_t address = 0; ///< shared, local, parameter: offset in bytes from the start of the window
  uint64_t bytes = 0;
  std::vector<uint8_t> initial;
  ptx::Type type = ptx::Type::B8; ///< of an element
};

/// A special register that the kernel reads, to be filled when a warp starts.
struct SpecialRegister {
  std::string name; ///< `%tid.x`
  Slot slot;
};

struct Program {
  std::string kernel;
  std::string target;             ///< `sm_90a`
  std::vector<std::string> files; ///< by `ptx::Location::file`
  std::vector<Op> ops;
  std::vector<Slot> slotPool; ///< what `Op::operands` points into
  std::vector<Row> constants;
  std::vector<Origin> origins;
  std::vector<std::vector<uint32_t>> targetLists;   ///< of indexed branches, by `Op::mode`
  std::vector<std::shared_ptr<const void>> details; ///< what a family keeps about an operation, by `Op::mode`
  std::vector<Access> accesses;                     ///< by `Op::mode` of the operations that touch memory
  std::vector<Transfer> transfers;                  ///< in the order of their operations
  std::vector<MatrixWork> matrixWork;               ///< likewise
  std::vector<PlacedVariable> variables;            ///< shared and local ones, and those of the module
  std::vector<SpecialRegister> specials;
  std::vector<ptx::Variable> parameters; ///< of the kernel, in order
  std::vector<uint64_t> parameterOffsets;
  uint64_t parameterBytes = 0;
  uint64_t sharedBytes = 0; ///< static; the launch adds the dynamic part
  uint64_t dynamicSharedOffset = 0;
  uint64_t constantBytes = 0;
  uint64_t localBytes = 0;                 ///< a thread
  uint64_t callBytes = 0;                  ///< parameter space of inlined calls, a thread
  uint32_t registerRows = 0;               ///< of 128 bytes, a warp
  uint32_t registerCount = 0;              ///< indices
  unsigned requiredThreads[3] = {0, 0, 0}; ///< `.reqntid`; 0 where it is not given
  unsigned maximumThreads = 0;             ///< product of `.maxntid`; 0 where it is not given
  bool communicates =
      false; ///< its CTAs may talk to each other: atomics, volatile or ordered accesses to global memory
  bool usesAsyncMma = false;
  bool lanesMayPoll = false; ///< a lane may wait for what another one does: atomics, volatile or ordered accesses
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_PROGRAM_H
