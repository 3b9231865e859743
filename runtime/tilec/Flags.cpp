#include "runtime/tilec/Flags.h"

#include "frontend/diagnostic/Render.h"
#include "ir/Tile/Knobs.h"
#include "runtime/tilec/Options.h"

#include "llvm/Support/FileSystem.h"

#include <charconv>
#include <iostream>
#include <sstream>

using namespace llvm;

namespace tile {

static constexpr auto kBuilds = {Command::Compile, Command::Run, Command::Check, Command::Tune};

static constexpr std::string_view kDefaultArch = "sm_90a";

/// What `--help` says of it; every row of the table of targets is one.
static std::string_view archHelp() {
  static const std::string help = [] {
    std::string text = "the GPU:";
    for (const Target &target : allTargets())
      text += " " + std::string(target.name);
    return text + "; default " + std::string(kDefaultArch) + ", and for `run` and `check` the GPU at hand";
  }();
  return help;
}

static TextOption archOption{{"arch", "sm_NN", archHelp()}, kBuilds};
static ChoiceOption contractOption{
    {"fp-contract", "on|off", "whether a * b + c rounds once; default on"}, kBuilds, {"on", "off"}, "on"};
static ListOption defineOption{
    {"D", "NAME=VALUE",
     "the value of a compile-time parameter, above its heuristic, or of a dim that a heuristic reads"},
    kBuilds,
    Spelling::Prefix};
static ChoiceOption diagnosticsOption{
    {"diagnostics", "text|json", "how errors are printed; default text"},
    {Command::Compile, Command::Run, Command::Check, Command::Inspect, Command::Explain, Command::Cache, Command::Tune},
    {"text", "json"},
    "text"};
static ListOption includeOption{
    {"I", "FOLDER", "where imports are looked for, after the file's own folder"}, kBuilds, Spelling::Prefix};
static TextOption kernelOption{{"kernel", "NAME", "the kernel; needed where the file has several to choose from"},
                               {Command::Compile, Command::Run, Command::Check, Command::Tune}};
static TextOption ptxasOption{{"ptxas", "PATH", "an assembler to use in place of the one built in; also TILE_PTXAS"},
                              kBuilds};
static Switch remarksOption{
    {"report", "", "print to stderr what the kernel takes of the GPU and what kept it from being faster"},
    {Command::Run, Command::Check}};
static TextOption warpsOption{
    {"warps", "N", "warps per program: 1, 2, 4, 8, 12, 16 or 32; default: the kernel's own, else as its tiles ask for"},
    kBuilds};

/// `NAME=VALUE`.
static bool readDefine(Session &session, const std::string &text, IrgenOptions &options) {
  auto [left, right] = StringRef(text).split('=');
  std::string name = left.trim().str(), value = right.trim().str();
  if (name.empty() || value.empty()) {
    session.report(Code::E0602,
                   "`-D " + text + "` has no " + (name.empty() ? "name" : "value") + "; expected `-D NAME=VALUE`");
    return false;
  }
  auto known = options.values.try_emplace(name, value).first;
  bool agrees = known->second == value;
  if (!agrees)
    session.report(Code::E0602,
                   "`" + name + "` is given twice, as `" + known->second + "` and `" + value + "`; expected one value");
  return agrees;
}

/// `--warps N` is `-D warps=N`, said shorter.
static bool readWarps(Session &session, IrgenOptions &options) {
  if (!warpsOption.isGiven())
    return true;
  const std::string &text = warpsOption.get();
  const Knob *knob = findKnob("warps");
  int64_t value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || !knob->accepts(value)) {
    session.report(Code::E0602, "`--warps` is " + text + "; expected " + knob->expected.str());
    return false;
  }
  if (options.values.try_emplace("warps", text).second)
    return true;
  session.report(Code::E0602, "`warps` is given twice, by `--warps` and by `-D`; expected one value");
  return false;
}

