/// The instructions on mbarrier objects. (PTX ISA 9.0, 9.7.13.15)
///
/// Lanes arrive one after the other, so that a phase may end in the middle of a warp. A wait that fails lets other
/// warps run: for how long `try_wait` suspends a thread is the scheduler's choice.
#include "backend/simulator/machine/Mbarrier.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/exec/VisitMbarriers.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/CtaChecks.h"
#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

namespace {
struct MbarrierForm {
  Access access;
  bool orders = true;          ///< releases or acquires; not `.relaxed`
  bool hasCount = false;       ///< source 1 is how many arrive
  bool expectsBytes = false;   ///< source 1 is how many bytes to expect
  bool drops = false;          ///< `arrive_drop`
  bool mayNotComplete = false; ///< `.noComplete`
  bool byParity = false;       ///< a wait names the parity of a phase rather than a state
  int bytesSign = 1;           ///< -1 if the bytes of source 1 have come
};
} // namespace

static const MbarrierForm &formOf(const Warp &warp, const Op &op) {
  return *static_cast<const MbarrierForm *>(warp.program.details[op.mode].get());
}

/// Calls `visit` for the places in shared memory that the active lanes name. Returns the lanes that were visited.
static uint32_t visitPlaces(Warp &warp, const Op &op, const Access &access, AccessKind kind,
                            const std::function<void(unsigned lane, uint64_t offset)> &visit) {
  uint32_t visited = 0;
  visitRequest(warp, op, access, kind, 0, [&](const Part &part) {
    if (part.region.space != ptx::Space::Shared) {
      warp.cta.report(Fault::BadOperand, warp, __builtin_ctz(part.lanes), op,
                      "the address lies in `" + part.region.name + "`; expected shared memory");
      return;
    }
    // A wait counts as an access once it has found what it waits for.
    if (warp.cta.checks && kind != AccessKind::Read)
      warp.cta.checks->accessMbarrier(warp, op, part, kind);
    for (uint32_t rest = part.lanes; rest; rest &= rest - 1)
      visit(__builtin_ctz(rest), part.offsets[__builtin_ctz(rest)]);
    visited |= part.lanes;
  });
  return visited;
}

uint32_t visitMbarriers(Warp &warp, const Op &op, const Access &access, AccessKind kind, const VisitMbarrier &visit) {
  uint32_t without = 0;
  uint32_t visited = visitPlaces(warp, op, access, kind, [&](unsigned lane, uint64_t offset) {
    if (Mbarrier *object = warp.cta.mbarriers.find(offset))
      return visit(lane, offset, *object);
    without |= 1u << lane;
    warp.cta.report(Fault::BadOperand, warp, lane, op,
                    "no mbarrier is at byte " + std::to_string(offset) +
                        " of shared memory; `mbarrier.init` makes one");
  });
  return visited & ~without;
}

/// Reports a source that decides what happens and is undefined in some active lane.
static void expectDefined(Warp &warp, const Op &op, unsigned source, const char *name) {
  uint32_t unsure = op.sources > source ? warp.undefined(op.source(source)) & warp.active : 0;
  if (unsure)
    warp.cta.report(Fault::Undefined, warp, __builtin_ctz(unsure), op, std::string(name) + " is undefined");
}

static Step runInit(Warp &warp, const Op &op) {
  expectDefined(warp, op, 1, "the count");
  const uint32_t *counts = warp.row<uint32_t>(op.source(1));
  Cta &cta = warp.cta;
  visitPlaces(warp, op, formOf(warp, op).access, AccessKind::Write, [&](unsigned lane, uint64_t offset) {
    if (const Mbarrier *object = cta.mbarriers.find(offset))
      cta.report(Fault::BadOperand, warp, lane, op,
                 describe(offset, *object) + "; expected `mbarrier.inval` before its memory is used again");
    if (counts[lane] < 1 || counts[lane] > kMostMbarrierCount)
      cta.report(Fault::ArrivalCount, warp, lane, op,
                 "the count is " + std::to_string(counts[lane]) + "; expected 1 to " +
                     std::to_string(kMostMbarrierCount));
    cta.mbarriers.init(offset, counts[lane]);
    // Whoever reads the object's bytes reads what the ISA does not define.
    if (cta.shared.defined)
      std::fill_n(cta.shared.defined + offset, kMbarrierBytes, 0);
  });
  return Step::Next;
}

