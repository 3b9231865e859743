#include "runtime/tilec/SimulatorFlags.h"

#include "runtime/tilec/Options.h"

namespace tile {

static TextOption checksOption{{"checks", "all|none|LIST",
                                "simulator: what is checked besides bounds and barriers, of `races` and `undefined`; "
                                "default all, none is fastest"},
                               {Command::Run, Command::Check, Command::Sim}};

namespace {
struct CheckName {
  llvm::StringLiteral name;
  bool sim::Checks::*check;
};
} // namespace
static constexpr CheckName kNames[] = {{"races", &sim::Checks::races}, {"undefined", &sim::Checks::undefined}};

static bool turnOn(llvm::StringRef name, sim::Checks &checks) {
  for (const CheckName &known : kNames)
    if (name == known.name)
      return checks.*known.check = true;
  return false;
}

std::optional<sim::Checks> checksOfSimulator(Session &session, DeviceKind device) {
  if (!checksOption.isGiven() || checksOption.get() == "all")
    return sim::Checks();
  if (device != DeviceKind::Simulator) {
    session.report(Code::E0602, std::string("`--checks` says nothing to the ") + nameOf(device) +
                                    "; expected it with `--device=sim`");
    return std::nullopt;
  }
  sim::Checks checks = sim::kNoChecks;
  if (checksOption.get() == "none")
    return checks;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(checksOption.get()).split(names, ',');
  for (llvm::StringRef name : names) {
    if (turnOn(name, checks))
      continue;
    session.report(Code::E0602, "`--checks` has `" + name.str() + "`; expected `all`, `none`, or some of `races` and " +
                                    "`undefined` with commas between");
    return std::nullopt;
  }
  return checks;
}

} // namespace tile
