/// Loads, stores, atomics and bounds questions through views. All walk the accessed tile row by row: a row is its
/// innermost dim if that is a region, else one element. Positions outside the view are cut off a row at both ends.
#include "backend/interpreter/Atomic.h"
#include "backend/interpreter/Compiler.h"
#include "backend/interpreter/Transfer.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

namespace {
/// A row of the accessed tile.
struct Row {
  /// Of its first element in the tile.
  int64_t first;
  int64_t length;
  /// Those inside the view.
  int64_t low, high;
  /// To where its first element would be, and how many bytes apart they are.
  uint64_t pointer;
  int64_t step;
};
/// What is known of an access before it runs.
struct AccessPlan {
  struct Position {
    int64_t size;
    Array index;
    /// The dim of the result that a region spans, or the first of those that a gather spans.
    int64_t resultDim = 0;
    /// Of a gather: how far apart its indices are along each of the gathered dims; 0 where they repeat.
    SmallVector<int64_t> gatherStrides;
  };
  SmallVector<Position> positions;
  SmallVector<int64_t> shape;
  Array view;
  int64_t rank = 0;
  /// What memory holds, and the bytes of one in memory and in the frame.
  Element element = Element::I8;
  int64_t size = 0, valueSize = 0;
  /// The position whose region is the row; -1 if rows are single elements.
  int64_t rowPosition = -1;
  bool unchecked = false;

  /// How many bytes apart the interpreter keeps the elements of a row that memory keeps `row.step` apart.
  int64_t dataStep(const Row &row) const { return row.step / size * valueSize; }
};

} // namespace

static AccessPlan planAccess(Compiler &compiler, ViewAccess access) {
  AccessPlan plan;
  ViewType type = access.getView().getType();
  plan.view = compiler.at(access.getView());
  plan.rank = type.getRank();
  plan.element = *storedElementFor(type.getElementType());
  plan.size = sizeOf(plan.element);
  plan.valueSize = sizeOf(*compiler.elementFor(type.getElementType()));
  plan.shape = access.getAccessShape();
  plan.unchecked = access.getUnchecked();
  int64_t resultDim = 0;
  std::optional<int64_t> gatherDim;
  for (auto [dim, size, index] : llvm::enumerate(access.getSizes(), access.getIndices())) {
    AccessPlan::Position position{size, compiler.at(index), resultDim, {}};
    if (size > 0)
      ++resultDim;
    if (size == ViewAccess::kGather) {
      ArrayRef<int64_t> shape = shapeOf(index.getType());
      if (!gatherDim) {
        gatherDim = resultDim;
        resultDim += shape.size();
      }
      position.resultDim = *gatherDim;
      int64_t stride = 1;
      position.gatherStrides.resize(shape.size());
      for (int64_t at = shape.size() - 1; at >= 0; --at) {
        position.gatherStrides[at] = shape[at] == 1 ? 0 : stride;
        stride *= shape[at];
      }
    }
    plan.positions.push_back(std::move(position));
  }
  for (auto [at, position] : llvm::enumerate(plan.positions))
    if (position.size > 0 && position.resultDim + 1 == static_cast<int64_t>(plan.shape.size()))
      plan.rowPosition = at;
  return plan;
}

/// A position outside the view that the program promised to be inside.
static void reportBrokenPromise(int64_t dim, int64_t position, int64_t extent, uint64_t pointer, Frame &frame,
                                const Site &site) {
  Place place = frame.memory->placeOf(pointer);
  frame.findings.add(FindingKind::OutOfBounds, site, frame.program, place.buffer, frame.memory->elementAt(place), [&] {
    return llvm::formatv(
               "position {0} along dim {1} of an access that is `unchecked`; expected at least 0 and below {2}",
               position, dim, extent)
        .str();
  });
}

