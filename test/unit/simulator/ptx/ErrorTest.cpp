// What is no PTX: the place, and what was found and expected there.
#include "ParsePtx.h"

#include "gtest/gtest.h"

using namespace tile::sim::ptx;
using namespace tile::sim::test;

namespace {
struct Fault {
  std::string text;
  unsigned line, column;
  const char *message;
};
} // namespace

static void expectFaults(const std::vector<Fault> &faults) {
  for (const Fault &fault : faults) {
    Parsed result = parse(fault.text);
    if (result) {
      ADD_FAILURE() << "accepted: " << fault.text;
      continue;
    }
    EXPECT_EQ(result.error().message, fault.message) << fault.text;
    EXPECT_EQ(result.error().line, fault.line) << fault.text;
    EXPECT_EQ(result.error().column, fault.column) << fault.text;
  }
}

TEST(PtxError, Words) {
  expectFaults({
      {"", 1, 1, "found the end of the text; expected `.version`"},
      {"/* x", 1, 1, "found a comment without end; expected `*/`"},
      {moduleOf(".file 1 \"a\nb\""), 4, 9, "found a string without end; expected `\"` on the same line"},
      {moduleOf("\\"), 4, 1, "found `\\`; expected PTX, which has no such character outside comments"},
      {moduleOf("\xff"), 4, 1, "found byte 0xff; expected PTX, which has no such character outside comments"},
      {moduleOf(std::string(1, '\0')), 4, 1,
       "found byte 0x00; expected PTX, which has no such character outside comments"},
  });
}

TEST(PtxError, Head) {
  expectFaults({
      {".target sm_80", 1, 1, "found `.target`; expected `.version`"},
      {".version 9", 1, 10, "found version `9`; expected two numbers such as 9.0"},
      {".version x", 1, 10, "found `x`; expected a version such as 9.0"},
      {".version 9.0 .func f;", 1, 14, "found `.func`; expected `.target`"},
      {".version 9.0 .target 90", 1, 22, "found `90`; expected a target such as `sm_90a`"},
      {".version 9.0 .target sm_80 .address_size 48", 1, 42, "found `48` bits of an address; expected 32 or 64"},
      {".version 9.0 .target sm_80 .address_size x", 1, 42, "found `x`; expected 32 or 64"},
  });
}

TEST(PtxError, ModuleItems) {
  expectFaults({
      {moduleOf("add"), 4, 1, "found `add`; expected a function, a variable or a directive of a module"},
      {moduleOf(".reg .b32 %r;"), 4, 1, "found `.reg`; expected a function, a variable or a directive of a module"},
      {moduleOf(".visible .file"), 4, 10, "found `.file`; expected a function or variable"},
      {moduleOf(".func 3"), 4, 7, "found `3`; expected the name of a function"},
      {moduleOf(".func f()\n.frob {"), 5, 1, "found `.frob`; expected a directive of a function, `;` or `{`"},
      {moduleOf(".func f() ret;"), 4, 11, "found `ret`; expected `{`"},
      {moduleOf(".func f(.param .b32 a"), 4, 22, "found the end of the text; expected `)`"},
      {moduleOf(".func f(.global .b32 a)"), 4, 9, "found `.global`; expected `.param` or `.reg`"},
      {moduleOf(".func f(.param .b32 a, .param .b32 a) { }"), 4, 36,
       "found a second parameter `a`; expected another name"},
      {moduleOf(".func f { ret; }\n.func f { ret; }"), 5, 7,
       "found a second definition of `f`; the first is in line 4"},
      {moduleOf(".global .b32 x;\n.global .b32 x;"), 5, 14, "found a second definition of `x`; the first is in line 4"},
      {moduleOf(".alias a, b;"), 4, 11, "found unknown name `b`; expected a label, function or variable"},
      {moduleOf(".file 65536 \"a\""), 4, 7, "found 65536; expected the index of a file, an integer of at most 65535"},
      {moduleOf(".file 1 a"), 4, 9, "found `a`; expected the name of a file"},
      {moduleOf(".section x"), 4, 10, "found `x`; expected the name of a section"},
      {moduleOf(".section .debug {"), 4, 18, "found the end of the text; expected `}`"},
      {moduleOf(".pragma nounroll;"), 4, 9, "found `nounroll`; expected a string"},
      {moduleOf(".func f .maxnreg x {"), 4, 18, "found `x`; expected a number"},
  });
}

