/// Which memory a kernel leaves with bits that the language fixes: whoever runs the program, the interpreter or a GPU
/// in whatever configuration, leaves the same ones, but for the bits of a NaN (LANGUAGE.md, 10). What sums floats in an
/// order that is not fixed, or approximates a function, leaves its value open, and with it everything that the value
/// reaches: by computation, as an address or a mask, through memory, as a condition.
///
/// Decided for a whole argument: one open store to it is enough. A reduction whose function is not associative, which
/// the language does not allow, is taken for one that is, unless it rounds.
#ifndef BACKEND_INTERPRETER_FIXEDBITS_H
#define BACKEND_INTERPRETER_FIXEDBITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tile {

/// One per argument of `kernel`: for a pointer, whether what it points to has fixed bits afterwards; true for others.
/// Two arguments are taken for memory that does not overlap.
std::vector<bool> findFixedBits(mlir::func::FuncOp kernel);

} // namespace tile

#endif
