/// The loops for x86-64-v3: AVX2 and FMA; see CMakeLists.txt.
#define TILE_SIM_LOOPS v3
#include "backend/simulator/numerics/TensorCoreLoops.inc"
