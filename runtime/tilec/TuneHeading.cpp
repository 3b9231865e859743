#include "runtime/tilec/TuneHeading.h"

#include "frontend/irgen/Irgen.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tile {

/// Dims and scalars in the order of the source, then types, what is absent and what `-D` gives.
static std::vector<std::pair<std::string, std::string>> askedOf(const TuneLaunch &launch) {
  std::vector<std::pair<std::string, std::string>> asked;
  const std::map<std::string, std::string> &values = launch.build.source.values;
  std::vector<std::string> dims = dimNames(*launch.kernel);
  for (const std::string &dim : dims)
    if (auto value = values.find(dim); value != values.end())
      asked.emplace_back(*value);
  for (const HostArgument &argument : launch.shapes)
    if (argument.kind == HostArgument::Kind::Scalar)
      asked.emplace_back(argument.name, argument.scalarText);
  for (const auto &value : values)
    if (!is_contained(dims, value.first))
      asked.emplace_back(value);
  return asked;
}

std::string headingOf(const TuneLaunch &launch, const TuneKey &key) {
  std::vector<std::string> asked;
  for (const auto &[name, value] : askedOf(launch))
    asked.push_back(name + "=" + value);
  auto restOf = [&](const std::string &words) {
    std::vector<std::string> rest;
    for (StringRef word : split(StringRef(words), ' '))
      if (!word.empty() && !word.starts_with("-D") && !is_contained(asked, word))
        rest.push_back(word.str());
    return join(rest, " ");
  };
  std::string text = key.kernel;
  if (!asked.empty())
    text += " for " + join(asked, " ");
  if (std::string known = restOf(key.sizes); !known.empty())
    text += " (as " + known + " by its key)";
  if (std::string rest = restOf(key.arguments); !rest.empty())
    text += ", " + rest;
  return text;
}

json::Object toJson(const TuneLaunch &launch) {
  json::Object asked;
  for (const auto &[name, value] : askedOf(launch)) {
    int64_t number = 0;
    asked[name] = StringRef(value).getAsInteger(10, number) ? json::Value(value) : json::Value(number);
  }
  return asked;
}

} // namespace tile