static Step runInvalidate(Warp &warp, const Op &op) {
  visitMbarriers(warp, op, formOf(warp, op).access, AccessKind::Write,
                 [&](unsigned, uint64_t offset, Mbarrier &) { warp.cta.mbarriers.invalidate(offset); });
  return Step::Next;
}

/// What `arrive` returns: the phase, and how many arrivals it lacked before this one.
static uint64_t stateOf(const Mbarrier &object) { return uint64_t(object.phase) << 32 | object.pending; }

namespace {
/// Lanes whose arrival belongs to the open phase of one object: told to the checks together, before the phase ends.
struct Releases {
  Warp &warp;
  bool orders; ///< by themselves, and not what a fence before them says
  Mbarrier *object = nullptr;
  uint32_t lanes = 0;

  void add(Mbarrier &to, unsigned lane) {
    if (object != &to)
      flush();
    object = &to;
    lanes |= 1u << lane;
  }
  void flush() {
    if (lanes && warp.cta.checks && orders)
      warp.cta.checks->clocks.release(warp.number, lanes, object->order.pending);
    else if (lanes && warp.cta.checks)
      warp.cta.checks->order.arrive(warp.number, lanes, object->order.pending);
    lanes = 0;
  }
};
} // namespace

static void reportRange(Warp &warp, const Op &op, unsigned lane, const std::string &what, uint64_t offset,
                        const Mbarrier &object) {
  warp.cta.report(Fault::ArrivalCount, warp, lane, op, what + " where " + describe(offset, object));
}

static std::string bytesText(const MbarrierForm &form, uint32_t bytes) {
  return std::to_string(bytes) + (form.bytesSign < 0 ? " bytes come" : " bytes are expected");
}

/// Sources: the address, then the count or the bytes. A result: the state before.
static Step runArrive(Warp &warp, const Op &op) {
  const MbarrierForm &form = formOf(warp, op);
  expectDefined(warp, op, 1, form.expectsBytes ? "the number of bytes" : "the count");
  const uint32_t *second = op.sources > 1 ? warp.row<uint32_t>(op.source(1)) : nullptr;
  uint64_t states[kLanes] = {};
  Mbarriers &all = warp.cta.mbarriers;
  Releases releases{warp, form.orders};
  uint32_t visited =
      visitMbarriers(warp, op, form.access, AccessKind::ReadWrite, [&](unsigned lane, uint64_t offset, Mbarrier &to) {
        states[lane] = stateOf(to);
        uint32_t count = form.hasCount ? second[lane] : 1;
        if (form.expectsBytes)
          to.bytesFrom = warp.cta.placeOf(warp, lane, op);
        if (form.expectsBytes && !all.expect(to, second[lane]))
          reportRange(warp, op, lane, bytesText(form, second[lane]), offset, to);
        releases.add(to, lane);
        if (count >= to.pending)
          releases.flush();
        if (form.drops && count > to.expected)
          return reportRange(warp, op, lane, std::to_string(count) + " drop out of " + std::to_string(to.expected),
                             offset, to);
        if (form.drops)
          to.expected -= count;
        uint32_t phase = to.phase;
        if (count == 0 || !all.arrive(to, count))
          reportRange(warp, op, lane, std::to_string(count) + (count == 1 ? " arrives" : " arrive"), offset, to);
        if (form.mayNotComplete && to.phase != phase)
          warp.cta.report(Fault::ArrivalCount, warp, lane, op,
                          "the arrival ends phase " + std::to_string(phase) + " of the mbarrier at byte " +
                              std::to_string(offset) + ", which `.noComplete` promises that it does not");
      });
  releases.flush();
  if (op.results) {
    warp.write(op.result(0), states);
    warp.writeUndefined(op.result(0), ~visited);
  }
  return Step::Next;
}

/// `expect_tx` and `complete_tx`.
static Step runExpect(Warp &warp, const Op &op) {
  const MbarrierForm &form = formOf(warp, op);
  expectDefined(warp, op, 1, "the number of bytes");
  const uint32_t *bytes = warp.row<uint32_t>(op.source(1));
  visitMbarriers(warp, op, form.access, AccessKind::ReadWrite, [&](unsigned lane, uint64_t offset, Mbarrier &object) {
    object.bytesFrom = warp.cta.placeOf(warp, lane, op);
    if (!warp.cta.mbarriers.expect(object, int64_t(form.bytesSign) * bytes[lane]))
      reportRange(warp, op, lane, bytesText(form, bytes[lane]), offset, object);
  });
  return Step::Next;
}

