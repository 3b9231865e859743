#include "runtime/tilec/Flags.h"

#include <iostream>

using namespace llvm;

namespace tile {

cl::SubCommand &runCommand() {
  static cl::SubCommand command("run", "compile a kernel and run it, on the GPU or on the CPU");
  return command;
}
cl::SubCommand &checkCommand() {
  static cl::SubCommand command("check", "run every kernel that has a spec and compare it with the spec in f64");
  return command;
}
cl::SubCommand &inspectCommand() {
  static cl::SubCommand command("inspect", "print what a cubin says about its kernels");
  return command;
}
cl::SubCommand &explainCommand() {
  static cl::SubCommand command("explain", "explain a diagnostic code such as E0201");
  return command;
}

cl::OptionCategory &compileCategory() {
  static cl::OptionCategory category("Options that say what is compiled");
  return category;
}
cl::OptionCategory &runCategory() {
  static cl::OptionCategory category("Options that say what is run");
  return category;
}

namespace {
/// An option of `tilec FILE`, `tilec run` and `tilec check`.
struct Shared {
  template <typename Option> void apply(Option &option) const {
    option.addCategory(compileCategory());
    for (cl::SubCommand *command : {&cl::SubCommand::getTopLevel(), &runCommand(), &checkCommand()})
      option.addSubCommand(*command);
  }
};

/// Made by `main`, not by static initialisation: LLVM's own options of the same names must be gone first.
struct Flags {
  cl::opt<std::string> arch{"arch", cl::value_desc("sm_NN"), Shared(),
                            cl::desc("the GPU: sm_80 sm_86 sm_89 sm_90a sm_100 sm_120; default sm_90a, and for `run` "
                                     "and `check` the GPU at hand")};
  cl::opt<std::string> contract{"fp-contract", cl::value_desc("on|off"), cl::init("on"), Shared(),
                                cl::desc("whether a * b + c rounds once; default on")};
  cl::list<std::string> define{"D", cl::Prefix, cl::value_desc("NAME=VALUE"), Shared(),
                               cl::desc("the value of a compile-time parameter, or of a dim that a heuristic reads")};
  cl::opt<std::string> diagnostics{"diagnostics", cl::value_desc("text|json"), cl::init("text"), Shared(),
                                   cl::desc("how errors are printed; default text")};
  cl::list<std::string> include{"I", cl::Prefix, cl::value_desc("FOLDER"), Shared(),
                                cl::desc("where imports are looked for, after the file's own folder")};
  cl::opt<std::string> kernel{"kernel", cl::value_desc("NAME"), Shared(),
                              cl::desc("the kernel; needed where the file has several to choose from")};
  cl::opt<std::string> ptxas{"ptxas", cl::value_desc("PATH"), Shared(),
                             cl::desc("an assembler to use in place of the one built in; also TILE_PTXAS")};
  cl::opt<bool> report{"report", Shared(),
                       cl::desc("say what the kernel takes of the GPU and what kept it from being faster")};
  cl::opt<unsigned> warps{"warps", cl::value_desc("N"), cl::init(0), Shared(),
                          cl::desc("warps per program: 1, 2, 4, 8, 16 or 32; default: the kernel's own, else 4")};
};
} // namespace

static Flags &flags() {
  static Flags all;
  return all;
}

void registerSharedFlags() { flags(); }

/// `NAME=VALUE`.
static bool readDefine(Session &session, const std::string &text, IrgenOptions &options) {
  auto [name, value] = StringRef(text).split('=');
  if (name.empty() || value.empty()) {
    session.report(Code::E0602, "`-D" + text + "` has no value; expected `-D NAME=VALUE`");
    return false;
  }
  options.values[name.trim().str()] = value.trim().str();
  return true;
}

std::optional<BuildOptions> readCompileFlags(Session &session) {
  BuildOptions options;
  options.source.kernel = flags().kernel;
  options.source.includeDirectories = flags().include;
  for (const std::string &text : flags().define)
    if (!readDefine(session, text, options.source))
      return std::nullopt;
  if (flags().contract != "on" && flags().contract != "off") {
    session.report(Code::E0602, "`--fp-contract` is `" + flags().contract + "`; expected `on` or `off`");
    return std::nullopt;
  }
  options.contract = flags().contract == "on";
  if (flags().warps.getNumOccurrences()) {
    if (flags().warps < 1 || flags().warps > 32 || !isPowerOf2_32(flags().warps)) {
      session.report(Code::E0602, "`--warps` is " + std::to_string(flags().warps) + "; expected 1, 2, 4, 8, 16 or 32");
      return std::nullopt;
    }
    options.source.values["warps"] = std::to_string(flags().warps);
  }
  options.compile.assembler.ptxas = flags().ptxas;
  if (const char *path = std::getenv("TILE_PTXAS"); path && flags().ptxas.empty())
    options.compile.assembler.ptxas = path;
  std::string arch = flags().arch.empty() ? std::string("sm_90a") : flags().arch.getValue();
  options.compile.target = findTarget(arch);
  if (!options.compile.target) {
    session.report(Code::E0602, unknownTargetMessage(arch));
    return std::nullopt;
  }
  return options;
}

bool isTargetGiven() { return !flags().arch.empty(); }

bool wantsRemarks() { return flags().report; }

int finish(Session &session) {
  int code = session.hasErrors() ? 1 : 0;
  session.print(std::cerr, flags().diagnostics == "json" ? DiagnosticFormat::Json : DiagnosticFormat::Text);
  return code;
}

} // namespace tile
