/// What an input file is: Tile source, IR of a later stage, or a cubin. Decided in one place, so that no command takes
/// a file for what it is not.
#ifndef RUNTIME_COMPILE_INPUT_H
#define RUNTIME_COMPILE_INPUT_H

#include "backend/pipeline/Pipeline.h"
#include "runtime/compile/Session.h"

namespace tile {

enum class InputKind { Tile, Mlir, Llvm, Ptx, Cubin };

/// "Tile source", "a cubin": as messages say it.
llvm::StringRef describe(InputKind kind);

/// A cubin by its bytes, anything else by the end of its name; what has none, such as a pipe, is Tile source. None,
/// after reporting, for other names.
std::optional<InputKind> kindOf(Session &session, FileId file);

} // namespace tile

#endif