TEST(PtxError, Variables) {
  expectFaults({
      {moduleOf(".global x;"), 4, 9, "found `x`; expected a type"},
      {moduleOf(".global .texref x;"), 4, 9, "found `.texref`; expected a type"},
      {moduleOf(".global .b32 .b32 x;"), 4, 14, "found `.b32`; expected a name"},
      {moduleOf(".global .align 3 .b8 x;"), 4, 16, "found alignment 3; expected a power of two"},
      {moduleOf(".global .align x .b8 x;"), 4, 16, "found `x`; expected an alignment"},
      {moduleOf(".global .b8 x[];"), 4, 13, "found `x[]` without a value; expected an extent, a value or `.extern`"},
      {moduleOf(".global .b8 x[2][];"), 4, 18, "found `]`; expected a constant"},
      {moduleOf(".global .b8 x[-1];"), 4, 15, "found -1; expected an extent, an integer of at most 17592186044416"},
      {moduleOf(".global .b8 x[1.5];"), 4, 15, "found `1.5`; expected an extent, an integer of at most 17592186044416"},
      {moduleOf(".global .b8 x[17592186044416][2];"), 4, 13, "found extents of `x` that exceed 17592186044416 bytes"},
      {moduleOf(".global .pred x;"), 4, 15, "found type `.pred` for `x`; expected one that memory can hold"},
      {moduleOf(".global .b8 x"), 4, 14, "found the end of the text; expected `;`"},
  });
}

TEST(PtxError, InitialValues) {
  expectFaults({
      {moduleOf(".global .b8 x[2] = {1, 2, 3};"), 4, 27, "found more values than the 2 of `x`"},
      {moduleOf(".global .b8 x[2][2] = {{1, 2, 3}};"), 4, 31, "found more values than the 2 of `x` there"},
      {moduleOf(".global .b8 x[2] = {{1}};"), 4, 21, "found `{`; expected a value; `x` has no further extent"},
      {moduleOf(".global .b8 x[2][2] = {1, 2};"), 4, 24, "found `1`; expected `{`; each extent of `x` has its braces"},
      {moduleOf(".global .b8 x[2][2] = {{1}, {2}};"), 4, 29,
       "found a row behind an incomplete one of `x`; expected all values of each but the last"},
      {moduleOf(".global .v4 .b8 x = {1, 2};"), 4, 26, "found 2 elements of a vector; expected 4"},
      {moduleOf(".global .b8 x[2] = 1;"), 4, 20, "found `1`; expected `{`"},
      {moduleOf(".global .b8 x = {1};"), 4, 17, "found `{`; expected a constant"},
      {moduleOf(".global .s32 x = 1.5;"), 4, 18, "found `1.5` as a value of type `.s32`; expected an integer"},
      {moduleOf(".global .f32 x = 1;"), 4, 18, "found `1` as a value of type `.f32`; expected a floating-point number"},
      {moduleOf(".global .b16 x = 1.5;"), 4, 18, "found `1.5` as a value of type `.b16`; expected an integer"},
      {moduleOf(".global .b64 x = y;"), 4, 18, "found unknown name `y`; expected a label, function or variable"},
      {moduleOf(".global .b64 x = generic(1);"), 4, 26, "found `1`; expected a name"},
      {moduleOf(".global .b8 x[300000000] = {1};"), 4, 28,
       "found 300000000 bytes of initial values in `x`; expected at most 268435456 in the module"},
  });
}

TEST(PtxError, Constants) {
  auto mov = [](const std::string &value) { return kernelOf("mov.b32 _, " + value + ";"); };
  expectFaults({
      {mov("12ab"), 5, 12, "found `12ab`; expected a number of at most 64 bits"},
      {mov("08"), 5, 12, "found `08`; expected a number of at most 64 bits"},
      {mov("18446744073709551616"), 5, 12, "found `18446744073709551616`; expected a number of at most 64 bits"},
      {mov("1e999"), 5, 12, "found `1e999`; expected a number of at most 64 bits"},
      {mov("1 / 0"), 5, 14, "found a division by 0"},
      {mov("1.5 << 2"), 5, 16, "found `<<` of a floating-point number; expected integers"},
      {mov("~1.5"), 5, 12, "found `~` of a floating-point number; expected an integer"},
      {mov("(.s64) 1.5"), 5, 12, "found a cast of a floating-point number; expected an integer"},
      {mov("1 +"), 5, 15, "found `;`; expected a constant"},
      {mov("(1"), 5, 14, "found `;`; expected `)`"},
      {mov("1 ? 2"), 5, 17, "found `;`; expected `:`"},
      {mov(std::string(200, '(')), 5, 61, "found more than 100 brackets inside each other"},
  });
}

