/// The interpreter on the two kernels that its speed is judged by: a row softmax of 4096 x 1024 f32 (at most 1.5 s on
/// two cores) and a product of two 1024 x 1024 bf16 matrices (at most 6 s).
#include "backend/interpreter/Bounds.h"
#include "ir/Tile/TileOps.h"
#include "test/unit/interpreter/Kernels.h"

#include "mlir/Parser/Parser.h"

#include <benchmark/benchmark.h>

using namespace tile;

namespace {
/// A kernel on buffers of zeros.
class Kernel {
public:
  explicit Kernel(llvm::StringRef source) {
    context.loadDialect<TileDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
  }
  /// The next argument is a pointer to a buffer of its own.
  Kernel &buffer(Element element, int64_t count) {
    memory.emplace_back(count * sizeOf(element));
    buffers.push_back({"argument", memory.back().data(), count * sizeOf(element), element, true, true});
    arguments.push_back(reinterpret_cast<uint64_t>(memory.back().data()));
    return *this;
  }
  Kernel &index(uint64_t value) {
    arguments.push_back(value);
    return *this;
  }
  void run(std::array<int64_t, 3> grid, const InterpretOptions &options) {
    cantFail(interpret(*module->getOps<mlir::func::FuncOp>().begin(), {arguments, grid, buffers}, options));
  }

  void runBounds(std::array<int64_t, 3> grid) {
    cantFail(interpretBounds(*module->getOps<mlir::func::FuncOp>().begin(), {arguments, grid, buffers}));
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::vector<char>> memory;
  std::vector<Buffer> buffers;
  std::vector<uint64_t> arguments;
};
} // namespace

static void softmax(benchmark::State &state) {
  int64_t m = 4096, n = 1024;
  Kernel kernel(softmaxKernel());
  kernel.buffer(Element::F32, m * n).index(m).index(n).index(n).buffer(Element::F32, m * n).index(n);
  InterpretOptions options;
  options.conflicts = state.range(0);
  for (auto _ : state)
    kernel.run({m, 1, 1}, options);
}
BENCHMARK(softmax)->ArgName("conflicts")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

static void matmul(benchmark::State &state) {
  int64_t n = 1024;
  Kernel kernel(matmulKernel(128, 128, 64));
  kernel.buffer(Element::BF16, n * n).index(n).index(n).buffer(Element::BF16, n * n).index(n);
  kernel.buffer(Element::F32, n * n);
  for (auto _ : state) {
    if (state.range(0))
      kernel.runBounds({8, 8, 1});
    else
      kernel.run({8, 8, 1}, {});
  }
}
BENCHMARK(matmul)->ArgName("bounds")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
