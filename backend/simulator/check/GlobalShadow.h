/// \file
/// Who accessed each cell of a global buffer last. CTAs run on several threads of the host and share this shadow; each
/// kilobyte has a lock. A cell keeps its latest write and two sets of readers since then, of different CTAs if
/// possible, so of three or more CTAs that read what another one writes some may go unnoticed, and so may all but the
/// latest of strong accesses, and of equal writes, that are in no order. Threads of one CTA are ordered by its clocks,
/// those of different CTAs by what passed through memory (Clocks::learn).
#ifndef BACKEND_SIMULATOR_CHECK_GLOBALSHADOW_H
#define BACKEND_SIMULATOR_CHECK_GLOBALSHADOW_H

#include "backend/simulator/check/Access.h"
#include "backend/simulator/check/Clocks.h"

#include <atomic>
#include <memory>
#include <vector>

namespace tile::sim::check {

class GlobalShadow {
public:
  /// Of a buffer of `bytes`; offsets are from its start. Its memory grows with what is accessed.
  explicit GlobalShadow(uint64_t bytes, EqualWrites equalWrites = EqualWrites::AreNoConflict);
  ~GlobalShadow();
  GlobalShadow(const GlobalShadow &) = delete;
  GlobalShadow &operator=(const GlobalShadow &) = delete;

  // May be called by several threads of the host, each with the clocks of its own CTA. Return how many cells were not
  // the usual case.

  uint64_t access(Clocks &clocks, Access access, const Request &request, Conflicts &conflicts);
  /// Accesses of asynchronous copies: those of lane i belong to the operation `ids[i]`.
  uint64_t async(Clocks &clocks, Access access, const Request &request, const AsyncId *ids, Conflicts &conflicts);

private:
  struct Chunk;
  struct Mark;

  Chunk &chunkAt(uint64_t offset);
  void visit(Clocks &clocks, Mark &write, Mark *reads, const Mark &mark, const Request &request, unsigned lane,
             uint64_t offset, Conflicts &conflicts);

  EqualWrites equalWrites;
  std::vector<std::atomic<Chunk *>> chunks;
};

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_GLOBALSHADOW_H
