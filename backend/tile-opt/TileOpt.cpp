/// tile-opt: runs passes on MLIR files that use our dialects; the tool of the IR tests.
#include "backend/pipeline/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  tile::registerPasses();
  mlir::DialectRegistry registry;
  tile::registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Runs passes on Tile's IR\n", registry));
}
