/// Ops that make tiles and move elements.
#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

namespace {
/// An element as opaque bytes.
template <int64_t kBytes> struct Opaque {
  char bytes[kBytes];
};

/// A walk over a dense result, of which each dim takes its elements from `strides` (in elements) further in the source.
struct Walk {
  SmallVector<int64_t> shape, strides;

  /// Row-major strides of `shape`.
  static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape) {
    SmallVector<int64_t> strides(shape.size(), 1);
    for (int dim = static_cast<int>(shape.size()) - 2; dim >= 0; --dim)
      strides[dim] = strides[dim + 1] * shape[dim + 1];
    return strides;
  }

  /// Joins dims that are one after the other in the source too.
  void simplify() {
    SmallVector<int64_t> newShape, newStrides;
    for (auto [extent, stride] : llvm::zip_equal(shape, strides)) {
      if (extent == 1)
        continue;
      if (!newShape.empty() && newStrides.back() == stride * extent) {
        newShape.back() *= extent;
        newStrides.back() = stride;
        continue;
      }
      newShape.push_back(extent);
      newStrides.push_back(stride);
    }
    shape = newShape;
    strides = newStrides;
  }

  template <typename T> T *copy(T *to, const T *from, unsigned dim = 0) const {
    if (dim == shape.size()) {
      *to = *from;
      return to + 1;
    }
    int64_t extent = shape[dim], stride = strides[dim];
    if (dim + 1 < shape.size()) {
      for (int64_t i = 0; i < extent; ++i)
        to = copy(to, from + i * stride, dim + 1);
      return to;
    }
    if (stride == 1) {
      memcpy(static_cast<void *>(to), from, extent * sizeof(T));
      return to + extent;
    }
    if (stride == 0) {
      std::fill_n(to, extent, *from);
      return to + extent;
    }
    for (int64_t i = 0; i < extent; ++i)
      to[i] = from[i * stride];
    return to + extent;
  }
};
} // namespace

template <int64_t kBytes> static Step walkStep(Array from, Array to, Walk walk) {
  return [=](Frame &frame) {
    walk.copy(frame.at<Opaque<kBytes>>(to.offset), frame.at<const Opaque<kBytes>>(from.offset));
  };
}

static LogicalResult emitWalk(Compiler &compiler, Value source, Value result, ArrayRef<int64_t> strides) {
  Walk walk{SmallVector<int64_t>(shapeOf(result.getType())), SmallVector<int64_t>(strides)};
  walk.simplify();
  Array from = compiler.at(source), to = compiler.define(result);
  switch (sizeOf(from.element)) {
  case 1:
    compiler.emit(walkStep<1>(from, to, walk));
    break;
  case 2:
    compiler.emit(walkStep<2>(from, to, walk));
    break;
  case 4:
    compiler.emit(walkStep<4>(from, to, walk));
    break;
  case 8:
    compiler.emit(walkStep<8>(from, to, walk));
    break;
  default:
    compiler.emit(walkStep<16>(from, to, walk));
    break;
  }
  return success();
}

static LogicalResult compileIota(Compiler &compiler, IotaOp op) {
  // Counted when it is compiled: an iota is a constant.
  int64_t count = op.getType().getNumElements(), size = sizeOf(*compiler.elementFor(op.getType()));
  std::string data(count * size, '\0');
  for (int64_t i = 0; i < count; ++i)
    memcpy(&data[i * size], &i, size);
  compiler.defineConstant(op, std::move(data));
  return success();
}

std::optional<LogicalResult> tile::interpreter::compileShape(Compiler &compiler, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](IotaOp iota) { return compileIota(compiler, iota); })
      .Case([&](SplatOp splat) {
        return emitWalk(compiler, splat.getValue(), splat,
                        SmallVector<int64_t>(splat.getResult().getType().getRank(), 0));
      })
      .Case<ReshapeOp, ExpandDimsOp>([&](auto reshape) {
        compiler.defineAlias(reshape, reshape.getValue());
        return success();
      })
      .Case([&](PermuteOp permute) {
        SmallVector<int64_t> from = Walk::denseStrides(shapeOf(permute.getValue().getType())), strides;
        for (int32_t dim : permute.getOrder())
          strides.push_back(from[dim]);
        return emitWalk(compiler, permute.getValue(), permute, strides);
      })
      .Case([&](BroadcastOp broadcast) {
        ArrayRef<int64_t> shape = shapeOf(broadcast.getValue().getType());
        SmallVector<int64_t> strides = Walk::denseStrides(shape);
        for (auto [stride, extent] : llvm::zip_equal(strides, shape))
          if (extent == 1)
            stride = 0;
        return emitWalk(compiler, broadcast.getValue(), broadcast, strides);
      })
      .Default(std::nullopt);
}
