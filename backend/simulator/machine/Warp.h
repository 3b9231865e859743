/// \file
/// A warp: 32 lanes with their registers, and the fragments that they are in. A fragment is a set of lanes at the same
/// place of the program; a branch on which lanes differ splits it, and fragments that come to the same block meet
/// again. Which fragment runs is the one that is furthest behind in program order, so that lanes meet at the earliest
/// place; a fragment that cannot go on lets the others run (independent thread scheduling, PTX ISA 9.0, 3.1).
#ifndef BACKEND_SIMULATOR_MACHINE_WARP_H
#define BACKEND_SIMULATOR_MACHINE_WARP_H

#include "backend/simulator/machine/CopyQueue.h"
#include "backend/simulator/machine/Program.h"
#include "backend/simulator/machine/RegisterWatch.h"
#include "backend/simulator/machine/Warpgroup.h"

#include <array>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace tile::sim {

class Cta;

/// Lanes at the same place.
struct Fragment {
  uint32_t pc = 0;
  uint32_t lanes = 0;
  bool blocked = false; ///< its operation returned `Step::Block`, and nothing that it may wait for has happened since
  uint8_t barrier = 0;  ///< number of the barrier that it has come to
  bool arrived = false; ///< it has come to a barrier of the CTA, which moves it on; until then it stays blocked
  uint32_t awaited = 0; ///< lanes of the warp that had not come when its last `.sync` asked for them
};

/// The type that a lane of a register row has: rows are 32 lanes of 4 or of 8 bytes.
template <class T> using Cell = std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>;

/// A lane of a 128-bit register.
struct Wide {
  uint64_t low, high;
};

/// A value of `T` from the low bits of a lane, and back with zeros above.
template <class T> T fromCell(Cell<T> cell) {
  T value;
  std::memcpy(&value, &cell, sizeof(T));
  return value;
}
template <class T> Cell<T> toCell(T value) {
  Cell<T> cell = 0;
  std::memcpy(&cell, &value, sizeof(T));
  return cell;
}

class Warp {
public:
  /// `number` counts the warps of the CTA; the warp has `lanes` threads, the first ones.
  Warp(Cta &cta, const Program &program, unsigned number, uint32_t lanes);

  /// Runs up to `budget` operations. Returns how many ran.
  uint64_t run(uint64_t budget);

  bool finished() const { return fragments.empty(); }
  /// Whether some fragment can run.
  bool runnable() const;
  /// Something happened that a blocked fragment may have waited for.
  void wake();

  // What handlers use.

  Cta &cta;
  const Program &program;
  const unsigned number;
  const uint32_t lanes;       ///< that exist
  const bool tracksUndefined; ///< else every value counts as defined
  uint32_t exited = 0;        ///< that have returned
  uint64_t steps = 0;         ///< operations that ran in some lane
  uint64_t failedWaits = 0;   ///< polls of a barrier that was not ready
  bool spins = false;         ///< its last slices did nothing but poll
  /// The last of these polls: the operation, and the mbarrier's place in shared memory.
  const Op *failedWait = nullptr;
  uint64_t failedWaitPlace = 0;
  std::unique_ptr<CopyQueues> copies; ///< by lane; null before the first
  MatrixQueue matrices;
  std::unique_ptr<RegisterWatch> watch; ///< null if nothing is to be checked or the kernel has no `wgmma`
  uint32_t active = 0;                  ///< that run the current operation: those of the fragment that its guard leaves

  void noteFailedWait(const Op &op, uint64_t place) {
    ++failedWaits;
    failedWait = &op;
    failedWaitPlace = place;
  }

  /// Lanes of the fragment that is running, whatever the guard says.
  uint32_t converged() const { return fragments[current].lanes; }
  const std::vector<Fragment> &allFragments() const { return fragments; }
  std::vector<Fragment> &allFragments() { return fragments; }
  Fragment &running() { return fragments[current]; }

  /// The row of a register or a constant: 32 lanes of 4 or 8 bytes. Of a 128-bit register, 32 lanes of `Wide`.
  template <class Word> const Word *row(Slot slot) const {
    const Row *start = slot.data & Slot::kConstant ? program.constants.data() + (slot.data & ~Slot::kConstant)
                                                   : registers.data() + slot.data;
    return reinterpret_cast<const Word *>(start);
  }
  /// The row of a register, to write all of it.
  template <class Word> Word *target(Slot slot) { return reinterpret_cast<Word *>(registers.data() + slot.data); }

