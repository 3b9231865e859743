/// `--report`: what a compiled kernel takes from the GPU and what it does on it, for someone who tunes it.
#ifndef BACKEND_PIPELINE_REPORT_H
#define BACKEND_PIPELINE_REPORT_H

#include "backend/pipeline/Compile.h"

namespace tile {

/// Prints a paragraph per kernel. The counts are of instructions in the code, not of their executions.
void printReport(llvm::ArrayRef<KernelReport> kernels, const Target &target, llvm::raw_ostream &os);

} // namespace tile

#endif
