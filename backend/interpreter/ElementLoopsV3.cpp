/// The loops for x86-64-v3: AVX2, FMA and F16C; see CMakeLists.txt.
#define TILE_ISA v3
#include "backend/interpreter/ElementLoops.inc"

#include "backend/interpreter/DotLoops.inc"
