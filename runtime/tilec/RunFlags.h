/// What `tilec run` and `tilec check` share beside the compile options.
#ifndef RUNTIME_TILEC_RUNFLAGS_H
#define RUNTIME_TILEC_RUNFLAGS_H

#include "runtime/execute/Execute.h"

namespace tile {

/// `--seed`, or another one each time.
uint64_t seedOfRun();

/// `--max-steps`, in the unit of each device; without it the defaults.
StepLimits stepLimitsOfRun();

/// `--device`; none after reporting.
std::optional<DeviceKind> deviceOfRun(Session &session);

} // namespace tile

#endif
