#include "backend/simulator/counters/CtaCounters.h"

#include "backend/simulator/counters/Sectors.h"
#include "backend/simulator/counters/SharedBanks.h"
#include "backend/simulator/machine/Memory.h"
#include "backend/simulator/machine/Warp.h"

#include <algorithm>

namespace tile::sim {

CounterPlan::CounterPlan(const Program &program) : program(program), items(program.ops.size()) {
  for (uint32_t i = 0; i < program.transfers.size(); ++i) {
    Item &item = items[program.transfers[i].op];
    if (!item.transfers++)
      item.firstTransfer = i;
  }
  for (const MatrixWork &work : program.matrixWork)
    items[work.op].matrix = &work;
  for (uint32_t pc = 0; pc < items.size(); ++pc) {
    Item &item = items[pc];
    const Origin &origin = program.origins[program.ops[pc].origin];
    item.kind = classOf(origin, item.transfers ? &program.transfers[item.firstTransfer] : nullptr);
    // Threads come to an mbarrier as they like.
    item.isCtaBarrier = item.kind == InstructionClass::Barrier && origin.opcode != "mbarrier";
  }
}

std::vector<CountedInstruction> CounterPlan::instructions() const {
  std::vector<CountedInstruction> all(program.origins.size());
  for (size_t pc = 0; pc < items.size(); ++pc) {
    CountedInstruction &instruction = all[program.ops[pc].origin];
    instruction.kind = items[pc].kind;
    if (items[pc].matrix)
      instruction.matrixTypes = items[pc].matrix->types;
  }
  return all;
}

void CtaCounters::readOperands(const Warp &warp, const Op &op, const Transfer &transfer, Operands &operands) const {
  Slot address = op.source(transfer.addressSource);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    operands.addresses[lane] = transfer.access.narrowAddress
                                   ? uint32_t(warp.row<uint32_t>(address)[lane] + transfer.displacement)
                                   : warp.row<uint64_t>(address)[lane] + transfer.displacement;
  uint32_t whole = uint32_t(transfer.access.bytes) * transfer.access.count;
  std::fill(std::begin(operands.bytes), std::end(operands.bytes), whole);
  if (transfer.amount == Transfer::Amount::Whole)
    return;
  Slot amount = op.source(transfer.amountSource);
  bool isGiven = transfer.amount == Transfer::Amount::Given;
  uint32_t ignored = isGiven ? 0 : warp.predicate(amount) ^ (transfer.amountNegated ? kAllLanes : 0);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    operands.bytes[lane] = isGiven               ? std::min(whole, warp.row<uint32_t>(amount)[lane])
                           : ignored >> lane & 1 ? 0
                                                 : whole;
}

void CtaCounters::before(const Warp &warp, uint32_t pc) {
  const CounterPlan::Item &item = plan.items[pc];
  for (uint32_t i = 0; i < item.transfers; ++i)
    readOperands(warp, plan.program.ops[pc], plan.program.transfers[item.firstTransfer + i], operands[i]);
  failedWaits = warp.failedWaits;
  fragments = warp.allFragments().size();
}

/// The space that an access of a lane leads to.
static ptx::Space spaceAt(ptx::Space space, uint64_t address) {
  if (space != ptx::Space::Generic)
    return space;
  switch (windowOf(address)) {
  case kSharedWindow:
    return ptx::Space::Shared;
  case kLocalWindow:
    return ptx::Space::Local;
  case kParameterWindow:
    return ptx::Space::Parameter;
  case kConstantWindow:
    return ptx::Space::Constant;
  default:
    return ptx::Space::Global;
  }
}

static BankAccess bankAccessOf(Transfer::Kind kind) {
  switch (kind) {
  case Transfer::Kind::Load:
    return BankAccess::Load;
  case Transfer::Kind::Atomic:
    return BankAccess::Atomic;
  case Transfer::Kind::LoadMatrix:
  case Transfer::Kind::StoreMatrix:
    return BankAccess::Matrix;
  case Transfer::Kind::Store:
  case Transfer::Kind::Copy:
    break;
  }
  return BankAccess::Store;
}

void CtaCounters::countTransfer(const Transfer &transfer, const Operands &operands, uint32_t lanes,
                                Counters &counters) const {
  uint32_t ofGlobal = 0, ofShared = 0, ofLocal = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    ptx::Space space = spaceAt(transfer.access.space, operands.addresses[lane]);
    ofGlobal |= uint32_t(space == ptx::Space::Global && operands.bytes[lane]) << lane;
    ofShared |= uint32_t(space == ptx::Space::Shared) << lane;
    ofLocal |= uint32_t(space == ptx::Space::Local) << lane;
  }
  unsigned bytes = transfer.access.bytes * transfer.access.count;
  if (ofGlobal) {
    bool isAtomic = transfer.kind == Transfer::Kind::Atomic;
    SectorCount count = countSectors(operands.addresses, operands.bytes, ofGlobal,
                                     isAtomic ? SameAddress::InTurns : SameAddress::Shared);
    ++counters.globalRequests;
    counters.globalBytes += count.bytes;
    counters.globalSectors += count.sectors;
    counters.globalIdeal += count.ideal;
    counters.globalLines += count.lines;
  }
  if (ofShared) {
    BankPasses passes = countBankPasses(operands.addresses, ofShared, bytes, bankAccessOf(transfer.kind));
    ++counters.sharedRequests;
    counters.sharedBytes += uint64_t(bytes) * __builtin_popcount(ofShared);
    counters.sharedWavefronts += passes.wavefronts;
    counters.sharedIdeal += passes.ideal;
    if (transfer.kind == Transfer::Kind::Copy)
      counters.asyncBytes += uint64_t(bytes) * __builtin_popcount(ofShared);
  }
  if (ofLocal) {
    ++counters.localRequests;
    counters.localBytes += uint64_t(bytes) * __builtin_popcount(ofLocal);
    counters.localSectors += countLocalSectors(operands.addresses, bytes, ofLocal).sectors;
  }
}

