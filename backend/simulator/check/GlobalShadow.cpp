#include "backend/simulator/check/GlobalShadow.h"

#include <algorithm>
#include <mutex>

using namespace tile::sim::check;

namespace {

constexpr unsigned kChunkBits = 10;
constexpr unsigned kChunkBytes = 1 << kChunkBits;
/// Bytes of a cell where no narrower access was seen, as a power of two.
constexpr unsigned kWidestShift = 4;
/// In `Mark::way`, above any number of bytes.
constexpr uint8_t kGridScope = 1 << 7;

} // namespace

/// An access of a thread or a queue, or of several lanes of a warp at one epoch.
struct GlobalShadow::Mark {
  uint32_t cta = 0;
  uint32_t epoch = 0; ///< 0: none
  uint32_t lanes = 0; ///< 0 for a queue
  uint32_t origin = 0;
  Column column = 0; ///< the queue, or the warp's first thread
  Access access = Access::Read;
  uint8_t way = 0; ///< of strong accesses, the bytes, and kGridScope

  /// Whether it is by the same warp, or queue, at the same epoch.
  bool sameTime(const Mark &other) const {
    return cta == other.cta && epoch == other.epoch && column == other.column && !lanes == !other.lanes;
  }
  /// Whether it is by one thread, that of `lane` in the warp of `other`: program order stands between.
  bool sameThread(const Mark &other, uint32_t lane) const {
    return lane && cta == other.cta && column == other.column && lanes == lane;
  }
  Mark with(uint32_t newLanes) const {
    Mark mark = *this;
    mark.lanes = newLanes;
    return mark;
  }
  bool sameWay(const Mark &other) const { return access == other.access && way == other.way; }
};

struct GlobalShadow::Chunk {
  std::mutex mutex;
  unsigned shift = kWidestShift;
  std::vector<Mark> writes = std::vector<Mark>(kChunkBytes >> kWidestShift); ///< by cell
  std::vector<Mark> reads; ///< two for each cell; none before the first read

  /// Cuts every cell into cells of 1 << `to` bytes that know the same.
  void refine(unsigned to) {
    unsigned pieces = shift - to;
    std::vector<Mark> finer(writes.size() << pieces);
    for (size_t i = 0; i < finer.size(); ++i)
      finer[i] = writes[i >> pieces];
    std::vector<Mark> finerReads(reads.size() << pieces);
    for (size_t i = 0; i < finerReads.size(); ++i)
      finerReads[i] = reads[(i / 2 >> pieces) * 2 + i % 2];
    writes = std::move(finer);
    reads = std::move(finerReads);
    shift = to;
  }
};

GlobalShadow::GlobalShadow(uint64_t bytes, EqualWrites equalWrites)
    : equalWrites(equalWrites), chunks((bytes + kChunkBytes - 1) / kChunkBytes) {}

GlobalShadow::~GlobalShadow() {
  for (std::atomic<Chunk *> &chunk : chunks)
    delete chunk.load();
}

GlobalShadow::Chunk &GlobalShadow::chunkAt(uint64_t offset) {
  std::atomic<Chunk *> &place = chunks[offset >> kChunkBits];
  Chunk *chunk = place.load(std::memory_order_acquire);
  if (chunk)
    return *chunk;
  auto made = std::make_unique<Chunk>();
  if (place.compare_exchange_strong(chunk, made.get(), std::memory_order_acq_rel))
    chunk = made.release();
  return *chunk;
}

/// Where a weak read goes in a cell that nobody else has written, if that is clear without asking the clocks: to that
/// of the same warp and epoch, or to a free place, or, for a CTA that knows nothing of others, to that of one of two
/// others.
template <class Mark> static Mark *usualPlace(Mark *reads, const Mark &mark, bool alone) {
  for (Mark *read = reads; read < reads + 2; ++read) {
    if (!read->epoch || (read->sameTime(mark) && read->sameWay(mark)))
      return read;
    if (read->cta == mark.cta)
      return nullptr;
  }
  if (!alone)
    return nullptr;
  reads[0] = reads[1];
  return &reads[1];
}

uint64_t GlobalShadow::access(Clocks &clocks, Access access, const Request &request, Conflicts &conflicts) {
  return async(clocks, access, request, nullptr, conflicts);
}

