// RUN: tile-opt %s --split-input-file --tgpu-pipeline-loads=limit=14000 --remarks-filter=tgpu-pipeline-loads \
// RUN:   --remark-format=emitRemark --verify-diagnostics

#a = #tgpu.layout<"64x32: reg b1 b2 b4 a16 a32; lane b8 b16 a1 a2 a4; warp a8">
#b = #tgpu.layout<"32x64: reg b1 b2 b4 a8 a16; lane b8 b16 b32 a1 a2; warp a4">
#acc = #tgpu.layout<"64x64: reg b1 a8 b8 b16 a16 a32; lane b2 b4 a1 a2 a4; warp b32">

// A copy that names bytes past the end of the tensor reads what is nobody's.
func.func @end_within_a_vector(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{its tensor may end within 16 bytes that are copied at a time}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 8>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @short_addresses(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{addresses allow 2 bytes at a time, not 4}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 1>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

// Who shows remarks leaves out what only the variant has that promises nothing.
func.func @generic(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) attributes {tgpu.variant = "generic"} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{Function=generic}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 1>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @written_by_others(%v: !tile.view<?x?xbf16>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{its tensor may be written meanwhile}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @not_zero_outside(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1.0 : bf16
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{what it reads outside of the tensor is not zero}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] else %one : bf16 {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @volatile(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{it is volatile}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {cache = #tile<cache volatile>, tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @no_plan(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{it has no plan}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @gather(%v: !tile.view<?x?xbf16, constant>, %rows: tensor<64xindex, #tgpu.layout<"64: reg a16 a32; lane 0 0 a1 a2 a4; warp a8">>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{its positions are not regions that are contiguous in memory}}
    %x = tile.load %v[%rows gather, %k :+ 32] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (tensor<64xindex, #tgpu.layout<"64: reg a16 a32; lane 0 0 a1 a2 a4; warp a8">>, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

func.func @carried_position(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r, %q = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z, %p = %c0) -> (tensor<64x64xf32, #acc>, index) {
    // expected-remark @below {{its positions follow from more than the loop's variable: from memory, or from the iteration before}}
    %x = tile.load %v[%c0 :+ 64, %p :+ 32] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    %next = arith.muli %p, %k : index
    scf.yield %d, %next : tensor<64x64xf32, #acc>, index
  }
  return
}

func.func @other_users(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>, %m: tensor<64x32xbf16, #a>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r, %q = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z, %p = %m) -> (tensor<64x64xf32, #acc>, tensor<64x32xbf16, #a>) {
    // expected-remark @below {{it has users that are no products on the tensor cores}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    %next = arith.addf %p, %x : tensor<64x32xbf16, #a>
    scf.yield %d, %next : tensor<64x64xf32, #acc>, tensor<64x32xbf16, #a>
  }
  return
}

// A stage takes 4096 bytes, and the factor that does not change as much.
func.func @too_many_stages(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // expected-remark @below {{a stage takes 4096 bytes of shared memory}}
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  } {tile.schedule = {stages = 5 : i64}}
  return
}

// Nothing is left for a second stage.
func.func @no_two_stages(%v: !tile.view<?x?xbf16, constant>, %w: !tile.view<?x?xbf16, constant>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  // expected-remark @below {{two stages of 8192 bytes do not fit in shared memory}}
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %y = tile.load %w[%k :+ 32, %c0 :+ 64] {tgpu.access = #tgpu.access<vector = 8, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<32x64xbf16, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}

// -----

#a = #tgpu.layout<"16x16: reg b1 b2 b4; lane b8 a1 a2 a4 a8; warp">
#short = #tgpu.layout<"16x8: reg b1 b2; lane b4 a1 a2 a4 a8; warp">
#acc = #tgpu.layout<"16x8: reg b1 a8; lane b2 b4 a1 a2 a4; warp">
func.func @short_rows(%v: !tile.view<?x?xbf16, constant>, %n: index, %x: tensor<16x16xbf16, #a>, %z: tensor<16x8xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %k = %c0 to %n step %c16 iter_args(%s = %z) -> (tensor<16x8xf32, #acc>) {
    // expected-remark @below {{rows of 16 bytes are too short to be swizzled}}
    %y = tile.load %v[%k :+ 16, %c0 :+ 8] {tgpu.access = #tgpu.access<vector = 4, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<16x8xbf16, #short>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 1>} : tensor<16x16xbf16, #a>, tensor<16x8xbf16, #short>, tensor<16x8xf32, #acc>
    scf.yield %d : tensor<16x8xf32, #acc>
  }
  return
}

// -----

// 8-bit factors whose rows are not along K.
#a = #tgpu.layout<"16x32: reg b1 b2 b4 b8; lane b16 a1 a2 a4 a8; warp">
#b = #tgpu.layout<"32x32: reg b1 b2 b4 b8 a16; lane b16 a1 a2 a4 a8; warp">
#acc = #tgpu.layout<"16x32: reg b1 a8 b8 b16; lane b2 b4 a1 a2 a4; warp">
func.func @bytes_across_k(%v: !tile.view<?x?xi8, constant>, %n: index, %x: tensor<16x32xi8, #a>, %z: tensor<16x32xi32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<16x32xi32, #acc>) {
    // expected-remark @below {{Reason="ldmatrix does not read the fragments of its elements in this order", Remark="load is not copied ahead", Suggestion="store it as [N, K] and multiply by its transpose, `x.T`"}}
    %y = tile.load %v[%k :+ 32, %c0 :+ 32] {tgpu.access = #tgpu.access<vector = 16, whole = true>} : !tile.view<?x?xi8, constant>, (index, index) -> tensor<32x32xi8, #b>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 1>} : tensor<16x32xi8, #a>, tensor<32x32xi8, #b>, tensor<16x32xi32, #acc>
    scf.yield %d : tensor<16x32xi32, #acc>
  }
  return
}

// -----

// Neighbours in memory are far apart in what a thread holds.
#a = #tgpu.layout<"64x32: reg a1 b1 b2 a16 a32; lane b8 b16 b4 a2 a4; warp a8">
#b = #tgpu.layout<"32x64: reg b1 b2 b4 a8 a16; lane b8 b16 b32 a1 a2; warp a4">
#acc = #tgpu.layout<"64x64: reg b1 a8 b8 b16 a16 a32; lane b2 b4 a1 a2 a4; warp b32">
func.func @registers_in_another_order(%v: !tile.view<?x?xbf16, constant>, %y: tensor<32x64xbf16, #b>, %n: index, %z: tensor<64x64xf32, #acc>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %r = scf.for %k = %c0 to %n step %c32 iter_args(%s = %z) -> (tensor<64x64xf32, #acc>) {
    // expected-remark @below {{neighbours in global memory are no neighbours in shared memory}}
    %x = tile.load %v[%c0 :+ 64, %k :+ 32] {tgpu.access = #tgpu.access<vector = 4, whole = true>} : !tile.view<?x?xbf16, constant>, (index, index) -> tensor<64x32xbf16, #a>
    %d = tile.dot ieee signed %x, %y, %s {tgpu.mma = array<i64: 1, 2>} : tensor<64x32xbf16, #a>, tensor<32x64xbf16, #b>, tensor<64x64xf32, #acc>
    scf.yield %d : tensor<64x64xf32, #acc>
  }
  return
}
