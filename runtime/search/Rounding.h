/// How a kernel rounds, as far as that explains that its configurations do not write the same bit for bit.
#ifndef RUNTIME_SEARCH_ROUNDING_H
#define RUNTIME_SEARCH_ROUNDING_H

#include "runtime/tune/Agreement.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// What `kernel`, tile IR, says of it; how long its sums are depends on the configuration.
AgreementOptions agreementOf(mlir::func::FuncOp kernel);

} // namespace tile

#endif
