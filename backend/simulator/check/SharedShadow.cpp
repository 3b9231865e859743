#include "backend/simulator/check/SharedShadow.h"

#include <algorithm>

using namespace tile::sim::check;

namespace {

constexpr unsigned kChunkBits = 10;
constexpr unsigned kChunkBytes = 1 << kChunkBits;
/// Bytes of a cell where no narrower access was seen, as a power of two.
constexpr unsigned kWidestShift = 4;
/// Readers of a cell are the warps, and from here on the warps that issued asynchronous reads.
constexpr unsigned kAsyncReaders = 32;

/// A warp's latest reads of a cell, all at one epoch.
struct ReadMark {
  uint32_t epoch;
  uint32_t lanes; ///< of an asynchronous read, the queue
  uint32_t origin;
};

uint32_t laneBit(unsigned thread) { return 1u << thread % kWarpLanes; }

} // namespace

struct SharedShadow::Cell {
  uint64_t readers = 0; ///< whose mark counts: those that read since the latest write
  uint32_t epoch = 0;   ///< of the latest weak write, 0 if there was none
  uint32_t origin = 0;
  uint32_t list = 0; ///< what more there is: an index into `lists`, plus 1
  Column column = 0;
};

struct SharedShadow::Chunk {
  unsigned shift = kWidestShift;
  std::vector<Cell> cells = std::vector<Cell>(kChunkBytes >> kWidestShift);
  std::array<std::unique_ptr<ReadMark[]>, 2 * kAsyncReaders> marks;

  unsigned indexOf(uint64_t offset) const { return unsigned(offset % kChunkBytes) >> shift; }
  ReadMark *marksOf(unsigned reader) {
    if (!marks[reader])
      marks[reader].reset(new ReadMark[cells.size()]);
    return marks[reader].get();
  }
};

SharedShadow::SharedShadow(Clocks &clocks, uint64_t bytes)
    : clocks(clocks), chunks((bytes + kChunkBytes - 1) / kChunkBytes) {}

SharedShadow::~SharedShadow() = default;

SharedShadow::Chunk &SharedShadow::chunkAt(uint64_t offset, unsigned bytes) {
  std::unique_ptr<Chunk> &chunk = chunks[offset >> kChunkBits];
  if (!chunk)
    chunk = std::make_unique<Chunk>();
  if (bytes < 1u << chunk->shift)
    refine(*chunk, unsigned(__builtin_ctz(bytes)));
  return *chunk;
}

/// Cuts every cell of `chunk` into cells of 1 << `shift` bytes that know the same.
void SharedShadow::refine(Chunk &chunk, unsigned shift) {
  unsigned pieces = chunk.shift - shift;
  std::vector<Cell> cells(chunk.cells.size() << pieces);
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i] = chunk.cells[i >> pieces];
    if (cells[i].list && i % (1u << pieces)) {
      List copy = lists[cells[i].list - 1];
      cells[i].list = 0;
      for (const Entry &entry : copy)
        add(cells[i], entry);
    }
  }
  for (std::unique_ptr<ReadMark[]> &marks : chunk.marks) {
    if (!marks)
      continue;
    std::unique_ptr<ReadMark[]> finer(new ReadMark[cells.size()]);
    for (size_t i = 0; i < cells.size(); ++i)
      finer[i] = marks[i >> pieces];
    marks = std::move(finer);
  }
  chunk.cells = std::move(cells);
  chunk.shift = shift;
}

void SharedShadow::access(Access access, const Request &request, Conflicts &conflicts) {
  if (!isStrong(access))
    return writes(access) ? weak<true, false>(request, nullptr, conflicts)
                          : weak<false, false>(request, nullptr, conflicts);
  for (uint32_t lanes = request.lanes; lanes; lanes &= lanes - 1) {
    unsigned lane = unsigned(__builtin_ctz(lanes));
    uint64_t offset = request.offsets[lane];
    unsigned step = 1u << chunkAt(offset, request.bytes).shift;
    for (uint64_t at = offset; at < offset + request.bytes; at += step)
      visitLane(access, request, lane, nullptr, at, conflicts);
  }
}

