/// A line scan: PTX as LLVM prints it has one instruction a line, and inline assembly at most a few between `;`.
#include "backend/ptx/CheckPtx.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tile {

static bool isFloatType(StringRef modifier) {
  return StringSwitch<bool>(modifier)
      .Cases({"f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"}, true)
      .Default(false);
}

static bool isRounding(StringRef modifier) {
  return StringSwitch<bool>(modifier).Cases({"rn", "rz", "rm", "rp"}, true).Default(false);
}

/// True for `add.ftz.f32` and its like: arithmetic on floats whose rounding is left to the assembler.
static bool lacksRounding(StringRef opcode) {
  SmallVector<StringRef, 6> parts;
  opcode.split(parts, '.');
  if (!is_contained({"add", "sub", "mul", "fma", "mad"}, parts.front()))
    return false;
  return any_of(parts, isFloatType) && none_of(parts, isRounding);
}

/// The opcode of one instruction, after its label, braces and predicate.
static StringRef opcodeOf(StringRef instruction) {
  instruction = instruction.ltrim(" \t{");
  if (instruction.starts_with("@"))
    instruction = instruction.drop_until(isSpace).ltrim();
  return instruction.take_until(isSpace);
}

std::vector<PtxProblem> checkPtx(StringRef ptx) {
  std::vector<PtxProblem> problems;
  unsigned lineNumber = 0;
  for (StringRef line : split(ptx, '\n')) {
    ++lineNumber;
    line = line.split("//").first;
    if (line.starts_with(".target") && line.contains("debug"))
      problems.push_back({lineNumber, "`.target` has `debug`: the assembler optimises nothing"});
    for (StringRef instruction : split(line, ';'))
      if (StringRef opcode = opcodeOf(instruction); lacksRounding(opcode))
        problems.push_back({lineNumber, ("`" + opcode + "` has no rounding mode: the assembler may fuse it").str()});
  }
  return problems;
}

} // namespace tile
