/// `tilec FILE`: compiles to a cubin, or prints an earlier stage.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/StoreFlags.h"

#include "backend/pipeline/Report.h"
#include "frontend/ast/Printer.h"
#include "runtime/artifact/File.h"
#include "runtime/search/Embed.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <iostream>
#include <sstream>

using namespace llvm;

namespace tile {

static TextOption outputOption{{"o", "FILE", "where the result goes; a stage that is text goes to stdout without it"},
                               {Command::Compile}};
static ChoiceOption emitOption{{"emit", "STAGE", "how far to compile: ast, tile, tgpu, llvm, ptx or cubin (default)"},
                               {Command::Compile},
                               {"ast", "tile", "tgpu", "llvm", "ptx", "cubin"},
                               "cubin"};
static TextOption dumpOption{{"dump-dir", "FOLDER", "write the text of every stage there"}, {Command::Compile}};
static ListOption printAfterOption{
    {"print-after", "PASS", "print the IR to stderr after this pass; a wrong name lists all"}, {Command::Compile}};
static FormOption reportOption{
    {"report", "json",
     "print to stderr what the kernel takes of the GPU and what kept it from being faster; json: the first as data on "
     "stdout"},
    {Command::Compile},
    {"json"}};
static OptionalTextOption tunedOption{
    {"tuned", "DB",
     "also compile each configuration that `tilec tune` found, for the launches it found it for; from the database "
     "DB, default that of the cache"},
    {Command::Compile}};
static Switch requireTunedOption{{"require-tuned", "", "fail where `--tuned` finds no choice, in place of a warning"},
                                 {Command::Compile}};
static Switch timeOption{{"time-passes", "", "print to stderr how long each stage and pass took"}, {Command::Compile}};

/// The file of `session` that writing `path` would destroy, or empty.
static std::string sourceAt(const Session &session, const std::string &path) {
  if (!sys::fs::is_regular_file(path))
    return "";
  for (uint32_t i = 0; i < session.sources.size(); ++i)
    if (std::string name(session.sources.name(FileId{i})); sys::fs::equivalent(name, path))
      return name;
  return "";
}

/// Writes `text` where -o says, or prints it.
static void deliver(Session &session, const std::string &text) {
  const std::string &path = outputOption.get();
  if (path.empty() || path == "-") {
    std::cout << text;
    return;
  }
  if (std::string source = sourceAt(session, path); !source.empty())
    return session.report(Code::E0602, "`-o " + path + "` is the source `" + source + "`; expected another file");
  if (Status written = writeFile(path, text); !written)
    session.report(Code::E0602, written.error().message);
}

static void emitSyntax(Session &session, FileId file) {
  std::unique_ptr<ast::Module> module = session.parse(file);
  if (!module)
    return;
  std::ostringstream text;
  ast::print(text, *module);
  deliver(session, text.str());
}

/// Makes the folder of --dump-dir. False after reporting.
static bool prepareDump(Session &session, const std::string &input, InputKind kind) {
  const std::string &folder = dumpOption.get();
  if (folder.empty())
    return true;
  if (std::error_code problem = sys::fs::create_directories(folder)) {
    session.report(Code::E0602, "cannot create folder `" + folder + "`: " + problem.message());
    return false;
  }
  // A stage's dump bears the name that its file has.
  SmallString<128> dumped(folder);
  sys::path::append(dumped, sys::path::filename(input));
  if ((kind == InputKind::Llvm || kind == InputKind::Ptx) && sys::fs::equivalent(dumped, input)) {
    session.report(Code::E0602,
                   "`--dump-dir " + folder + "` would overwrite the source `" + input + "`; expected another folder");
    return false;
  }
  return true;
}

/// False after reporting that the file at `path` is no database.
static bool checkIsDatabase(Session &session, const std::string &path) {
  constexpr StringLiteral kHeader = "SQLite format 3";
  auto refuse = [&](const char *what) {
    return session.engine.report(Code::E0602, {},
                                 "`--tuned=" + path + "` is " + what + "; expected a database that `tilec tune` wrote");
  };
  if (!sys::fs::is_regular_file(path)) { // nothing is read from a device or a pipe
    refuse("no file");
    return false;
  }
  Result<std::string> read = readFile(path);
  if (!read) {
    session.report(Code::E0602, read.error().message);
    return false;
  }
  StringRef content = *read;
  if (content.starts_with(kHeader))
    return true;
  DiagnosticBuilder diagnostic = refuse(content.empty() ? "empty" : "no database");
  if (content.starts_with("{"))
    diagnostic.help("take an export in first: `tilec cache import " + path +
                    " --cache-dir=FOLDER`, then `--tuned --cache-dir=FOLDER`");
  return false;
}

/// Decides in which configurations the kernels of `syntax` are compiled. False after reporting.
static bool chooseConfigurations(Session &session, const ast::Module &syntax, BuildOptions &options) {
  if (!tunedOption.isGiven() && requireTunedOption.isOn()) {
    session.report(Code::E0602, "found `--require-tuned` without `--tuned`; expected both");
    return false;
  }
  if (!tunedOption.isGiven())
    return embedConfigurations(session, syntax, options, /*database=*/nullptr).has_value();
  if (!tunedOption.empty() && !checkIsDatabase(session, tunedOption.get()))
    return false;
  Kept kept(session, tunedOption.get());
  std::optional<size_t> choices = embedConfigurations(session, syntax, options, &kept.database);
  if (!choices || *choices > 0)
    return choices.has_value();
  std::string problem =
      kept.database.path() + " has no choice for a kernel of `" + std::string(session.sources.name(syntax.file)) + "`";
  if (requireTunedOption.isOn()) {
    session.report(Code::E0602, problem + ", by this compiler for this `--arch` and `-D`; expected one, as "
                                          "`tilec tune` or `tilec cache import` adds");
    return false;
  }
  session.engine.report(Code::W0604, {}, problem + "; each is compiled as without `--tuned`")
      .help("`tilec tune` finds choices, for this compiler, `--arch` and `-D`; `tilec cache import` takes them from "
            "another machine");
  return true;
}

/// What building `file`, Tile source, gives; none after reporting.
static std::optional<Artifact> buildSource(Session &session, FileId file, BuildOptions options) {
  StepTimes times;
  std::unique_ptr<ast::Module> syntax = times.measure("source", "parse", [&] { return session.parse(file); });
  if (!syntax || !times.measure("source", "choose configurations",
                                [&] { return chooseConfigurations(session, *syntax, options); }))
    return std::nullopt;
  return build(session, file, *syntax, options, std::move(times));
}

static void compileInput(Session &session, const std::string &input) {
  std::optional<BuildOptions> options = readCompileFlags(session);
  if (!options)
    return;
  if (input.empty())
    return session.report(Code::E0602, "no input file; `tilec --help` shows the forms");
  if (std::string_view command = closestCommand(input); !command.empty() && !sys::fs::exists(input)) {
    session.engine.report(Code::E0602, {}, "found `" + input + "`; expected a file or a command")
        .help("did you mean the command `" + std::string(command) + "`?");
    return;
  }
  std::optional<FileId> file = session.read(input);
  std::optional<InputKind> kind = file ? kindOf(session, *file) : std::nullopt;
  if (!kind || refuseSourceOptions(session, *kind))
    return;
  if (*kind == InputKind::Cubin)
    return session.report(Code::E0602, "`" + input + "` is a cubin, the last stage; expected an earlier one");
  std::optional<Stage> stage = findStage(emitOption.get());
  if (!stage && *kind != InputKind::Tile)
    return session.report(Code::E0602, "`--emit=ast` of " + describe(*kind).str() + "; expected Tile source");
  if (!stage)
    return emitSyntax(session, *file);
  if (*stage == Stage::Cubin && outputOption.empty())
    return session.report(Code::E0602, "no output file for the cubin; add `-o FILE.cubin`");
  if (reportOption.is("json") && (outputOption.empty() || outputOption.get() == "-"))
    return session.report(Code::E0602, "`--report=json` and `" + emitOption.get() +
                                           "` would both go to standard output; add `-o FILE`");
  options->compile.last = *stage;
  for (const std::string &names : printAfterOption.get())
    for (StringRef name : split(names, ','))
      options->compile.printAfter.push_back(name.str());
  options->compile.dumpFolder = dumpOption.get();
  options->compile.dumpName = input == "-" ? "stdin" : sys::path::stem(input).str();
  if (!prepareDump(session, input, *kind))
    return;
  if (tunedOption.isGiven() && *kind != InputKind::Tile)
    return session.report(Code::E0602, "`--tuned` of " + describe(*kind).str() + "; expected Tile source");
  std::optional<Artifact> result =
      *kind == InputKind::Tile ? buildSource(session, *file, *options) : build(session, *file, *kind, *options);
  if (!result)
    return;
  deliver(session, *stage == Stage::Cubin ? result->cubin : result->text);
  const Target &target = *options->compile.target;
  if (reportOption.is("json"))
    std::cout << formatv("{0:2}", json::Value(reportToJson(result->kernels, target))).str() << "\n";
  else if (reportOption.isGiven())
    printReport(result->kernels, target, errs());
  if (timeOption.isOn())
    printTimes(result->times, errs());
}

int compileMain(const std::string &input) {
  Session session(reportOption.isGiven());
  compileInput(session, input);
  return finish(session);
}

} // namespace tile