  /// Writes the active lanes of a register.
  template <class Word> void write(Slot slot, const Word (&values)[kLanes]) {
    Word *lanesOf = target<Word>(slot);
    if (active == kAllLanes) {
      std::memcpy(lanesOf, values, sizeof(values));
      return;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
      lanesOf[lane] = active >> lane & 1 ? values[lane] : lanesOf[lane];
  }

  uint32_t predicate(Slot slot) const { return predicates[slot.index]; }
  void writePredicate(Slot slot, uint32_t value) {
    predicates[slot.index] = (predicates[slot.index] & ~active) | (value & active);
  }

  /// Lanes of a register that hold no defined value.
  uint32_t undefined(Slot slot) const { return undefinedLanes[slot.index]; }
  void writeUndefined(Slot slot, uint32_t value) {
    if (!tracksUndefined || slot.index == kConstantIndex)
      return;
    undefinedLanes[slot.index] = (undefinedLanes[slot.index] & ~active) | (value & active);
    if (value & active && !undefinedParts.empty())
      forgetUndefinedParts(slot);
  }
  /// Likewise bit by bit, which only what moves bits about asks for: all bits of an undefined lane, unless
  /// `writeUndefinedBits` said which.
  uint64_t undefinedBits(Slot slot, unsigned lane) const;
  void writeUndefinedBits(Slot slot, const uint64_t (&bits)[kLanes]);
  /// Lanes in which some source of `op` is undefined.
  uint32_t undefinedSources(const Op &op) const {
    uint32_t mask = 0;
    for (unsigned i = 0; i < op.sources; ++i)
      mask |= undefinedLanes[op.source(i).index];
    return mask;
  }
  /// An undefined source makes every result undefined, lane by lane.
  void spreadUndefined(const Op &op) {
    if (!tracksUndefined)
      return;
    uint32_t mask = undefinedSources(op);
    for (unsigned i = 0; i < op.results; ++i)
      writeUndefined(op.result(i), mask);
  }

  /// For `Step::Jump`: the active lanes go on at `target`, the fragment's other lanes at the next operation.
  void branch(uint32_t target);
  /// Makes the active lanes a fragment of their own, the running one; the others go on behind the operation.
  Fragment &splitRunning();
  /// These of the active lanes stay at the operation, as a fragment that will run it later.
  void stay(uint32_t lanes);
  /// The active lanes return.
  void exitLanes();
  /// For `brx.idx`: each active lane goes on at its own target.
  void scatter(const uint32_t (&targets)[kLanes]);
  /// Moves every other fragment's lanes that stand at this place into the running fragment, and has those of them run
  /// `op` whose guard allows it. Returns whether all lanes of `wanted` that have not returned are in the fragment now.
  bool gather(const Op &op, uint32_t wanted);
  /// For a rendezvous whose lanes may stand at several places: whether all lanes of `wanted` that have not returned are
  /// in the running fragment or blocked at an operation of `handler`. If so, the other fragments pass theirs.
  bool meet(Handler handler, uint32_t wanted);

private:
  uint32_t guarded(const Op &op, uint32_t lanes) const {
    uint32_t guard = op.guarded ? predicate(op.guard) : kAllLanes;
    return lanes & (op.guardNegated ? ~guard : guard);
  }
  bool drawsOther();
  void choose();
  void dropRunning();
  void mergeAt(uint32_t pc);
  void forgetUndefinedParts(Slot slot);

  std::vector<Fragment> fragments; ///< disjoint; only lanes that have not returned
  unsigned current = 0;
  uint64_t splitJumps = 0; ///< jumps while there were several fragments, since another one got its turn
  std::vector<Row> registers;
  std::vector<uint32_t> predicates;
  std::vector<uint32_t> undefinedLanes;
  /// Which bits of an undefined lane are undefined, by register; empty before the first. Null: all of every lane.
  std::vector<std::unique_ptr<std::array<uint64_t, kLanes>>> undefinedParts;
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_WARP_H
