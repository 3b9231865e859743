#include "backend/simulator/exec/Control.h"

#include "backend/simulator/exec/Converge.h"
#include "backend/simulator/exec/Families.h"
#include "backend/simulator/machine/Cta.h"
#include "backend/simulator/machine/Grid.h"

namespace tile::sim {

Step runBranch(Warp &warp, const Op &op) {
  warp.branch(op.immediate);
  return Step::Jump;
}

Step runBranchIndexed(Warp &warp, const Op &op) {
  const std::vector<uint32_t> &targets = warp.program.targetLists[op.mode];
  const uint32_t *index = warp.row<uint32_t>(op.source(0));
  const uint32_t unsure = warp.undefined(op.source(0)) & warp.active;
  if (unsure)
    warp.cta.report(Fault::Undefined, warp, __builtin_ctz(unsure), op, "the index is undefined");
  uint32_t chosen[kLanes] = {};
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (warp.active >> lane & 1) {
      if (index[lane] >= targets.size() && !(unsure >> lane & 1)) {
        warp.cta.report(Fault::BadOperand, warp, lane, op,
                        "the index is " + std::to_string(index[lane]) + "; expected less than the " +
                            std::to_string(targets.size()) + " targets");
        warp.cta.grid.stopped = true;
      }
      chosen[lane] = targets[index[lane] < targets.size() ? index[lane] : 0];
    }
  warp.scatter(chosen);
  return Step::Jump;
}

Step runExit(Warp &warp, const Op &) {
  warp.exitLanes();
  return Step::Jump;
}

static Step runTrap(Warp &warp, const Op &op) {
  warp.cta.report(Fault::Trap, warp, __builtin_ctz(warp.active), op, "the kernel stopped itself");
  warp.cta.grid.stopped = true;
  return Step::Yield;
}

/// Time passes for others; how much is the scheduler's choice.
static Step runPause(Warp &, const Op &) { return Step::Yield; }

std::vector<uint32_t> targetsOf(const Program &program, const Op &op) {
  if (op.run == runBranch)
    return {uint32_t(op.immediate)};
  if (op.run == runBranchIndexed)
    return program.targetLists[op.mode];
  return {};
}

static void decodeBranch(Form &form) {
  form.take("uni"); // a promise about the guard that nobody needs
  if (!form.expectOperands(1))
    return;
  form.target(0);
  form.run(runBranch);
}

static void decodeBranchIndexed(Form &form) {
  form.take("uni");
  if (!form.take("idx"))
    return form.refuse("only `brx.idx` is known");
  if (!form.expectOperands(2))
    return;
  form.source(0, ptx::Type::U32);
  form.targets(1, runBranchIndexed);
}

static void decodeReturn(Form &form) {
  form.take("uni");
  if (form.isInlined()) {
    form.targetEnd();
    form.run(runBranch);
  } else {
    form.run(runExit);
  }
}

static void decodeExit(Form &form) { form.run(runExit); }
static void decodeTrap(Form &form) { form.run(runTrap); }

static void decodePause(Form &form) {
  form.take("u32");
  form.source(0, ptx::Type::U32);
  form.run(runPause);
}

/// Grids do not overlap: the one before is done, and the one after waits for the end of this one.
static Step runGridDependency(Warp &, const Op &) { return Step::Next; }

static void decodeGridDependency(Form &form) {
  if (form.takeOne({"launch_dependents", "wait"}) < 0)
    return form.refuse("it says neither `.launch_dependents` nor `.wait`");
  if (form.expectOperands(0))
    form.run(runGridDependency);
}

/// Registers are never short here; what is checked is that the warp comes together.
static Step runRegisterLimit(Warp &warp, const Op &op) { return convergeAll(warp, op) ? Step::Next : Step::Block; }

static void decodeRegisterLimit(Form &form) {
  if (form.takeOne({"inc", "dec"}) < 0 || !form.take("sync") || !form.take("aligned") || !form.take("u32"))
    return form.refuse("expected `.inc` or `.dec`, and `.sync.aligned.u32`");
  if (!form.expectOperands(1))
    return;
  const ptx::Operand &count = form.operand(0);
  if (count.kind != ptx::Operand::Kind::Integer || count.bits < 24 || count.bits > 256 || count.bits % 8)
    return form.refuse("its operand is no multiple of 8 from 24 to 256");
  form.run(runRegisterLimit);
}

/// Monitoring is not modelled.
static Step runEvent(Warp &, const Op &) { return Step::Next; }

static void decodeEvent(Form &form) {
  form.take("mask");
  if (form.expectOperands(1))
    form.run(runEvent);
}

InstructionRows controlRows() {
  return {
      {"bra", "Control Flow", "`.uni`", decodeBranch},
      {"brkpt", "Miscellaneous", "stops like `trap`", decodeTrap},
      {"brx", "Control Flow", "`.idx`, `.uni`", decodeBranchIndexed},
      {"exit", "Control Flow", "", decodeExit},
      {"griddepcontrol", "Parallel Synchronization and Communication", "no effect: grids do not overlap",
       decodeGridDependency},
      {"nanosleep", "Miscellaneous", "lets other warps run; the time is not modelled", decodePause},
      {"pmevent", "Miscellaneous", "no effect", decodeEvent},
      {"ret", "Control Flow", "`.uni`", decodeReturn},
      {"setmaxnreg", "Miscellaneous", "no effect but that the warp comes together", decodeRegisterLimit},
      {"trap", "Miscellaneous", "", decodeTrap},
  };
}

} // namespace tile::sim
