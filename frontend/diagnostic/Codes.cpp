#include "frontend/diagnostic/Diagnostic.h"

#include <algorithm>

using namespace tile;

const std::vector<CodeInfo> &tile::allCodes() {
  static const std::vector<CodeInfo> codes = {
#define TILE_DIAGNOSTIC(code, title, explanation) {Code::code, #code, title, std::string_view(explanation).substr(1)},
#include "frontend/diagnostic/Codes.def"
  };
  return codes;
}

const CodeInfo &tile::codeInfo(Code code) { return allCodes()[static_cast<size_t>(code)]; }

const CodeInfo *tile::findCode(std::string_view name) {
  auto sameName = [&](const CodeInfo &info) {
    return info.name.size() == name.size() &&
           std::equal(name.begin(), name.end(), info.name.begin(),
                      [](char a, char b) { return a == b || (a >= 'a' && a <= 'z' && a - 'a' + 'A' == b); });
  };
  auto found = std::find_if(allCodes().begin(), allCodes().end(), sameName);
  return found == allCodes().end() ? nullptr : &*found;
}
