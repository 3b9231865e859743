/// Copies from global to shared memory that go on beside the threads, `cp.async`. (PTX ISA 9.0, 9.7.9.25.3)
///
/// A copy reads and writes at one moment between its issue and the wait that guarantees it; until then the bytes that
/// it will write are undefined. Copies of one instruction of a warp take effect together, those of different ones in
/// any order, also within a group.
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/VisitMbarriers.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"

#include <algorithm>

namespace tile::sim {

namespace {
struct CopyForm {
  Access to, from;
  int64_t toDisplacement = 0, fromDisplacement = 0;
  Transfer::Amount sourceSize = Transfer::Amount::Whole; ///< source 2: nothing, `src-size`, the predicate `ignore-src`
  bool ignoreNegated = false;
};

struct ArrivalForm {
  Access access;
  /// The arrival to come is one more than those that the phase lacks already: no `.noinc`.
  bool isOneMore = true;
};

/// What the lanes of one instruction copy.
class Copy : public AsyncOperation {
public:
  struct Piece {
    uint64_t target;                ///< offset in shared memory
    const Region *source = nullptr; ///< null if nothing is read
    uint64_t offset = 0;            ///< in the source
    uint32_t read = 0;              ///< bytes; zeros fill the rest
    uint32_t written = 0;
  };
  std::vector<Piece> pieces;

  void finish(Cta &cta) override {
    for (const Piece &piece : pieces) {
      uint8_t *to = cta.shared.bytes + piece.target;
      std::memset(to, 0, piece.written);
      if (piece.source)
        std::memcpy(to, piece.source->bytes + piece.offset, piece.read);
      if (!cta.shared.defined)
        continue;
      uint8_t *defined = cta.shared.defined + piece.target;
      std::memset(defined, 1, piece.written);
      if (piece.source)
        std::memcpy(defined, piece.source->defined + piece.offset, piece.read);
    }
  }
};

/// Lets threads arrive at mbarriers once their copies have ended: `cp.async.mbarrier.arrive`.
class CopyArrival : public AsyncOperation {
public:
  struct Arrival {
    unsigned lane;
    uint64_t mbarrier; ///< offset in shared memory
    uint32_t copies;   ///< of its thread that it stands for: the first ones
  };
  CopyArrival(Warp &warp, const Op &op) : warp(warp), op(op) {}
  std::vector<Arrival> arrivals;

  void finish(Cta &cta) override {
    for (const Arrival &arrival : arrivals) {
      Mbarrier *object = cta.mbarriers.find(arrival.mbarrier);
      if (object && arrival.copies && cta.checks)
        cta.checks->clocks.complete(cta.checks->copyId(warp, arrival.lane, arrival.copies), object->order.pending);
      if (!object || !cta.mbarriers.arrive(*object, 1))
        cta.report(Fault::ArrivalCount, warp, arrival.lane, op,
                   object ? "1 arrives where " + describe(arrival.mbarrier, *object)
                          : "no mbarrier is at byte " + std::to_string(arrival.mbarrier) +
                                " of shared memory when the copies have ended");
    }
  }

private:
  Warp &warp;
  const Op &op;
};
} // namespace

static CopyQueues &queuesOf(Warp &warp) {
  if (!warp.copies)
    warp.copies = std::make_unique<CopyQueues>();
  return *warp.copies;
}

/// How many bytes each lane reads.
static void readSizes(Warp &warp, const Op &op, const CopyForm &form, uint32_t (&sizes)[kLanes]) {
  std::fill(std::begin(sizes), std::end(sizes), form.to.bytes);
  if (form.sourceSize == Transfer::Amount::Whole)
    return;
  if (uint32_t unsure = warp.undefined(op.source(2)) & warp.active)
    warp.cta.report(Fault::Undefined, warp, __builtin_ctz(unsure), op, "how much is copied is undefined");
  uint32_t ignored = 0;
  if (form.sourceSize == Transfer::Amount::Ignored)
    ignored = warp.predicate(op.source(2)) ^ (form.ignoreNegated ? kAllLanes : 0);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint32_t size = form.sourceSize == Transfer::Amount::Given ? warp.row<uint32_t>(op.source(2))[lane]
                    : ignored >> lane & 1                      ? 0
                                                               : sizes[lane];
    if (size > form.to.bytes)
      warp.cta.report(Fault::BadOperand, warp, lane, op,
                      "the size of the source is " + std::to_string(size) + "; expected at most the " +
                          std::to_string(form.to.bytes) + " bytes that are written");
    sizes[lane] = std::min(size, sizes[lane]);
  }
}

