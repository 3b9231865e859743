#include "backend/simulator/decode/Form.h"

#include "backend/simulator/decode/Decoder.h"
#include "backend/simulator/machine/Memory.h"
#include "backend/simulator/machine/SpecialRegisters.h"

#include <cstring>

namespace tile::sim {

/// Registers keep 4, 8 or 16 bytes a lane; predicates are kept apart.
static unsigned keptBytes(ptx::Type type) {
  unsigned size = ptx::sizeOf(type);
  return size == 0 ? 0 : size <= 4 ? 4 : size;
}

bool Form::take(std::string_view modifier) {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i] && instruction.modifiers[i] == modifier)
      return taken[i] = true;
  return false;
}

int Form::takeOne(std::initializer_list<std::string_view> modifiers) {
  int index = 0;
  for (std::string_view modifier : modifiers) {
    if (take(modifier))
      return index;
    ++index;
  }
  return -1;
}

std::optional<ptx::Type> Form::takeTypeIfAny() {
  for (size_t i = 0; i < taken.size(); ++i)
    if (std::optional<ptx::Type> type; !taken[i] && (type = ptx::typeNamed(instruction.modifiers[i]))) {
      taken[i] = true;
      return type;
    }
  return std::nullopt;
}

ptx::Type Form::takeType() {
  std::optional<ptx::Type> type = takeTypeIfAny();
  if (!type)
    refuse("it names no type");
  return type.value_or(ptx::Type::B32);
}

void Form::ignore(std::initializer_list<std::string_view> names) {
  for (size_t i = 0; i < taken.size(); ++i)
    for (std::string_view name : names) {
      std::string_view modifier = instruction.modifiers[i];
      bool isFamily = name.back() == ':' && modifier.substr(0, name.size()) == name;
      if (!taken[i] && (modifier == name || isFamily))
        taken[i] = true;
    }
}

bool Form::expectOperands(size_t count) {
  if (operandCount() == count)
    return true;
  refuse("it has " + std::to_string(operandCount()) + " operands; expected " + std::to_string(count));
  return false;
}

unsigned Form::width(const ptx::Operand &operand) {
  const Decoder::Register *known = operand.kind == ptx::Operand::Kind::Register
                                       ? decoder.findRegister(*decoder.frames.back(), operand.name)
                                       : nullptr;
  return known ? keptBytes(known->type) : 0;
}

Slot Form::result(const ptx::Operand &operand, ptx::Type type, bool mayBeWider) {
  if (operand.kind == ptx::Operand::Kind::Sink) {
    results.push_back(decoder.newRegister(type));
    return results.back();
  }
  const Decoder::Register *known = operand.kind == ptx::Operand::Kind::Register
                                       ? decoder.findRegister(*decoder.frames.back(), operand.name)
                                       : nullptr;
  if (!known) {
    refuse("its result is `" + operand.name + "`; expected a register");
    return {};
  }
  unsigned expected = keptBytes(type), found = keptBytes(known->type);
  if (found != expected && !(mayBeWider && found > expected && expected))
    refuse("`" + operand.name + "` is ." + std::string(ptx::nameOf(known->type)) + "; expected ." +
           std::string(ptx::nameOf(type)));
  results.push_back(known->slot);
  return known->slot;
}

Slot Form::constant(uint64_t bits, ptx::Type type) {
  sources.push_back(decoder.constantSlot(bits, type));
  return sources.back();
}

void Form::carryResult() { results.push_back(decoder.carrySlot()); }
void Form::carrySource() { sources.push_back(decoder.carrySlot()); }

Slot Form::source(const ptx::Operand &operand, ptx::Type type, bool mayBeWider) {
  switch (operand.kind) {
  case ptx::Operand::Kind::Integer:
    return constant(operand.bits, type);
  case ptx::Operand::Kind::Float32:
  case ptx::Operand::Kind::Float64: {
    if (type == ptx::Type::F32 && operand.kind == ptx::Operand::Kind::Float64) {
      double wide;
      std::memcpy(&wide, &operand.bits, sizeof(wide));
      float narrow = float(wide);
      uint32_t bits;
      std::memcpy(&bits, &narrow, sizeof(bits));
      return constant(bits, type);
    }
    return constant(operand.bits, type);
  }
  case ptx::Operand::Kind::Symbol:
    if (operand.name == "WARP_SZ")
      return constant(kLanes, type);
    if (const PlacedVariable *variable = decoder.findVariable(operand.name))
      return constant(variable->address, type);
    refuse("`" + operand.name + "` is not declared");
    return {};
  case ptx::Operand::Kind::Register:
    break;
  default:
    refuse("an operand has a form that it does not take");
    return {};
  }
  const Decoder::Register *known = decoder.findRegister(*decoder.frames.back(), operand.name);
  if (!known) {
    refuse("`" + operand.name + "` is not declared");
    return {};
  }
  unsigned expected = keptBytes(type), found = keptBytes(known->type);
  if (found != expected && !(mayBeWider && found > expected && expected))
    refuse("`" + operand.name + "` is ." + std::string(ptx::nameOf(known->type)) + "; expected ." +
           std::string(ptx::nameOf(type)));
  sources.push_back(known->slot);
  return known->slot;
}

