/// \file
/// Who accessed each cell of a CTA's shared memory last, and whether an access conflicts with that. A cell is four
/// bytes, or fewer in the kilobytes where narrower accesses were seen. It keeps its latest write, and per warp the
/// lanes that read it since at one epoch; what does not fit that form (strong accesses, equal writes, lanes that read
/// at different epochs) goes to a list beside the cell. An access is forgotten only once a later one stands for it: one
/// that is ordered after it and conflicts with whatever it conflicts with. Hence no race of an execution is missed but
/// for those with accesses that came before another race on the same cell.
///
/// The usual cases, weak accesses of cells without a list, take a few instructions a cell; everything else is `visit`.
#ifndef BACKEND_SIMULATOR_CHECK_SHAREDSHADOW_H
#define BACKEND_SIMULATOR_CHECK_SHAREDSHADOW_H

#include "backend/simulator/check/Access.h"
#include "backend/simulator/check/Clocks.h"

#include <array>
#include <memory>
#include <vector>

namespace tile::sim::check {

/// An asynchronous access to consecutive bytes: an operand of `wgmma`, one end of a bulk copy. Call it when the
/// operation is issued. `lanes` of `warp` issue it: it is ordered after what all of them know.
struct AsyncRange {
  AsyncId id;
  unsigned warp = 0;
  uint32_t lanes = 0;
  uint64_t offset = 0, bytes = 0;
  uint32_t origin = 0;
};

class SharedShadow {
public:
  /// Offsets are below `bytes`. The clocks must outlive the shadow.
  SharedShadow(Clocks &clocks, uint64_t bytes);
  ~SharedShadow();

  void access(Access access, const Request &request, Conflicts &conflicts);
  /// Writes by `cp.async`: those of lane i belong to the operation `ids[i]`.
  void copy(const Request &request, const AsyncId *ids, Conflicts &conflicts);
  void async(Access access, const AsyncRange &range, Conflicts &conflicts);

  /// How many cells were not the usual case.
  uint64_t allLongWays() const { return longWays; }

private:
  struct Chunk;
  struct Cell;
  /// Accesses beside a cell: of a queue, or of lanes of a warp at one epoch.
  struct Entry {
    Column column;  ///< the queue, or the warp's first thread
    uint32_t lanes; ///< 0 for a queue
    uint32_t epoch, origin;
    Access access;
    uint8_t bytes;
  };
  using List = std::vector<Entry>;
  /// Who accesses: one lane, or an operation that `lanes` of a warp issued.
  struct Actor {
    Access access;
    unsigned warp;
    uint32_t lanes; ///< whose knowledge counts
    Column column;  ///< the thread, or the queue
    uint32_t epoch, origin;
    bool asynchronous, throughAsyncProxy, unchanged;
    uint8_t bytes;
  };

  Chunk &chunkAt(uint64_t offset, unsigned bytes);
  void refine(Chunk &chunk, unsigned shift);
  template <bool kWrite, bool kQueued> void weak(const Request &request, const AsyncId *ids, Conflicts &conflicts);
  template <bool kWrite> void range(const AsyncRange &range, Conflicts &conflicts);

  void visitLane(Access access, const Request &request, unsigned lane, const AsyncId *ids, uint64_t offset,
                 Conflicts &conflicts);
  void visit(Chunk &chunk, uint64_t offset, const Actor &actor, Conflicts &conflicts);
  void visitReaders(Chunk &chunk, unsigned index, const Actor &actor, uint64_t offset, Conflicts &conflicts);
  void visitList(Cell &cell, const Actor &actor, uint64_t offset, Conflicts &conflicts);
  void record(Chunk &chunk, unsigned index, const Actor &actor);
  uint32_t unknown(const Actor &actor, const Entry &earlier) const;
  bool proxied(const Actor &actor, const Entry &earlier) const;
  bool check(const Actor &actor, const Entry &earlier, uint32_t unknownLanes, uint64_t offset, Conflicts &conflicts);
  void add(Cell &cell, const Entry &entry);

  Clocks &clocks;
  std::vector<std::unique_ptr<Chunk>> chunks;
  std::vector<List> lists;
  std::vector<uint32_t> freeLists;
  uint64_t longWays = 0;
};

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_SHAREDSHADOW_H
