/// Views: a base, extents and strides in the frame. A view that lies in its buffer as a whole says so, and accesses
/// within its extents need no further check.
#include "backend/interpreter/Compiler.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

/// Whether all elements of a view lie in one buffer. Extents and strides may be anything, also overflow.
static bool isInside(const Memory &memory, uint64_t base, int64_t rank, const int64_t *extents, const int64_t *strides,
                     Element element) {
  int64_t size = sizeOf(element);
  constexpr int64_t kFarthest = int64_t(1) << kAddressBits;
  if (std::any_of(extents, extents + rank, [](int64_t extent) { return extent <= 0; }))
    return true;
  __int128 low = 0, high = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    __int128 reach = static_cast<__int128>(extents[dim] - 1) * strides[dim];
    // Each by itself: the sum of a few reaches may be too much for 128 bits.
    if (reach < -kFarthest || reach > kFarthest)
      return false;
    (reach < 0 ? low : high) += reach;
  }
  Place place = memory.placeOf(base);
  if (low < -kFarthest || high > kFarthest)
    return false;
  place.offset += static_cast<int64_t>(low) * size;
  return memory.contains(place, element, static_cast<int64_t>(high - low) * size + size);
}

static LogicalResult compileMakeView(Compiler &compiler, MakeViewOp op) {
  Array base = compiler.at(op.getBase());
  // A word is a constant, or read from an operand.
  struct Word {
    int64_t constant;
    std::optional<int64_t> operand;
  };
  SmallVector<Word> words;
  SmallVector<OpFoldResult> mixed = op.getMixedExtents();
  llvm::append_range(mixed, op.getMixedStrides());
  for (OpFoldResult word : mixed) {
    if (auto value = dyn_cast<Value>(word))
      words.push_back({0, compiler.at(value).offset});
    else
      words.push_back({cast<IntegerAttr>(cast<Attribute>(word)).getInt(), std::nullopt});
  }
  Array result = compiler.define(op);
  int64_t rank = op.getType().getRank();
  Element element = *storedElementFor(op.getType().getElementType());
  compiler.emit([=](Frame &frame) {
    int64_t *view = frame.at<int64_t>(result.offset);
    for (auto [i, word] : llvm::enumerate(words))
      view[ViewExtents + i] = word.operand ? *frame.at<int64_t>(*word.operand) : word.constant;
    view[ViewBase] = *frame.at<int64_t>(base.offset);
    const int64_t *extents = view + ViewExtents;
    view[ViewInside] = isInside(*frame.memory, view[ViewBase], rank, extents, extents + rank, element);
  });
  return success();
}

static LogicalResult compileSubview(Compiler &compiler, SubviewOp op) {
  int64_t rank = op.getView().getType().getRank(), size = sizeOf(*storedElementFor(op.getType().getElementType()));
  Array from = compiler.at(op.getView());
  SmallVector<int64_t> lows, highs;
  for (Value low : op.getLows())
    lows.push_back(compiler.at(low).offset);
  for (Value high : op.getHighs())
    highs.push_back(compiler.at(high).offset);
  SmallVector<bool> kept(op.getKept());
  Array result = compiler.define(op);
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    const int64_t *view = frame.at<int64_t>(from.offset);
    int64_t *window = frame.at<int64_t>(result.offset), keptRank = highs.size();
    const int64_t *extents = view + ViewExtents, *strides = extents + rank;
    uint64_t base = view[ViewBase];
    bool inside = view[ViewInside];
    int64_t at = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t low = *frame.at<int64_t>(lows[dim]);
      // The last position that the window must have in its parent; a kept dim may start at its end and be empty.
      int64_t extent = kept[dim] ? std::min(*frame.at<int64_t>(highs[at]), extents[dim]) - low : 1;
      if (low < 0 || (!kept[dim] && low >= extents[dim])) {
        inside = false;
        frame.findings.add(FindingKind::SubviewOutOfBounds, site, frame.program, frame.memory->placeOf(base).buffer,
                           frame.memory->elementAt(frame.memory->placeOf(base)), [&] {
                             return llvm::formatv("subview {0} {1} along dim {2}; expected at least 0 and {3} {4}",
                                                  kept[dim] ? "starts at" : "is fixed at", low, dim,
                                                  kept[dim] ? "at most" : "below", extents[dim])
                                 .str();
                           });
      }
      // A position far outside may wrap: what lies there is checked on access.
      base = advance(base, static_cast<int64_t>(static_cast<uint64_t>(low) * strides[dim] * size));
      if (!kept[dim])
        continue;
      window[ViewExtents + at] = std::max<int64_t>(extent, 0);
      window[ViewExtents + keptRank + at] = strides[dim];
      ++at;
    }
    window[ViewBase] = base;
    window[ViewInside] = inside;
  });
  return success();
}

std::optional<LogicalResult> tile::interpreter::compileView(Compiler &compiler, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](MakeViewOp make) { return compileMakeView(compiler, make); })
      .Case([&](SubviewOp subview) { return compileSubview(compiler, subview); })
      .Case([&](DimOp dim) {
        Array view = compiler.at(dim.getView()), result = compiler.define(dim);
        compiler.emit([=, word = ViewExtents + dim.getAxis()](Frame &frame) {
          *frame.at<int64_t>(result.offset) = frame.at<int64_t>(view.offset)[word];
        });
        return success();
      })
      .Default(std::nullopt);
}
