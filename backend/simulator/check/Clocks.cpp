#include "backend/simulator/check/Clocks.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace tile::sim::check;

/// Calls `visit(thread)` for each bit of `lanes`.
template <class Visit> static void forLanes(unsigned warp, uint32_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(warp * kWarpLanes + unsigned(__builtin_ctz(lanes)));
}

// A row has a column for each thread, in whole warps, one for the minimum of each warp, and the queues. Threads that
// the last warp lacks are known for ever, so that they do not hold its minimum down.
Clocks::Clocks(unsigned threads, uint32_t cta)
    : threadCount(threads), paddedThreads((threads + kWarpLanes - 1) / kWarpLanes * kWarpLanes),
      firstQueue(Column(paddedThreads + paddedThreads / kWarpLanes)), ctaNumber(cta), pool(firstQueue),
      now(paddedThreads / kWarpLanes, 1), all(threads), knownEpochs(threads), proxiedEpochs(threads) {
  RowRef nothing = pool.zero();
  std::fill(nothing.get()->epochs.begin() + threads, nothing.get()->epochs.begin() + paddedThreads, UINT32_MAX);
  for (unsigned i = 0; i < threads; ++i) {
    all[i].row = all[i].proxied = nothing;
    place(i);
  }
}

void Clocks::place(unsigned thread) {
  knownEpochs[thread] = all[thread].row.epochs();
  proxiedEpochs[thread] = all[thread].proxied.epochs();
}

void Clocks::updateMinimum(uint32_t *row, unsigned warp) const {
  const uint32_t *lanes = row + warp * kWarpLanes;
  row[minimumOf(warp)] = *std::min_element(lanes, lanes + kWarpLanes);
}

/// Joins what the threads' rows say.
void Clocks::joinRows(unsigned warp, uint32_t lanes, SyncObject &into) {
  const Row *lastRow = nullptr, *lastProxied = nullptr;
  forLanes(warp, lanes, [&](unsigned thread) {
    const Thread &from = all[thread];
    if (from.row.get() != lastRow && pool.firstVisit(from.row))
      pool.join(into.row, from.row);
    if (from.proxied.get() != lastProxied)
      pool.join(into.proxied, from.proxied);
    lastRow = from.row.get();
    lastProxied = from.proxied.get();
    if (from.grid)
      into.grid = GridKnowledge::join(into.grid, from.grid);
  });
}

/// Adds what a thread knows beyond its row: itself, and the queues that it alone has waited for.
void Clocks::addSelf(unsigned warp, uint32_t lanes, SyncObject &into) {
  uint32_t *row = pool.writable(into.row);
  const uint32_t *proxied = into.proxied.epochs();
  bool more = false;
  forLanes(warp, lanes, [&](unsigned thread) {
    const Thread &from = all[thread];
    row[thread] = std::max(row[thread], now[warp]);
    more |= from.selfProxied > proxied[thread];
    for (unsigned i = 0; i < from.learntCount; ++i) {
      const Learnt &learnt = from.learnt[i];
      row[learnt.column] = std::max(row[learnt.column], learnt.epoch);
      more |= learnt.proxied > proxied[learnt.column];
    }
  });
  updateMinimum(row, warp);
  if (!more)
    return;
  uint32_t *target = pool.writable(into.proxied);
  forLanes(warp, lanes, [&](unsigned thread) {
    const Thread &from = all[thread];
    target[thread] = std::max(target[thread], from.selfProxied);
    for (unsigned i = 0; i < from.learntCount; ++i) {
      const Learnt &learnt = from.learnt[i];
      target[learnt.column] = std::max(target[learnt.column], learnt.proxied);
    }
  });
}

void Clocks::synchronise(unsigned first, unsigned count, const uint32_t *lanes) {
  SyncObject together;
  pool.startVisit();
  for (unsigned i = 0; i < count; ++i)
    joinRows(first + i, lanes[i], together);
  if (!together.row)
    return;
  for (unsigned i = 0; i < count; ++i)
    if (lanes[i])
      addSelf(first + i, lanes[i], together);
  for (unsigned i = 0; i < count; ++i) {
    forLanes(first + i, lanes[i], [&](unsigned thread) {
      Thread &to = all[thread];
      to.row = together.row;
      to.proxied = together.proxied;
      to.learntCount = 0;
      if (together.grid)
        to.grid = together.grid;
      place(thread);
    });
    now[first + i] += lanes[i] != 0;
  }
}

