#include "runtime/search/Keys.h"

#include "frontend/irgen/Autotune.h"
#include "runtime/compile/Identity.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tile {

/// Whether `file` of `session` is text that kernels are made of, and not of the compiler or the command line.
static bool isSource(const Session &session, FileId file) {
  StringRef name = session.sources.name(file);
  return name != StringRef(kCommandLine) && name != StringRef(kStandardLibrary) &&
         none_of(session.dataFiles, [&](FileId data) { return data.index == file.index; });
}

std::string sourceHash(const Session &session) {
  CacheParts texts;
  for (uint32_t i = 0; i < session.sources.size(); ++i)
    if (isSource(session, FileId{i}))
      texts.emplace_back("", session.sources.text(FileId{i}));
  return hashParts(texts);
}

GpuName gpuName(const std::string &name, int driverVersion) {
  return {name, "CUDA " + std::to_string(driverVersion / 1000) + "." + std::to_string(driverVersion % 1000 / 10)};
}

static constexpr StringLiteral kVariant = "variant";
static constexpr StringLiteral kUnfused = "fp-contract=off";
static constexpr StringLiteral kGiven = "-D";

/// Whether `name` is what `kernel` is compiled with, and no dim.
static bool isCompiled(const ast::KernelItem &kernel, StringRef name) { return !is_contained(dimNames(kernel), name); }

/// Whether the arguments of a launch decide `name`: an element type, an extent, whether an optional one is there.
static bool isBound(const ast::KernelItem &kernel, StringRef name) {
  if (name.starts_with("has("))
    return true;
  return any_of(kernel.parameters, [&](const ast::Parameter &parameter) {
    auto *strided = ast::dynCast<ast::StridedType>(parameter.type);
    const ast::ExprPtr &type = strided ? strided->tensor : parameter.type;
    auto isName = [&](const ast::ExprPtr &expr) {
      auto *found = ast::dynCast<ast::Name>(expr);
      return found && found->text == name;
    };
    auto *tensor = ast::dynCast<ast::GenericApply>(type);
    return isName(type) ||
           (tensor && any_of(tensor->arguments, [&](const auto &each) { return isName(each.value); })) ||
           (tensor && tensor->shape && any_of(*tensor->shape, isName));
  });
}

/// Spaces separate in a key.
static std::string withoutSpaces(std::string text) {
  llvm::erase(text, ' ');
  return text;
}

/// What `-D` gives beside what arguments bind, as words of a key.
static std::string givenWords(const ast::KernelItem &kernel, const BuildOptions &build) {
  std::string words;
  for (const auto &[name, value] : build.source.values)
    if (isCompiled(kernel, name) && !isBound(kernel, name))
      words += " " + kGiven.str() + name + "=" + withoutSpaces(value);
  return words;
}

std::string compilerOf(const BuildOptions &build) {
  return compilerIdentity(build.compile.assembler) + ", " + std::string(build.compile.target->name);
}

TuneKey tuneKeyOf(const Session &session, const ast::KernelItem &kernel, const BuildOptions &options,
                  const Space &space, const GpuName &gpu, const std::string &variant) {
  TuneKey key;
  key.kernel = kernel.name.text;
  key.kernelHash = sourceHash(session);
  key.spaceHash = space.hash;
  key.gpu = gpu.name;
  key.driver = gpu.driver;
  key.compiler = compilerOf(options);
  key.sizes = space.sizes;
  key.arguments = kVariant.str() + "=" + variant;
  if (!options.fuses)
    key.arguments += " " + kUnfused.str();
  for (const auto &[name, value] : options.source.values)
    if (isCompiled(kernel, name) && isBound(kernel, name))
      key.arguments += " " + name + "=" + withoutSpaces(value);
  key.arguments += givenWords(kernel, options);
  return key;
}

std::optional<TunedLaunch> readTunedLaunch(const TuneKey &key, const ast::KernelItem &kernel,
                                           const BuildOptions &build) {
  TunedLaunch launch;
  bool fuses = true;
  std::string given;
  for (StringRef word : split(StringRef(key.arguments), ' ')) {
    auto [name, value] = word.split('=');
    if (word == kUnfused) {
      fuses = false;
    } else if (name == kVariant) {
      launch.variant = value.str();
    } else if (word.starts_with(kGiven)) {
      given += " " + word.str();
    } else if (auto known = build.source.values.find(name.str()); known == build.source.values.end()) {
      launch.values[name.str()] = value.str();
    } else if (withoutSpaces(known->second) != value) {
      return std::nullopt;
    }
  }
  return fuses == build.fuses && given == givenWords(kernel, build) ? std::optional(launch) : std::nullopt;
}

std::optional<std::vector<int64_t>> readSizes(const std::string &sizes) {
  std::vector<int64_t> values;
  for (StringRef word : split(StringRef(sizes), ' ')) {
    auto [name, text] = word.rsplit('=');
    int64_t value = text == "true";
    if (word.empty())
      continue;
    if (name.empty() || (text != "true" && text != "false" && text.getAsInteger(10, value)))
      return std::nullopt;
    values.push_back(value);
  }
  return values;
}

CacheParts cubinParts(const Session &session, const ast::KernelItem &kernel, const BuildOptions &options) {
  bool readsDims = any_of(kernel.decorators, [](const ast::Decorator &each) { return each.name.text == "heuristic"; });
  std::string names; // which the code's line numbers speak of
  for (uint32_t i = 0; i < session.sources.size(); ++i)
    if (isSource(session, FileId{i}))
      names += std::string(session.sources.name(FileId{i})) + "\n";
  CacheParts parts{{"source", sourceHash(session)},
                   {"files", names},
                   {"kernel", kernel.name.text},
                   {"compiler", compilerOf(options)},
                   {"assembled for", std::string(options.compile.assembledFor().name)},
                   {"fp-contract", options.fuses ? "on" : "off"}};
  for (const auto &[name, value] : options.source.values)
    if (readsDims || isCompiled(kernel, name))
      parts.emplace_back("-D " + name, value);
  // What a configuration of a list leaves is not the first one's.
  if (options.source.isConfigured && readAutotune(kernel).configs)
    parts.emplace_back("configured", "");
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
