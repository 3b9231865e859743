#include "backend/interpreter/ElementLoops.h"

namespace tile {

#ifdef TILE_HAS_V3
/// Whether this machine runs what ElementLoopsV3.cpp was compiled for.
static bool hasV3() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c");
  return has;
}
#define TILE_DISPATCH(CALL) return hasV3() ? v3::CALL : baseline::CALL
#else
#define TILE_DISPATCH(CALL) return baseline::CALL
#endif

ElementLoop findElementLoop(const char *name, Element from, Element to) {
  TILE_DISPATCH(findElementLoop(name, from, to));
}
DotLoop findDotLoop(DotKind kind, Element lhs, Element rhs) { TILE_DISPATCH(findDotLoop(kind, lhs, rhs)); }
int64_t dotScratchBytes(int64_t m, int64_t n, int64_t k) { TILE_DISPATCH(dotScratchBytes(m, n, k)); }

} // namespace tile
