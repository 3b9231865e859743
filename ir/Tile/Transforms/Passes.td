// Passes over tile IR. `tile-opt` and the pipeline take them from here.
#ifndef IR_TILE_TRANSFORMS_PASSES_TD
#define IR_TILE_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseMultiplyAddPass : Pass<"tile-fuse-multiply-add"> {
  let summary = "rounds a * b ± c once";
  let description = [{
    Changes the last bit: `a * b + c` of f32 and f64 rounds once instead of twice, as the language promises, whoever runs
    the kernel. It looks at the program as written, so it must come before every pass that shares or copies values:
    a product is fused where it has one use, and of two products the left one.

    Holds afterwards: no `arith.addf` or `arith.subf` of f32 or f64 has an operand that is an `arith.mulf` with that
    only use.
  }];
  let dependentDialects = ["::mlir::math::MathDialect"];
}

#endif
