#include "backend/simulator/ptx/Names.h"

#include <charconv>

namespace tile::sim::ptx {

void Names::open() { scopes.push_back({opened++, {}}); }
void Names::close() { scopes.pop_back(); }

/// The number of a family's member: the digits of `name` from `at` on, as ptxas reads them, leading zeros and all.
/// Nothing if a family of `count` has no such member.
static std::optional<unsigned> numberOf(std::string_view name, size_t at, unsigned count) {
  unsigned number = 0;
  const char *end = name.data() + name.size();
  auto [stop, error] = std::from_chars(name.data() + at, end, number);
  return error == std::errc() && stop == end && number < count ? std::optional(number) : std::nullopt;
}

std::optional<std::string> Names::declare(std::string_view name, Meaning meaning, unsigned count, unsigned width) {
  Scope &scope = scopes.back();
  if (meaning != Meaning::Family && findIn(scope, name))
    return std::nullopt;
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
  if (meaning == Meaning::Family && ++scope.families)
    for (auto &[other, of] : scope.entries)
      if (of.meaning != Meaning::Family && other.substr(0, name.size()) == name && numberOf(other, name.size(), count))
        return std::nullopt;
  return result;
}

std::optional<Names::Entry> Names::findIn(const Scope &scope, std::string_view name) {
  if (auto entry = scope.entries.find(name); entry != scope.entries.end() && entry->second.meaning != Meaning::Family)
    return entry->second;
  if (scope.families == 0)
    return std::nullopt;
  // `%r10` is 10 of `%r`, or 0 of `%r1`.
  size_t at = name.size();
  while (at > 1 && name[at - 1] >= '0' && name[at - 1] <= '9')
    --at;
  for (; at < name.size(); ++at) {
    auto family = scope.entries.find(name.substr(0, at));
    if (family == scope.entries.end() || family->second.meaning != Meaning::Family)
      continue;
    if (std::optional<unsigned> number = numberOf(name, at, family->second.count))
      return Entry{Meaning::Register, family->second.name + std::to_string(*number), 0, 1};
  }
  return std::nullopt;
}

std::optional<Names::Entry> Names::find(std::string_view name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (std::optional<Entry> entry = findIn(*scope, name))
      return entry;
  return std::nullopt;
}

const std::string *Names::findLabel(std::string_view name) const {
  auto entry = scopes.back().entries.find(name);
  bool isLabel = entry != scopes.back().entries.end() && entry->second.meaning == Meaning::Label;
  return isLabel ? &entry->second.name : nullptr;
}

} // namespace tile::sim::ptx
