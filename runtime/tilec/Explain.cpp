/// `tilec explain CODE`: the rule behind a diagnostic, with a wrong and a right program.
#include "runtime/tilec/Flags.h"

#include "frontend/diagnostic/Render.h"

#include <iostream>

namespace tile {

int explainMain(const std::string &input) {
  if (input.empty()) {
    for (const CodeInfo &info : allCodes())
      std::cout << info.name << "  " << info.title << "\n";
    return 0;
  }
  const CodeInfo *info = findCode(input);
  if (!info)
    return refuse({{"unknown code `" + input + "`; `tilec explain` lists all", ""}});
  renderExplanation(std::cout, *info);
  return 0;
}

} // namespace tile