/// The access of one lane to the cell at `offset`, in its own name or in that of its queue.
void SharedShadow::visitLane(Access access, const Request &request, unsigned lane, const AsyncId *ids, uint64_t offset,
                             Conflicts &conflicts) {
  Actor actor;
  actor.access = access;
  actor.warp = request.warp;
  actor.lanes = 1u << lane;
  actor.column = ids ? ids[lane].queue : Column(request.warp * kWarpLanes + lane);
  actor.epoch = ids ? ids[lane].epoch : clocks.epochOf(request.warp);
  actor.origin = request.origin;
  actor.asynchronous = ids;
  actor.throughAsyncProxy = clocks.proxyOf(actor.column) == Proxy::Async;
  actor.unchanged = request.unchanged.has(lane);
  actor.bytes = uint8_t(request.bytes);
  visit(*chunks[offset >> kChunkBits], offset, actor, conflicts);
}

void SharedShadow::copy(const Request &request, const AsyncId *ids, Conflicts &conflicts) {
  weak<true, true>(request, ids, conflicts);
}

void SharedShadow::async(Access access, const AsyncRange &accessed, Conflicts &conflicts) {
  return writes(access) ? range<true>(accessed, conflicts) : range<false>(accessed, conflicts);
}

/// Weak accesses of lanes, each in its own name or in that of its queue.
template <bool kWrite, bool kQueued>
void SharedShadow::weak(const Request &request, const AsyncId *ids, Conflicts &conflicts) {
  const unsigned warp = request.warp, bytes = request.bytes;
  const uint32_t origin = request.origin, now = clocks.epochOf(warp);
  const Column minima = clocks.minimumOf(0);
  const uint64_t readerBit = 1ull << warp;
  const uint64_t *offsets = request.offsets;
  const uint32_t *const *knownOfLanes = clocks.knownOfWarp(warp);
  // Neighbouring lanes mostly access the same chunk.
  Chunk *at = nullptr;
  uint64_t number = UINT64_MAX;
  ReadMark *marks = nullptr;
  Cell *cells = nullptr;
  unsigned shift = 0, count = 0;
  for (uint32_t lanes = request.lanes; lanes; lanes &= lanes - 1) {
    const unsigned lane = unsigned(__builtin_ctz(lanes)), thread = warp * kWarpLanes + lane;
    const uint64_t offset = offsets[lane];
    const uint32_t bit = 1u << lane, *known = knownOfLanes[lane];
    if (offset >> kChunkBits != number) {
      number = offset >> kChunkBits;
      at = &chunkAt(offset, bytes);
      cells = at->cells.data();
      shift = at->shift;
      count = bytes >> shift;
      if (!kWrite)
        marks = at->marksOf(warp);
    }
    const unsigned first = unsigned(offset % kChunkBytes) >> shift;
    for (unsigned index = first; index < first + count; ++index) {
      Cell &cell = cells[index];
      bool usual = !cell.list && (known[cell.column] >= cell.epoch || clocks.knows(thread, cell.column, cell.epoch));
      if constexpr (kWrite) {
        for (uint64_t readers = cell.readers; usual && readers; readers &= readers - 1) {
          unsigned reader = unsigned(__builtin_ctzll(readers));
          const ReadMark &mark = at->marks[reader][index];
          usual = reader >= kAsyncReaders
                      ? known[mark.lanes] >= mark.epoch || clocks.knows(thread, Column(mark.lanes), mark.epoch)
                      : known[minima + reader] >= mark.epoch || (reader == warp && mark.lanes == bit);
        }
        if (usual) {
          cell.readers = 0;
          cell.epoch = kQueued ? ids[lane].epoch : now;
          cell.origin = origin;
          cell.column = kQueued ? ids[lane].queue : Column(thread);
          continue;
        }
      } else if (usual) {
        ReadMark &mark = marks[index];
        bool have = cell.readers & readerBit;
        if (have && mark.epoch == now && (mark.origin == origin || (mark.lanes & bit))) {
          mark.lanes |= bit;
          continue;
        }
        if (!have || mark.lanes == bit || known[minima + warp] >= mark.epoch) {
          cell.readers |= readerBit;
          mark = {now, bit, origin};
          continue;
        }
      }
      visitLane(kWrite ? Access::Write : Access::Read, request, lane, ids, offset + (uint64_t(index - first) << shift),
                conflicts);
    }
  }
}

