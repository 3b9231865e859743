/// tilec: the compiler's command line. `tilec FILE -o OUT` compiles; `run`, `check`, `inspect` and `explain` are
/// commands.
#include "runtime/tilec/Flags.h"

#include "backend/ptx/Assemble.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;

static const char kOverview[] = R"(Tile: GPU kernels from .tile files

  tilec softmax.tile -D BLOCK=1024 -o softmax.cubin
  tilec softmax.tile -D BLOCK=1024 --emit=ptx
  tilec run softmax.tile --arg x=rand:f32[1823,781] --arg y=empty:f32[1823,781]
  tilec check softmax.tile
  tilec inspect softmax.cubin
  tilec explain E0201
)";

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  // LLVM's own options are no part of the interface, and some bear names of ours.
  cl::ResetCommandLineParser();
  tile::registerSharedFlags();
  tile::registerCompileFlags();
  tile::registerExplainFlags();
  tile::registerInspectFlags();
  tile::registerRunFlags();
  tile::registerCheckFlags();
  cl::SetVersionPrinter([](raw_ostream &out) {
    out << "tilec " << TILE_VERSION << "\n  LLVM and MLIR " << LLVM_VERSION_STRING << "\n  "
        << cantFail(tile::assemblerVersion()) << "\n";
  });
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  if (tile::runCommand())
    return tile::runMain();
  if (tile::checkCommand())
    return tile::checkMain();
  if (tile::inspectCommand())
    return tile::inspectMain();
  if (tile::explainCommand())
    return tile::explainMain();
  return tile::compileMain();
}
