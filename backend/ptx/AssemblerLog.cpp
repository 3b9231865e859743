/// A line is a prefix ("ptxas info    : ", "ptxas application ptx input, line 16; error   : ", "ptxas         . ") and
/// a message. The resources of a kernel follow the line that names it.
#include "backend/ptx/AssemblerLog.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace llvm;

namespace tile {

/// The number before `what` in "Used 8 registers, used 1 barriers, 1024 bytes smem", or 0.
static unsigned numberBefore(StringRef message, StringRef what) {
  size_t at = message.find(what);
  if (at == StringRef::npos)
    return 0;
  StringRef before = message.take_front(at).rtrim();
  unsigned number = 0;
  before.take_back(before.size() - before.find_last_not_of("0123456789") - 1).getAsInteger(10, number);
  return number;
}

/// The text between the first two single quotes after `before`.
static StringRef quotedAfter(StringRef message, StringRef before) {
  StringRef rest = message.split(before).second;
  return rest.split('\'').second.split('\'').first;
}

static AssemblerFault parseFault(StringRef prefix, StringRef message) {
  AssemblerFault fault;
  fault.text = message.str();
  SmallVector<StringRef, 4> parts;
  if (Regex("uses too much (shared data|parameter space) \\(0x([0-9a-f]+) bytes, 0x([0-9a-f]+) max\\)")
          .match(message, &parts)) {
    fault.kind = parts[1] == "shared data" ? AssemblerFault::Kind::SharedMemory : AssemblerFault::Kind::ParameterSpace;
    fault.kernel = quotedAfter(message, "function").str();
    parts[2].getAsInteger(16, fault.foundBytes);
    parts[3].getAsInteger(16, fault.limitBytes);
  } else if (Regex(", line ([0-9]+);").match(prefix, &parts)) {
    fault.kind = AssemblerFault::Kind::Syntax;
    parts[1].getAsInteger(10, fault.line);
  } else if (Regex("Insufficient registers \\(([0-9]+)\\) to compile instruction.* in function (.+)\\. Try to compile "
                   "with "
                   "register target of ([0-9]+) or higher")
                 .match(message, &parts)) {
    fault.kind = AssemblerFault::Kind::InstructionRegisters;
    parts[1].getAsInteger(10, fault.foundRegisters);
    fault.kernel = parts[2].str();
    parts[3].getAsInteger(10, fault.neededRegisters);
  } else if (message.contains("Register allocation failed")) {
    fault.kind = AssemblerFault::Kind::Registers;
    fault.kernel = quotedAfter(message, "function").str();
  }
  return fault;
}

static AssemblerRemark parseRemark(StringRef message) {
  AssemblerRemark remark;
  SmallVector<StringRef, 3> parts;
  if (Regex("^\\((C[0-9]+)\\) *(.*)").match(message, &parts)) {
    remark.code = parts[1].str();
    message = parts[2];
  }
  remark.text = message.str();
  remark.kernel = quotedAfter(message, "function").str();
  // C7508, C7510 to C7515, C7517: the numbers say why, as the text does.
  if (Regex("wgmma.mma_async instructions are serialized due to (.*) in the function").match(message, &parts))
    remark.serial = parts[1].str();
  if (message.contains("wgmma.wait_group is injected"))
    remark.serial = "a use of a product's registers before the wait for it";
  return remark;
}

AssemblerLog parseAssemblerLog(StringRef log) {
  AssemblerLog result;
  StringRef described; // whose stack and spills come next
  auto kernel = [&](StringRef name) -> KernelResources * {
    auto found = find_if(result.kernels, [&](const KernelResources &known) { return name == known.name; });
    return found == result.kernels.end() ? nullptr : &*found;
  };

  for (StringRef line : split(log, '\n')) {
    line = line.rtrim();
    size_t colon = line.find(" : ");
    StringRef prefix = colon == StringRef::npos ? StringRef() : line.take_front(colon).rtrim();
    StringRef message = colon == StringRef::npos ? line : line.substr(colon + 3);

    if (prefix.ends_with("error") || prefix.ends_with("fatal")) {
      // The closing line of a list of errors says nothing new.
      if (!message.contains("aborted due to errors"))
        result.faults.push_back(parseFault(prefix, message));
    } else if (prefix.ends_with("warning") || message.starts_with("(C")) {
      result.remarks.push_back(parseRemark(message));
    } else if (message.starts_with("Compiling entry function")) {
      result.kernels.emplace_back().name = quotedAfter(message, "function").str();
    } else if (message.starts_with("Function properties for ")) {
      described = message.substr(strlen("Function properties for ")).trim('\'');
    } else if (message.contains("bytes stack frame")) {
      if (KernelResources *resources = kernel(described)) {
        resources->stackBytes = numberBefore(message, "bytes stack frame");
        resources->spillStoreBytes = numberBefore(message, "bytes spill stores");
        resources->spillLoadBytes = numberBefore(message, "bytes spill loads");
      }
    } else if (message.starts_with("Used ") && !result.kernels.empty()) {
      KernelResources &resources = result.kernels.back();
      resources.registers = numberBefore(message, "registers");
      resources.barriers = numberBefore(message, "barriers");
      resources.staticSharedBytes = numberBefore(message, "bytes smem");
    }
  }
  return result;
}

} // namespace tile
