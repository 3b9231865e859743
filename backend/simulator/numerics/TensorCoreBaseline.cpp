/// The loops for any machine.
#define TILE_SIM_LOOPS baseline
#include "backend/simulator/numerics/TensorCoreLoops.inc"
