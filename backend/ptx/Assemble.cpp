/// nvPTXCompiler's C API, and the external ptxas with the same options.
#include "backend/ptx/Assemble.h"

#include "backend/ptx/IsolatedCall.h"
#include "backend/ptx/Output.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <cstring>
#include <nvPTXCompiler.h>

using namespace llvm;

namespace tile {

char AssemblyError::ID;

void AssemblyError::log(raw_ostream &os) const {
  interleave(
      faults, os,
      [&](const AssemblerFault &fault) {
        if (fault.line)
          os << "ptx line " << fault.line << ": ";
        os << fault.text;
      },
      "\n");
}

/// ptxas and nvPTXCompiler take the same spellings. `-fmad=false`: no rounding mode is left out (see CheckPtx.h), so
/// there is nothing to fuse, but inline assembly is not ours to vouch for. `--split-compile=0`: the kernels of a file,
/// two variants at least, are assembled on all processors; the code does not depend on how many there are.
static std::vector<std::string> optionsFor(const Target &target, const AssembleOptions &options) {
  std::vector<std::string> result{"--gpu-name=" + std::string(target.name), "--verbose", "--fmad=false",
                                  "--generate-line-info", "--split-compile=0"};
  if (options.maxRegisters)
    result.push_back("--maxrregcount=" + std::to_string(options.maxRegisters));
  return result;
}

/// The assembly from a log and the code, which is empty where the assembler refused.
static Expected<Assembly> conclude(StringRef log, std::string cubin, StringRef refusal) {
  AssemblerLog parsed = parseAssemblerLog(log);
  if (!cubin.empty() && parsed.faults.empty())
    return Assembly{std::move(cubin), std::move(parsed.kernels), std::move(parsed.remarks)};
  if (parsed.faults.empty())
    parsed.faults.emplace_back().text = refusal.str();
  return make_error<AssemblyError>(std::move(parsed.faults));
}

namespace {
/// What the library gives, in one text: a line with the refusal, which is empty if there is none, a line with the
/// length of the log, the log, and the code.
struct LibraryOutcome {
  std::string refusal, log, cubin;

  std::string print() const { return refusal + "\n" + std::to_string(log.size()) + "\n" + log + cubin; }
  static LibraryOutcome parse(StringRef text) {
    auto [refusal, afterRefusal] = text.split('\n');
    auto [length, rest] = afterRefusal.split('\n');
    size_t size = 0;
    length.getAsInteger(10, size);
    return {refusal.str(), rest.take_front(size).str(), rest.drop_front(std::min(size, rest.size())).str()};
  }
};
} // namespace

static LibraryOutcome callLibrary(const std::string &text, ArrayRef<std::string> options) {
  nvPTXCompilerHandle compiler = nullptr;
  LibraryOutcome result;
  auto refuse = [&](StringRef step, nvPTXCompileResult code) {
    result.refusal = ("nvPTXCompiler failed to " + step + " with code " + Twine(static_cast<int>(code))).str();
    return result;
  };
  if (nvPTXCompileResult code = nvPTXCompilerCreate(&compiler, text.size(), text.c_str()))
    return refuse("start", code);
  scope_exit destroy([&] { nvPTXCompilerDestroy(&compiler); });

  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  nvPTXCompileResult outcome = nvPTXCompilerCompile(compiler, arguments.size(), arguments.data());

  auto append = [&](auto sizeOf, auto read) {
    size_t size = 0;
    if (sizeOf(compiler, &size) != NVPTXCOMPILE_SUCCESS || size == 0)
      return;
    std::string part(size + 1, '\0');
    if (read(compiler, part.data()) != NVPTXCOMPILE_SUCCESS)
      return;
    result.log += part.c_str();
    result.log += '\n';
  };
  append(nvPTXCompilerGetErrorLogSize, nvPTXCompilerGetErrorLog);
  append(nvPTXCompilerGetInfoLogSize, nvPTXCompilerGetInfoLog);

  size_t size = 0;
  if (outcome != NVPTXCOMPILE_SUCCESS)
    return refuse("assemble", outcome);
  if (nvPTXCompileResult code = nvPTXCompilerGetCompiledProgramSize(compiler, &size))
    return refuse("give the code", code);
  result.cubin.resize(size);
  if (nvPTXCompileResult code = nvPTXCompilerGetCompiledProgram(compiler, result.cubin.data()))
    return refuse("give the code", code);
  return result;
}

/// Under `--split-compile` a fatal error of the library prints its reason and aborts, in a thread of its own.
static Expected<Assembly> assembleByLibrary(StringRef ptx, ArrayRef<std::string> options) {
  // The library reads to a terminating zero whatever length it is given.
  std::string text = ptx.str();
  Expected<IsolatedCall> call = callIsolated([&] { return callLibrary(text, options).print(); });
  if (!call)
    return call.takeError();
  LibraryOutcome outcome = LibraryOutcome::parse(call->result);
  // Under `--split-compile` the library prints what it advises, and leaves it out of its log.
  if (!call->signal)
    return conclude(call->printed + "\n" + outcome.log, std::move(outcome.cubin), outcome.refusal);
  AssemblerLog printed = parseAssemblerLog(call->printed);
  if (printed.faults.empty()) {
    AssemblerFault &fault = printed.faults.emplace_back();
    fault.kind = AssemblerFault::Kind::Crash;
    fault.text = strsignal(call->signal);
  }
  return make_error<AssemblyError>(std::move(printed.faults));
}

static Expected<std::string> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read `" + path + "`");
  return (*buffer)->getBuffer().str();
}

