/// What the assembler found, in the words of the language and at the kernel's place: refusals, spills, code that is
/// long, products that do not overlap.
#include "backend/pipeline/Compilation.h"

#include "ir/Tile/ContractText.h"
#include "ir/Tile/TileOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tile {

LogicalResult emitFault(Location location, const Twine &what, StringRef detail) {
  InFlightDiagnostic diagnostic = emitError(location) << what << "; this is a fault of the compiler";
  diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(StringRef(kCompilerFault));
  diagnostic.attachNote() << "for the report: " << detail.trim().take_until([](char c) { return c == '\n'; });
  diagnostic.attachNote() << "help: please report it with the program that shows it";
  return diagnostic;
}

const KernelNotes *Compilation::notesOf(StringRef kernel) const {
  auto known = notes.find(kernel);
  return known == notes.end() ? nullptr : &known->second;
}

Location Compilation::locationOf(StringRef kernel) const {
  const KernelNotes *known = notesOf(kernel);
  return known ? known->location : location;
}

std::string Compilation::titleOf(StringRef kernel) const {
  const KernelNotes *known = notesOf(kernel);
  return kernel.empty() ? "a kernel" : kernelTitle(known ? known->contract : DictionaryAttr(), kernel);
}

/// Instructions of a kernel that take the assembler a second or more, and each thousand beyond another one.
static constexpr unsigned kLongCode = 6000;

/// Says once per kernel of the source what its compilation spends its time on.
void Compilation::warnOfLength() const {
  llvm::MapVector<Location, PtxKernel> longest;
  for (PtxKernel &code : summarizePtx(artifact.ptx))
    if (code.instructions > kLongCode)
      if (PtxKernel &known = longest[locationOf(code.name)]; known.instructions < code.instructions)
        known = std::move(code);
  for (auto &[place, code] : longest) {
    InFlightDiagnostic diagnostic = emitWarning(place)
                                    << titleOf(code.name) << " is " << code.instructions
                                    << " instructions long; more than " << kLongCode << " take seconds to assemble";
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(StringRef(kLongCompilation));
    diagnostic.attachNote()
        << "help: `static for` and functions make copies, of which a `for` needs none; of a smaller "
           "tile, or with more warps, a thread has fewer elements";
  }
}

/// What leaves a thread of `kernel`, which has `threads` of them, more registers or needs fewer.
std::string Compilation::adviceOnRegisters(StringRef kernel, unsigned threads) const {
  const KernelNotes *known = notesOf(kernel);
  SmallVector<std::string> advice;
  if (known && known->maxRegisters)
    advice.push_back("a larger `max_registers` (" + std::to_string(known->maxRegisters) + ")");
  // More threads share the registers of a multiprocessor: past this there are fewer for each.
  unsigned more = 2 * threads;
  if (threads && more * options.target->registersPerThread <= options.target->registersPerProcessor)
    advice.push_back(std::to_string(more / options.target->warpSize) + " warps instead of " +
                     std::to_string(threads / options.target->warpSize));
  std::string sizes = known ? sizesText(known->contract, [](int64_t size) { return size >= kSmallestExtent; }) : "";
  advice.push_back("a smaller " + (sizes.empty() ? "tile" : sizes));
  return llvm::join(advice, ", or ");
}

/// `, in variants `fast` and `generic``, where a kernel has them.
static std::string variantsText(ArrayRef<StringRef> variants) {
  if (variants.empty())
    return "";
  return (variants.size() > 1 ? ", in variants `" : ", in variant `") + llvm::join(variants, "` and `") + "`";
}

/// Adds the variant that `kernel` is to those that `diagnostic` is about.
void Compilation::markVariant(InFlightDiagnostic &diagnostic, StringRef kernel) const {
  if (const KernelNotes *known = notesOf(kernel); known && known->variant)
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(known->variant->name);
}

/// Says once per kernel of the source, for the instance that is worst off, that its time goes to memory, and in which
/// variants.
void Compilation::warnOfSpills() const {
  struct Spilling {
    const KernelReport *worst = nullptr;
    SmallVector<StringRef> kernels;
  };
  llvm::MapVector<Location, Spilling> spilling;
  for (const KernelReport &kernel : artifact.kernels)
    if (unsigned bytes = kernel.resources.spillStoreBytes) {
      auto &[worst, kernels] = spilling[locationOf(kernel.resources.name)];
      if (!worst || worst->resources.spillStoreBytes < bytes)
        worst = &kernel;
      kernels.push_back(kernel.resources.name);
    }
  for (auto &[place, found] : spilling) {
    const KernelReport *kernel = found.worst;
    const KernelResources &resources = kernel->resources;
    InFlightDiagnostic diagnostic = emitWarning(place)
                                    << titleOf(resources.name) << " spills " << resources.spillStoreBytes
                                    << " bytes per thread to memory, beside the " << resources.registers
                                    << " registers that it has";
    for (StringRef spilled : found.kernels)
      markVariant(diagnostic, spilled);
    diagnostic.attachNote() << "help: use " << adviceOnRegisters(resources.name, kernel->threads())
                            << "; a loop goes over what a smaller one does not cover";
  }
}