/// An operation of the async proxy. Usually all lanes that issue it share their rows, and one look is enough.
template <bool kWrite> void SharedShadow::range(const AsyncRange &range, Conflicts &conflicts) {
  const unsigned leader = range.warp * kWarpLanes + unsigned(__builtin_ctz(range.lanes));
  const uint32_t *known = clocks.known(leader), *proxied = clocks.proxied(leader);
  bool agree = true;
  for (uint32_t lanes = range.lanes; lanes; lanes &= lanes - 1) {
    unsigned thread = range.warp * kWarpLanes + unsigned(__builtin_ctz(lanes));
    agree &= clocks.known(thread) == known && clocks.proxied(thread) == proxied;
  }
  const Column minima = clocks.minimumOf(0);
  const unsigned self = kAsyncReaders + range.warp;
  const uint64_t readerBit = 1ull << self, end = range.offset + range.bytes;
  const Actor actor = {kWrite ? Access::Write : Access::Read,
                       range.warp,
                       range.lanes,
                       range.id.queue,
                       range.id.epoch,
                       range.origin,
                       /*asynchronous=*/true,
                       clocks.proxyOf(range.id.queue) == Proxy::Async,
                       /*unchanged=*/false,
                       0};
  for (uint64_t offset = range.offset; offset < end;) {
    // A range that does not cover whole cells is one of narrower cells.
    unsigned alignment = unsigned((offset | range.bytes | 1u << kWidestShift));
    Chunk &chunk = chunkAt(offset, alignment & -alignment);
    const uint64_t chunkEnd = std::min(end, (offset | (kChunkBytes - 1)) + 1);
    ReadMark *marks = kWrite ? nullptr : chunk.marksOf(self);
    for (; offset < chunkEnd; offset += 1u << chunk.shift) {
      const unsigned index = chunk.indexOf(offset);
      Cell &cell = chunk.cells[index];
      bool usual = agree && !cell.list && proxied[cell.column] >= cell.epoch;
      if constexpr (kWrite) {
        for (uint64_t readers = cell.readers; usual && readers; readers &= readers - 1) {
          unsigned reader = unsigned(__builtin_ctzll(readers));
          const ReadMark &mark = chunk.marks[reader][index];
          usual = known[reader >= kAsyncReaders ? mark.lanes : minima + reader] >= mark.epoch;
        }
        if (usual) {
          cell.readers = 0;
          cell.epoch = range.id.epoch;
          cell.origin = range.origin;
          cell.column = range.id.queue;
          continue;
        }
      } else if (usual && (!(cell.readers & readerBit) || marks[index].lanes == range.id.queue)) {
        cell.readers |= readerBit;
        marks[index] = {range.id.epoch, range.id.queue, range.origin};
        continue;
      }
      visit(chunk, offset, actor, conflicts);
    }
  }
}

/// The lanes of `earlier`, or 1 for a queue, that nothing orders before `actor`.
uint32_t SharedShadow::unknown(const Actor &actor, const Entry &earlier) const {
  uint32_t result = 0;
  for (uint32_t lanes = actor.lanes; lanes; lanes &= lanes - 1) {
    unsigned thread = actor.warp * kWarpLanes + unsigned(__builtin_ctz(lanes));
    result |= earlier.lanes ? clocks.unknownLanes(thread, earlier.column / kWarpLanes, earlier.lanes, earlier.epoch)
                            : !clocks.knows(thread, earlier.column, earlier.epoch);
  }
  return result;
}

