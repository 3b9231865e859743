/// `tilec FILE`: compiles to a cubin, or prints an earlier stage.
#include "runtime/tilec/Flags.h"

#include "backend/pipeline/Report.h"
#include "frontend/ast/Printer.h"
#include "runtime/artifact/File.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <iostream>
#include <sstream>

using namespace llvm;

namespace tile {

namespace {
/// Made by `main`, not by static initialisation: LLVM's own options of the same names must be gone first.
struct Flags {
  cl::opt<std::string> output{"o", cl::value_desc("FILE"), cl::cat(compileCategory()),
                              cl::desc("where the result goes; a stage that is text goes to stdout without it")};
  cl::opt<std::string> input{cl::Positional, cl::value_desc("FILE"), cl::cat(compileCategory()),
                             cl::desc("FILE.{tile,mlir,ll,ptx}")};
  cl::opt<std::string> emit{"emit", cl::value_desc("STAGE"), cl::init("cubin"), cl::cat(compileCategory()),
                            cl::desc("how far to compile: ast, tile, tgpu, llvm, ptx or cubin (default)")};
  cl::opt<std::string> dump{"dump-dir", cl::value_desc("FOLDER"), cl::cat(compileCategory()),
                            cl::desc("write the text of every stage there")};
  cl::list<std::string> printAfter{"print-after", cl::value_desc("PASS"), cl::CommaSeparated,
                                   cl::cat(compileCategory()),
                                   cl::desc("print the IR to stderr after this pass; a wrong name lists all")};
  cl::opt<bool> time{"time-passes", cl::cat(compileCategory()),
                     cl::desc("print to stderr how long each stage and pass took")};
};
} // namespace

static Flags &flags() {
  static Flags all;
  return all;
}

void registerCompileFlags() { flags(); }

/// Writes `text` where -o says, or prints it.
static void deliver(Session &session, const std::string &text) {
  if (flags().output.empty() || flags().output == "-") {
    std::cout << text << std::flush;
    return;
  }
  if (Status written = writeFile(flags().output, text); !written)
    session.report(Code::E0602, written.error().message);
}

static void emitSyntax(Session &session) {
  std::optional<FileId> file = session.read(flags().input);
  if (!file)
    return;
  std::unique_ptr<ast::Module> module = session.parse(*file);
  if (!module)
    return;
  std::ostringstream text;
  ast::print(text, *module);
  deliver(session, text.str());
}

static void compileFile(Session &session) {
  std::optional<BuildOptions> options = readCompileFlags(session);
  if (!options)
    return;
  if (flags().input.empty())
    return session.report(Code::E0602, "no input file; `tilec --help` shows the forms");
  if (flags().emit == "ast")
    return emitSyntax(session);
  std::optional<Stage> stage = findStage(flags().emit.getValue());
  if (!stage)
    return session.report(Code::E0602,
                          "unknown stage `" + flags().emit + "`; known: ast, tile, tgpu, llvm, ptx, cubin");
  if (*stage == Stage::Cubin && flags().output.empty())
    return session.report(Code::E0602, "no output file for the cubin; add `-o FILE.cubin`");
  options->compile.last = *stage;
  options->compile.printAfter = flags().printAfter;
  options->compile.dumpFolder = flags().dump;
  options->compile.dumpName = sys::path::stem(flags().input).str();
  if (!flags().dump.empty())
    if (std::error_code problem = sys::fs::create_directories(flags().dump))
      return session.report(Code::E0602, "cannot create folder `" + flags().dump + "`: " + problem.message());
  std::optional<Artifact> result = build(session, flags().input, *options);
  if (!result)
    return;
  deliver(session, *stage == Stage::Cubin ? result->cubin : result->text);
  if (wantsRemarks())
    printReport(result->kernels, *options->compile.target, errs());
  if (flags().time)
    printTimes(result->times, errs());
}

int compileMain() {
  Session session(wantsRemarks());
  compileFile(session);
  return finish(session);
}

} // namespace tile
