/// The loops for every machine.
#define TILE_ISA baseline
#include "backend/interpreter/ElementLoops.inc"

#include "backend/interpreter/DotLoops.inc"