namespace {
/// A file that exists from `create` to the end of the scope.
class TemporaryFile {
public:
  Error create(StringRef suffix) {
    if (std::error_code problem = sys::fs::createTemporaryFile("tile", suffix, path))
      return createStringError(problem, "no temporary file can be made");
    return Error::success();
  }
  ~TemporaryFile() {
    if (!path.empty())
      sys::fs::remove(path);
  }
  StringRef name() const { return path; }

private:
  SmallString<128> path;
};

struct Run {
  int status;
  std::string output; ///< of both streams
};
} // namespace

static std::string named(StringRef program) { return ("`" + program + "`, which `--ptxas` or TILE_PTXAS names").str(); }

static Expected<Run> run(StringRef program, ArrayRef<std::string> arguments) {
  TemporaryFile log;
  if (Error error = log.create("log"))
    return error;
  SmallVector<StringRef> command{program};
  command.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {std::nullopt, log.name(), log.name()};
  std::string problem;
  int status = sys::ExecuteAndWait(program, command, std::nullopt, redirects, 0, 0, &problem);
  if (!problem.empty())
    return createStringError("cannot run " + named(program) + ": " + problem);
  Expected<std::string> output = readFile(log.name());
  if (!output)
    return output.takeError();
  return Run{status, std::move(*output)};
}

static Expected<Assembly> assembleExternally(StringRef ptx, StringRef program, std::vector<std::string> arguments) {
  TemporaryFile input, output;
  if (Error error = joinErrors(input.create("ptx"), output.create("cubin")))
    return error;
  if (Error error = writeOutput(input.name(), ptx))
    return error;
  arguments.insert(arguments.end(), {input.name().str(), "-o", output.name().str()});
  Expected<Run> outcome = run(program, arguments);
  if (!outcome)
    return outcome.takeError();
  Expected<std::string> cubin = readFile(output.name());
  if (!cubin)
    return cubin.takeError();
  if (outcome->status != 0)
    cubin->clear();
  if (!cubin->empty() || !parseAssemblerLog(outcome->output).faults.empty())
    return conclude(outcome->output, std::move(*cubin), /*refusal=*/"");
  StringRef said = StringRef(outcome->output).ltrim().take_until([](char c) { return c == '\n'; });
  return createStringError(named(program) + ", exited with code " + Twine(outcome->status) +
                           ", with no code and no fault of the PTX; expected an assembler" +
                           (said.empty() ? "" : "; it says: " + said));
}

Expected<Assembly> assemble(StringRef ptx, const Target &target, const AssembleOptions &options) {
  std::vector<std::string> flags = optionsFor(target, options);
  return options.ptxas.empty() ? assembleByLibrary(ptx, flags) : assembleExternally(ptx, options.ptxas, flags);
}

Expected<std::string> assemblerVersion(const AssembleOptions &options) {
  if (options.ptxas.empty()) {
    unsigned major = 0, minor = 0;
    nvPTXCompilerGetVersion(&major, &minor);
    return formatv("nvPTXCompiler {0}.{1}", major, minor).str();
  }
  // "Cuda compilation tools, release 13.0, V13.0.88"
  Expected<Run> outcome = run(options.ptxas, {"--version"});
  if (!outcome)
    return outcome.takeError();
  StringRef version = StringRef(outcome->output).split(", V").second.take_until(isSpace);
  if (version.empty())
    return createStringError("`" + options.ptxas + "` does not tell its version");
  return ("ptxas " + version).str();
}

} // namespace tile