std::optional<BuildOptions> readCompileFlags(Session &session) {
  BuildOptions options;
  options.source.kernel = kernelOption.get();
  options.source.includeDirectories = includeOption.get();
  for (const std::string &folder : includeOption.get())
    if (!sys::fs::is_directory(folder)) {
      session.report(Code::E0602, "`-I " + folder + "` is no folder; expected one that exists");
      return std::nullopt;
    }
  for (const std::string &text : defineOption.get())
    if (!readDefine(session, text, options.source))
      return std::nullopt;
  if (!readWarps(session, options.source))
    return std::nullopt;
  options.fuses = contractOption.get() == "on";
  options.compile.assembler.ptxas = ptxasOption.get();
  if (const char *path = std::getenv("TILE_PTXAS"); path && ptxasOption.empty())
    options.compile.assembler.ptxas = path;
  std::string arch = archOption.empty() ? std::string(kDefaultArch) : archOption.get();
  options.compile.target = findTarget(arch);
  if (!options.compile.target) {
    DiagnosticBuilder diagnostic = session.engine.report(Code::E0602, {}, unknownTargetMessage(arch));
    std::vector<std::string_view> names;
    for (const Target &target : allTargets())
      names.push_back(target.name);
    if (std::string_view name = architectureOf(arch); !name.empty()) {
      diagnostic.help("the architecture of that GPU is `" + std::string(name) + "`");
      return std::nullopt;
    }
    // `90` and `compute_90a` are how other tools say it; `sm_90` is short of the letter that names its own features.
    std::string name = "sm_" + arch.substr(std::min(arch.find_first_of("0123456789"), arch.size()));
    auto longer = llvm::find_if(names, [&](StringRef known) { return name.size() > 3 && known.starts_with(name); });
    if (std::string_view closest = longer != names.end() ? *longer : closestName(name, names); !closest.empty())
      diagnostic.help("did you mean `" + std::string(closest) + "`?");
    return std::nullopt;
  }
  return options;
}

bool refuseSourceOptions(Session &session, InputKind kind) {
  if (kind == InputKind::Tile)
    return false;
  std::vector<const Option *> options = {&defineOption, &warpsOption, &includeOption, &contractOption};
  // A cubin has kernels to choose from; all else in it is done.
  options.push_back(kind == InputKind::Cubin ? &archOption : &kernelOption);
  for (const Option *option : options)
    if (option->isGiven()) {
      session.report(Code::E0602, "`" + option->spelling() + "` says how Tile source is compiled; found " +
                                      describe(kind).str() + ", where that is settled");
      return true;
    }
  return false;
}

bool isTargetGiven() { return archOption.isGiven(); }

bool wantsRemarks() { return remarksOption.isOn(); }

static DiagnosticFormat format() {
  return diagnosticsOption.get() == "json" ? DiagnosticFormat::Json : DiagnosticFormat::Text;
}

bool printsJsonDiagnostics() { return format() == DiagnosticFormat::Json; }

/// What stands between the brackets of an array.
static StringRef elementsOf(StringRef array) {
  array = array.trim();
  return array.consume_front("[") && array.consume_back("]") ? array.trim() : StringRef();
}

int finish(Session &session, StringRef more) {
  int code = session.hasErrors() ? 1 : 0;
  std::ostringstream own;
  session.print(own, format());
  std::string text = own.str();
  if (!more.empty()) {
    StringRef first = elementsOf(text), second = elementsOf(more);
    text = "[\n" + first.str() + (first.empty() || second.empty() ? "" : ",\n") + second.str() + "\n]\n";
  }
  std::cerr << text << std::flush;
  return code;
}

int refuse(const std::vector<CommandLineFault> &faults) {
  SourceManager sources;
  DiagnosticEngine engine;
  for (const CommandLineFault &fault : faults)
    engine.report(Code::E0602, {}, fault.message).help(fault.help);
  if (format() == DiagnosticFormat::Json)
    renderJson(std::cerr, sources, engine);
  else
    renderText(std::cerr, sources, engine);
  return 1;
}

} // namespace tile