/// Lanes of the warp whose addresses an access takes: those that run it, but for `ldmatrix` the first ones of the
/// warp, eight for each matrix.
static uint32_t lanesOf(const Transfer &transfer, const Op &op, uint32_t active) {
  unsigned matrices = 0;
  if (transfer.kind == Transfer::Kind::LoadMatrix)
    matrices = op.results;
  else if (transfer.kind == Transfer::Kind::StoreMatrix)
    matrices = op.sources - 1;
  else
    return active;
  return matrices >= 4 ? kAllLanes : (1u << 8 * matrices) - 1;
}

void CtaCounters::after(const Warp &warp, uint32_t pc, uint32_t fragment, Step step) {
  if (step == Step::Block)
    return;
  const CounterPlan::Item &item = plan.items[pc];
  const Op &op = plan.program.ops[pc];
  Counters &counters = byOp[pc];
  uint32_t active = warp.active;
  fragment |= active; // others may have joined it
  ++counters.issues;
  counters.threads += __builtin_popcount(fragment);
  counters.lanes += __builtin_popcount(active);
  if (item.kind == InstructionClass::Control && warp.allFragments().size() > fragments)
    ++counters.divergentBranches;
  if (item.isCtaBarrier) {
    ++counters.barriers;
    counters.divergentBarriers += (warp.lanes & ~warp.exited & ~active) != 0;
  }
  if (item.kind == InstructionClass::Wait) {
    bool failed = warp.failedWaits != failedWaits;
    ++(failed ? counters.failedPolls : counters.waits);
  }
  for (uint32_t i = 0; i < item.transfers; ++i) {
    const Transfer &transfer = plan.program.transfers[item.firstTransfer + i];
    countTransfer(transfer, operands[i], lanesOf(transfer, op, active), counters);
  }
  if (item.matrix) {
    ++counters.mmas;
    counters.flops += item.matrix->flops;
    counters.matrixBytes += item.matrix->sharedBytes;
  }
}

void CtaCounters::skip(uint32_t pc, uint32_t fragment) {
  ++byOp[pc].issues;
  byOp[pc].threads += __builtin_popcount(fragment);
}

} // namespace tile::sim
