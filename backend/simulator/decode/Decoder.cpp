#include "backend/simulator/decode/Decoder.h"

#include "backend/simulator/decode/InstructionTable.h"
#include "backend/simulator/exec/Control.h"
#include "backend/simulator/exec/SystemCalls.h"
#include "backend/simulator/machine/SpecialRegisters.h"

#include <algorithm>
#include <cstring>

namespace tile::sim {

bool Decoder::refuse(std::string message, unsigned line) {
  if (refusal.message.empty())
    refusal = {std::move(message), line};
  return false;
}

// Registers and constants.

Slot Decoder::newRegister(ptx::Type type) {
  unsigned size = ptx::sizeOf(type);
  Slot slot{program->registerRows, program->registerCount++};
  program->registerRows += size == 0 ? 0 : (std::max(size, 4u) + 3) / 4;
  return slot;
}

/// One carry for all functions: no call keeps it (PTX ISA 9.0, 9.7.2).
Slot Decoder::carrySlot() {
  if (!carry)
    carry = newRegister(ptx::Type::Pred);
  return *carry;
}

Slot Decoder::constantSlot(uint64_t bits, ptx::Type type) {
  unsigned size = ptx::sizeOf(type);
  if (type == ptx::Type::Pred)
    return {0, bits ? kTrueIndex : kConstantIndex};
  if (size <= 4)
    bits &= size == 4 || size == 0 ? 0xffffffff : (1ull << 8 * size) - 1;
  unsigned rows = size <= 4 ? 1 : size / 4;
  auto [known, isNew] = constants.try_emplace({bits, rows});
  if (!isNew)
    return known->second;
  std::vector<Row> &table = program->constants;
  known->second = {uint32_t(table.size()) | Slot::kConstant, kConstantIndex};
  table.resize(table.size() + rows);
  unsigned char *bytes = table[table.size() - rows].bytes;
  // Above the 64 bits of a 128-bit constant are zeros.
  unsigned stride = rows * 4;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(bytes + stride * lane, &bits, std::min(stride, 8u));
  return known->second;
}

/// The number at the end of `%r17` if it counts registers of `family`.
static bool isMember(const ptx::RegisterFamily &family, std::string_view name) {
  if (!family.count)
    return name == family.name;
  if (name.size() <= family.name.size() || name.size() > family.name.size() + 9 ||
      name.compare(0, family.name.size(), family.name) != 0)
    return false;
  uint64_t number = 0;
  for (char digit : name.substr(family.name.size())) {
    if (digit < '0' || digit > '9')
      return false;
    number = number * 10 + (digit - '0');
  }
  return number < *family.count;
}

const Decoder::Register *Decoder::findRegister(Frame &frame, std::string_view name) {
  if (auto known = frame.registers.find(name); known != frame.registers.end())
    return &known->second;
  for (const ptx::RegisterFamily &family : frame.function.registers)
    if (isMember(family, name))
      return &frame.registers.try_emplace(std::string(name), Register{newRegister(family.type), family.type})
                  .first->second;
  std::optional<ptx::Type> type = typeOfSpecialRegister(name);
  if (!type)
    return nullptr;
  auto [special, isNew] = specials.try_emplace(std::string(name));
  if (isNew) {
    special->second = newRegister(*type);
    program->specials.push_back({std::string(name), special->second});
  }
  return &frame.registers.try_emplace(std::string(name), Register{special->second, *type}).first->second;
}

// Instructions.

/// The line of the function being decoded that an instruction belongs to.
ptx::Location Decoder::lineOf(const ptx::Instruction &instruction) {
  Frame &frame = *frames.back();
  // Line 0 is code that a compiler knows no line of, such as constants that it moved: it belongs to what is around it.
  if (instruction.location.line)
    frame.line = instruction.caller.line ? instruction.caller : instruction.location;
  return instruction.location.file ? frame.line : ptx::Location();
}

uint32_t Decoder::addOrigin(const ptx::Instruction &instruction) {
  ptx::Location charged = lineOf(instruction);
  // Of the calls that it is in, the first one with a place is the outermost.
  for (const Frame *frame : frames)
    if (frame->call.line) {
      charged = frame->call;
      break;
    }
  program->origins.push_back(
      {instruction.mnemonic(), instruction.line, instruction.location, instruction.opcode, charged});
  return program->origins.size() - 1;
}

void Decoder::append(Op op, const std::vector<Slot> &results, const std::vector<Slot> &sources, uint32_t origin) {
  op.results = results.size();
  op.sources = sources.size();
  op.origin = origin;
  operandRanges.push_back({program->slotPool.size(), program->ops.size()});
  program->slotPool.insert(program->slotPool.end(), results.begin(), results.end());
  program->slotPool.insert(program->slotPool.end(), sources.begin(), sources.end());
  program->ops.push_back(op);
}

bool Decoder::readGuard(const ptx::Instruction &instruction, Op &op) {
  if (instruction.guard.empty())
    return true;
  const Register *guard = findRegister(*frames.back(), instruction.guard);
  if (!guard || guard->type != ptx::Type::Pred)
    return refuse("the guard `" + instruction.guard + "` is not a predicate", instruction.line);
  op.guarded = true;
  op.guardNegated = instruction.guardNegated;
  op.guard = guard->slot;
  return true;
}

bool Decoder::decodeInstruction(Frame &frame, const ptx::Instruction &instruction) {
  auto refuseHere = [&](const std::string &why) {
    return refuse("`" + instruction.mnemonic() + "`: " + why, instruction.line);
  };
  const InstructionRow *row = findRow(instruction);
  if (!row && instruction.opcode == "call")
    return decodeCall(instruction);
  if (!row)
    return refuseHere("the simulator does not know this instruction");

  if (program->ops.size() >= kMostOperations)
    return refuseHere("the kernel has more than " + std::to_string(kMostOperations) +
                      " instructions with its calls inlined");
  Form form(*this, instruction);
  if (!readGuard(instruction, form.op))
    return false;
  row->decode(form);
  form.finish();
  if (form.refused())
    return refuseHere(form.refusal());
  append(form.op, form.results, form.sources, addOrigin(instruction));
  return true;
}

bool Decoder::bindArguments(Frame &callee, const std::vector<ptx::Variable> &formals, const ptx::Operand &actuals,
                            const ptx::Instruction &instruction) {
  if (formals.size() != actuals.parts.size())
    return refuse("`call` of `" + callee.function.name + "` with " + std::to_string(actuals.parts.size()) +
                      " arguments; expected " + std::to_string(formals.size()),
                  instruction.line);
  Frame &caller = *frames.back();
  for (size_t i = 0; i < formals.size(); ++i) {
    const ptx::Operand &actual = actuals.parts[i];
    if (formals[i].space == ptx::Space::Register) {
      // A register hands over its value by being the callee's register.
      const Register *known = findRegister(caller, actual.name);
      if (!known)
        return refuse("`call` with `" + actual.name + "`; expected a register", instruction.line);
      callee.registers.try_emplace(formals[i].name, *known);
      continue;
    }
    auto variable = caller.callVariables.find(actual.name);
    if (variable == caller.callVariables.end())
      return refuse("`call` with `" + actual.name + "`; expected a variable in parameter space", instruction.line);
    callee.callVariables[formals[i].name] = variable->second;
  }
  return true;
}

/// Nothing if the system has no function of this name.
std::optional<bool> Decoder::decodeSystemCall(const std::string &name, const ptx::Operand &results,
                                              const ptx::Operand &arguments, const ptx::Instruction &instruction) {
  const SystemCall *call = findSystemCall(name);
  if (!call)
    return std::nullopt;
  if (arguments.parts.size() != call->arguments)
    return refuse("`call` of `" + name + "` with " + std::to_string(arguments.parts.size()) + " arguments; expected " +
                      std::to_string(call->arguments),
                  instruction.line);
  Op op;
  op.run = call->handler;
  if (!readGuard(instruction, op))
    return false;
  std::vector<Slot> sources;
  for (const std::vector<ptx::Operand> *list : {&arguments.parts, &results.parts})
    for (const ptx::Operand &operand : *list) {
      auto variable = frames.back()->callVariables.find(operand.name);
      if (variable == frames.back()->callVariables.end())
        return refuse("`call` with `" + operand.name + "`; expected a variable in parameter space", instruction.line);
      sources.push_back(constantSlot(variable->second, ptx::Type::U64));
    }
  append(op, {}, sources, addOrigin(instruction));
  return true;
}

/// The body of the callee in place of the call; its return is a jump behind it.
bool Decoder::decodeCall(const ptx::Instruction &instruction) {
  // `call (results), name, (arguments), prototype;` where either list may be missing.
  const ptx::Operand none{ptx::Operand::Kind::List, false, false, {}, 0, {}};
  const ptx::Operand *results = &none, *arguments = &none, *name = nullptr;
  for (const ptx::Operand &operand : instruction.operands) {
    if (operand.kind == ptx::Operand::Kind::List)
      (name ? arguments : results) = &operand;
    else if (!name)
      name = &operand;
  }
  if (!name || name->kind != ptx::Operand::Kind::Symbol)
    return refuse("`call` through a register; the simulator knows direct calls only", instruction.line);
  if (std::optional<bool> decoded = decodeSystemCall(name->name, *results, *arguments, instruction))
    return *decoded;
  const ptx::Function *callee = module.find(name->name);
  if (!callee || callee->isDeclaration)
    return refuse("`call` of `" + name->name + "`, which the module does not define", instruction.line);
  for (const Frame *frame : frames)
    if (&frame->function == callee)
      return refuse("`call` of `" + name->name + "`, which calls itself; the simulator does not know recursion",
                    instruction.line);

  // A guarded call skips the body.
  std::optional<uint32_t> skip;
  if (!instruction.guard.empty()) {
    Op jump;
    jump.run = runBranch;
    if (!readGuard(instruction, jump))
      return false;
    jump.guardNegated = !jump.guardNegated;
    skip = program->ops.size();
    append(jump, {}, {}, addOrigin(instruction));
  }
  Frame frame{*callee, {}, {}, {}, {}, {}, lineOf(instruction), {}};
  if (!bindArguments(frame, callee->results, *results, instruction) ||
      !bindArguments(frame, callee->parameters, *arguments, instruction))
    return false;
  frames.push_back(&frame);
  bool decoded = decodeBody(frame);
  frames.pop_back();
  if (skip)
    program->ops[*skip].immediate = program->ops.size();
  return decoded;
}

bool Decoder::decodeBody(Frame &frame) {
  for (const ptx::Variable &variable : frame.function.variables)
    // Shared ones are one for all threads and all calls, placed before.
    if (variable.space != ptx::Space::Shared && !placeVariable(variable))
      return false;
  for (const ptx::Instruction &instruction : frame.function.instructions) {
    frame.places.push_back(program->ops.size());
    if (!decodeInstruction(frame, instruction))
      return false;
  }
  frame.places.push_back(program->ops.size());
  for (auto [operation, instruction] : frame.branches)
    program->ops[operation].immediate = frame.places[instruction];
  for (const auto &[list, instructions] : frame.indexedBranches)
    for (size_t instruction : instructions)
      program->targetLists[list].push_back(frame.places[instruction]);
  return true;
}

/// Where lanes that went apart may come together: behind a branch and where one goes to.
void Decoder::markLeaders() {
  for (size_t i = 0; i < program->ops.size(); ++i) {
    std::vector<uint32_t> targets = targetsOf(*program, program->ops[i]);
    if (!targets.empty() && i + 1 < program->ops.size())
      program->ops[i + 1].leader = true;
    for (uint32_t target : targets)
      program->ops[target].leader = true;
  }
}

/// Falling off the end is a return.
void Decoder::appendExit(const ptx::Function &kernel) {
  Op exit;
  exit.run = runExit;
  ptx::Instruction written;
  written.opcode = "ret";
  written.line = kernel.instructions.empty() ? kernel.line : kernel.instructions.back().line;
  append(exit, {}, {}, addOrigin(written));
}

void Decoder::readDirectives(const ptx::Function &kernel) {
  if (auto required = kernel.directives.find("reqntid"); required != kernel.directives.end())
    for (unsigned axis = 0; axis < 3; ++axis)
      program->requiredThreads[axis] = axis < required->second.size() ? required->second[axis] : 1;
  if (auto most = kernel.directives.find("maxntid"); most != kernel.directives.end()) {
    program->maximumThreads = 1;
    for (uint64_t extent : most->second)
      program->maximumThreads *= extent;
  }
}

std::variant<std::unique_ptr<const Program>, Refusal> Decoder::decode(const ptx::Function &kernel) {
  program->kernel = kernel.name;
  program->target = module.target;
  program->files = module.files;
  program->registerCount = kTrueIndex + 1;
  Frame frame{kernel, {}, {}, {}, {}, {}, {}, {}};
  frames.push_back(&frame);
  if (!placeModuleVariables(kernel) || !placeParameters(kernel) || !relocate() || !decodeBody(frame))
    return refusal;
  appendExit(kernel);
  for (auto [first, op] : operandRanges) // the pool moves no more
    program->ops[op].operands = program->slotPool.data() + first;
  markLeaders();
  readDirectives(kernel);
  return std::move(program);
}

} // namespace tile::sim
