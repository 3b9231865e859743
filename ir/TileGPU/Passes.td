// Passes from the `tgpu` level to itself.
#ifndef IR_TILEGPU_PASSES_TD
#define IR_TILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def RemoveConversionsPass : Pass<"tgpu-remove-conversions", "::mlir::func::FuncOp"> {
  let summary = "removes layout conversions that cost more than making the tile where it is needed";
  let description = [{
    A conversion of a tile that is cheap to make (constants, iota, splats, their broadcasts and elementwise functions)
    is replaced by making it in the wanted layout. A load that is only converted is issued in the wanted layout where
    that is as well coalesced. What remains of conversions moves real data. Results do not change.
  }];
}

def IssueLoadsEarlyPass : Pass<"tgpu-issue-loads-early", "::mlir::func::FuncOp"> {
  let summary = "has the loads of a kernel in flight together";
  let description = [{
    Loads from constant views move up to where their operands are known, as far as registers allow, and a kernel without
    products asks for half of a multiprocessor's warps to be resident where its tiles leave room, in no more than
    `blocks` blocks. Of a kernel with products only small loads move. Tiles have layouts.
  }];
  let options = [Option<"blocks", "blocks", "int64_t", /*default=*/"32", "blocks that a multiprocessor holds">];
}

def PrefetchLoadsPass : Pass<"tgpu-prefetch-loads", "::mlir::func::FuncOp"> {
  let summary = "issues the loads of a product's loop one iteration early";
  let description = [{
    In a loop with a `tile.dot`, loads from constant views whose positions depend on the loop's variable alone are
    carried: each iteration uses what the one before loaded, and loads for the next. Tiles have layouts. Too many
    registers are a remark.
  }];
}

def PipelineLoadsPass : Pass<"tgpu-pipeline-loads", "::mlir::func::FuncOp"> {
  let summary = "copies the factors of a loop's products to shared memory several iterations early";
  let description = [{
    In an `scf.for` with products on the tensor cores, the loads of their factors become asynchronous copies into the
    slots of a buffer, as many iterations ahead as there are stages less one, and the products `tgpu.mma` that read the
    slots. Accesses have plans. Loads that cannot be copied so, and loops with none that can, stay as they are, with a
    remark. The number of stages is that of the loop's or the kernel's schedule, else what `shared` bytes hold, up to
    a few.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"49152", "bytes of shared memory that a block may use">,
    Option<"shared", "shared", "int64_t", /*default=*/"49152", "bytes of it that stages may fill unasked">
  ];
}

def PlaceProductsPass : Pass<"tgpu-place-products", "::mlir::func::FuncOp"> {
  let summary = "gives the factors of products on warpgroups places in shared memory";
  let description = [{
    Each `tile.dot` that warpgroups share, which no loop was pipelined for, becomes a `tgpu.mma_async` that waits, whose
    factors were stored to buffers, the left one unless its registers are what the instruction takes. A factor that a
    loop does not change is stored before it, and once for all such loops, as far as `limit` bytes hold such factors
    beside all buffers and the largest product.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
  let options = [Option<"limit", "limit", "int64_t", /*default=*/"49152", "bytes of shared memory of a block">];
}

def CountGroupsPass : Pass<"tgpu-count-groups", "::mlir::func::FuncOp"> {
  let summary = "says for each wait how many groups of copies, or products, it may leave under way";
  let description = [{
    Every `tgpu.wait` and `tgpu.mma_wait` gets `pending`: the most with which all that it names is done on every path.
  }];
}

def AllocateSharedPass : Pass<"tgpu-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "places what ops keep in shared memory";
  let description = [{
    Every op that needs shared memory gets its offset, the kernel the total. Buffers that live at a time lie apart. Other
    ops use their bytes only while they run; so these go round a ring of 8 KiB, or of what the largest op needs, in
    program order, beyond the buffers that live meanwhile. More than the target has is an error that lists the users.
    Layouts must not change afterwards.
  }];
  let options = [Option<"limit", "limit", "int64_t", /*default=*/"49152", "bytes that a block may use">];
}

def BoundResidencyPass : Pass<"tgpu-bound-residency", "::mlir::func::FuncOp"> {
  let summary = "asks for as many resident blocks of chained products as there is room for";
  let description = [{
    Shared memory has its places. A kernel whose loops are copied ahead, and in one of which the left factor of a product
    of warpgroups is a tile in registers, asks for several blocks on a multiprocessor where registers and shared memory
    suffice.
  }];
  let options = [Option<"registers", "registers", "int64_t", /*default=*/"65536", "registers of a multiprocessor">,
                 Option<"shared", "shared", "int64_t", /*default=*/"233472", "bytes of shared memory of a multiprocessor">,
                 Option<"reserved", "reserved", "int64_t", /*default=*/"1024", "bytes of it that each block takes beside its own">];
}

def InsertBarriersPass : Pass<"tgpu-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "inserts barriers between accesses that must take effect in program order";
  let description = [{
    Shared memory has its places. Afterwards a barrier stands on every path between two accesses of different threads to
    one element, of shared or global memory, of which one writes. Barriers that stand already are counted.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
}

def VerifyAsyncPass : Pass<"tgpu-verify-async", "::mlir::func::FuncOp"> {
  let summary = "proves that asynchronous copies and products meet no other access";
  let description = [{
    Changes nothing. On every path: no slot is written while a copy into it is under way or while other threads or a
    product may read it; none is read before its copy was waited for and a barrier passed, and by a product not without a
    fence before that barrier; registers that a product under way reads are not set, and its sum is not used; each wait
    covers what it names; nothing is under way when the kernel ends. Memory has its places and barriers stand. What
    cannot be proved is an error.
  }];
}

#endif