/// Sources: where to, where from, and how much is read.
static Step runCopy(Warp &warp, const Op &op) {
  const CopyForm &form = *static_cast<const CopyForm *>(warp.program.details[op.mode].get());
  Cta &cta = warp.cta;
  uint32_t sizes[kLanes];
  readSizes(warp, op, form, sizes);

  auto copy = std::make_unique<Copy>();
  unsigned pieceOf[kLanes] = {};
  check::AsyncId ids[kLanes];
  Op moved = op;
  moved.immediate = form.toDisplacement;
  uint32_t lanes = 0;
  visitRequest(warp, moved, form.to, AccessKind::Write, 0, [&](const Part &part) {
    if (cta.checks) {
      cta.checks->issueCopies(warp, part.lanes, ids);
      cta.checks->copy(warp, op, part, AccessKind::Write, form.to.bytes, ids);
    }
    for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
      unsigned lane = __builtin_ctz(rest);
      pieceOf[lane] = copy->pieces.size();
      Copy::Piece piece;
      piece.target = part.offsets[lane];
      piece.written = form.to.bytes;
      copy->pieces.push_back(piece);
      if (part.region.defined)
        std::memset(part.region.defined + part.offsets[lane], 0, form.to.bytes);
    }
    lanes |= part.lanes;
  });

  // Lanes that read the same number of bytes make one request; those that read none have no address to check.
  moved.immediate = form.fromDisplacement;
  uint32_t active = warp.active;
  for (uint32_t left = lanes; left;) {
    uint32_t size = sizes[__builtin_ctz(left)], together = 0;
    for (uint32_t rest = left; rest; rest &= rest - 1)
      together |= uint32_t(sizes[__builtin_ctz(rest)] == size) << __builtin_ctz(rest);
    left &= ~together;
    if (!size)
      continue;
    Access from = form.from;
    from.bytes = uint8_t(size);
    warp.active = together;
    visitRequest(warp, moved, from, AccessKind::Read, 1, [&](const Part &part) {
      if (cta.checks)
        cta.checks->copy(warp, op, part, AccessKind::Read, size, ids);
      for (uint32_t rest = part.lanes; rest; rest &= rest - 1) {
        Copy::Piece &piece = copy->pieces[pieceOf[__builtin_ctz(rest)]];
        piece.source = &part.region;
        piece.offset = part.offsets[__builtin_ctz(rest)];
        piece.read = size;
      }
    });
  }
  warp.active = active;

  if (!lanes)
    return Step::Next;
  uint64_t ticket = cta.start(std::move(copy));
  CopyQueues &queues = queuesOf(warp);
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    queues[__builtin_ctz(rest)].tickets.push_back(ticket);
  return Step::Next;
}

static Step runCommit(Warp &warp, const Op &) {
  CopyQueues &queues = queuesOf(warp);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    CopyQueue &queue = queues[__builtin_ctz(rest)];
    queue.groups.push_back(queue.issued());
  }
  return Step::Next;
}

/// The copies of a lane up to `last` have ended for its thread.
static void awaitCopies(Warp &warp, unsigned lane, uint32_t last) {
  CopyQueue &queue = queuesOf(warp)[lane];
  if (last <= queue.awaited)
    return;
  auto end = queue.tickets.begin() + (last - queue.awaited);
  for (auto ticket = queue.tickets.begin(); ticket != end; ++ticket)
    warp.cta.finish(*ticket);
  queue.tickets.erase(queue.tickets.begin(), end);
  queue.awaited = last;
  if (warp.cta.checks)
    warp.cta.checks->clocks.complete(warp.cta.checks->copyId(warp, lane, last), warp.number, 1u << lane);
}

/// The mode: the groups that may still be pending.
static Step runWaitGroup(Warp &warp, const Op &op) {
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    std::vector<uint32_t> &groups = queuesOf(warp)[lane].groups;
    if (groups.size() <= op.mode)
      continue;
    auto end = groups.end() - op.mode;
    awaitCopies(warp, lane, *(end - 1));
    groups.erase(groups.begin(), end);
  }
  return Step::Next;
}

static Step runWaitAll(Warp &warp, const Op &) {
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    CopyQueue &queue = queuesOf(warp)[lane];
    awaitCopies(warp, lane, queue.issued());
    queue.groups.clear();
  }
  return Step::Next;
}

static Step runArriveAfterCopies(Warp &warp, const Op &op) {
  const ArrivalForm &form = *static_cast<const ArrivalForm *>(warp.program.details[op.mode].get());
  Cta &cta = warp.cta;
  auto arrival = std::make_unique<CopyArrival>(warp, op);
  std::vector<uint64_t> &after = arrival->after;
  visitMbarriers(warp, op, form.access, AccessKind::ReadWrite, [&](unsigned lane, uint64_t offset, Mbarrier &object) {
    if (form.isOneMore && !cta.mbarriers.addPending(object))
      cta.report(Fault::ArrivalCount, warp, lane, op, "one more is to arrive where " + describe(offset, object));
    const CopyQueue &queue = queuesOf(warp)[lane];
    arrival->arrivals.push_back({lane, offset, queue.issued()});
    after.insert(after.end(), queue.tickets.begin(), queue.tickets.end());
  });
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  if (!arrival->arrivals.empty())
    cta.start(std::move(arrival));
  return Step::Next;
}