uint64_t GlobalShadow::async(Clocks &clocks, Access access, const Request &request, const AsyncId *ids,
                             Conflicts &conflicts) {
  uint64_t longWays = 0;
  Mark mark;
  mark.cta = clocks.cta();
  mark.origin = request.origin;
  mark.access = access;
  if (isStrong(access))
    mark.way = uint8_t(request.bytes | (request.scope == Scope::Grid ? kGridScope : 0));
  const bool weakRead = access == Access::Read, weakWrite = access == Access::Write && !ids;
  const bool alone = !clocks.knowsOthers();
  mark.lanes = ids ? 0 : request.lanes; // of all; each cell gets those that access it
  mark.column = Column(request.warp * kWarpLanes);
  mark.epoch = clocks.epochOf(request.warp);
  // Neighbouring lanes mostly access the same chunk.
  Mark *chunkWrites = nullptr, *chunkReads = nullptr;
  uint64_t number = UINT64_MAX;
  unsigned shift = 0, count = 0;
  std::unique_lock<std::mutex> lock;
  for (uint32_t lanes = request.lanes; lanes; lanes &= lanes - 1) {
    const unsigned lane = unsigned(__builtin_ctz(lanes));
    const uint64_t offset = request.offsets[lane];
    if (offset >> kChunkBits != number) {
      number = offset >> kChunkBits;
      Chunk &chunk = chunkAt(offset);
      // One at a time: a thread that holds two could wait for one that holds them the other way round.
      if (lock)
        lock.unlock();
      lock = std::unique_lock<std::mutex>(chunk.mutex);
      if (request.bytes < 1u << chunk.shift)
        chunk.refine(unsigned(__builtin_ctz(request.bytes)));
      if (!writes(access) && chunk.reads.empty())
        chunk.reads.resize(chunk.writes.size() * 2);
      chunkWrites = chunk.writes.data();
      chunkReads = chunk.reads.empty() ? nullptr : chunk.reads.data();
      shift = chunk.shift;
      count = request.bytes >> shift;
    }
    const uint32_t bit = ids ? 0 : 1u << lane;
    if (ids) {
      mark.column = ids[lane].queue;
      mark.epoch = ids[lane].epoch;
    }
    const unsigned first = unsigned(offset % kChunkBytes) >> shift;
    for (unsigned index = first; index < first + count; ++index) {
      // The usual cases: nobody else wrote here before, nor read what is written now.
      Mark &write = chunkWrites[index], *reads = chunkReads ? chunkReads + 2 * index : nullptr;
      const bool own = !write.epoch || write.sameThread(mark, bit);
      if (own && weakWrite && (!reads || (!reads[0].epoch && !reads[1].epoch))) {
        write = mark;
        write.lanes = bit;
        continue;
      }
      if (own && weakRead) {
        if (Mark *place = usualPlace(reads, mark, alone)) {
          uint32_t together = place->epoch && place->sameTime(mark) ? place->lanes : 0;
          *place = mark;
          place->lanes = together | bit;
          continue;
        }
      }
      ++longWays;
      visit(clocks, write, reads, mark.with(bit), request, lane, offset + (uint64_t(index - first) << shift),
            conflicts);
    }
  }
  return longWays;
}

/// The lanes of `earlier`, or 1 for a queue, that nothing orders before `thread`.
template <class Mark> static uint32_t unknown(const Clocks &clocks, unsigned thread, const Mark &earlier) {
  if (earlier.cta == clocks.cta())
    return earlier.lanes ? clocks.unknownLanes(thread, earlier.column / kWarpLanes, earlier.lanes, earlier.epoch)
                         : !clocks.knows(thread, earlier.column, earlier.epoch);
  if (!earlier.lanes)
    return !clocks.knowsOther(thread, earlier.cta, earlier.column, earlier.epoch);
  uint32_t result = 0;
  for (uint32_t lanes = earlier.lanes; lanes; lanes &= lanes - 1) {
    unsigned lane = unsigned(__builtin_ctz(lanes));
    if (!clocks.knowsOther(thread, earlier.cta, Column(earlier.column + lane), earlier.epoch))
      result |= 1u << lane;
  }
  return result;
}

/// Whether two strong accesses order themselves.
template <class Mark> static bool morallyStrong(const Mark &left, const Mark &right) {
  return isStrong(left.access) && isStrong(right.access) && !((left.way ^ right.way) & ~kGridScope) &&
         (left.cta == right.cta || (left.way & right.way & kGridScope));
}

void GlobalShadow::visit(Clocks &clocks, Mark &write, Mark *reads, const Mark &mark, const Request &request,
                         unsigned lane, uint64_t offset, Conflicts &conflicts) {
  const unsigned thread = request.warp * kWarpLanes + lane;
  auto check = [&](const Mark &earlier) {
    uint32_t left = earlier.epoch ? unknown(clocks, thread, earlier) : 0;
    bool own = earlier.cta == clocks.cta(), byQueue = !earlier.lanes;
    bool equal = writes(earlier.access) && mark.lanes && earlier.lanes &&
                 (own || equalWrites == EqualWrites::AreNoConflict) && request.unchanged.has(lane);
    if (!left || equal || morallyStrong(mark, earlier))
      return;
    Conflict conflict;
    conflict.lane = lane;
    conflict.offset = offset;
    // Queues of another CTA are not ours to ask.
    conflict.fault =
        byQueue && own && !clocks.isComplete(earlier.column, earlier.epoch) ? Fault::AsyncNotAwaited : Fault::Race;
    unsigned other = byQueue ? (own ? clocks.threadOf(earlier.column) : 0) : earlier.column + __builtin_ctz(left);
    conflict.other = {earlier.cta, other, byQueue, earlier.access, earlier.origin};
    addConflict(conflicts, conflict);
  };
  check(write);
  if (writes(mark.access)) {
    for (Mark *read = reads; reads && read < reads + 2; ++read) {
      check(*read);
      // Strong reads stay for the weak writes that are yet to come.
      if (!isStrong(mark.access))
        read->epoch = 0;
    }
    write = mark;
    return;
  }
  // Takes the place of a read that it stands for, or joins one of its own warp and epoch; else takes a free place, else
  // that of its own CTA, else the older.
  Mark *place = nullptr;
  for (Mark *read = reads; read < reads + 2; ++read) {
    if (mark.lanes && read->sameTime(mark) && read->sameWay(mark)) {
      read->lanes |= mark.lanes;
      return;
    }
    bool covers = !isStrong(mark.access) || read->sameWay(mark);
    if (!place && (!read->epoch || (covers && !unknown(clocks, thread, *read))))
      place = read;
  }
  if (!place && reads[0].cta != mark.cta && reads[1].cta != mark.cta)
    reads[0] = reads[1];
  if (!place)
    place = reads[0].cta == mark.cta ? &reads[0] : &reads[1];
  *place = mark;
}
