/// A kernel's contract, from the attribute that the compiler carries to the JSON that the artifact holds. Both have the
/// shape that runtime/launch/README.md gives, so the conversion knows no field.
#ifndef RUNTIME_COMPILE_CONTRACTJSON_H
#define RUNTIME_COMPILE_CONTRACTJSON_H

#include "mlir/IR/Attributes.h"
#include "llvm/Support/JSON.h"

namespace tile {

/// Dictionaries, arrays, strings, bools, 64-bit integers and floats; an infinity or NaN becomes the string the schema
/// has for it. Anything else is a fault of the compiler and becomes its printed form.
llvm::json::Value toJson(mlir::Attribute attribute);

} // namespace tile

#endif
