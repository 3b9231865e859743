/// The interpreter on the two kernels that its speed is judged by: a row softmax of 4096 x 1024 f32 (at most 1.5 s on
/// two cores) and a product of two 1024 x 1024 bf16 matrices (at most 6 s).
#include "backend/interpreter/Bounds.h"
#include "ir/Tile/TileOps.h"

#include "mlir/Parser/Parser.h"

#include <benchmark/benchmark.h>

using namespace tile;

static const char *kSoftmax = R"mlir(
func.func @softmax(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) {
  %vx = tile.make_view %x, [4096, 1024], [1024, 1] : !tile.ptr<f32> -> !tile.view<4096x1024xf32, constant>
  %vy = tile.make_view %y, [4096, 1024], [1024, 1] : !tile.ptr<f32> -> !tile.view<4096x1024xf32>
  %row = tile.program_id 0
  %zero = arith.constant 0 : index
  %v = tile.load %vx[%row, %zero :+ 1024]
    : !tile.view<4096x1024xf32, constant>, (index, index) -> tensor<1024xf32>
  %max = tile.reduce %v axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  }
  %maxes = tile.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %v, %maxes : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = tile.reduce %e axis 0 : tensor<1024xf32> -> f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }
  %sums = tile.splat %sum : f32 -> tensor<1024xf32>
  %q = arith.divf %e, %sums : tensor<1024xf32>
  tile.store %q, %vy[%row, %zero :+ 1024] : tensor<1024xf32>, !tile.view<4096x1024xf32>, (index, index)
  return
})mlir";

static const char *kMatmul = R"mlir(
func.func @matmul(%a: !tile.ptr<bf16>, %b: !tile.ptr<bf16>, %c: !tile.ptr<f32>) {
  %va = tile.make_view %a, [1024, 1024], [1024, 1] : !tile.ptr<bf16> -> !tile.view<1024x1024xbf16, constant>
  %vb = tile.make_view %b, [1024, 1024], [1024, 1] : !tile.ptr<bf16> -> !tile.view<1024x1024xbf16, constant>
  %vc = tile.make_view %c, [1024, 1024], [1024, 1] : !tile.ptr<f32> -> !tile.view<1024x1024xf32>
  %zero = arith.constant 0 : index
  %k = arith.constant 1024 : index
  %step = arith.constant 64 : index
  %block = arith.constant 128 : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %block : index
  %n0 = arith.muli %pn, %block : index
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %k0 = %zero to %k step %step iter_args(%acc = %none) -> tensor<128x128xf32> {
    %ta = tile.load %va[%m0 :+ 128, %k0 :+ 64]
      : !tile.view<1024x1024xbf16, constant>, (index, index) -> tensor<128x64xbf16>
    %tb = tile.load %vb[%k0 :+ 64, %n0 :+ 128]
      : !tile.view<1024x1024xbf16, constant>, (index, index) -> tensor<64x128xbf16>
    %next = tile.dot ieee signed %ta, %tb, %acc : tensor<128x64xbf16>, tensor<64x128xbf16>, tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.store %sum, %vc[%m0 :+ 128, %n0 :+ 128] : tensor<128x128xf32>, !tile.view<1024x1024xf32>, (index, index)
  return
})mlir";

namespace {
/// A kernel whose arguments are pointers to buffers of zeros.
class Kernel {
public:
  Kernel(llvm::StringRef source, std::vector<std::pair<Element, int64_t>> arguments) {
    context.loadDialect<TileDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    for (auto [element, count] : arguments) {
      memory.emplace_back(count * sizeOf(element));
      buffers.push_back({"argument", memory.back().data(), count * sizeOf(element), element, true, true});
      pointers.push_back(reinterpret_cast<uint64_t>(memory.back().data()));
    }
  }
  void run(std::array<int64_t, 3> grid, const InterpretOptions &options) {
    cantFail(interpret(*module->getOps<mlir::func::FuncOp>().begin(), {pointers, grid, buffers}, options));
  }

  void runBounds(std::array<int64_t, 3> grid) {
    cantFail(interpretBounds(*module->getOps<mlir::func::FuncOp>().begin(), {pointers, grid, buffers}));
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::vector<char>> memory;
  std::vector<Buffer> buffers;
  std::vector<uint64_t> pointers;
};
} // namespace

static void softmax(benchmark::State &state) {
  int64_t count = 4096 * 1024;
  Kernel kernel(kSoftmax, {{Element::F32, count}, {Element::F32, count}});
  InterpretOptions options;
  options.conflicts = state.range(0);
  for (auto _ : state)
    kernel.run({4096, 1, 1}, options);
}
BENCHMARK(softmax)->ArgName("conflicts")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

static void matmul(benchmark::State &state) {
  int64_t count = 1024 * 1024;
  Kernel kernel(kMatmul, {{Element::BF16, count}, {Element::BF16, count}, {Element::F32, count}});
  for (auto _ : state) {
    if (state.range(0))
      kernel.runBounds({8, 8, 1});
    else
      kernel.run({8, 8, 1}, {});
  }
}
BENCHMARK(matmul)->ArgName("bounds")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
