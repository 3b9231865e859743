/// \file
/// What the shadow memories are told about an access, and what they answer. Two accesses of the same bytes conflict if
/// one of them writes; a conflict is a fault unless one is ordered before the other, or both are strong, of the same
/// size and of scopes that include each other (PTX ISA 9.0, 8.7). One leniency: a write that leaves the value that
/// another write put there does not conflict with that write, since no order of the two can be told from the other.
#ifndef BACKEND_SIMULATOR_CHECK_ACCESS_H
#define BACKEND_SIMULATOR_CHECK_ACCESS_H

#include "backend/simulator/check/Clocks.h"
#include "backend/simulator/check/Finding.h"

#include <cstdint>
#include <vector>

namespace tile::sim::check {

enum class Access : uint8_t {
  Read,
  Write,
  StrongRead,  ///< `ld.relaxed`, `ld.acquire`, `ld.volatile`
  StrongWrite, ///< `st.relaxed`, `st.release`, `st.volatile`, and every `atom` and `red`
};
constexpr bool writes(Access access) { return access == Access::Write || access == Access::StrongWrite; }
constexpr bool isStrong(Access access) { return access >= Access::StrongRead; }

/// Who takes part in the order that a strong operation makes.
enum class Scope : uint8_t {
  Cta,
  Grid, ///< `.gpu` and `.sys`; `.cluster` too, as long as there are no clusters
};

/// Of two writes that leave the same value, in global memory.
enum class EqualWrites : uint8_t {
  AreNoConflict,
  OfCtasConflict, ///< those of two CTAs do: an element belongs to the one that writes it
};

/// Lanes of a write whose bytes held the same, defined value already when their turn came, the lower lanes having
/// written before them: known, or found, before the write takes effect, once a verdict hangs on it.
class UnchangedLanes {
public:
  using Find = uint32_t (*)(const void *write);
  UnchangedLanes(uint32_t lanes = 0) : lanes(lanes) {}
  UnchangedLanes(Find find, const void *write) : find(find), write(write) {}

  bool has(unsigned lane) const {
    if (find)
      lanes = find(write);
    find = nullptr;
    return lanes >> lane & 1;
  }

private:
  mutable uint32_t lanes = 0;
  mutable Find find = nullptr;
  const void *write = nullptr;
};

/// One instruction of a warp: each lane accesses `bytes` (a power of two, at most 32) at its own offset, which is a
/// multiple of `bytes`.
struct Request {
  unsigned warp = 0;
  uint32_t lanes = 0;
  const uint64_t *offsets = nullptr; ///< by lane, 32 of them
  unsigned bytes = 4;
  uint32_t origin = 0;      ///< index into `Program::origins`
  Scope scope = Scope::Cta; ///< of strong accesses
  UnchangedLanes unchanged;
};

/// An earlier access, or its queue's.
struct Party {
  uint32_t cta = 0;
  unsigned thread = 0; ///< of an asynchronous operation, a thread that issued one of its queue
  bool asynchronous = false;
  Access access = Access::Read;
  uint32_t origin = 0;
};

struct Conflict {
  Fault fault = Fault::Race; ///< or MissingProxyFence, AsyncNotAwaited
  unsigned lane = 0;         ///< of the access that was being checked
  uint64_t offset = 0;       ///< of a byte that both access
  Party other;
};

/// Conflicts of one request, at most one for each earlier instruction and fault; empty as a rule.
using Conflicts = std::vector<Conflict>;

/// Adds `conflict` unless one of the same fault and earlier instruction is there.
void addConflict(Conflicts &conflicts, const Conflict &conflict);

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_ACCESS_H
