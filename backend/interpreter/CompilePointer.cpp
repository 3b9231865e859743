/// Accesses through raw pointers: every lane by itself, and only where a buffer is.
#include "backend/interpreter/Atomic.h"
#include "backend/interpreter/Compiler.h"
#include "backend/interpreter/Transfer.h"

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

namespace {
struct PointerPlan {
  Array pointers;
  std::optional<int64_t> mask;
  /// What memory holds, and the bytes of one in memory and in the frame.
  Element element;
  int64_t size, valueSize;
};
} // namespace

static PointerPlan planAccess(Compiler &compiler, Value pointer, Value mask) {
  Type pointee = cast<PtrType>(elementOf(pointer.getType())).getElementType();
  Element element = *storedElementFor(pointee);
  PointerPlan plan{compiler.at(pointer), std::nullopt, element, sizeOf(element), sizeOf(*compiler.elementFor(pointee))};
  if (mask)
    plan.mask = compiler.at(mask).offset;
  return plan;
}

/// Calls `visit(lane, data)` for the lanes that are not masked off and point into a buffer; reports those that do not.
template <typename Visit>
static void forEachLane(const PointerPlan &plan, AccessKind kind, Frame &frame, const Site &site, Visit visit) {
  const char *flags = plan.mask ? frame.at(*plan.mask) : nullptr;
  const uint64_t *pointers = frame.at<uint64_t>(plan.pointers.offset);
  Memory &memory = *frame.memory;
  int64_t &bytes = kind == AccessKind::Read ? frame.bytesRead : frame.bytesWritten;
  for (int64_t lane = 0; lane < plan.pointers.count; ++lane) {
    if (flags && !flags[lane])
      continue;
    Place place = memory.placeOf(pointers[lane]);
    if (!memory.contains(place, plan.element, plan.size)) {
      memory.reportOutside(kind, pointers[lane], plan.element, frame.program, site, frame.findings);
      continue;
    }
    if (!memory.allow(kind, place, 1, plan.size, plan.size, frame.program, site, frame.findings))
      continue;
    bytes += plan.size;
    visit(lane, memory.dataAt(place));
  }
}

static LogicalResult compileLoad(Compiler &compiler, LoadPtrOp op) {
  PointerPlan plan = planAccess(compiler, op.getPointer(), op.getMask());
  Type element = elementOf(op.getType());
  Loaded loaded = element.isInteger(1) ? Loaded::Bool : isa<PtrType>(element) ? Loaded::Pointer : Loaded::AsIs;
  std::optional<int64_t> other;
  if (op.getOther())
    other = compiler.at(op.getOther()).offset;
  Array result = compiler.define(op);
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    char *tile = frame.at(result.offset);
    memset(tile, 0, result.bytes());
    forEachLane(plan, AccessKind::Read, frame, site,
                [&](int64_t lane, const char *data) { memcpy(tile + lane * plan.valueSize, data, plan.valueSize); });
    finishLoad(loaded, tile, result.count, *frame.memory);
    if (!other || !plan.mask)
      return;
    const char *flags = frame.at(*plan.mask), *instead = frame.at(*other);
    for (int64_t lane = 0; lane < result.count; ++lane)
      if (!flags[lane])
        memcpy(tile + lane * plan.valueSize, instead + lane * plan.valueSize, plan.valueSize);
  });
  return success();
}

static LogicalResult compileStore(Compiler &compiler, StorePtrOp op) {
  PointerPlan plan = planAccess(compiler, op.getPointer(), op.getMask());
  Array value = compiler.at(op.getValue());
  bool isPointer = isa<PtrType>(elementOf(op.getValue().getType()));
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    const char *tile = frame.at(value.offset);
    forEachLane(plan, AccessKind::Write, frame, site, [&](int64_t lane, char *data) {
      if (!isPointer) {
        memcpy(data, tile + lane * plan.valueSize, plan.valueSize);
        return;
      }
      uint64_t address;
      memcpy(&address, tile + lane * plan.valueSize, sizeof(address));
      address = Memory::addressOf(address);
      memcpy(data, &address, sizeof(address));
    });
  });
  return success();
}

static LogicalResult compileAtomic(Compiler &compiler, AtomicPtrOp op) {
  PointerPlan plan = planAccess(compiler, op.getPointer(), op.getMask());
  Array value = compiler.at(op.getValue());
  Atomic combine = findAtomic(op.getKind(), value.element);
  if (!combine)
    return compiler.fail(op, "'tile.atomic_ptr' combines a type that the interpreter does not know for it");
  Array result = compiler.define(op);
  const FloatFormat *format = compiler.formatFor(op.getType());
  compiler.emit([=, &site = compiler.siteOf(op)](Frame &frame) {
    const char *tile = frame.at(value.offset);
    char *old = frame.at(result.offset);
    memset(old, 0, result.bytes());
    forEachLane(plan, AccessKind::Atomic, frame, site, [&](int64_t lane, char *data) {
      combine(data, tile + lane * plan.valueSize, old + lane * plan.valueSize, format);
    });
  });
  return success();
}

static LogicalResult compilePtrAdd(Compiler &compiler, PtrAddOp op) {
  Array pointers = compiler.at(op.getPointer()), offsets = compiler.at(op.getOffset());
  int64_t size = sizeOf(*storedElementFor(cast<PtrType>(elementOf(op.getType())).getElementType()));
  Array result = compiler.define(op);
  compiler.emit([=](Frame &frame) {
    const uint64_t *from = frame.at<uint64_t>(pointers.offset);
    uint64_t *to = frame.at<uint64_t>(result.offset);
    for (int64_t i = 0; i < result.count; ++i) {
      int64_t offset = integerAt(frame.at(offsets.offset), offsets.element, i);
      to[i] = advanceElements(from[i], offset, size);
    }
  });
  return success();
}

std::optional<LogicalResult> tile::interpreter::compilePointerAccess(Compiler &compiler, Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](PtrAddOp add) { return compilePtrAdd(compiler, add); })
      .Case([&](LoadPtrOp load) { return compileLoad(compiler, load); })
      .Case([&](StorePtrOp store) { return compileStore(compiler, store); })
      .Case([&](AtomicPtrOp atomic) { return compileAtomic(compiler, atomic); })
      .Default(std::nullopt);
}
