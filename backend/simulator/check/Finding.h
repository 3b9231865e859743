/// \file
/// What the simulator has to say against a kernel: one fault, where it was seen, and, where two accesses conflict,
/// where the other one is. Reports are collected per pair of instructions and counted, since a fault in a loop is one
/// fault.
#ifndef BACKEND_SIMULATOR_CHECK_FINDING_H
#define BACKEND_SIMULATOR_CHECK_FINDING_H

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tile::sim {

enum class Fault : uint8_t {
  Race,              ///< two accesses, at least one a write, that nothing orders
  MissingProxyFence, ///< an async access to what ordinary stores wrote, without a proxy fence between
  AsyncNotAwaited,   ///< an access to memory that an asynchronous operation may still write or read
  RegisterInFlight,  ///< a register that an asynchronous matrix instruction may still read or write
  Undefined,         ///< an undefined value reaches a store, an address or a branch
  OutOfBounds,
  Misaligned,
  ReadOnly,          ///< a write to an argument that is not an output
  BarrierDivergence, ///< lanes that must come together do not
  ArrivalCount,      ///< an mbarrier's arrivals or transaction bytes do not add up
  Deadlock,
  BadOperand, ///< an operand that the ISA forbids: a shift of a descriptor, a lane mask without the lane
  Trap,       ///< the kernel stopped itself
  Assertion,  ///< `__assertfail`
  StepLimit,
  ScheduleDifference, ///< two schedules leave different results
};

/// `data race`, for people.
std::string nameOf(Fault fault);
/// `race`, for machines.
std::string keyOf(Fault fault);

/// An access or a step of one thread.
struct Place {
  uint32_t origin = 0; ///< index into `Program::origins`
  std::array<uint32_t, 3> cta = {0, 0, 0};
  std::array<uint32_t, 3> thread = {0, 0, 0};
};

/// What messages and `Extent` call the shared memory of a CTA.
constexpr const char *kSharedMemoryName = "shared memory";

/// The bytes that an access means, whether or not their buffer has them.
struct Extent {
  std::string buffer; ///< as messages name it: an argument, a variable, `shared memory`
  int64_t offset = 0; ///< of the first byte; negative before the buffer
  uint64_t bytes = 0;
};

struct Finding {
  Fault fault = Fault::Race;
  std::string message;  ///< what was found, and what was expected; names the buffer and the offset in it
  bool hasPlace = true; ///< but for what concerns a run as a whole
  Place place;
  bool hasOther = false;
  Place other;          ///< the conflicting access
  uint64_t address = 0; ///< 0 where there is none
  std::optional<Extent> memory;
  uint64_t count = 1; ///< times that this pair of instructions was seen at fault
};

/// Collects findings from any thread of the host. Of each (fault, instruction, other instruction) the one of the least
/// CTA and thread is kept, whichever came first.
class Findings {
public:
  void add(Finding finding);
  /// In program order of their instructions.
  std::vector<Finding> sorted() const;
  bool empty() const;

private:
  using Key = std::tuple<Fault, uint32_t, bool, uint32_t>;
  mutable std::mutex mutex;
  std::map<Key, Finding> found;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_CHECK_FINDING_H
