/// `--report`: what a compiled kernel takes from the GPU and what it does on it, for someone who tunes it.
#ifndef BACKEND_PIPELINE_REPORT_H
#define BACKEND_PIPELINE_REPORT_H

#include "backend/pipeline/Compile.h"

#include "llvm/Support/JSON.h"

namespace tile {

/// Prints a paragraph on one kernel.
void printKernel(const KernelReport &kernel, const Target &target, llvm::raw_ostream &os);

/// Prints a paragraph per kernel. The counts are of instructions in the code, not of their executions.
void printReport(llvm::ArrayRef<KernelReport> kernels, const Target &target, llvm::raw_ostream &os);

/// The same as data: `kernels` in their order, bytes as numbers, parameters as text, widths of accesses as fields with
/// their counts.
llvm::json::Object reportToJson(llvm::ArrayRef<KernelReport> kernels, const Target &target);

} // namespace tile

#endif
