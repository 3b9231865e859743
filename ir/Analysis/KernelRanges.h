/// Integer ranges within a kernel: MLIR's analysis, fed by the attribute `tile.maximum` of the arguments.
#ifndef IR_ANALYSIS_KERNELRANGES_H
#define IR_ANALYSIS_KERNELRANGES_H

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/IR/Value.h"

namespace tile {

/// Loads the analysis and those it rests on.
void loadKernelRanges(mlir::DataFlowSolver &solver);

/// Whether `value`, read as signed, is proved to be at least 0.
bool isNonNegative(const mlir::DataFlowSolver &solver, mlir::Value value);

} // namespace tile

#endif
