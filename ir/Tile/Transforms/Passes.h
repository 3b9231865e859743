/// Passes over tile IR; Passes.td says what each does.
#ifndef IR_TILE_TRANSFORMS_PASSES_H
#define IR_TILE_TRANSFORMS_PASSES_H

#include "ir/Tile/TileOps.h"

#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "ir/Tile/Transforms/Passes.h.inc"

} // namespace tile

#endif
