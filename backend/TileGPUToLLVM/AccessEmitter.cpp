#include "backend/TileGPUToLLVM/AccessEmitter.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

AccessEmitter::AccessEmitter(Emitter &emit, ViewAccess access, AccessAttr plan, const Layout *layout,
                             const ViewParts &view, ArrayRef<ValueRange> indices, int64_t elementBytes, Corner where)
    : emit(emit), access(access), plan(plan), layout(layout), view(view), indices(indices), elementBytes(elementBytes),
      dims(access), offsetType(plan.getNarrow() ? emit.builder.getI32Type() : emit.builder.getI64Type()),
      base(view.base) {
  if (layout)
    coordinates.emplace(emit, *layout);
  Type i64 = emit.builder.getI64Type();
  inBase = where == Corner::InBase && mayPutCornerInBase();
  unit = inBase ? elementBytes : 1;
  Value cornerOffset = emit.i64(0);
  threadOffset = emit.constant(offsetType, 0);
  for (auto [dim, size] : llvm::enumerate(access.getSizes())) {
    Value stride = getValueOrCreateConstantIndexOp(emit.builder, emit.loc, view.strides[dim]);
    strides.push_back(emit.mul(emit.toInteger(stride, offsetType), emit.constant(offsetType, elementBytes / unit)));
    bounds.emplace_back();
    if (size == ViewAccess::kGather)
      continue;
    Value corner = emit.toInteger(indices[dim].front(), i64);
    Value offset = emit.toInteger(corner, offsetType);
    if (inBase) {
      cornerOffset = emit.add(cornerOffset, emit.mul(corner, emit.toInteger(stride, i64)));
      offset = emit.constant(offsetType, 0);
    }
    bool nonNegative = llvm::is_contained(plan.getNonNegative(), static_cast<int64_t>(dim));
    if (size == ViewAccess::kPoint) {
      if (!access.getUnchecked()) {
        // Below 0 is huge when read as unsigned.
        Value extent = emit.toInteger(getValueOrCreateConstantIndexOp(emit.builder, emit.loc, view.extents[dim]), i64);
        pointsInside = emit.both(pointsInside, emit.compare(arith::CmpIPredicate::ult, corner, extent));
      }
    } else {
      unsigned tileDim = *dims.tileDim[dim];
      if (!access.getUnchecked())
        bounds.back() = boundsOf(corner, view.extents[dim], size, nonNegative);
      if (coordinates->isSum(tileDim))
        offset = emit.add(offset, emit.toInteger(coordinates->threadPart(tileDim), offsetType));
    }
    threadOffset = emit.add(threadOffset, emit.mul(offset, strides.back()));
  }
  if (inBase)
    base = emit.offset(base, emit.mul(cornerOffset, emit.i64(unit)));
  foldPoints();
}

/// A fixed dim that is outside leaves nothing of another dim's bounds: it costs one select instead of an operation for
/// every register, and the registers or predicates that keep these through a loop.
void AccessEmitter::foldPoints() {
  auto *region = llvm::find_if(bounds, [](const DimBounds &bound) { return bound.high; });
  if (!pointsInside || region == bounds.end())
    return;
  region->high = arith::SelectOp::create(emit.builder, emit.loc, pointsInside, region->high, emit.i32(0));
  pointsInside = Value();
}

bool AccessEmitter::mayPutCornerInBase() {
  return plan.getNarrow() && llvm::all_of(llvm::enumerate(access.getSizes()), [&](auto dim) {
           return dim.value() == ViewAccess::kPoint ||
                  (dim.value() != ViewAccess::kGather &&
                   llvm::is_contained(plan.getNonNegative(), static_cast<int64_t>(dim.index())));
         });
}

/// The address `offset` units after the thread's. LLVM would take sums and wide products that stay the same out of a
/// loop, and each address of an iteration would have registers of its own all the time.
Value AccessEmitter::addressOf(Value offset) {
  if (!inBase)
    return emit.offset(base, emit.add(threadOffset, offset));
  std::string wide = std::to_string(unit) + ", $";
  if (isZeroInteger(offset))
    return emit.ptx("mad.wide.s32 $0, $1, " + wide + "2;", "=l,r,l", {threadOffset, base}, base.getType(),
                    Emitter::Effect::None)[0];
  return emit.ptx("{ .reg .b32 sum; add.s32 sum, $1, $2; mad.wide.s32 $0, sum, " + wide + "3; }", "=l,r,r,l",
                  {threadOffset, offset, base}, base.getType(), Emitter::Effect::None)[0];
}

AccessEmitter::DimBounds AccessEmitter::boundsOf(Value corner, OpFoldResult extent, int64_t size, bool nonNegative) {
  Type i32 = emit.builder.getI32Type();
  Value zero = emit.i64(0), tile = emit.i64(size);
  Value end =
      emit.toInteger(getValueOrCreateConstantIndexOp(emit.builder, emit.loc, extent), emit.builder.getI64Type());
  DimBounds result;
  // A corner further below than the tile is large puts everything outside, as does one just that far.
  Value clamped = nonNegative ? corner : emit.maxSigned(corner, emit.i64(-size));
  Value high = emit.minSigned(emit.maxSigned(emit.sub(end, clamped), zero), tile);
  result.high = emit.toInteger(high, i32);
  if (!nonNegative)
    result.low = emit.toInteger(emit.maxSigned(emit.sub(zero, clamped), zero), i32);
  return result;
}