// Decoding.

static std::optional<unsigned> takeNumber(Form &form, size_t index) {
  const ptx::Operand &operand = form.operand(index);
  if (operand.kind == ptx::Operand::Kind::Integer && operand.bits <= INT32_MAX)
    return unsigned(operand.bits);
  form.refuse("operand " + std::to_string(index + 1) + " is no constant");
  return std::nullopt;
}

static void decodeCopy(Form &form) {
  form.take("async");
  int cache = form.takeOne({"ca", "cg"});
  bool hasPolicy = form.instruction.has("L2::cache_hint");
  form.ignore({"L2::"});
  if (cache < 0 || form.takeOne({"shared", "shared::cta"}) < 0 || !form.take("global"))
    return form.refuse("expected `cp.async.ca.shared.global` or `cp.async.cg.shared.global`");
  size_t count = form.operandCount() - hasPolicy; // which line of a cache is kept has no effect on its value
  if (count < 3 || count > 4)
    return form.refuse("it has " + std::to_string(form.operandCount()) + " operands");
  std::optional<unsigned> bytes = takeNumber(form, 2);
  if (!bytes)
    return;
  if (*bytes != 16 && (cache == 1 || (*bytes != 4 && *bytes != 8)))
    return form.refuse("it copies " + std::to_string(*bytes) + " bytes; expected " +
                       (cache == 1 ? "16" : "4, 8 or 16"));
  auto details = std::make_shared<CopyForm>();
  details->to.bytes = details->from.align = uint8_t(*bytes);
  form.address(0, ptx::Space::Shared, details->to);
  details->toDisplacement = form.op.immediate;
  form.transfers(Transfer::Kind::Copy, details->to, 0);
  form.address(1, ptx::Space::Global, details->from);
  details->fromDisplacement = form.op.immediate;
  Access read = details->from;
  read.bytes = details->to.bytes;
  Transfer &from = form.transfers(Transfer::Kind::Copy, read, 1);
  if (count == 4) {
    const ptx::Operand &size = form.operand(3);
    bool isPredicate = size.kind == ptx::Operand::Kind::Register && form.width(size) == 0;
    details->sourceSize = isPredicate ? Transfer::Amount::Ignored : Transfer::Amount::Given;
    details->ignoreNegated = size.negated;
    from.amount = details->sourceSize;
    from.amountSource = 2;
    from.amountNegated = size.negated;
    form.source(3, isPredicate ? ptx::Type::Pred : ptx::Type::U32);
  }
  form.run(runCopy, std::move(details));
}

static void decodeCommit(Form &form) {
  form.take("async");
  form.take("commit_group");
  form.expectOperands(0);
  form.run(runCommit);
}

static void decodeWaitGroup(Form &form) {
  form.take("async");
  form.take("wait_group");
  if (!form.expectOperands(1))
    return;
  if (std::optional<unsigned> groups = takeNumber(form, 0))
    form.run(runWaitGroup, *groups);
}

static void decodeWaitAll(Form &form) {
  form.take("async");
  form.take("wait_all");
  form.expectOperands(0);
  form.run(runWaitAll);
}

static void decodeArrive(Form &form) {
  form.take("async");
  form.take("mbarrier");
  auto details = std::make_shared<ArrivalForm>();
  if (!form.take("arrive"))
    return form.refuse("expected `.arrive`");
  details->isOneMore = !form.take("noinc");
  if (form.takeOne({"shared", "shared::cta"}) >= 0)
    details->access.space = ptx::Space::Shared;
  if (!form.take("b64") || !form.expectOperands(1))
    return form.refuse("expected `.b64` and an address");
  details->access.bytes = kMbarrierBytes;
  form.address(0, details->access.space, details->access);
  form.run(runArriveAfterCopies, std::move(details));
}

InstructionRows asyncCopyRows() {
  return {
      {"cp.async", "Data Movement and Conversion", "`.ca .cg`, `src-size`, `ignore-src`; cache hints have no effect",
       decodeCopy},
      {"cp.async.commit_group", "Data Movement and Conversion", "", decodeCommit},
      {"cp.async.mbarrier", "Parallel Synchronization and Communication", "`.arrive`, `.noinc`", decodeArrive},
      {"cp.async.wait_all", "Data Movement and Conversion", "", decodeWaitAll},
      {"cp.async.wait_group", "Data Movement and Conversion", "", decodeWaitGroup},
  };
}

} // namespace tile::sim