void Clocks::release(unsigned warp, uint32_t lanes, SyncObject &to) {
  if (!lanes)
    return;
  pool.startVisit();
  joinRows(warp, lanes, to);
  addSelf(warp, lanes, to);
  ++now[warp];
}

void Clocks::acquire(unsigned warp, uint32_t lanes, const SyncObject &from) {
  if (!from.row)
    return;
  hasLearnt |= from.grid != nullptr;
  // Lanes that shared a row share the result.
  RowRef oldRow, newRow, oldProxied, newProxied;
  forLanes(warp, lanes, [&](unsigned thread) {
    Thread &to = all[thread];
    if (!(to.row == oldRow)) {
      oldRow = newRow = to.row;
      pool.join(newRow, from.row);
    }
    if (!(to.proxied == oldProxied)) {
      oldProxied = newProxied = to.proxied;
      pool.join(newProxied, from.proxied);
    }
    to.row = newRow;
    to.proxied = newProxied;
    if (from.grid)
      to.grid = GridKnowledge::join(to.grid, from.grid);
    place(thread);
  });
}

void Clocks::fenceProxy(unsigned warp, uint32_t lanes) {
  forLanes(warp, lanes, [&](unsigned thread) {
    Thread &fenced = all[thread];
    fenced.proxied = fenced.row;
    fenced.selfProxied = now[warp];
    for (unsigned i = 0; i < fenced.learntCount; ++i)
      fenced.learnt[i].proxied = fenced.learnt[i].epoch;
    place(thread);
  });
  // What they write from here on is not covered.
  ++now[warp];
}

Column Clocks::makeQueues(unsigned count, Proxy proxy, Completion completion) {
  size_t first = firstQueue + queues.size();
  if (first + count > UINT16_MAX)
    throw std::length_error("more than 65,535 threads and queues in a CTA");
  for (unsigned i = 0; i < count; ++i) {
    Queue queue;
    queue.proxy = proxy;
    queue.completion = completion;
    queues.push_back(queue);
  }
  if (first + count > pool.width()) {
    pool.widen((first + count + 63) / 64 * 64);
    for (unsigned thread = 0; thread < threadCount; ++thread)
      place(thread);
  }
  return Column(first);
}

AsyncId Clocks::issue(Column queue, unsigned thread) {
  Queue &of = queues[queue - firstQueue];
  of.issuer = thread;
  return {queue, ++of.last};
}

void Clocks::learnQueue(unsigned thread, Column column, uint32_t epoch) {
  // Completion of an operation of the async proxy is followed by an implicit proxy fence (PTX ISA 9.0, 9.7.9.25.4.1).
  uint32_t proxied = proxyOf(column) == Proxy::Async ? epoch : 0;
  Thread &to = all[thread];
  for (unsigned i = 0; i < to.learntCount; ++i) {
    if (to.learnt[i].column == column) {
      to.learnt[i].epoch = std::max(to.learnt[i].epoch, epoch);
      to.learnt[i].proxied = std::max(to.learnt[i].proxied, proxied);
      return;
    }
  }
  if (to.learntCount == to.learnt.size()) {
    uint32_t *row = pool.writable(to.row), *proxiedRow = pool.writable(to.proxied);
    for (const Learnt &learnt : to.learnt) {
      row[learnt.column] = std::max(row[learnt.column], learnt.epoch);
      proxiedRow[learnt.column] = std::max(proxiedRow[learnt.column], learnt.proxied);
    }
    to.learntCount = 0;
    place(thread);
  }
  to.learnt[to.learntCount++] = {column, epoch, proxied};
}

void Clocks::complete(AsyncId id, unsigned warp, uint32_t lanes) {
  Queue &queue = queues[id.queue - firstQueue];
  queue.complete = std::max(queue.complete, id.epoch);
  forLanes(warp, lanes, [&](unsigned thread) { learnQueue(thread, id.queue, id.epoch); });
}

