/// The directive stands between the kernel's `.entry` and its body.
#include "backend/ptx/ResidencyBound.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tile {

std::string relaxResidencyBounds(StringRef ptx, const StringSet<> &names) {
  std::string result;
  result.reserve(ptx.size());
  bool isNamed = false;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (size_t at = line.find(".entry "); at != StringRef::npos)
      isNamed = names.contains(line.substr(at + 7).take_until([](char c) { return c == '('; }).trim());
    if (!isNamed || !line.trim().starts_with(".minnctapersm"))
      result += ptx.take_front(line.size() + (line.size() < ptx.size())).str();
    if (isNamed && line.trim().starts_with(".reqntid"))
      result += ".minnctapersm 1\n";
    ptx = rest;
  }
  return result;
}

} // namespace tile
