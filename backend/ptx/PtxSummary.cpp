/// Reads opcodes only: `ld.global.nc.v4.b32` says all about its width.
#include "backend/ptx/PtxSummary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tile {

/// Bytes of a type such as `b32`, `f16x2` or `bf16`; 0 for a modifier that is none.
static unsigned typeBytes(StringRef modifier) {
  StringRef digits = modifier.ltrim("bfsu");
  auto [width, pair] = digits.split('x');
  unsigned bits = 0, count = 1;
  if (digits.size() == modifier.size() || width.getAsInteger(10, bits) ||
      (!pair.empty() && pair.getAsInteger(10, count)))
    return 0;
  return bits / 8 * count;
}

static unsigned accessBytes(ArrayRef<StringRef> modifiers) {
  unsigned vector = 1, bytes = 0;
  for (StringRef modifier : modifiers) {
    if (modifier == "v2" || modifier == "v4" || modifier == "v8")
      modifier.drop_front().getAsInteger(10, vector);
    else if (unsigned type = typeBytes(modifier))
      bytes = type;
  }
  return vector * bytes;
}

/// "m16n8k16 bf16" from mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32: the types are those of d, a, b and, but
/// for wgmma, c.
static std::string multiplyKind(ArrayRef<StringRef> modifiers) {
  auto shape = find_if(
      modifiers, [](StringRef modifier) { return modifier.size() > 1 && modifier[0] == 'm' && isDigit(modifier[1]); });
  if (shape == modifiers.end())
    return "";
  SmallVector<StringRef> types;
  for (StringRef modifier : make_range(shape + 1, modifiers.end()))
    if (modifier.size() > 1 && modifier != "row" && modifier != "col" && isDigit(modifier.back()))
      types.push_back(modifier);
  return types.size() < 2 ? shape->str() : (*shape + " " + types[1]).str();
}

static void count(StringRef instruction, PtxKernel &kernel) {
  kernel.instructions += instruction.ends_with(";");
  if (instruction.starts_with("@"))
    instruction = instruction.drop_until(isSpace).ltrim();
  StringRef opcode = instruction.take_until(isSpace);
  StringRef operands = instruction.drop_front(opcode.size());
  SmallVector<StringRef, 10> parts;
  opcode.rtrim(';').split(parts, '.');
  ArrayRef<StringRef> modifiers = ArrayRef<StringRef>(parts).drop_front();
  StringRef name = parts.front();
  bool isGlobal = is_contained(modifiers, "global");
  if (name == "ld" && isGlobal) {
    ++kernel.globalLoads[accessBytes(modifiers)];
  } else if (name == "st" && isGlobal) {
    ++kernel.globalStores[accessBytes(modifiers)];
  } else if (name == "cp" && is_contained(modifiers, "async") && isGlobal && !is_contained(modifiers, "bulk")) {
    // cp.async.cg.shared.global [to], [from], 16[, bytes read];
    unsigned bytes = 0;
    StringRef after = operands.split(']').second.split(']').second.ltrim(", ");
    if (!after.take_while(isDigit).getAsInteger(10, bytes))
      ++kernel.asyncCopies[bytes];
  } else if (name == "mma") {
    ++kernel.matrixMultiplies[multiplyKind(modifiers)];
  } else if (name == "wgmma" && is_contained(modifiers, "mma_async")) {
    ++kernel.warpgroupMultiplies[multiplyKind(modifiers)];
  }
  kernel.matrixLoads += name == "ldmatrix";
  kernel.barriers += name == "bar" || name == "barrier";
  kernel.shuffles += name == "shfl";
}

/// The thread count of ".reqntid 128" or ".reqntid 16, 8, 1".
static unsigned threadsOf(StringRef sizes) {
  unsigned threads = 1;
  for (StringRef size : split(sizes, ',')) {
    unsigned value = 0;
    if (size.trim().getAsInteger(10, value))
      return 0;
    threads *= value;
  }
  return threads;
}

std::vector<PtxKernel> summarizePtx(StringRef ptx) {
  std::vector<PtxKernel> kernels;
  bool isKernel = false; // false inside a device function
  for (StringRef line : split(ptx, '\n')) {
    line = line.split("//").first.trim();
    if (size_t at = line.find(".entry "); at != StringRef::npos) {
      kernels.emplace_back().name = line.substr(at + 7).take_until([](char c) { return c == '('; }).trim().str();
      isKernel = true;
    } else if (line.contains(".func ")) {
      isKernel = false;
    } else if (isKernel && line.consume_front(".reqntid ")) {
      kernels.back().threads = threadsOf(line);
    } else if (isKernel && line.starts_with("{") && line.contains(';')) {
      // Inline assembly with registers of its own has all of its instructions on one line.
      for (StringRef part : split(line.trim("{} "), ';'))
        if (part = part.trim(); !part.empty() && !part.starts_with("."))
          count((part + ";").str(), kernels.back());
    } else if (isKernel && !line.empty() && !line.starts_with(".")) {
      count(line, kernels.back());
    }
  }
  return kernels;
}

} // namespace tile
