/// Where variables and parameters lie, each in its space, and what is refused because no GPU has room for it.
#include "backend/simulator/decode/Decoder.h"

#include "backend/simulator/machine/Limits.h"
#include "backend/simulator/machine/Memory.h"

#include <algorithm>
#include <cstring>

namespace tile::sim {

static uint64_t alignTo(uint64_t offset, uint64_t align) {
  return align ? (offset + align - 1) / align * align : offset;
}

const PlacedVariable *Decoder::findVariable(std::string_view name) const {
  // What a function declares hides what the module declares.
  for (auto variable = program->variables.rbegin(); variable != program->variables.rend(); ++variable)
    if (variable->name == name)
      return &*variable;
  return nullptr;
}

/// The place of `variable` behind what ends at `end`, which moves behind it; refused beyond `limit`.
std::optional<uint64_t> Decoder::takePlace(const ptx::Variable &variable, uint64_t &end, const SpaceLimit &limit) {
  uint64_t place = alignTo(end, variable.align);
  end = place + variable.bytes;
  if (end <= limit.bytes)
    return place;
  refuse("found " + std::to_string(end) + " bytes of " + limit.what + " with `" + variable.name +
             "`; expected at most " + std::to_string(limit.bytes) + limit.of,
         variable.line);
  return std::nullopt;
}

bool Decoder::placeVariable(const ptx::Variable &variable) {
  PlacedVariable placed{variable.name, variable.space, 0, variable.bytes, variable.initial, variable.type};
  std::optional<uint64_t> place = 0;
  switch (variable.space) {
  case ptx::Space::Shared:
    if (variable.isExtern) // placed behind the others
      return true;
    place = takePlace(variable, program->sharedBytes,
                      {sharedLimitsOf(module.target).fixed, "static shared memory",
                       " on " + module.target + ", and more only as `.extern .shared`"});
    placed.address = kSharedStart + place.value_or(0);
    break;
  case ptx::Space::Local:
    place = takePlace(variable, program->localBytes, {kMostLocalBytes, "local memory", ", which a thread has"});
    placed.address = place.value_or(0);
    break;
  case ptx::Space::Constant:
    place = takePlace(variable, program->constantBytes, {kMostConstantBytes, "constant memory", " in a module"});
    placed.address = genericAddress(kConstantWindow, place.value_or(0));
    break;
  case ptx::Space::Global:
    place = takePlace(variable, globalBytes, {kMostVariableBytes, "global variables", " on the simulator"});
    placed.address = genericAddress(kVariableWindow + variableWindows++, 0);
    break;
  case ptx::Space::Parameter:
    place = takePlace(variable, program->callBytes, {kMostLocalBytes, "parameters of calls", ", which a thread has"});
    frames.back()->callVariables[variable.name] = place.value_or(0);
    return place.has_value();
  default:
    return true;
  }
  program->variables.push_back(std::move(placed));
  return place.has_value();
}

static void addNames(const ptx::Operand &operand, std::vector<std::string_view> &names) {
  if (!operand.name.empty())
    names.push_back(operand.name);
  for (const ptx::Operand &part : operand.parts)
    addNames(part, names);
}

/// Variables and functions that `kernel` names, those that they name in turn, and all that an initial value names.
Decoder::Names Decoder::namesUsedBy(const ptx::Function &kernel) const {
  std::vector<std::string_view> open;
  for (const ptx::Variable &variable : module.variables)
    for (const ptx::Relocation &relocation : variable.relocations)
      open.push_back(relocation.symbol);
  auto addBody = [&](const ptx::Function &function) {
    for (const ptx::Instruction &instruction : function.instructions)
      for (const ptx::Operand &operand : instruction.operands)
        addNames(operand, open);
  };
  addBody(kernel);
  Names used;
  while (!open.empty()) {
    std::string_view name = open.back();
    open.pop_back();
    if (!used.insert(name).second)
      continue;
    if (const ptx::Function *function = module.find(name)) {
      used.insert(function->name); // `name` may be an alias
      addBody(*function);
    }
  }
  return used;
}

/// Static shared variables lie first, those of functions among them; all `.extern .shared` arrays start at the same
/// place behind them. Those that other kernels use take no place, as `ptxas` has it.
bool Decoder::placeModuleVariables(const ptx::Function &kernel) {
  Names used = namesUsedBy(kernel);
  for (const ptx::Variable &variable : module.variables)
    if ((variable.space != ptx::Space::Shared || used.count(variable.name)) && !placeVariable(variable))
      return false;
  for (const ptx::Function &function : module.functions)
    if (&function == &kernel || used.count(function.name))
      for (const ptx::Variable &variable : function.variables)
        if (variable.space == ptx::Space::Shared && !placeVariable(variable))
          return false;
  placeDynamicShared();
  return true;
}

void Decoder::placeDynamicShared() {
  uint64_t align = 16; // what the hardware gives at least
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == ptx::Space::Shared && variable.isExtern)
      align = std::max(align, variable.align);
  program->dynamicSharedOffset = alignTo(program->sharedBytes, align);
  for (const ptx::Variable &variable : module.variables)
    if (variable.space == ptx::Space::Shared && variable.isExtern)
      program->variables.push_back(
          {variable.name, ptx::Space::Shared, kSharedStart + program->dynamicSharedOffset, 0, {}, variable.type});
}

/// Puts addresses into initial values, now that every variable of the module has its own.
bool Decoder::relocate() {
  for (const ptx::Variable &variable : module.variables)
    for (const ptx::Relocation &relocation : variable.relocations) {
      const PlacedVariable *symbol = findVariable(relocation.symbol);
      if (!symbol)
        return refuse("the initial value of `" + variable.name + "` has the address of `" + relocation.symbol +
                          "`; the simulator knows those of variables alone",
                      variable.line);
      uint64_t address = symbol->address + relocation.addend;
      if (relocation.isGeneric && symbol->space == ptx::Space::Shared)
        address = genericAddress(kSharedWindow, address);
      address = (address & relocation.mask) >> (relocation.mask ? __builtin_ctzll(relocation.mask) : 0);
      for (PlacedVariable &placed : program->variables)
        if (placed.name == variable.name)
          std::memcpy(placed.initial.data() + relocation.offset, &address, ptx::sizeOf(variable.type));
    }
  return true;
}

bool Decoder::placeParameters(const ptx::Function &kernel) {
  for (const ptx::Variable &parameter : kernel.parameters) {
    std::optional<uint64_t> place =
        takePlace(parameter, program->parameterBytes, {kMostParameterBytes, "parameters", " of a kernel"});
    if (!place)
      return false;
    program->parameterOffsets.push_back(*place);
    program->variables.push_back({parameter.name, ptx::Space::Parameter, *place, parameter.bytes, {}, parameter.type});
  }
  program->parameters = kernel.parameters;
  return true;
}

} // namespace tile::sim
