// Integer arithmetic, logic, shifts, bit fields and their kin.
#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

using Names = std::vector<std::string>;

/// Forms that take operands of these bytes and give `resultBytes`.
static void giveForms(const Sink &sink, const std::string &name, const std::vector<unsigned> &operands,
                      unsigned resultBytes, const std::vector<FormText> &forms) {
  std::vector<OperandType> types;
  for (unsigned bytes : operands)
    types.push_back({nullptr, bytes});
  sink(elementwise({name, operands, resultBytes, forms}, operandColumns(types, 8192, 8192, name.size())));
}
static void give(const Sink &sink, const std::string &name, const std::vector<unsigned> &operands, unsigned resultBytes,
                 const Names &forms) {
  giveForms(sink, name, operands, resultBytes, plainForms(forms));
}

static Names withTypes(const Names &opcodes, const Names &types) {
  Names all;
  for (const std::string &opcode : opcodes)
    for (const std::string &type : types)
      all.push_back(opcode + "." + type);
  return all;
}

/// What all widths have.
static void giveWidth(const Sink &sink, unsigned bytes) {
  std::string bits = std::to_string(8 * bytes), u = "u" + bits, s = "s" + bits, b = "b" + bits;
  auto named = [&](const char *name) { return std::string(name) + "." + b; };
  std::vector<unsigned> one = {bytes}, two = {bytes, bytes}, three = {bytes, bytes, bytes};
  give(sink, named("sums"), two, bytes,
       withTypes({"add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"}, {u, s}));
  give(sink, named("logic"), two, bytes, withTypes({"and", "or", "xor"}, {b}));
  give(sink, named("unary"), one, bytes, {"abs." + s, "neg." + s, "not." + b, "cnot." + b});
  give(sink, named("mad"), three, bytes, withTypes({"mad.lo", "mad.hi", "sad"}, {u, s}));
  give(sink, named("shifts"), {bytes, 4}, bytes, {"shl." + b, "shr." + u, "shr." + s, "shr." + b});
  if (bytes < 8) {
    std::string wide = bytes == 2 ? "32" : "64";
    give(sink, named("wide"), two, 2 * bytes, withTypes({"mul.wide"}, {u, s}));
    give(sink, named("mad-wide"), {bytes, bytes, 2 * bytes}, 2 * bytes, withTypes({"mad.wide"}, {u, s}));
  }
  if (bytes == 2)
    return;
  give(sink, named("counts"), one, 4,
       {"popc." + b, "clz." + b, "bfind." + u, "bfind." + s, "bfind.shiftamt." + u, "bfind.shiftamt." + s});
  give(sink, named("brev"), one, bytes, {"brev." + b});
  give(sink, named("bfe"), {bytes, 4, 4}, bytes, withTypes({"bfe"}, {u, s}));
  giveForms(
      sink, named("bfi"), three, bytes,
      {{"bfi." + b, bytes == 4 ? "bfi.b32 $d, $a, $b, $c, 5;" : "cvt.u32.u64 %r30, $c; bfi.b64 $d, $a, $b, %r30, 5;"},
       {"bfi." + b + " with a length",
        bytes == 4 ? "bfi.b32 $d, $a, $b, 3, $c;" : "cvt.u32.u64 %r30, $c; bfi.b64 $d, $a, $b, 3, %r30;"}});
  std::vector<FormText> carries;
  for (std::string opcode : {"add", "sub"})
    carries.push_back({opcode + "c.cc." + u, opcode + ".cc." + u + " $d, $a, $b; " + opcode + "c.cc." + u +
                                                 " $d, $b, $c; " + opcode + "c." + u + " $d, $d, $a;"});
  for (std::string half : {"lo", "hi"})
    carries.push_back({"madc." + half + ".cc." + u, "mad." + half + ".cc." + u + " $d, $a, $b, $c; madc." + half +
                                                        ".cc." + u + " $d, $b, $c, $a; madc." + half + "." + u +
                                                        " $d, $d, $a, $b;"});
  giveForms(sink, named("carries"), three, bytes, carries);
}

void giveIntegers(const Sink &sink) {
  for (unsigned bytes : {2u, 4u, 8u})
    giveWidth(sink, bytes);
  std::vector<unsigned> two = {4, 4}, three = {4, 4, 4};
  give(sink, "sat.s32", two, 4, {"add.sat.s32", "sub.sat.s32"});
  give(sink, "relu", two, 4, withTypes({"min.relu", "max.relu"}, {"s32", "s16x2"}));
  give(sink, "x2", two, 4, withTypes({"add", "min", "max"}, {"u16x2", "s16x2"}));
  give(sink, "mul24", two, 4, withTypes({"mul24.lo", "mul24.hi"}, {"u32", "s32"}));
  Names mad24 = withTypes({"mad24.lo", "mad24.hi"}, {"u32", "s32"});
  mad24.push_back("mad24.hi.sat.s32");
  mad24.push_back("mad.hi.sat.s32");
  give(sink, "mad24", three, 4, mad24);
  give(sink, "dots", three, 4, combinations("dp4a", {{"u32", "s32"}, {"u32", "s32"}}));
  give(sink, "dots-halves", three, 4, combinations("dp2a", {{"lo", "hi"}, {"u32", "s32"}, {"u32", "s32"}}));
  std::vector<FormText> tables;
  for (unsigned table : {0x00, 0x01, 0x17, 0x3c, 0x80, 0x96, 0xca, 0xe8, 0xf8, 0xff})
    tables.push_back(
        {"lop3.b32 of " + std::to_string(table), "lop3.b32 $d, $a, $b, $c, " + std::to_string(table) + ";"});
  for (std::string join : {"or", "and"})
    tables.push_back({"lop3." + join + ".b32", "setp.lt.s32 %p2, $a, $b; lop3." + join +
                                                   ".b32 $d|%p1, $a, $b, $c, 0x80, !%p2; selp.b32 %r30, 1, 0, %p1; "
                                                   "xor.b32 $d, $d, %r30;"});
  giveForms(sink, "lop3", three, 4, tables);
  give(sink, "prmt", three, 4, combinations("prmt", {{"b32"}, {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}}));
  give(sink, "shf", three, 4, combinations("shf", {{"l", "r"}, {"wrap", "clamp"}, {"b32"}}));
  give(sink, "bmsk", two, 4, combinations("bmsk", {{"clamp", "wrap"}, {"b32"}}));
  give(sink, "szext", two, 4, combinations("szext", {{"clamp", "wrap"}, {"u32", "s32"}}));
  giveForms(sink, "fns", three, 4,
            {{"fns.b32", "and.b32 %r30, $b, 31; bfe.s32 %r31, $c, 0, 6; fns.b32 $d, $a, %r30, %r31;"}});
}

} // namespace tile::sim::validate
