#include "backend/simulator/ptx/Names.h"

#include <charconv>

namespace tile::sim::ptx {

void Names::open() { scopes.push_back({opened++, {}}); }
void Names::close() { scopes.pop_back(); }

std::optional<std::string> Names::declare(std::string_view name, Meaning meaning, unsigned count, unsigned width) {
  Scope &scope = scopes.back();
  Entry entry{meaning, std::string(name), count, width};
  if (scope.number > 0) {
    entry.name += "@" + std::to_string(scope.number);
    // `%r@1` with the number 2 is another register than `%r@12`.
    if (meaning == Meaning::Family)
      entry.name += "_";
  }
  std::string result = entry.name;
  if (!scope.entries.emplace(name, std::move(entry)).second)
    return std::nullopt;
  scope.hasFamilies |= meaning == Meaning::Family;
  return result;
}

/// Where the number at the end of `name` may begin: `%r10` is 10 of `%r`, or 0 of `%r1`. A number has no leading zero.
static bool isNumberAt(std::string_view name, size_t at) { return name[at] != '0' || at + 1 == name.size(); }

std::optional<Names::Entry> Names::find(std::string_view name) const {
  size_t firstDigit = name.size();
  while (firstDigit > 1 && name[firstDigit - 1] >= '0' && name[firstDigit - 1] <= '9')
    --firstDigit;
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (auto entry = scope->entries.find(name);
        entry != scope->entries.end() && entry->second.meaning != Meaning::Family)
      return entry->second;
    for (size_t at = firstDigit; scope->hasFamilies && at < name.size(); ++at) {
      auto entry = scope->entries.find(name.substr(0, at));
      if (!isNumberAt(name, at) || entry == scope->entries.end() || entry->second.meaning != Meaning::Family)
        continue;
      unsigned number = 0;
      auto [stop, error] = std::from_chars(name.data() + at, name.data() + name.size(), number);
      if (error == std::errc() && number < entry->second.count)
        return Entry{Meaning::Register, entry->second.name + std::string(name.substr(at)), 0, 1};
    }
  }
  return std::nullopt;
}

const std::string *Names::findLabel(std::string_view name) const {
  auto entry = scopes.back().entries.find(name);
  bool isLabel = entry != scopes.back().entries.end() && entry->second.meaning == Meaning::Label;
  return isLabel ? &entry->second.name : nullptr;
}

} // namespace tile::sim::ptx
