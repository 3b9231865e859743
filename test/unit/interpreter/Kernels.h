/// Two whole kernels over tensors of any extents, for tests and benchmarks of the interpreter.
#ifndef TEST_UNIT_INTERPRETER_KERNELS_H
#define TEST_UNIT_INTERPRETER_KERNELS_H

#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace tile {

/// Softmax of each row, which has at most 1024 elements: `(x, m, n, stride of x, y, stride of y)`, one program a row.
inline std::string softmaxKernel() {
  return R"mlir(
func.func @softmax(%x: !tile.ptr<f32>, %m: index, %n: index, %sx: index, %y: !tile.ptr<f32>, %sy: index) {
  %vx = tile.make_view %x, [%m, %n], [%sx, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32, constant>
  %vy = tile.make_view %y, [%m, %n], [%sy, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %row = tile.program_id 0
  %zero = arith.constant 0 : index
  %ninf = arith.constant 0xFF800000 : f32
  %v = tile.load %vx[%row, %zero :+ 1024] else %ninf : f32
    : !tile.view<?x?xf32, constant>, (index, index) -> tensor<1024xf32>
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
  tile.store %q, %vy[%row, %zero :+ 1024] : tensor<1024xf32>, !tile.view<?x?xf32>, (index, index)
  return
})mlir";
}

/// c = a @ b in bf16, by tiles of `rows` x `columns` over steps of `depth`: `(a, m, k, b, n, c)`.
inline std::string matmulKernel(int rows, int columns, int depth) {
  return llvm::formatv(R"mlir(
func.func @matmul(%a: !tile.ptr<bf16>, %m: index, %k: index, %b: !tile.ptr<bf16>, %n: index, %c: !tile.ptr<f32>) {{
  %va = tile.make_view %a, [%m, %k], [%k, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, constant>
  %vb = tile.make_view %b, [%k, %n], [%n, 1] : !tile.ptr<bf16> -> !tile.view<?x?xbf16, constant>
  %vc = tile.make_view %c, [%m, %n], [%n, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %zero = arith.constant 0 : index
  %step = arith.constant {2} : index
  %rows = arith.constant {0} : index
  %columns = arith.constant {1} : index
  %pm = tile.program_id 0
  %pn = tile.program_id 1
  %m0 = arith.muli %pm, %rows : index
  %n0 = arith.muli %pn, %columns : index
  %none = arith.constant dense<0.0> : tensor<{0}x{1}xf32>
  %sum = scf.for %k0 = %zero to %k step %step iter_args(%acc = %none) -> tensor<{0}x{1}xf32> {{
    %ta = tile.load %va[%m0 :+ {0}, %k0 :+ {2}] : !tile.view<?x?xbf16, constant>, (index, index)
      -> tensor<{0}x{2}xbf16>
    %tb = tile.load %vb[%k0 :+ {2}, %n0 :+ {1}] : !tile.view<?x?xbf16, constant>, (index, index)
      -> tensor<{2}x{1}xbf16>
    %next = tile.dot ieee signed %ta, %tb, %acc : tensor<{0}x{2}xbf16>, tensor<{2}x{1}xbf16>, tensor<{0}x{1}xf32>
    scf.yield %next : tensor<{0}x{1}xf32>
  }
  tile.store %sum, %vc[%m0 :+ {0}, %n0 :+ {1}] : tensor<{0}x{1}xf32>, !tile.view<?x?xf32>, (index, index)
  return
})mlir",
                       rows, columns, depth);
}

} // namespace tile

#endif