/// Whether the async proxy sees a write that is ordered before `actor`.
bool SharedShadow::proxied(const Actor &actor, const Entry &earlier) const {
  for (uint32_t lanes = actor.lanes; lanes; lanes &= lanes - 1) {
    unsigned thread = actor.warp * kWarpLanes + unsigned(__builtin_ctz(lanes));
    if (!earlier.lanes && !clocks.hasProxied(thread, earlier.column, earlier.epoch))
      return false;
    for (uint32_t writers = earlier.lanes; writers; writers &= writers - 1)
      if (!clocks.hasProxied(thread, Column(earlier.column + __builtin_ctz(writers)), earlier.epoch))
        return false;
  }
  return true;
}

/// Adds what `actor` and `earlier` have against each other. Returns whether both must be kept: they are writes of the
/// same value in no order.
bool SharedShadow::check(const Actor &actor, const Entry &earlier, uint32_t unknownLanes, uint64_t offset,
                         Conflicts &conflicts) {
  if (!writes(actor.access) && !writes(earlier.access))
    return false;
  if (isStrong(actor.access) && isStrong(earlier.access) && actor.bytes == earlier.bytes)
    return false;
  Fault fault = Fault::Race;
  bool byQueue = clocks.isQueue(earlier.column);
  if (!unknownLanes) {
    if (!writes(earlier.access) || !actor.throughAsyncProxy || clocks.proxyOf(earlier.column) == Proxy::Async ||
        proxied(actor, earlier))
      return false;
    fault = Fault::MissingProxyFence;
  } else if (actor.unchanged && writes(earlier.access) && !actor.asynchronous && !byQueue) {
    return true;
  } else if (byQueue && !clocks.isComplete(earlier.column, earlier.epoch)) {
    fault = Fault::AsyncNotAwaited;
  }
  Conflict conflict;
  conflict.fault = fault;
  conflict.lane = unsigned(__builtin_ctz(actor.lanes));
  conflict.offset = offset;
  Column column = earlier.column;
  if (earlier.lanes)
    column = Column(column + __builtin_ctz(unknownLanes ? unknownLanes : earlier.lanes));
  conflict.other = {clocks.cta(), clocks.threadOf(column), byQueue, earlier.access, earlier.origin};
  addConflict(conflicts, conflict);
  return false;
}

/// Any access of one cell.
void SharedShadow::visit(Chunk &chunk, uint64_t offset, const Actor &actor, Conflicts &conflicts) {
  ++longWays;
  const unsigned index = chunk.indexOf(offset);
  Cell &cell = chunk.cells[index];
  if (cell.list)
    visitList(cell, actor, offset, conflicts);
  if (cell.epoch) {
    bool byQueue = clocks.isQueue(cell.column);
    Entry latest = {byQueue ? cell.column : Column(cell.column / kWarpLanes * kWarpLanes),
                    byQueue ? 0 : laneBit(cell.column),
                    cell.epoch,
                    cell.origin,
                    Access::Write,
                    0};
    if (check(actor, latest, unknown(actor, latest), offset, conflicts) && actor.access == Access::Write)
      add(cell, latest);
  }
  if (writes(actor.access))
    visitReaders(chunk, index, actor, offset, conflicts);
  record(chunk, index, actor);
}

void SharedShadow::visitReaders(Chunk &chunk, unsigned index, const Actor &actor, uint64_t offset,
                                Conflicts &conflicts) {
  for (uint64_t readers = chunk.cells[index].readers; readers; readers &= readers - 1) {
    unsigned reader = unsigned(__builtin_ctzll(readers));
    const ReadMark &mark = chunk.marks[reader][index];
    Entry read = {Column(reader * kWarpLanes), mark.lanes, mark.epoch, mark.origin, Access::Read, 0};
    if (reader >= kAsyncReaders)
      read.column = Column(mark.lanes), read.lanes = 0;
    check(actor, read, unknown(actor, read), offset, conflicts);
  }
}

