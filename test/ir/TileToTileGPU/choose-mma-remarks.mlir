// Why a product on the tensor cores is none of wgmma, and what would make it one.
// RUN: tile-opt %s --tgpu-choose-mma="types=bf16,f16,tf32,i8,f8e4m3 warps=4 warpgroups=true" --remarks-filter=tgpu-choose-mma --remark-format=emitRemark --verify-diagnostics --split-input-file

func.func @few_rows(%a: tensor<32x32xbf16>, %b: tensor<32x128xbf16>, %c: tensor<32x128xf32>) -> tensor<32x128xf32> {
  // expected-remark @below {{Reason="M is 32; wgmma takes multiples of 64 rows", Remark="dot does not run as wgmma", Suggestion="compute the transposed product, `b.T @ a.T` for `a @ b`, which has 128 rows"}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<32x32xbf16>, tensor<32x128xbf16>, tensor<32x128xf32>
  return %d : tensor<32x128xf32>
}

// -----

func.func @few_rows_either_way(%a: tensor<32x32xbf16>, %b: tensor<32x80xbf16>, %c: tensor<32x80xf32>) -> tensor<32x80xf32> {
  // expected-remark @below {{Reason="M is 32; wgmma takes multiples of 64 rows", Remark="dot does not run as wgmma", Suggestion="a tile of 64 rows has them"}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<32x32xbf16>, tensor<32x80xbf16>, tensor<32x80xf32>
  return %d : tensor<32x80xf32>
}

// -----

func.func @few_warps(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tgpu.warps = 2 : i64} {
  // expected-remark @below {{Reason="wgmma takes 4 warps or a multiple of them; the block has 2", Remark="dot does not run as wgmma", Suggestion="set `warps` to 4"}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

// The compiler gives four warps to a tile that has rows for them: of these, rows are what is missing.
func.func @few_warps_chosen(%a: tensor<32x32xbf16>, %b: tensor<32x80xbf16>, %c: tensor<32x80xf32>) -> tensor<32x80xf32> attributes {tgpu.warps = 2 : i64, tgpu.warps_chosen} {
  // expected-remark @below {{M is 32}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<32x32xbf16>, tensor<32x80xbf16>, tensor<32x80xf32>
  return %d : tensor<32x80xf32>
}

// -----

func.func @no_equal_pieces(%a: tensor<64x32xbf16>, %b: tensor<32x8xbf16>, %c: tensor<64x8xf32>) -> tensor<64x8xf32> attributes {tgpu.warps = 8 : i64} {
  // expected-remark @below {{Reason="a tile of 64 by 8 is no 2 equal pieces of 64 rows and 8 columns or multiples of them, one for each group of 4 warps", Remark="dot does not run as wgmma", Suggestion="fewer warps or a larger tile leave whole pieces to each"}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x8xbf16>, tensor<64x8xf32>
  return %d : tensor<64x8xf32>
}

// -----

func.func @bytes_across_k(%a: tensor<64x32xf8E4M3FN>, %b: tensor<32x64xf8E4M3FN>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @below {{Reason="its right factor of 8 bits does not lie along K, as wgmma takes it", Remark="dot does not run as wgmma", Suggestion="store it as [N, K] and multiply by its transpose, `x.T`"}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

func.func @tf32_across_k(%a: tensor<32x64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %l = tile.permute %a [1, 0] : tensor<32x64xf32> -> tensor<64x32xf32>
  %r = tile.permute %b [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  // expected-remark @below {{Reason="its left factor of 32 bits does not lie along K, as wgmma takes it", Remark="dot does not run as wgmma", Suggestion="store it as [M, K] and multiply it as it is"}}
  %d = tile.dot tf32 signed %l, %r, %c : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

// Each reason by itself.
func.func @both_across_k(%a: tensor<32x64xi8>, %b: tensor<32x64xi8>, %c: tensor<64x64xi32>) -> tensor<64x64xi32> {
  %l = tile.permute %a [1, 0] : tensor<32x64xi8> -> tensor<64x32xi8>
  // expected-remark @below {{its left factor of 8 bits}}
  // expected-remark @below {{its right factor of 8 bits}}
  %d = tile.dot ieee signed %l, %b, %c : tensor<64x32xi8>, tensor<32x64xi8>, tensor<64x64xi32>
  return %d : tensor<64x64xi32>
}

// -----

func.func @half_a_step(%a: tensor<64x16xf8E4M3FN>, %b: tensor<16x64xf8E4M3FN>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @below {{Reason="K is 16, no multiple of 32", Remark="factors of 8 bits are multiplied as f16", Suggestion="tiles with K in multiples of 32 stay in 8 bits"}}
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x16xf8E4M3FN>, tensor<16x64xf8E4M3FN>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

func.func @is_wgmma(%a: tensor<64x32xbf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %d = tile.dot ieee signed %a, %b, %c : tensor<64x32xbf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