template <typename Visit> static void forEachRow(const AccessPlan &plan, Frame &frame, const Site &site, Visit visit) {
  const int64_t *view = frame.at<int64_t>(plan.view.offset);
  const int64_t *extents = view + ViewExtents, *strides = extents + plan.rank;
  bool hasRow = plan.rowPosition >= 0;
  int64_t outerRank = plan.shape.size() - hasRow, length = hasRow ? plan.shape.back() : 1;
  SmallVector<int64_t, 8> corners, at(outerRank, 0);
  for (const AccessPlan::Position &position : plan.positions)
    corners.push_back(position.size == ViewAccess::kGather
                          ? 0
                          : integerAt(frame.at(position.index.offset), position.index.element, 0));
  Row row{0, length, 0, length, 0, hasRow ? strides[plan.rowPosition] * plan.size : plan.size};
  // One element is far enough outside to tell; more would only repeat it.
  struct Broken {
    int64_t dim = -1, position = 0;
  };
  while (true) {
    uint64_t offset = 0;
    bool inside = true;
    Broken broken;
    row.low = 0;
    row.high = length;
    for (int64_t dim = 0; dim < plan.rank; ++dim) {
      const AccessPlan::Position &position = plan.positions[dim];
      int64_t coordinate = corners[dim];
      if (position.size == ViewAccess::kGather) {
        int64_t index = 0;
        for (auto [d, stride] : llvm::enumerate(position.gatherStrides))
          index += at[position.resultDim + d] * stride;
        coordinate = integerAt(frame.at(position.index.offset), position.index.element, index);
      } else if (position.size > 0 && dim != plan.rowPosition) {
        coordinate = static_cast<int64_t>(static_cast<uint64_t>(coordinate) + at[position.resultDim]);
      }
      // Wraps only where the coordinate is outside.
      offset += static_cast<uint64_t>(coordinate) * strides[dim];
      if (dim == plan.rowPosition) {
        row.low = coordinate >= 0 ? 0 : coordinate <= -length ? length : -coordinate;
        row.high = coordinate >= extents[dim]
                       ? 0
                       : std::min(length, extents[dim] - std::max<int64_t>(coordinate, 0) + row.low);
        row.high = std::max(row.high, row.low);
        if (plan.unchecked && (row.low > 0 || row.high < length))
          broken = {dim, row.low > 0 ? coordinate : coordinate + row.high};
        continue;
      }
      if (coordinate >= 0 && coordinate < extents[dim])
        continue;
      inside = false;
      if (plan.unchecked)
        broken = {dim, coordinate};
    }
    row.pointer = advance(view[ViewBase], static_cast<int64_t>(offset * plan.size));
    if (!inside)
      row.low = row.high = 0;
    if (broken.dim >= 0)
      reportBrokenPromise(broken.dim, broken.position, extents[broken.dim], row.pointer, frame, site);
    visit(row);
    row.first += length;
    int64_t dim = outerRank - 1;
    for (; dim >= 0 && ++at[dim] == plan.shape[dim]; --dim)
      at[dim] = 0;
    if (dim < 0)
      return;
  }
}

/// Calls `visit(first, count, data)` for stretches of the row that are inside the view and the buffer and may be
/// accessed; reports the others.
template <typename Visit>
static void forEachStretch(const AccessPlan &plan, const Row &row, AccessKind kind, Frame &frame, const Site &site,
                           Visit visit) {
  if (row.low == row.high)
    return;
  Memory &memory = *frame.memory;
  int64_t &bytes = kind == AccessKind::Read ? frame.bytesRead : frame.bytesWritten;
  bool isWhole = frame.at<int64_t>(plan.view.offset)[ViewInside];
  int64_t count = isWhole ? row.high - row.low : 1;
  for (int64_t first = row.low; first < row.high; first += count) {
    uint64_t pointer = advance(row.pointer, first * row.step);
    Place place = memory.placeOf(pointer);
    if (!isWhole && !memory.contains(place, plan.element, plan.size)) {
      memory.reportOutside(kind, pointer, plan.element, frame.program, site, frame.findings);
      continue;
    }
    if (!memory.allow(kind, place, count, plan.size, row.step, frame.program, site, frame.findings))
      continue;
    bytes += count * plan.size;
    visit(first, count, memory.dataAt(place));
  }
}