/// A product on tensor cores keeps its accumulators in registers, whatever else is spilled.
void Compilation::reportNarrow(const AssemblerFault &fault) {
  unsigned threads = 0;
  for (const PtxKernel &code : summarizePtx(artifact.ptx))
    if (code.name == fault.kernel)
      threads = code.threads;
  InFlightDiagnostic diagnostic = emitError(locationOf(fault.kernel))
                                  << titleOf(fault.kernel) << " has " << fault.foundRegisters
                                  << " registers for a thread; expected at least " << fault.neededRegisters
                                  << ", which one of its instructions takes";
  diagnostic.attachNote() << "help: use " << adviceOnRegisters(fault.kernel, threads);
}

/// Says once per kernel of the source and reason that its products on warpgroups do not overlap, and in which variants.
void Compilation::warnOfSerialProducts() const {
  struct Serial {
    const AssemblerRemark *first = nullptr;
    llvm::SmallSetVector<StringRef, 2> variants;
  };
  llvm::MapVector<std::pair<Location, StringRef>, Serial> serial;
  for (const AssemblerRemark &remark : artifact.remarks) {
    if (remark.serial.empty())
      continue;
    auto &[first, variants] = serial[{locationOf(remark.kernel), remark.serial}];
    first = first ? first : &remark;
    if (const KernelNotes *known = notesOf(remark.kernel); known && known->variant)
      variants.insert(known->variant->name);
  }
  for (auto &[key, found] : serial) {
    const AssemblerRemark &remark = *found.first;
    InFlightDiagnostic diagnostic = emitWarning(key.first)
                                    << "products of " << titleOf(remark.kernel) << " wait for one another"
                                    << variantsText(found.variants.getArrayRef())
                                    << "; the assembler gives as the reason: " << remark.serial
                                    << (remark.code.empty() ? "" : " (" + remark.code + ")");
    diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(StringRef(kMissedOptimization));
    diagnostic.attachNote() << "help: smaller tiles or more warps leave a thread more registers for products under way";
  }
}

void Compilation::reportFault(const AssemblerFault &fault) {
  Location where = locationOf(fault.kernel);
  StringRef target(options.target->name);
  switch (fault.kind) {
  case AssemblerFault::Kind::SharedMemory:
    return (void)reportShared(fault.kernel, fault.foundBytes, fault.limitBytes);
  case AssemblerFault::Kind::ParameterSpace:
    emitError(where) << titleOf(fault.kernel) << " takes " << fault.foundBytes
                     << " bytes of arguments, with the extents of its tensors; " << target << " takes "
                     << fault.limitBytes;
    return;
  case AssemblerFault::Kind::Registers:
    emitError(where) << titleOf(fault.kernel) << " needs more registers than " << target
                     << " gives a thread: " << fault.text;
    return;
  case AssemblerFault::Kind::InstructionRegisters:
    return reportNarrow(fault);
  case AssemblerFault::Kind::Crash:
    return (void)emitFault(where, "the assembler gave up", fault.text);
  case AssemblerFault::Kind::Syntax:
  case AssemblerFault::Kind::Other:
    std::string line = fault.line ? "line " + std::to_string(fault.line) + " of " : "";
    if (isGenerated)
      (void)emitFault(where, "the assembler refuses " + line + "the generated PTX", fault.text);
    else
      emitError(where) << "the assembler refuses " << line << "the PTX: " << fault.text;
    return;
  }
}

LogicalResult Compilation::report(llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const AssemblyError &refused) {
        // The variants of a kernel share its fault.
        llvm::SmallPtrSet<const void *, 4> narrow;
        for (const AssemblerFault &fault : refused.faults)
          if (fault.kind != AssemblerFault::Kind::InstructionRegisters ||
              narrow.insert(locationOf(fault.kernel).getAsOpaquePointer()).second)
            reportFault(fault);
      },
      [&](const llvm::ErrorInfoBase &other) { emitOptionFault(location.getContext()) << other.message(); });
  return failure();
}

} // namespace tile
