/// The table of instructions that came after the targets that have them. An instruction which arrived together with
/// its first target needs no row: the target's own lowest version covers it.
#include "backend/ptx/RequiredPtx.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace tile {

struct Requirement {
  StringLiteral text; ///< part of an intrinsic's name or of an instruction
  PtxVersion version;
};

// Sorted by text. Versions: PTX ISA, "PTX ISA notes" of each instruction.
static constexpr Requirement kRequirements[] = {
    {"L1::", {7, 4}},                  // eviction priorities
    {"L2::", {7, 4}},                  // prefetch sizes, cache hints
    {"createpolicy", {7, 4}},          // what a cache hint refers to
    {"cvt.rn.satfinite.tf32", {8, 6}}, //
    {"e4m3", {8, 1}},                  // f8 conversions on sm_89
    {"e5m2", {8, 1}},                  //
    {"multimem", {8, 1}},              //
    {"shared::cta", {7, 8}},           // the spelled-out state space
};

static PtxVersion requiredBy(StringRef text) {
  PtxVersion version{0, 0};
  for (const Requirement &row : kRequirements)
    if (version < row.version && text.contains(row.text))
      version = row.version;
  // mma on f8 came three versions after the conversions, wgmma with them.
  if (version < PtxVersion{8, 4} && text.contains("mma.sync") && (text.contains("e4m3") || text.contains("e5m2")))
    version = {8, 4};
  // cp.async has a predicate, an operand behind its size, since five versions after it came.
  if (version < PtxVersion{7, 5} && text.contains("cp.async.c") && text.rsplit(']').second.count(',') == 2)
    version = {7, 5};
  return version;
}

/// PTX ISA, "Kernel Function Parameters": 4352 bytes, and from 8.1 on 32764.
static constexpr uint64_t kSmallParameterSpace = 4352;
static constexpr PtxVersion kLargeParameterSpace{8, 1};

static uint64_t parameterBytes(const Function &function) {
  const DataLayout &layout = function.getDataLayout();
  uint64_t bytes = 0;
  for (const Argument &argument : function.args())
    bytes = alignTo(bytes, layout.getABITypeAlign(argument.getType())) + layout.getTypeAllocSize(argument.getType());
  return bytes;
}

PtxVersion requiredPtx(const Module &module, const Target &target) {
  PtxVersion version = target.lowestPtx;
  for (const Function &function : module) {
    if (parameterBytes(function) > kSmallParameterSpace)
      version = std::max(version, kLargeParameterSpace);
    if (function.isIntrinsic() && !function.use_empty())
      version = std::max(version, requiredBy(function.getName()));
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
          version = std::max(version, requiredBy(assembly->getAsmString()));
  }
  return version;
}

} // namespace tile
