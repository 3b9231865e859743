// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tgpu-choose-mma{types=bf16,fp4}))" --verify-diagnostics

// expected-error @below {{type of operands is `fp4`; expected one that mma.sync takes}}
func.func @unknown_type() {
  return
}
