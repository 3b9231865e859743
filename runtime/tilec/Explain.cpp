/// `tilec explain CODE`: the rule behind a diagnostic, with a wrong and a right program.
#include "runtime/tilec/Flags.h"

#include "frontend/diagnostic/Render.h"

#include <iostream>

using namespace llvm;

namespace tile {

namespace {
/// Made by `main`, not by static initialisation: LLVM's own options of the same names must be gone first.
struct Flags {
  cl::opt<std::string> code{cl::Positional, cl::value_desc("CODE"), cl::desc("CODE"), cl::sub(explainCommand()),
                            cl::cat(runCategory())};
};
} // namespace

static Flags &flags() {
  static Flags all;
  return all;
}

void registerExplainFlags() { flags(); }

int explainMain() {
  if (flags().code.empty()) {
    for (const CodeInfo &info : allCodes())
      std::cout << info.name << "  " << info.title << "\n";
    return 0;
  }
  const CodeInfo *info = findCode(flags().code.getValue());
  if (!info) {
    std::cerr << "error: unknown code `" << flags().code.getValue() << "`; `tilec explain` lists all\n";
    return 1;
  }
  renderExplanation(std::cout, *info);
  return 0;
}

} // namespace tile