/// Whether the phase that a wait names has ended. One that is neither the current phase nor the one before is reported.
static bool hasEnded(Warp &warp, const Op &op, unsigned lane, uint64_t offset, const Mbarrier &object, uint64_t named) {
  if (formOf(warp, op).byParity) {
    if (named > 1)
      warp.cta.report(Fault::BadOperand, warp, lane, op,
                      "the parity is " + std::to_string(named) + "; expected 0 or 1");
    return (object.phase & 1) != (named & 1);
  }
  uint32_t phase = uint32_t(named >> 32);
  if (phase != object.phase && phase + 1 != object.phase)
    warp.cta.report(Fault::BadOperand, warp, lane, op,
                    "the state is of phase " + std::to_string(phase) + " and " + describe(offset, object) +
                        "; expected a state of this phase or the one before");
  return phase != object.phase;
}

/// Sources: the address, the parity or the state. The result: whether the phase has ended.
static Step runWait(Warp &warp, const Op &op) {
  const MbarrierForm &form = formOf(warp, op);
  expectDefined(warp, op, 1, form.byParity ? "the parity" : "the state");
  uint32_t failed = 0, ended = 0, allEnded = 0;
  Mbarrier *ofEnded = nullptr;
  auto acquire = [&] {
    if (ended && form.orders && warp.cta.checks)
      warp.cta.checks->clocks.acquire(warp.number, ended, ofEnded->order.completed);
    else if (ended && warp.cta.checks)
      warp.cta.checks->order.await(warp.number, ended, ofEnded->order.completed);
    allEnded |= ended;
    ended = 0;
  };
  uint64_t waitedFor = 0;
  visitMbarriers(warp, op, form.access, AccessKind::Read, [&](unsigned lane, uint64_t offset, Mbarrier &object) {
    uint64_t named = form.byParity ? warp.row<uint32_t>(op.source(1))[lane] : warp.row<uint64_t>(op.source(1))[lane];
    if (!hasEnded(warp, op, lane, offset, object, named)) {
      failed |= 1u << lane;
      waitedFor = offset;
      return;
    }
    if (ofEnded != &object)
      acquire();
    ofEnded = &object;
    ended |= 1u << lane;
  });
  acquire();
  if (allEnded && warp.cta.checks) {
    uint32_t active = warp.active;
    warp.active = allEnded;
    visitRequest(warp, op, form.access, AccessKind::Read, 0,
                 [&](const Part &part) { warp.cta.checks->accessMbarrier(warp, op, part, AccessKind::Read); });
    warp.active = active;
  }
  // Where there is no object to wait for, a loop must not hide the finding in a deadlock.
  warp.writePredicate(op.result(0), ~failed);
  warp.writeUndefined(op.result(0), 0);
  if (!failed)
    return Step::Next;
  warp.noteFailedWait(op, waitedFor);
  return Step::Yield;
}

