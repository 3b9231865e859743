/// \file
/// The table of types, and the questions that the module answers about itself.
#include "backend/simulator/ptx/Syntax.h"

#include <algorithm>

namespace tile::sim::ptx {

namespace {
struct TypeRow {
  Type type;
  std::string_view name;
  unsigned bytes;
};
} // namespace

/// In the order of `Type`, which is the index.
static constexpr TypeRow kTypes[] = {
    {Type::Pred, "pred", 0},     {Type::B8, "b8", 1},         {Type::B16, "b16", 2},     {Type::B32, "b32", 4},
    {Type::B64, "b64", 8},       {Type::B128, "b128", 16},    {Type::U8, "u8", 1},       {Type::U16, "u16", 2},
    {Type::U32, "u32", 4},       {Type::U64, "u64", 8},       {Type::S8, "s8", 1},       {Type::S16, "s16", 2},
    {Type::S32, "s32", 4},       {Type::S64, "s64", 8},       {Type::F16, "f16", 2},     {Type::F16x2, "f16x2", 4},
    {Type::BF16, "bf16", 2},     {Type::BF16x2, "bf16x2", 4}, {Type::TF32, "tf32", 4},   {Type::F32, "f32", 4},
    {Type::F32x2, "f32x2", 8},   {Type::F64, "f64", 8},       {Type::E4M3, "e4m3", 1},   {Type::E5M2, "e5m2", 1},
    {Type::E4M3x2, "e4m3x2", 2}, {Type::E5M2x2, "e5m2x2", 2}, {Type::U16x2, "u16x2", 4}, {Type::S16x2, "s16x2", 4},
};

static constexpr bool rowsAreInOrder() {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (kTypes[i].type != static_cast<Type>(i))
      return false;
  return true;
}
static_assert(rowsAreInOrder() && static_cast<size_t>(Type::S16x2) + 1 == std::size(kTypes));

std::optional<Type> typeNamed(std::string_view name) {
  for (const TypeRow &row : kTypes)
    if (row.name == name)
      return row.type;
  return std::nullopt;
}

std::string_view nameOf(Type type) { return kTypes[static_cast<size_t>(type)].name; }
unsigned sizeOf(Type type) { return kTypes[static_cast<size_t>(type)].bytes; }

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string Instruction::mnemonic() const {
  std::string text = opcode;
  for (const std::string &modifier : modifiers)
    text.append(1, '.').append(modifier);
  return text;
}

const Function *Module::find(std::string_view name) const {
  if (auto alias = aliases.find(name); alias != aliases.end())
    name = alias->second;
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

} // namespace tile::sim::ptx
