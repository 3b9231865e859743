// Elementwise ops that are defined for every operand where `arith` is not, and approximate functions.

class Tile_TotalIntegerOp<string mnemonic, string what>
    : Tile_ElementwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let summary = "element-wise " # what;
  let arguments = (ins Tile_Signedness:$sign, Tile_Integer:$lhs, Tile_Integer:$rhs);
  let results = (outs Tile_Integer:$result);
  let assemblyFormat = "$sign $lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_DivIOp : Tile_TotalIntegerOp<"divi", "quotient rounded to zero; 0 for a zero divisor, wrapping on overflow"> {
  let description = [{
    ```mlir
    %q = tile.divi signed %a, %b : tensor<128xi32>
    ```
  }];
}

def Tile_RemIOp : Tile_TotalIntegerOp<"remi", "remainder with the sign of the dividend; the dividend for a zero divisor"> {
  let description = [{
    ```mlir
    %r = tile.remi unsigned %a, %b : i64
    ```
  }];
}

def Tile_ShiftOp : Tile_ElementwiseOp<"shift", [SameOperandsAndResultType]> {
  let summary = "element-wise shift by an unsigned count; 0 or the sign from the width on";
  let description = [{
    ```mlir
    %r = tile.shift right_signed %a, %n : tensor<128xi32>
    ```
    A negative count, read as unsigned, is past the width.
  }];
  let arguments = (ins Tile_Shift:$kind, Tile_Integer:$value, Tile_Integer:$count);
  let results = (outs Tile_Integer:$result);
  let assemblyFormat = "$kind $value `,` $count attr-dict `:` type($result)";
  let hasFolder = 1;
}

def Tile_CastOp : Tile_ElementwiseOp<"cast", [SameOperandsAndResultShape]> {
  let summary = "element-wise float to integer or to an 8-bit float, saturating";
  let description = [{
    Every other conversion is the one of `arith`, which means what the language says.
    ```mlir
    %i = tile.cast signed %x : tensor<128xf32> -> tensor<128xi8>
    %f = tile.cast finite %x : tensor<128xf32> -> tensor<128xf8E4M3FN>
    %g = tile.cast infinite %x : tensor<128xf32> -> tensor<128xf8E5M2>
    ```
    To an integer of that sign it rounds to zero, and NaN gives 0. To an 8-bit float, of f32 or f64, it rounds once, to
    nearest, ties to even; NaN stays NaN. `finite` gives the largest number for what is beyond it, infinities included,
    `infinite` an infinity.
  }];
  let arguments = (ins Tile_Cast:$kind, Tile_Float:$value);
  let results = (outs AnyTypeOf<[Tile_Integer, Tile_Float]>:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}

class Tile_FunctionOp<string mnemonic, string what>
    : Tile_ElementwiseOp<mnemonic, [SameOperandsAndResultType]> {
  let summary = "element-wise " # what # ", approximately";
  let arguments = (ins Tile_Float:$value);
  let results = (outs Tile_Float:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Tile_GeluOp : Tile_FunctionOp<"gelu", "x times the distribution function of the normal distribution at x"> {
  let description = [{
    The error is relative to x, and a negative infinity gives 0 within it.
    ```mlir
    %g = tile.gelu %x : tensor<128xf32>
    ```
  }];
}

def Tile_SigmoidOp : Tile_FunctionOp<"sigmoid", "1 / (1 + exp(-x))"> {
  let description = [{
    ```mlir
    %s = tile.sigmoid %x : tensor<128xf32>
    ```
  }];
}

def Tile_ApproximateOp : Tile_ElementwiseOp<"approximate", [SameOperandsAndResultType]> {
  let summary = "element-wise fast form of a function, within the error that the PTX ISA documents; f32";
  let description = [{
    ```mlir
    %q = tile.approximate div %a, %b : tensor<128xf32>
    %e = tile.approximate exp2 %a : f32
    ```
    Subnormal operands and results may flush to zero.
  }];
  let arguments = (ins Tile_Approximate:$kind, Variadic<Tile_Float>:$operands);
  let results = (outs Tile_Float:$result);
  let assemblyFormat = "$kind $operands attr-dict `:` type($result)";
  let hasVerifier = 1;
}
