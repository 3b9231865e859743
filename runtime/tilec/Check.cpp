/// `tilec check FILE`: every kernel that has a spec, over its `@check` shapes, against the spec in f64.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/RunFlags.h"

#include "runtime/execute/Check.h"
#include "runtime/execute/Signature.h"

#include "llvm/Support/FormatVariadic.h"

#include <iostream>

using namespace llvm;

namespace tile {

namespace {
struct Flags {
  cl::opt<std::string> input{cl::Positional,          cl::Required,
                             cl::value_desc("FILE"),  cl::desc("FILE.tile"),
                             cl::sub(checkCommand()), cl::cat(runCategory())};
  cl::opt<bool> verbose{"v", cl::sub(checkCommand()), cl::cat(runCategory()), cl::desc("print every shape")};
};
} // namespace

static Flags &flags() {
  static Flags all;
  return all;
}

void registerCheckFlags() { flags(); }

namespace {
struct Tally {
  unsigned right = 0, wrong = 0;
};
} // namespace

/// All cases of one kernel, which ends with the first that cannot run.
static void checkKernel(Session &session, FileId file, const ast::Module &module, const ast::KernelItem &kernel,
                        const CheckOptions &options, Tally &tally) {
  std::vector<CheckCase> cases;
  if (!readCheckCases(session, kernel, cases))
    return;
  if (cases.empty()) {
    session.engine.report(Code::E0606, kernel.name.range,
                          "kernel `" + kernel.name.text + "` has a spec and no `@check(shapes = [...])`");
    return;
  }
  std::vector<std::pair<SourceRange, std::string>> differences;
  for (const CheckCase &one : cases) {
    std::optional<CheckResult> result = runCheck(session, file, module, kernel, one, options);
    std::string name = kernel.name.text + " {" + one.describe() + "}";
    ++(result && result->isRight ? tally.right : tally.wrong);
    if (!result) {
      std::cout << "error " << name << "\n";
      break;
    }
    if (!result->isRight)
      differences.emplace_back(one.range,
                               kernel.name.text + ": " + result->difference + ", seed " + std::to_string(options.seed));
    if (flags().verbose || !result->isRight)
      std::cout << (result->isRight ? "right " : "wrong ") << name << ": " << result->compared << " elements"
                << (result->worst > 0 ? formatv(", worst error {0:f2} of its bound", result->worst).str() : "") << "\n";
  }
  // Reported last: with an error behind it nothing more would be compiled.
  for (auto &[range, message] : differences)
    session.engine.report(Code::E0605, range, std::move(message));
}

/// The names of the kernels to check.
static std::vector<std::string> kernelsOf(const ast::Module &module, const std::string &chosen) {
  std::vector<std::string> names;
  for (const ast::ItemPtr &item : module.items)
    if (const auto *kernel = ast::dynCast<ast::KernelItem>(item))
      if ((chosen.empty() || kernel->name.text == chosen) && hasSpec(module, kernel->name.text))
        names.push_back(kernel->name.text);
  return names;
}

/// Checks one kernel in a session of its own, so that a fault of one does not stop the others. Gives the exit code.
static int checkAlone(const std::string &name, CheckOptions options, Tally &tally) {
  Session session(wantsRemarks());
  std::optional<FileId> file = session.read(flags().input);
  std::unique_ptr<ast::Module> module = file ? session.parse(*file) : nullptr;
  if (module)
    checkKernel(session, *file, *module, *chooseKernel(session, *module, name), options, tally);
  return finish(session);
}

static int checkFile(Session &session) {
  std::optional<BuildOptions> build = readCompileFlags(session);
  std::optional<DeviceKind> device = deviceOfRun(session);
  if (!build || !device)
    return 1;
  if (*device == DeviceKind::Gpu && !isTargetGiven() && !(build->compile.target = targetOfGpu(session)))
    return 1;
  std::optional<FileId> file = session.read(flags().input);
  std::unique_ptr<ast::Module> module = file ? session.parse(*file) : nullptr;
  if (!module)
    return 1;
  std::vector<std::string> kernels = kernelsOf(*module, build->source.kernel);
  if (kernels.empty()) {
    session.report(Code::E0602, flags().input + " has no kernel with a spec" +
                                    (build->source.kernel.empty() ? "" : " called `" + build->source.kernel + "`"));
    return 1;
  }
  CheckOptions options;
  options.device = *device;
  options.build = *build;
  options.seed = seedOfRun();
  Tally tally;
  int code = 0;
  for (const std::string &name : kernels)
    code |= checkAlone(name, options, tally);
  std::cout << flags().input.getValue() << ": " << tally.right << " right, " << tally.wrong << " wrong, on "
            << (*device == DeviceKind::Gpu ? "the GPU" : "the CPU interpreter") << ", seed " << options.seed << "\n";
  return code;
}

int checkMain() {
  Session session;
  int code = checkFile(session);
  return code | finish(session);
}

} // namespace tile
