// Comparisons, tests and selections: `set`, `setp`, `selp`, `slct`, `testp`.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

using Names = std::vector<std::string>;

/// `instruction` with a predicate for its result, stored as 0 or 1.
static FormText asBit(const std::string &instruction, const std::string &operands) {
  return {instruction, instruction + " %p1, " + operands + "; selp.b32 $d, 1, 0, %p1;"};
}

static void give(const Sink &sink, const std::string &name, const OperandType &type, const Names &types,
                 const Names &comparisons, const Names &ftz) {
  std::vector<FormText> forms;
  for (const std::string &type : types)
    for (const std::string &instruction : combinations("setp", {comparisons, ftz, {type}}))
      forms.push_back(asBit(instruction, "$a, $b"));
  bool isShort = type.format && type.bytes == 2; // such a comparison has one result
  for (std::string join : {"and", "or", "xor"}) {
    std::string instruction = "setp." + comparisons[2] + "." + join + "." + types[0];
    if (isShort)
      forms.push_back(
          {instruction, "setp.ne." + types[0] + " %p3, $b, $a; " + asBit(instruction, "$a, $b, !%p3").code});
    else
      forms.push_back(
          {instruction + " p|q",
           "setp.ne." + types[0] + " %p3, $b, $a; " + instruction +
               " %p1|%p2, $a, $b, %p3; selp.b32 $d, 1, 0, %p1; selp.b32 %r30, 2, 0, %p2; or.b32 $d, $d, %r30;"});
  }
  for (const std::string &type : types)
    for (std::string result : {"u32", "s32", isShort ? "u32" : "f32"})
      for (const std::string &instruction :
           combinations("set", {{comparisons[0], comparisons[3]}, ftz, {result}, {type}}))
        forms.push_back({instruction});
  if (isShort)
    sink(elementwise({name + ".halves",
                      {2, 2},
                      2,
                      plainForms(combinations("set", {{"lt", "neu"}, ftz, {types[0], "u16", "s16"}, types}))},
                     operandColumns({type, type}, 16384, 8192, 6)));
  std::string joined = "set." + comparisons[2] + ".xor.u32." + types[0];
  forms.push_back({joined, "setp.ne." + types[0] + " %p3, $b, $a; " + joined + " $d, $a, $b, !%p3;"});
  sink(elementwise({name, {type.bytes, type.bytes}, 4, forms}, operandColumns({type, type}, 16384, 8192, name.size())));
}

/// Two halves in a word: their columns, and forms that compare both.
static void givePacked(const Sink &sink, const std::string &type, const Format &format, const Names &comparisons,
                       const Names &ftz) {
  std::vector<Values> columns = operandColumns({{&format, 2}, {&format, 2}}, 16384, 8192, 9);
  for (Values &column : columns)
    for (size_t i = 0; i < column.size(); ++i)
      column[i] |= (column[(i * 7 + 3) % column.size()] & 0xffff) << 16;
  std::vector<FormText> forms;
  for (const std::string &instruction : combinations("setp", {comparisons, ftz, {type}}))
    forms.push_back({instruction, instruction + " %p1|%p2, $a, $b; selp.b32 $d, 1, 0, %p1; selp.b32 %r30, 2, 0, %p2; "
                                                "or.b32 $d, $d, %r30;"});
  std::string joined = "setp.lt.and." + type;
  forms.push_back({joined, "setp.ne.b32 %p3, $b, $a; " + joined +
                               " %p1|%p2, $a, $b, %p3; selp.b32 $d, 1, 0, %p1; selp.b32 %r30, 2, 0, %p2; "
                               "or.b32 $d, $d, %r30;"});
  for (const std::string &instruction : combinations("set", {comparisons, ftz, {type + "." + type}}))
    forms.push_back({instruction});
  sink(elementwise({"set." + type, {4, 4}, 4, forms}, std::move(columns)));
}

void giveComparisons(const Sink &sink) {
  const Names ordered = {"eq", "ne", "lt", "le", "gt", "ge"}, unsignedOnes = {"eq", "ne", "lo", "ls", "hi", "hs"};
  Names all = ordered;
  for (const char *name : {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
    all.push_back(name);
  const Names none = {""}, ftz = {"", "ftz"};
  for (unsigned bytes : {2u, 4u, 8u}) {
    std::string bits = std::to_string(8 * bytes);
    give(sink, "signed" + bits, {nullptr, bytes}, {"s" + bits}, ordered, none);
    give(sink, "unsigned" + bits, {nullptr, bytes}, {"u" + bits}, unsignedOnes, none);
  }
  give(sink, "f32", {&numerics::kF32, 4}, {"f32"}, all, ftz);
  give(sink, "f64", {&numerics::kF64, 8}, {"f64"}, all, none);
  give(sink, "f16", {&numerics::kF16, 2}, {"f16"}, all, ftz);
  give(sink, "bf16", {&numerics::kBF16, 2}, {"bf16"}, all, none);
  givePacked(sink, "f16x2", numerics::kF16, all, ftz);
  givePacked(sink, "bf16x2", numerics::kBF16, all, none);

  for (auto [type, format, bytes] : {std::tuple("f32", &numerics::kF32, 4u), std::tuple("f64", &numerics::kF64, 8u)}) {
    std::vector<FormText> tests;
    for (const std::string &name :
         combinations("testp", {{"finite", "infinite", "number", "notanumber", "normal", "subnormal"}, {type}}))
      tests.push_back(asBit(name, "$a"));
    sink(elementwise({std::string("testp.") + type, {bytes}, 4, tests},
                     operandColumns({{format, bytes}}, 4096, 8192, 2)));
  }
  for (unsigned bytes : {2u, 4u, 8u}) {
    std::string b = "b" + std::to_string(8 * bytes);
    std::vector<Values> columns = operandColumns({{nullptr, bytes}, {nullptr, bytes}, {nullptr, 4}}, 8192, 8192, 3);
    std::vector<FormText> forms = {
        {"selp." + b, "setp.lt.s32 %p1, $c, 0; selp." + b + " $d, $a, $b, %p1;"},
        {"slct." + b + ".s32", "slct." + b + ".s32 $d, $a, $b, $c;"},
    };
    for (std::string flush : {"", "ftz."})
      forms.push_back({"slct." + flush + b + ".f32", "slct." + flush + b + ".f32 $d, $a, $b, $c;"});
    sink(elementwise({"select." + b, {bytes, bytes, 4}, bytes, forms}, std::move(columns)));
  }
}

} // namespace tile::sim::validate
