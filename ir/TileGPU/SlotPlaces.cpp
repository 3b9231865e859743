#include "ir/TileGPU/SlotPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::tgpu;

/// `value` as something plus a constant.
static std::pair<Value, int64_t> splitSum(Value value) {
  int64_t sum = 0;
  while (auto add = value.getDefiningOp<arith::AddIOp>()) {
    APInt constant;
    if (!matchPattern(add.getRhs(), m_ConstantInt(&constant)))
      break;
    sum += constant.getSExtValue();
    value = add.getLhs();
  }
  if (APInt constant; matchPattern(value, m_ConstantInt(&constant)))
    return {Value(), sum + constant.getSExtValue()};
  return {value, sum};
}

static int64_t stagesOf(Value buffer) { return cast<BufferType>(buffer.getType()).getStages(); }

static SlotPlace makePlace(Value buffer, Value base, int64_t offset) {
  int64_t stages = stagesOf(buffer);
  return {buffer, base, ((offset % stages) + stages) % stages, true};
}

static SlotPlace anySlotOf(Value buffer) { return {buffer, Value(), 0, false}; }

SlotPlace tgpu::placeOf(Value slot) {
  while (auto transpose = slot.getDefiningOp<TransposeOp>())
    slot = transpose.getSlot();
  auto op = slot.getDefiningOp<SlotOp>();
  if (!op || !op.getBuffer().getDefiningOp<AllocOp>())
    return {};
  if (stagesOf(op.getBuffer()) == 1)
    return {op.getBuffer(), Value(), 0, true};
  auto [base, offset] = splitSum(op.getIndex());
  return makePlace(op.getBuffer(), base, offset);
}

SharedBytes tgpu::bytesOf(Value buffer) {
  auto type = cast<BufferType>(buffer.getType());
  auto offset = buffer.getDefiningOp()->getAttrOfType<IntegerAttr>(TileGPUDialect::kSharedOffset);
  // Without a place it may be anywhere.
  if (!offset)
    return {0, std::numeric_limits<int64_t>::max()};
  return {offset.getInt(), offset.getInt() + type.getStages() * type.getSlotBytes()};
}

bool tgpu::mayMeet(const SlotPlace &a, const SlotPlace &b) {
  if (!a.buffer || !b.buffer)
    return true;
  if (a.buffer != b.buffer)
    return bytesOf(a.buffer).meets(bytesOf(b.buffer));
  return !a.isKnown || !b.isKnown || a.base != b.base || a.offset == b.offset;
}

bool tgpu::mayMeet(const SlotPlace &slot, SharedBytes bytes) {
  return !slot.buffer || bytesOf(slot.buffer).meets(bytes);
}

LoopPlaces::LoopPlaces(scf::ForOp loop) : loop(loop) {}

std::optional<LoopPlaces::Counter> LoopPlaces::counterOf(Value argument) {
  auto block = dyn_cast<BlockArgument>(argument);
  if (!block || block.getOwner() != loop.getBody() || block.getArgNumber() == 0)
    return std::nullopt;
  unsigned index = block.getArgNumber() - 1;
  auto [base, increment] = splitSum(loop.getYieldedValues()[index]);
  if (base != argument)
    return std::nullopt;
  return Counter{index, increment};
}

std::optional<LoopPlaces::Counter> LoopPlaces::counterFor(Value buffer) {
  auto [known, isNew] = counters.try_emplace(buffer, std::nullopt);
  if (isNew)
    for (Operation *user : buffer.getUsers())
      if (auto slot = dyn_cast<SlotOp>(user); slot && loop->isProperAncestor(slot))
        if (std::optional<Counter> counter = counterOf(splitSum(slot.getIndex()).first)) {
          known->second = counter;
          break;
        }
  return known->second;
}

SlotPlace LoopPlaces::enter(SlotPlace place) {
  if (!place.isKnown || stagesOf(place.buffer) == 1)
    return place;
  std::optional<Counter> counter = counterFor(place.buffer);
  if (!counter)
    return place;
  auto [base, offset] = splitSum(loop.getInitArgs()[counter->index]);
  if (base != place.base)
    return anySlotOf(place.buffer);
  return makePlace(place.buffer, loop.getRegionIterArg(counter->index), place.offset - offset);
}

SlotPlace LoopPlaces::next(SlotPlace place) {
  if (!place.isKnown || !place.base || loop.isDefinedOutsideOfLoop(place.base))
    return place;
  std::optional<Counter> counter = counterOf(place.base);
  if (!counter)
    return anySlotOf(place.buffer);
  return makePlace(place.buffer, place.base, place.offset - counter->increment);
}

SlotPlace LoopPlaces::leave(SlotPlace place) {
  if (!place.isKnown || !place.base || loop.isDefinedOutsideOfLoop(place.base))
    return place;
  std::optional<Counter> counter = counterOf(place.base);
  if (!counter)
    return anySlotOf(place.buffer);
  return makePlace(place.buffer, loop.getResult(counter->index), place.offset);
}
