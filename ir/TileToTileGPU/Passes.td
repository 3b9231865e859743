// Passes from the `tile` to the `tgpu` level, and those that plan accesses there.
#ifndef IR_TILETOTILEGPU_PASSES_TD
#define IR_TILETOTILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssumeVariantPass : Pass<"tgpu-assume-variant", "::mlir::ModuleOp"> {
  let summary = "makes the variants of every kernel";
  let description = [{
    A kernel becomes one copy per variant, marked with the facts that the launcher checks before it picks it, and named
    as runtime/launch/README.md says. `generic` assumes nothing and keeps the name; `fast`, before it, is named
    `kernel$fast` and assumes that bases and the outer strides of tensors are multiples of 16 bytes and that all byte
    offsets within a tensor are below 2^31. A kernel without tensors has no fast variant. Needs the contract.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
  let options = [ListOption<"variants", "variants", "std::string", "`fast`, `generic` or both">];
}

def LinearizeGridPass : Pass<"tgpu-linearize-grid", "::mlir::func::FuncOp"> {
  let summary = "puts a grid of several axes on the first axis of the hardware";
  let description = [{
    `tile.program_id` and `tile.num_programs` of a kernel whose grid has several axes are computed from the first axis
    alone, and the kernel gets `tgpu.linear_grid`, which the manifest passes on to the launcher. Needs the contract; a
    grid that only the launcher can compute, as from `num_sms`, is left alone with a remark.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
}

def ChooseWarpsPass : Pass<"tgpu-choose-warps", "::mlir::func::FuncOp"> {
  let summary = "decides how many warps a block has, where the kernel does not say";
  let description = [{
    The kernel gets `tgpu.warps`: what its schedule says, else what its tiles ask for, and `tgpu.warps_chosen` with that.
    Depends on the extents of tiles only, so that the variants of a kernel have the same.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
}

def CheckTilesPass : Pass<"tgpu-check-tiles", "::mlir::func::FuncOp"> {
  let summary = "refuses tiles that the lowering does not cover or that no block has registers for";
  let description = [{
    Changes nothing. A tile with more than four dims or with an extent that is not m·2^k, m ≤ 7, is an error, and so is
    one of more elements per thread than registers or `limit` allow. Passes after this one need not ask again.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", /*default=*/"512", "elements of a tile per thread">,
    Option<"registers", "registers", "int64_t", /*default=*/"255", "32-bit registers of a tile per thread">
  ];
}

def ChooseMmaPass : Pass<"tgpu-choose-mma", "::mlir::func::FuncOp"> {
  let summary = "decides which products run on the tensor cores";
  let description = [{
    A `tile.dot` whose operands are of a type that the target's `mma.sync` takes, and whose extents are multiples of the
    instruction's, gets `tgpu.mma`: how many warps share its rows and its columns. Where wgmma takes it, they do so in
    groups of four, `tgpu.warpgroups`. Factors of 8-bit floats for which there is no instruction are widened to f16. The
    others get a remark with the reason. Tiles have no layouts yet; `tgpu-assign-layouts` obeys.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
  let options = [
    ListOption<"types", "types", "std::string",
               "operand types with an instruction: `f16`, `bf16`, `tf32`, `i8`, `f8e4m3`, `f8e5m2`">,
    Option<"warps", "warps", "int64_t", /*default=*/"4", "warps per block where the kernel does not say">,
    Option<"warpgroups", "warpgroups", "bool", /*default=*/"false", "the target has wgmma">,
    Option<"registers", "registers", "int64_t", /*default=*/"65536", "registers of a multiprocessor">
  ];
}

def AssignLayoutsPass : Pass<"tgpu-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "gives every tile of a kernel a layout";
  let description = [{
    Accesses of global memory get layouts with which neighbouring threads touch neighbouring addresses, as wide as
    alignment is known to allow. These spread forward through the ops that take and give tiles; where two meet that
    differ, a `tgpu.convert_layout` stands. Tiles are such as `tgpu-check-tiles` lets pass. Afterwards every tile has a
    layout.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
  let options = [Option<"warps", "warps", "int64_t", /*default=*/"4",
                        "warps per block where the kernel does not say">];
}

def PlanAccessesPass : Pass<"tgpu-plan-accesses", "::mlir::func::FuncOp"> {
  let summary = "decides how each access of global memory is issued";
  let description = [{
    Every tile has a layout. Afterwards every access has a `tgpu.access` plan; one that has a plan keeps it: how many neighbours move by one
    instruction, whether bounds are compared per vector, how wide offsets are. A load or store that could move 16 bytes
    at a time and does not gets a remark with the reason. Layouts must not change afterwards.
  }];
}

def StoreInSlicesPass : Pass<"tgpu-store-in-slices", "::mlir::func::FuncOp"> {
  let summary = "stores what was computed in another layout slice by slice, each warp what it holds";
  let description = [{
    Accesses have their plans. A store whose tile is converted for it alone, through shared memory, takes the tile as it
    is, and `tgpu.through` says in which layout it is stored, `tgpu.stores_matrices` that stmatrix may bring it there.
    Nothing then waits for other warps, and slices go to memory while later ones are computed. It stays where elements go
    one by one or a vector may be cut, and, with a remark, where neighbours in memory belong to several warps, others use
    the converted tile, or chained products leave no registers to spare.
  }];
  let dependentDialects = ["::tile::tgpu::TileGPUDialect"];
  let options = [Option<"matrices", "matrices", "bool", /*default=*/"false", "the target has stmatrix">];
}

#endif
