/// The schema of the attribute `tile.contract`.
#ifndef IR_TILE_CONTRACTSCHEMA_H
#define IR_TILE_CONTRACTSCHEMA_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

namespace tile {

/// Fails where `contract` lacks what passes read, or has it in another form; says so through `emitError`.
mlir::LogicalResult verifyContract(mlir::DictionaryAttr contract,
                                   llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tile

#endif
