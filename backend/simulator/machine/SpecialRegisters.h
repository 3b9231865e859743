/// \file
/// The special registers whose value is fixed when a thread starts (PTX ISA 9.0, chapter 10), as one table. Those that
/// change while it runs (`%clock`) are operations, in `exec/`.
#ifndef BACKEND_SIMULATOR_MACHINE_SPECIALREGISTERS_H
#define BACKEND_SIMULATOR_MACHINE_SPECIALREGISTERS_H

#include "backend/simulator/ptx/Syntax.h"

#include <optional>
#include <string>
#include <string_view>

namespace tile::sim {

class Cta;
class Warp;

/// The type of a special register, `u32` for `%tid.x`. Nothing if it is not known or changes while a thread runs.
std::optional<ptx::Type> typeOfSpecialRegister(std::string_view name);

/// Fills the special registers that the program of `warp` reads.
void fillSpecialRegisters(Cta &cta, Warp &warp);

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_MACHINE_SPECIALREGISTERS_H