static LogicalResult compileLoad(Compiler &compiler, LoadOp op) {
  AccessPlan plan = planAccess(compiler, op);
  Type element = op.getView().getType().getElementType();
  Loaded loaded = element.isInteger(1) ? Loaded::Bool : isa<PtrType>(element) ? Loaded::Pointer : Loaded::AsIs;
  std::optional<int64_t> other;
  if (op.getOther())
    other = compiler.at(op.getOther()).offset;
  Array result = compiler.define(op);
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    static constexpr char kZero[16] = {};
    char *tile = frame.at(result.offset);
    const char *fill = other ? frame.at(*other) : kZero;
    bool isWhole = frame.at<int64_t>(plan.view.offset)[ViewInside];
    forEachRow(plan, frame, site, [&](const Row &row) {
      char *to = tile + row.first * plan.valueSize;
      if (!isWhole || row.low > 0 || row.high < row.length)
        fillElements(to, fill, row.length, plan.valueSize);
      forEachStretch(plan, row, AccessKind::Read, frame, site, [&](int64_t first, int64_t count, const char *data) {
        copyElements(to + first * plan.valueSize, plan.valueSize, data, plan.dataStep(row), count, plan.valueSize);
      });
    });
    finishLoad(loaded, tile, result.count, *frame.memory);
  });
  return success();
}

static LogicalResult compileStore(Compiler &compiler, StoreOp op) {
  AccessPlan plan = planAccess(compiler, op);
  Array value = compiler.at(op.getValue());
  bool isPointer = isa<PtrType>(op.getView().getType().getElementType());
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    const char *tile = frame.at(value.offset);
    forEachRow(plan, frame, site, [&](const Row &row) {
      forEachStretch(plan, row, AccessKind::Write, frame, site, [&](int64_t first, int64_t count, char *data) {
        const char *from = tile + (row.first + first) * plan.valueSize;
        copyElements(data, plan.dataStep(row), from, plan.valueSize, count, plan.valueSize);
        if (isPointer)
          for (int64_t i = 0; i < count; ++i)
            *reinterpret_cast<uint64_t *>(data + i * plan.dataStep(row)) &= kAddressMask;
      });
    });
  });
  return success();
}

static LogicalResult compileAtomic(Compiler &compiler, AtomicOp op) {
  AccessPlan plan = planAccess(compiler, op);
  Array value = compiler.at(op.getValue());
  Atomic combine = findAtomic(op.getKind(), value.element);
  if (!combine)
    return compiler.fail(op, "'tile.atomic' combines a type that the interpreter does not know for it");
  std::optional<int64_t> mask;
  if (op.getMask())
    mask = compiler.at(op.getMask()).offset;
  Array result = compiler.define(op);
  const FloatFormat *format = compiler.formatFor(op.getType());
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    const char *tile = frame.at(value.offset), *flags = mask ? frame.at(*mask) : nullptr;
    char *old = frame.at(result.offset);
    memset(old, 0, result.bytes());
    forEachRow(plan, frame, site, [&](Row row) {
      // A lane that is masked off touches nothing: the others are rows of their own.
      int64_t low = row.low, high = row.high;
      for (int64_t i = low; i < high; ++i) {
        int64_t at = row.first + i;
        if (flags && !flags[at])
          continue;
        row.low = i;
        row.high = i + 1;
        forEachStretch(plan, row, AccessKind::Atomic, frame, site, [&](int64_t, int64_t, char *data) {
          combine(data, tile + at * plan.valueSize, old + at * plan.valueSize, format);
        });
      }
    });
  });
  return success();
}

static LogicalResult compileInside(Compiler &compiler, InsideOp op) {
  AccessPlan plan = planAccess(compiler, op);
  Array result = compiler.define(op);
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    char *flags = frame.at(result.offset);
    forEachRow(plan, frame, site, [&](const Row &row) {
      for (int64_t i = 0; i < row.length; ++i)
        flags[row.first + i] = i >= row.low && i < row.high;
    });
  });
  return success();
}

std::optional<LogicalResult> tile::interpreter::compileViewAccess(Compiler &compiler, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](LoadOp load) { return compileLoad(compiler, load); })
      .Case([&](StoreOp store) { return compileStore(compiler, store); })
      .Case([&](AtomicOp atomic) { return compileAtomic(compiler, atomic); })
      .Case([&](InsideOp inside) { return compileInside(compiler, inside); })
      .Default(std::nullopt);
}
