/// The options of the simulator, which `tilec sim`, and `tilec run` and `tilec check` with `--device=sim`, share.
#ifndef RUNTIME_TILEC_SIMULATORFLAGS_H
#define RUNTIME_TILEC_SIMULATORFLAGS_H

#include "runtime/execute/Execute.h"

namespace tile {

/// `--checks`; none after reporting. It is refused where a kernel runs on another device than the simulator.
std::optional<sim::Checks> checksOfSimulator(Session &session, DeviceKind device);

} // namespace tile

#endif