void Clocks::complete(AsyncId id, SyncObject &to) {
  Queue &queue = queues[id.queue - firstQueue];
  if (queue.completion == Completion::InOrder) {
    queue.complete = std::max(queue.complete, id.epoch);
  } else {
    queue.early.push_back(id.epoch);
    for (auto next = queue.early.begin(); next != queue.early.end();) {
      next = std::find(queue.early.begin(), queue.early.end(), queue.complete + 1);
      if (next != queue.early.end()) {
        ++queue.complete;
        queue.early.erase(next);
        next = queue.early.begin();
      }
    }
  }
  uint32_t *row = pool.writable(to.row);
  uint32_t epoch = queue.completion == Completion::InOrder ? id.epoch : queue.complete;
  row[id.queue] = std::max(row[id.queue], epoch);
  if (queue.proxy != Proxy::Async)
    return;
  uint32_t *proxied = pool.writable(to.proxied);
  proxied[id.queue] = std::max(proxied[id.queue], epoch);
}

GridKnowledgeRef Clocks::publish(unsigned thread) {
  SyncObject whole;
  unsigned warp = thread / kWarpLanes;
  release(warp, 1u << thread % kWarpLanes, whole);
  CtaKnowledge columns;
  columns.known.assign(whole.row.epochs(), whole.row.epochs() + pool.width());
  columns.proxied.assign(whole.proxied.epochs(), whole.proxied.epochs() + pool.width());
  return GridKnowledge::with(whole.grid, ctaNumber, std::move(columns));
}

void Clocks::learn(unsigned thread, const GridKnowledgeRef &knowledge) {
  SyncObject from;
  add(knowledge, from);
  acquire(thread / kWarpLanes, 1u << thread % kWarpLanes, from);
}

void Clocks::add(const GridKnowledgeRef &knowledge, SyncObject &to) {
  if (!knowledge)
    return;
  SyncObject from;
  from.grid = knowledge;
  from.row = pool.zero();
  from.proxied = pool.zero();
  if (const CtaKnowledge *own = knowledge->of(ctaNumber)) {
    std::copy(own->known.begin(), own->known.end(), pool.writable(from.row));
    std::copy(own->proxied.begin(), own->proxied.end(), pool.writable(from.proxied));
  }
  add(from, to);
}

void Clocks::add(const SyncObject &from, SyncObject &to) {
  if (!from.row)
    return;
  pool.join(to.row, from.row);
  pool.join(to.proxied, from.proxied);
  to.grid = GridKnowledge::join(to.grid, from.grid);
}

bool Clocks::knows(unsigned thread, Column column, uint32_t epoch) const {
  if (column == thread || knownEpochs[thread][column] >= epoch)
    return true;
  const Thread &asked = all[thread];
  return std::any_of(asked.learnt.begin(), asked.learnt.begin() + asked.learntCount,
                     [&](const Learnt &learnt) { return learnt.column == column && learnt.epoch >= epoch; });
}

bool Clocks::hasProxied(unsigned thread, Column column, uint32_t epoch) const {
  const Thread &asked = all[thread];
  if (proxiedEpochs[thread][column] >= epoch || (column == thread && asked.selfProxied >= epoch))
    return true;
  return std::any_of(asked.learnt.begin(), asked.learnt.begin() + asked.learntCount,
                     [&](const Learnt &learnt) { return learnt.column == column && learnt.proxied >= epoch; });
}

uint32_t Clocks::unknownLanes(unsigned thread, unsigned warp, uint32_t lanes, uint32_t epoch) const {
  const uint32_t *row = knownEpochs[thread];
  if (row[minimumOf(warp)] >= epoch)
    return 0;
  const uint32_t *of = row + warp * kWarpLanes;
  typedef uint32_t Four __attribute__((vector_size(16)));
  Four bits = {1, 2, 4, 8}, found = {};
  for (unsigned first = 0; first < kWarpLanes; first += 4, bits <<= 4) {
    Four epochs;
    std::memcpy(&epochs, of + first, sizeof(epochs));
    found |= Four(epochs < epoch) & bits;
  }
  uint32_t unknown = found[0] | found[1] | found[2] | found[3];
  if (thread / kWarpLanes == warp)
    lanes &= ~(1u << thread % kWarpLanes);
  return unknown & lanes;
}

bool Clocks::knowsOther(unsigned thread, uint32_t cta, Column column, uint32_t epoch) const {
  return all[thread].grid && all[thread].grid->knows(cta, column, epoch);
}
