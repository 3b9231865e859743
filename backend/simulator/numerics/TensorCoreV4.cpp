/// The loops for x86-64-v4: AVX-512; see CMakeLists.txt.
#define TILE_SIM_LOOPS v4
#include "backend/simulator/numerics/TensorCoreLoops.inc"