Value AccessEmitter::gatherIndex(unsigned viewDim, int64_t reg) {
  // The index tile has the layout of the gathered dims; several registers of the access share one of it.
  ValueRange registers = indices[viewDim];
  if (registers.size() == 1)
    return emit.toInteger(registers[0], emit.builder.getI64Type());
  const Layout &indexLayout = layoutIn(access.getIndices()[viewDim]);
  Coords part(indexLayout.rank(), 0), whole = layout->registerOffset(reg);
  for (int dim = 0; dim < indexLayout.rank(); ++dim)
    if (indexLayout.extent(dim) != 1)
      part[dim] = whole[dims.gatherBegin + dim];
  return emit.toInteger(registers[*indexLayout.registerAt(part)], emit.builder.getI64Type());
}

std::pair<Value, int64_t> AccessEmitter::address(int64_t reg) {
  int64_t immediate = 0;
  std::vector<int64_t> key;
  Value offset = emit.constant(offsetType, 0);
  for (auto [dim, size] : llvm::enumerate(access.getSizes())) {
    if (size == ViewAccess::kPoint)
      continue;
    if (size == ViewAccess::kGather) {
      key.push_back(reg); // indices differ from register to register
      continue;
    }
    unsigned tileDim = *dims.tileDim[dim];
    int64_t part = coordinates->registerPart(tileDim, reg);
    if (dims.contiguous == tileDim && coordinates->isSum(tileDim))
      immediate = part * elementBytes;
    else
      key.push_back(part);
  }
  auto [row, isNew] = rows.try_emplace(key, Value());
  if (!isNew)
    return {row->second, immediate};
  for (auto [dim, size] : llvm::enumerate(access.getSizes())) {
    if (size == ViewAccess::kGather) {
      offset = emit.add(offset, emit.mul(emit.toInteger(gatherIndex(dim, reg), offsetType), strides[dim]));
      continue;
    }
    if (size == ViewAccess::kPoint)
      continue;
    unsigned tileDim = *dims.tileDim[dim];
    bool isSum = coordinates->isSum(tileDim);
    if (isSum && dims.contiguous == tileDim)
      continue;
    Value part = isSum ? emit.i32(coordinates->registerPart(tileDim, reg)) : coordinates->coordinate(tileDim, reg);
    offset = emit.add(offset, emit.mul(emit.toInteger(part, offsetType), strides[dim]));
  }
  row->second = addressOf(offset);
  return {row->second, immediate};
}

/// Whether coordinates of registers whose parts are `first` and `last` are within the bounds of a dim.
Value AccessEmitter::insideDim(unsigned viewDim, int64_t first, int64_t last) {
  const DimBounds &bound = bounds[viewDim];
  if (!bound.high)
    return Value();
  unsigned tileDim = *dims.tileDim[viewDim];
  int64_t firstPart = coordinates->registerPart(tileDim, first), lastPart = coordinates->registerPart(tileDim, last);
  auto [known, isNew] = comparisons.try_emplace({viewDim, firstPart, lastPart}, Value());
  if (!isNew)
    return known->second;
  bool isShifted = inBase && coordinates->isSum(tileDim);
  Value result = isShifted
                     ? emit.compare(arith::CmpIPredicate::slt, coordinates->threadPart(tileDim),
                                    emit.sub(bound.high, emit.i32(lastPart)))
                     : emit.compare(arith::CmpIPredicate::slt, coordinates->coordinate(tileDim, last), bound.high);
  if (bound.low)
    result = emit.bitAnd(result,
                         emit.compare(arith::CmpIPredicate::sge, coordinates->coordinate(tileDim, first), bound.low));
  known->second = result;
  return result;
}

Value AccessEmitter::inside(int64_t reg) { return vectorInside(reg, 1); }

Value AccessEmitter::vectorInside(int64_t reg, int64_t vector) {
  Value result = pointsInside;
  Type i64 = emit.builder.getI64Type();
  for (auto [dim, size] : llvm::enumerate(access.getSizes())) {
    if (size == ViewAccess::kPoint)
      continue;
    if (size == ViewAccess::kGather) {
      if (access.getUnchecked())
        continue;
      Value extent = emit.toInteger(getValueOrCreateConstantIndexOp(emit.builder, emit.loc, view.extents[dim]), i64);
      result = emit.both(result, emit.compare(arith::CmpIPredicate::ult, gatherIndex(dim, reg), extent));
      continue;
    }
    // Where vectors are whole, one end speaks for the other.
    bool isContiguous = dims.contiguous == *dims.tileDim[dim];
    int64_t last = isContiguous && !plan.getWhole() ? reg + vector - 1 : reg;
    result = emit.both(result, insideDim(dim, reg, last));
  }
  return result;
}

Value AccessEmitter::mayCutVectors(int64_t vector) {
  if (vector == 1 || plan.getWhole() || !dims.contiguous)
    return Value();
  const DimBounds &bound = bounds.back();
  if (!bound.high)
    return Value();
  Value mask = emit.i32(vector - 1);
  Value ends = bound.low ? emit.bitOr(bound.high, bound.low) : bound.high;
  return emit.compare(arith::CmpIPredicate::ne, emit.bitAnd(ends, mask), emit.i32(0));
}
