/// nvPTXCompiler's C API, and the external ptxas with the same options.
#include "backend/ptx/Assemble.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

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
/// there is nothing to fuse, but inline assembly is not ours to vouch for.
static std::vector<std::string> optionsFor(const Target &target, const AssembleOptions &options) {
  std::vector<std::string> result{"--gpu-name=" + std::string(target.name), "--verbose", "--fmad=false",
                                  "--generate-line-info"};
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

static Expected<Assembly> assembleInProcess(StringRef ptx, ArrayRef<std::string> options) {
  nvPTXCompilerHandle compiler = nullptr;
  // The library reads to a terminating zero whatever length it is given.
  std::string text = ptx.str();
  if (nvPTXCompilerCreate(&compiler, text.size(), text.c_str()) != NVPTXCOMPILE_SUCCESS)
    return createStringError("nvPTXCompiler: out of memory");
  scope_exit destroy([&] { nvPTXCompilerDestroy(&compiler); });

  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  nvPTXCompileResult outcome = nvPTXCompilerCompile(compiler, arguments.size(), arguments.data());

  std::string log;
  auto append = [&](auto sizeOf, auto read) {
    size_t size = 0;
    if (sizeOf(compiler, &size) != NVPTXCOMPILE_SUCCESS || size == 0)
      return;
    std::string part(size + 1, '\0');
    read(compiler, part.data());
    log += part.c_str();
    log += '\n';
  };
  append(nvPTXCompilerGetErrorLogSize, nvPTXCompilerGetErrorLog);
  append(nvPTXCompilerGetInfoLogSize, nvPTXCompilerGetInfoLog);

  std::string cubin;
  size_t size = 0;
  if (outcome == NVPTXCOMPILE_SUCCESS && nvPTXCompilerGetCompiledProgramSize(compiler, &size) == NVPTXCOMPILE_SUCCESS) {
    cubin.resize(size);
    nvPTXCompilerGetCompiledProgram(compiler, cubin.data());
  }
  return conclude(log, std::move(cubin), "nvPTXCompiler failed with code " + std::to_string(outcome));
}

static Expected<std::string> readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read `" + path + "`");
  return (*buffer)->getBuffer().str();
}

static Expected<Assembly> assembleExternally(StringRef ptx, StringRef program, ArrayRef<std::string> options) {
  SmallString<128> input, output, log;
  scope_exit removeAll([&] {
    for (StringRef path : {input.str(), output.str(), log.str()})
      if (!path.empty())
        sys::fs::remove(path);
  });
  for (auto [suffix, path] : {std::pair("ptx", &input), std::pair("cubin", &output), std::pair("log", &log)})
    if (std::error_code problem = sys::fs::createTemporaryFile("tile", suffix, *path))
      return createStringError(problem, "no temporary file can be made");
  {
    std::error_code problem;
    raw_fd_ostream stream(input, problem);
    stream << ptx;
  }

  SmallVector<StringRef> arguments{program};
  arguments.append(options.begin(), options.end());
  arguments.append({input, "-o", output});
  std::optional<StringRef> redirects[] = {std::nullopt, log.str(), log.str()};
  std::string problem;
  int status = sys::ExecuteAndWait(program, arguments, std::nullopt, redirects, 0, 0, &problem);
  if (!problem.empty())
    return createStringError("cannot run `" + program + "`: " + problem);

  Expected<std::string> text = readFile(log);
  if (!text)
    return text.takeError();
  Expected<std::string> cubin = readFile(output);
  if (!cubin)
    return cubin.takeError();
  return conclude(*text, status == 0 ? std::move(*cubin) : std::string(),
                  ("`" + program + "` failed with code " + Twine(status)).str());
}

Expected<Assembly> assemble(StringRef ptx, const Target &target, const AssembleOptions &options) {
  std::vector<std::string> flags = optionsFor(target, options);
  return options.ptxas.empty() ? assembleInProcess(ptx, flags) : assembleExternally(ptx, options.ptxas, flags);
}

std::string assemblerVersion() {
  unsigned major = 0, minor = 0;
  nvPTXCompilerGetVersion(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

} // namespace tile