/// Whether whatever conflicts with `earlier` conflicts with `actor`.
static bool covers(Access access, uint8_t bytes, Access earlier, uint8_t earlierBytes) {
  bool alike = isStrong(earlier) && bytes == earlierBytes;
  return (writes(access) || !writes(earlier)) && (!isStrong(access) || alike);
}

/// Checks the list of a cell and forgets the entries that `actor` stands for.
void SharedShadow::visitList(Cell &cell, const Actor &actor, uint64_t offset, Conflicts &conflicts) {
  List &list = lists[cell.list - 1];
  for (size_t i = 0; i < list.size();) {
    uint32_t left = unknown(actor, list[i]);
    bool keep = check(actor, list[i], left, offset, conflicts);
    // Who waits for an operation knows nothing else of its issuer: its reads stand for no one's.
    bool stands = writes(actor.access) || !actor.asynchronous;
    if (stands && covers(actor.access, actor.bytes, list[i].access, list[i].bytes)) {
      // A weak write takes the cell for itself: what is in no order to it has just been reported.
      if (!left || (actor.access == Access::Write && !keep)) {
        list[i] = list.back();
        list.pop_back();
        continue;
      }
      if (list[i].lanes)
        list[i].lanes = left;
    }
    ++i;
  }
  if (list.empty()) {
    freeLists.push_back(cell.list - 1);
    cell.list = 0;
  }
}

void SharedShadow::add(Cell &cell, const Entry &entry) {
  if (!cell.list) {
    if (freeLists.empty()) {
      lists.emplace_back();
      freeLists.push_back(uint32_t(lists.size() - 1));
    }
    cell.list = freeLists.back() + 1;
    freeLists.pop_back();
  }
  List &list = lists[cell.list - 1];
  for (Entry &known : list) {
    if (entry.lanes && known.lanes && known.column == entry.column && known.epoch == entry.epoch &&
        known.origin == entry.origin && known.access == entry.access && known.bytes == entry.bytes) {
      known.lanes |= entry.lanes;
      return;
    }
  }
  list.push_back(entry);
}

/// Makes `actor` the latest access of its kind.
void SharedShadow::record(Chunk &chunk, unsigned index, const Actor &actor) {
  Cell &cell = chunk.cells[index];
  if (isStrong(actor.access)) {
    add(cell, {Column(actor.warp * kWarpLanes), actor.lanes, actor.epoch, actor.origin, actor.access, actor.bytes});
    return;
  }
  if (actor.access == Access::Write) {
    cell.readers = 0;
    cell.epoch = actor.epoch;
    cell.origin = actor.origin;
    cell.column = actor.column;
    return;
  }
  const unsigned reader = actor.warp + (actor.asynchronous ? kAsyncReaders : 0);
  ReadMark &mark = chunk.marksOf(reader)[index];
  const uint32_t who = actor.asynchronous ? actor.column : actor.lanes;
  if (!(cell.readers >> reader & 1)) {
    cell.readers |= 1ull << reader;
  } else if (actor.asynchronous) {
    Entry earlier = {Column(mark.lanes), 0, mark.epoch, mark.origin, Access::Read, 0};
    if (earlier.column != actor.column && unknown(actor, earlier))
      add(cell, earlier);
  } else if (mark.epoch == actor.epoch && (mark.origin == actor.origin || (mark.lanes & who))) {
    mark.lanes |= who;
    return;
  } else {
    Entry earlier = {Column(reader * kWarpLanes), mark.lanes, mark.epoch, mark.origin, Access::Read, 0};
    earlier.lanes = unknown(actor, earlier);
    if (earlier.lanes)
      add(cell, earlier);
  }
  mark = {actor.epoch, who, actor.origin};
}