TEST(PtxError, Statements) {
  expectFaults({
      {kernelOf("ret; \n ret"), 7, 1, "found `}`; expected `;`"},
      {moduleOf(".func f { ret;"), 4, 15, "found the end of the text; expected an instruction, a directive or `}`"},
      {kernelOf("ret;;"), 5, 5, "found `;`; expected an instruction, a directive or `}`"},
      {kernelOf("ret;\n 5"), 6, 2, "found `5`; expected an instruction, a directive or `}`"},
      {kernelOf(".frob"), 5, 1, "found `.frob`; expected a directive that a body may have"},
      {kernelOf(".extern .reg .b32 x;"), 5, 9, "found `.reg`; expected a state space"},
      {kernelOf("%r1 = 3;"), 5, 1, "found register `%r1`; expected an instruction"},
      {kernelOf("@5 ret;"), 5, 2, "found `5`; expected a register"},
      {kernelOf("@p ret;"), 5, 2, "found unknown name `p`; expected a register or variable"},
      {kernelOf("@%p"), 6, 1, "found `}`; expected an instruction"},
      {kernelOf("L: L: ret;"), 5, 4, "found a second `L` in this scope; expected another name"},
      {kernelOf(".reg .b32 a, a;"), 5, 14, "found a second `a` in this scope; expected another name"},
      {kernelOf(".reg .b32 %r<9>, %r8;"), 5, 18, "found a second `%r8` in this scope; expected another name"},
      {kernelOf(".reg .b32 %r8, %r<9>;"), 5, 16, "found a second `%r` in this scope; expected another name"},
      {kernelOf(".reg .b32 5;"), 5, 11, "found `5`; expected the name of a register"},
      {kernelOf(".reg .b32 %r<99999999>;"), 5, 14,
       "found 99999999; expected a number of registers, an integer of at most 16777216"},
      {kernelOf(".reg .b32 %r<x>;"), 5, 14, "found `x`; expected a number of registers"},
      {kernelOf(".reg .v2 .b32 %r<2>;"), 5, 15, "found a numbered family of vector registers; expected single ones"},
      {kernelOf(".loc 1 2\nret;"), 6, 1, "found `ret`; expected a column"},
      {kernelOf(".loc 1 x"), 5, 8, "found `x`; expected a line"},
      {kernelOf(".loc x"), 5, 6, "found `x`; expected the index of a file"},
      {kernelOf(".loc 1 2 3, 5"), 5, 13, "found `5`; expected `function_name` or `inlined_at`"},
      {kernelOf(".loc 1 2 3, x"), 5, 13, "found `x`; expected `function_name` or `inlined_at`"},
      {kernelOf(".loc 1 2 3, function_name 5"), 5, 27, "found `5`; expected a label"},
      {kernelOf("T: .branchtargets 5;"), 5, 19, "found `5`; expected a label or function"},
      {kernelOf(std::string(1000, '{')), 5, 1000, "found more than 1000 scopes inside each other"},
  });
}

TEST(PtxError, Operands) {
  expectFaults({
      {kernelOf("bra nowhere;"), 5, 5, "found unknown name `nowhere`; expected a label, function or variable"},
      {kernelOf("{ L: ret; } bra L;"), 5, 17, "found unknown name `L`; expected a label, function or variable"},
      {kernelOf("T: .branchtargets L;"), 5, 19, "found unknown name `L`; expected a label, function or variable"},
      {kernelOf("ld.b32 _, [x];"), 5, 12, "found unknown name `x`; expected a register or variable"},
      {kernelOf("ld.b32 _, [];"), 5, 12, "found `]`; expected a register, variable or number"},
      {kernelOf("ld.b32 _, [%r1;"), 5, 15, "found `;`; expected `]`"},
      {kernelOf("ld.b32 _, [%r1+%r2];"), 5, 16, "found `%r2`; expected a constant"},
      {kernelOf("ld.b32 _, [1.5];"), 5, 12,
       "found `1.5`; expected an address, an integer of at most 18446744073709551615"},
      {kernelOf("ld.b32 _, [%r1+1.5];"), 5, 16,
       "found `1.5`; expected a displacement, an integer of at most 18446744073709551615"},
      {kernelOf("mov.v2.b32 {%r1, x}, 0;"), 5, 18, "found unknown name `x`; expected a register or variable"},
      {kernelOf(".reg .v2 .b64 v; ld.b32 _, [v];"), 5, 29,
       "found vector register `v` as an address; expected one element of it"},
      {kernelOf(".reg .v2 .b32 v; mov.b32 v.z, 0;"), 5, 27, "found `.z`; expected an element of `v`, which has 2"},
      {kernelOf(".shared .b32 v; mov.b32 _, !v;"), 5, 28, "found `!` before a name that is no register"},
      {kernelOf("mov.b32 %r1,;"), 5, 13, "found `;`; expected an operand"},
      {kernelOf("mov.b32 %r1 %r2;"), 5, 13, "found `%r2`; expected `;`"},
      {kernelOf("mov.b32 {%r1;"), 5, 13, "found `;`; expected `}`"},
      {kernelOf("@%r1+ ret;"), 5, 5, "found `+`; expected an instruction"},
      {kernelOf("@{%r1} ret;"), 5, 2, "found `{`; expected a register"},
  });
}
