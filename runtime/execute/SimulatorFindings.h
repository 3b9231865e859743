/// What the simulator finds, in words and as JSON.
#ifndef RUNTIME_EXECUTE_SIMULATORFINDINGS_H
#define RUNTIME_EXECUTE_SIMULATORFINDINGS_H

#include "backend/simulator/Simulator.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace tile {

/// `data race: a write to …, at `st.shared.b32`, line 17 of the PTX, in thread [3, 0, 0] of CTA [0, 0, 0]; the other
/// access: …`
std::string describe(const sim::Program &program, const sim::Finding &finding);

/// `{"kernel", "finished", "long_ways": {"requests", "cells"}, "findings": [{"fault", "message", "count", "place",
/// "other"}], "instructions": [{"text", "line", "source", "warps", "lanes"}]}`; instructions that never ran are left
/// out.
llvm::json::Object toJson(const sim::Program &program, const sim::RunResult &result);

} // namespace tile

#endif
