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
  let summary = "has the loads of a kernel without products in flight together";
  let description = [{
    Loads from constant views move up to where their operands are known, as far as registers allow, and the kernel asks
    for half of a multiprocessor's warps to be resident where its tiles leave room. Tiles have layouts. Kernels with a
    `tile.dot` are left alone.
  }];
}

def PrefetchLoadsPass : Pass<"tgpu-prefetch-loads", "::mlir::func::FuncOp"> {
  let summary = "issues the loads of a product's loop one iteration early";
  let description = [{
    In a loop with a `tile.dot`, loads from constant views whose positions depend on the loop's variable alone are
    carried: each iteration uses what the one before loaded, and loads for the next. Tiles have layouts. Too many
    registers are a remark.
  }];
}

def AllocateSharedPass : Pass<"tgpu-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "places what ops keep in shared memory";
  let description = [{
    Every op that needs shared memory gets its offset, the kernel the total. Each op uses its bytes only while it runs;
    so the bytes go round a ring of 8 KiB, or of what the largest op needs, in program order. More than the target has is an error that lists the users. Layouts must not change
    afterwards.
  }];
  let options = [Option<"limit", "limit", "int64_t", /*default=*/"49152", "bytes that a block may use">];
}

def InsertBarriersPass : Pass<"tgpu-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "inserts barriers between accesses that must take effect in program order";
  let description = [{
    Shared memory has its places. Afterwards a barrier stands on every path between two accesses of different threads to
    one element, of shared or global memory, of which one writes. Barriers that stand already are counted.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
}

#endif
