/// \file
/// What the lanes of a warp do together: an instruction with `.sync` waits until every lane that its mask names has
/// come to it. (PTX ISA 9.0, 9.7.13 and 9.7.9.6)
#ifndef BACKEND_SIMULATOR_EXEC_CONVERGE_H
#define BACKEND_SIMULATOR_EXEC_CONVERGE_H

#include "backend/simulator/machine/Warp.h"

namespace tile::sim {

/// Whether the lanes that `mask` names all run `op` now. A running lane that the mask does not name is reported, and so
/// is a named one that the guard keeps away.
bool converge(Warp &warp, const Op &op, Slot mask);
/// Likewise for all lanes of the warp: `.aligned`.
bool convergeAll(Warp &warp, const Op &op);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_CONVERGE_H