static Step runPendingCount(Warp &warp, const Op &op) {
  uint32_t counts[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    counts[lane] = uint32_t(warp.row<uint64_t>(op.source(0))[lane]);
  warp.write(op.result(0), counts);
  warp.spreadUndefined(op);
  return Step::Next;
}

// Decoding.

/// What all forms say: order, scope, space and `.b64`.
static std::shared_ptr<MbarrierForm> takeForm(Form &form, std::string_view operation) {
  auto details = std::make_shared<MbarrierForm>();
  form.take(operation);
  details->orders = !form.take("relaxed");
  form.takeOne({"acquire", "release"});
  form.takeOne({"cta", "cluster"});
  if (form.takeOne({"shared", "shared::cta", "shared::cluster"}) >= 0)
    details->access.space = ptx::Space::Shared;
  if (!form.take("b64"))
    form.refuse("expected `.b64`");
  details->access.bytes = kMbarrierBytes;
  return details;
}

static void decodeInit(Form &form) {
  auto details = takeForm(form, "init");
  if (!form.expectOperands(2))
    return;
  form.address(0, details->access.space, details->access);
  form.source(1, ptx::Type::U32);
  form.run(runInit, std::move(details));
}

static void decodeInvalidate(Form &form) {
  auto details = takeForm(form, "inval");
  if (!form.expectOperands(1))
    return;
  form.address(0, details->access.space, details->access);
  form.run(runInvalidate, std::move(details));
}

static void decodeArriveOf(Form &form, bool drops) {
  bool expectsBytes = form.take("expect_tx"), mayNotComplete = form.take("noComplete");
  auto details = takeForm(form, drops ? "arrive_drop" : "arrive");
  details->drops = drops;
  details->expectsBytes = expectsBytes;
  details->mayNotComplete = mayNotComplete;
  size_t next = form.operandCount() && form.operand(0).kind != ptx::Operand::Kind::Address;
  size_t left = form.operandCount() - next;
  if (left < 1 || left > 2 || ((expectsBytes || mayNotComplete) && left != 2))
    return form.refuse("it has " + std::to_string(form.operandCount()) + " operands");
  details->hasCount = left == 2 && !expectsBytes;
  if (next)
    form.result(0, ptx::Type::B64);
  form.address(next, details->access.space, details->access);
  if (left == 2)
    form.source(next + 1, ptx::Type::U32);
  form.run(runArrive, std::move(details));
}
static void decodeArrive(Form &form) { decodeArriveOf(form, false); }
static void decodeArriveDrop(Form &form) { decodeArriveOf(form, true); }

static void decodeExpectOf(Form &form, std::string_view operation, int sign) {
  auto details = takeForm(form, operation);
  details->bytesSign = sign;
  if (!form.expectOperands(2))
    return;
  form.address(0, details->access.space, details->access);
  form.source(1, ptx::Type::U32);
  form.run(runExpect, std::move(details));
}
static void decodeExpect(Form &form) { decodeExpectOf(form, "expect_tx", 1); }
static void decodeComplete(Form &form) { decodeExpectOf(form, "complete_tx", -1); }

/// The hint for how long a thread may be suspended is read and has no effect.
static void decodeWaitOf(Form &form, std::string_view operation, bool mayHaveLimit) {
  bool byParity = form.take("parity");
  auto details = takeForm(form, operation);
  details->byParity = byParity;
  if (form.operandCount() < 3 || form.operandCount() > (mayHaveLimit ? 4 : 3))
    return form.refuse("it has " + std::to_string(form.operandCount()) + " operands");
  form.result(0, ptx::Type::Pred);
  form.address(1, details->access.space, details->access);
  form.source(2, byParity ? ptx::Type::U32 : ptx::Type::B64);
  if (form.operandCount() == 4)
    form.source(3, ptx::Type::U32);
  form.run(runWait, std::move(details));
}
static void decodeTestWait(Form &form) { decodeWaitOf(form, "test_wait", false); }
static void decodeTryWait(Form &form) { decodeWaitOf(form, "try_wait", true); }

static void decodePendingCount(Form &form) {
  form.take("pending_count");
  if (!form.take("b64") || !form.expectOperands(2))
    return form.refuse("expected `mbarrier.pending_count.b64 count, state`");
  form.result(0, ptx::Type::U32);
  form.source(1, ptx::Type::B64);
  form.run(runPendingCount);
}

InstructionRows mbarrierRows() {
  return {
      {"mbarrier.arrive", "Parallel Synchronization and Communication",
       "all forms; `.cluster` means the CTA's own cluster of one", decodeArrive},
      {"mbarrier.arrive_drop", "Parallel Synchronization and Communication", "likewise", decodeArriveDrop},
      {"mbarrier.complete_tx", "Parallel Synchronization and Communication", "", decodeComplete},
      {"mbarrier.expect_tx", "Parallel Synchronization and Communication", "", decodeExpect},
      {"mbarrier.init", "Parallel Synchronization and Communication", "", decodeInit},
      {"mbarrier.inval", "Parallel Synchronization and Communication", "", decodeInvalidate},
      {"mbarrier.pending_count", "Parallel Synchronization and Communication", "", decodePendingCount},
      {"mbarrier.test_wait", "Parallel Synchronization and Communication", "by state and `.parity`", decodeTestWait},
      {"mbarrier.try_wait", "Parallel Synchronization and Communication",
       "by state and `.parity`; a time limit has no effect", decodeTryWait},
  };
}

} // namespace tile::sim
