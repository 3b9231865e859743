#include "runtime/search/Keys.h"

#include "frontend/irgen/Autotune.h"
#include "runtime/compile/Identity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tile {

std::string sourceHash(const Session &session) {
  CacheParts texts;
  for (uint32_t i = 0; i < session.sources.size(); ++i) {
    std::string name(session.sources.name(FileId{i}));
    if (StringRef(name).ends_with(".tile") || name == Session::kStandardInput)
      texts.emplace_back(name, session.sources.text(FileId{i}));
  }
  return hashParts(texts);
}

static constexpr StringLiteral kVariant = "variant";
static constexpr StringLiteral kUnfused = "fp-contract=off";

/// Whether `name` is what `kernel` is compiled with, and no dim.
static bool isCompiled(const ast::KernelItem &kernel, StringRef name) { return !is_contained(dimNames(kernel), name); }

TuneKey tuneKeyOf(const Session &session, const ast::KernelItem &kernel, const BuildOptions &options,
                  const Space &space, const GpuName &gpu, const std::string &variant) {
  TuneKey key;
  key.kernel = kernel.name.text;
  key.kernelHash = sourceHash(session);
  key.spaceHash = space.hash;
  key.gpu = gpu.name;
  key.driver = gpu.driver;
  key.compiler = compilerIdentity();
  key.sizes = space.sizes;
  key.arguments = kVariant.str() + "=" + variant;
  if (!options.fuses)
    key.arguments += " " + kUnfused.str();
  for (const auto &[name, value] : options.source.values) {
    if (!isCompiled(kernel, name))
      continue;
    std::string text = value;
    llvm::erase(text, ' '); // which separates
    key.arguments += " " + name + "=" + text;
  }
  return key;
}

std::optional<TunedLaunch> readTunedLaunch(const TuneKey &key, const BuildOptions &build) {
  TunedLaunch launch;
  bool fuses = true;
  for (StringRef word : split(StringRef(key.arguments), ' ')) {
    auto [name, value] = word.split('=');
    if (word == kUnfused) {
      fuses = false;
    } else if (name == kVariant) {
      launch.variant = value.str();
    } else if (auto given = build.source.values.find(name.str()); given == build.source.values.end()) {
      launch.values[name.str()] = value.str();
    } else if (StringRef(given->second).trim() != value) {
      return std::nullopt;
    }
  }
  return fuses == build.fuses ? std::optional(launch) : std::nullopt;
}

std::vector<int64_t> sizeValues(const std::string &sizes) {
  std::vector<int64_t> values;
  for (StringRef word : split(StringRef(sizes), ' ')) {
    StringRef text = word.rsplit('=').second;
    int64_t value = text == "true";
    text.getAsInteger(10, value);
    if (!word.empty())
      values.push_back(value);
  }
  return values;
}

CacheParts cubinParts(const Session &session, const ast::KernelItem &kernel, const BuildOptions &options) {
  bool readsDims = any_of(kernel.decorators, [](const ast::Decorator &each) { return each.name.text == "heuristic"; });
  CacheParts parts{{"source", sourceHash(session)},
                   {"kernel", kernel.name.text},
                   {"compiler", compilerIdentity()},
                   {"target", std::string(options.compile.target->name)},
                   {"assembled for", std::string(options.compile.assembledFor().name)},
                   {"assembler", options.compile.assembler.ptxas},
                   {"fp-contract", options.fuses ? "on" : "off"}};
  for (const auto &[name, value] : options.source.values)
    if (readsDims || isCompiled(kernel, name))
      parts.emplace_back("-D " + name, value);
  if (readsDims)
    for (const auto &[name, value] : options.source.scalarTexts)
      parts.emplace_back(name, value);
  if (readsDims && options.source.numSms)
    parts.emplace_back("num_sms", std::to_string(*options.source.numSms));
  return parts;
}

CacheParts cubinFacts(const ast::KernelItem &kernel, const BuildOptions &options) {
  Configuration values;
  for (const auto &[name, value] : options.source.values)
    if (isCompiled(kernel, name))
      values.values.emplace_back(name, value);
  return {{"kernel", kernel.name.text},
          {"values", values.describe()},
          {"target", std::string(options.compile.assembledFor().name)}};
}

} // namespace tile