void Form::address(size_t index, ptx::Space space, Access &access) {
  const ptx::Operand &place = operand(index);
  if (place.kind != ptx::Operand::Kind::Address) {
    refuse("operand " + std::to_string(index + 1) + " is no address");
    return;
  }
  access.space = space;
  op.immediate = int64_t(place.bits);
  if (place.isRegister) {
    const Decoder::Register *known = decoder.findRegister(*decoder.frames.back(), place.name);
    if (!known) {
      refuse("`" + place.name + "` is not declared");
      return;
    }
    access.narrowAddress = keptBytes(known->type) == 4;
    sources.push_back(known->slot);
    return;
  }
  if (place.name.empty()) {
    constant(0, ptx::Type::U64);
    return;
  }
  Decoder::Frame &frame = *decoder.frames.back();
  if (auto variable = frame.callVariables.find(place.name); variable != frame.callVariables.end()) {
    access.space = ptx::Space::Parameter;
    access.isCallParameter = true;
    constant(variable->second, ptx::Type::U64);
    return;
  }
  const PlacedVariable *variable = decoder.findVariable(place.name);
  if (!variable) {
    refuse("`" + place.name + "` is not declared");
    return;
  }
  constant(variable->address, ptx::Type::U64);
}

void Form::target(size_t index) {
  Decoder::Frame &frame = *decoder.frames.back();
  auto label = frame.function.labels.find(operand(index).name);
  if (label == frame.function.labels.end()) {
    refuse("`" + operand(index).name + "` is no label");
    return;
  }
  frame.branches.push_back({uint32_t(decoder.program->ops.size()), label->second});
}

void Form::targetEnd() {
  Decoder::Frame &frame = *decoder.frames.back();
  frame.branches.push_back({uint32_t(decoder.program->ops.size()), frame.function.instructions.size()});
}

void Form::targets(size_t index, Handler handler) {
  Decoder::Frame &frame = *decoder.frames.back();
  auto list = frame.function.branchTargets.find(operand(index).name);
  if (list == frame.function.branchTargets.end()) {
    refuse("`" + operand(index).name + "` is no list of targets");
    return;
  }
  std::vector<size_t> places;
  for (const std::string &name : list->second) {
    auto label = frame.function.labels.find(name);
    if (label == frame.function.labels.end()) {
      refuse("`" + name + "` is no label");
      return;
    }
    places.push_back(label->second);
  }
  run(handler, uint32_t(decoder.program->targetLists.size()));
  decoder.program->targetLists.emplace_back();
  frame.indexedBranches.push_back({op.mode, std::move(places)});
}

bool Form::isInlined() const { return decoder.frames.size() > 1; }

void Form::run(Handler handler, const Access &access) {
  run(handler, uint32_t(decoder.program->accesses.size()));
  decoder.program->accesses.push_back(access);
}

void Form::run(Handler handler, std::shared_ptr<const void> details) {
  run(handler, uint32_t(decoder.program->details.size()));
  decoder.program->details.push_back(std::move(details));
}

numerics::Generation Form::generation() const {
  static constexpr std::pair<std::string_view, numerics::Generation> kGenerations[] = {
      {"sm_80", numerics::Generation::Sm80},
      {"sm_86", numerics::Generation::Sm86},
      {"sm_87", numerics::Generation::Sm86},
      {"sm_89", numerics::Generation::Sm89}};
  for (auto [name, generation] : kGenerations)
    if (decoder.program->target.compare(0, name.size(), name) == 0)
      return generation;
  return numerics::Generation::Sm90;
}

void Form::startsAsyncMatrix() { op.startsAsyncMatrix = decoder.program->usesAsyncMma = true; }

void Form::noteCommunication(const Access &access) {
  decoder.program->lanesMayPoll |= access.order != Access::Order::Weak;
  if (access.order != Access::Order::Weak && access.space != ptx::Space::Shared)
    decoder.program->communicates = true;
}

Transfer &Form::transfers(Transfer::Kind kind, const Access &access, unsigned addressSource) {
  Transfer transfer;
  transfer.op = uint32_t(decoder.program->ops.size());
  transfer.kind = kind;
  transfer.access = access;
  transfer.addressSource = uint8_t(addressSource);
  transfer.displacement = op.immediate;
  decoder.program->transfers.push_back(transfer);
  return decoder.program->transfers.back();
}

MatrixWork &Form::multiplies(const numerics::FragmentShape &shape, std::string types, unsigned warps) {
  MatrixWork work;
  work.op = uint32_t(decoder.program->ops.size());
  work.types = std::move(types);
  work.flops = 2ull * unsigned(shape.m) * unsigned(shape.n) * unsigned(shape.k) / warps;
  decoder.program->matrixWork.push_back(std::move(work));
  return decoder.program->matrixWork.back();
}

void Form::refuse(std::string message) {
  if (problem.empty())
    problem = std::move(message);
}

/// What nobody took is not known.
void Form::finish() {
  for (size_t i = 0; i < taken.size(); ++i)
    if (!taken[i])
      refuse("`." + instruction.modifiers[i] + "` is not known here");
  if (!op.run)
    refuse("this form is not known");
}

} // namespace tile::sim
