/// What the simulator finds, in words and as JSON.
#ifndef RUNTIME_EXECUTE_SIMULATORFINDINGS_H
#define RUNTIME_EXECUTE_SIMULATORFINDINGS_H

#include "backend/simulator/Simulator.h"

#include "llvm/Support/JSON.h"

#include <string>

namespace tile {

/// The line of the source that an instruction is of; null if the PTX does not say.
const sim::ptx::Location *sourceOf(const sim::Program &program, const sim::Place &place);

/// ``st.shared.b32`, line 17 of the PTX (softmax.tile:12:5), in thread [3, 0, 0] of CTA [0, 0, 0]`
std::string describe(const sim::Program &program, const sim::Place &place);

/// `data race: a write to …, at `st.shared.b32`, …; the other access: …`
std::string describe(const sim::Program &program, const sim::Finding &finding);

/// The one form of a finding for machines: `{"fault", "message", "count", "place": {"instruction", "line", "source",
/// "cta", "thread"}, "other", "address", "buffer", "offset", "size"}`. `other` is the access that it conflicts with;
/// what a finding does not have is left out.
llvm::json::Object toJson(const sim::Program &program, const sim::Finding &finding);

/// `{"kernel", "finished", "long_ways": {"requests", "cells"}, "findings", "instructions": [{"text", "line", "source",
/// "warps", "lanes"}]}`; instructions that never ran are left out.
llvm::json::Object toJson(const sim::Program &program, const sim::RunResult &result);

} // namespace tile

#endif
