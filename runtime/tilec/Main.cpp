/// tilec: the compiler's command line. `tilec FILE -o OUT` compiles; `run`, `check`, `sim`, `inspect`, `explain` and
/// `cache` are commands.
#include "runtime/search/CompileWorker.h"
#include "runtime/tilec/CrashReport.h"
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/StandardOutput.h"
#include "runtime/tune/Measurement.h"

#include "backend/ptx/Assemble.h"

#include "llvm/Config/llvm-config.h"

#include <iostream>

static void printVersion() {
  std::cout << "tilec " << TILE_VERSION << "\n  LLVM and MLIR " << LLVM_VERSION_STRING << "\n  "
            << llvm::cantFail(tile::assemblerVersion()) << "\n";
}

static int runCommand(const tile::CommandLine &line) {
  if (line.wantsHelp) {
    tile::printHelp(std::cout, line.command);
    return 0;
  }
  if (line.wantsVersion) {
    printVersion();
    return 0;
  }
  if (!line.faults.empty())
    return tile::refuse(line.faults);
  switch (line.command) {
  case tile::Command::Compile:
    return tile::compileMain(line.input);
  case tile::Command::Run:
    return tile::runMain(line.input);
  case tile::Command::Check:
    return tile::checkMain(line.input);
  case tile::Command::Sim:
    return tile::simMain(line.input);
  case tile::Command::Inspect:
    return tile::inspectMain(line.input);
  case tile::Command::Explain:
    return tile::explainMain(line.input);
  case tile::Command::Cache:
    return tile::cacheMain(line.input, line.operand);
  case tile::Command::Tune:
    return tile::tuneMain(line.input);
  }
  return 1;
}

/// The exit code after what was printed is out. Where standard error takes nothing, the code is all that says so.
static int finishOutput(int code) {
  if (std::string reason = tile::finishStandardOutput(); !reason.empty())
    code = tile::refuse({{"cannot write to stdout: " + reason, ""}});
  return tile::finishStandardError() || code != 0 ? code : 1;
}

/// What this program is to be for the tuner, which starts it again; null where a person has called it.
static int (*serviceOf(int argc, char **argv))() {
  std::string_view word = argc == 2 ? argv[1] : "";
  return word == tile::kWorkerArgument     ? tile::workerMain
         : word == tile::kMeasurerArgument ? tile::serveMeasurements
                                           : nullptr;
}

int main(int argc, char **argv) {
  tile::installCrashReport(argc, argv);
  if (auto *service = serviceOf(argc, argv))
    return service();
  tile::captureStandardOutput();
  return finishOutput(runCommand(tile::readCommandLine({argv + 1, argv + argc})));
}
