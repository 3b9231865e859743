// The forms of `--arg`: what each makes, and what a wrong one is told.

#include "runtime/arguments/HostArgument.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace tile;

namespace {

HostArgument make(const std::string &text, uint64_t seed = 1) {
  Result<HostArgument> argument = makeHostArgument(text, seed);
  EXPECT_TRUE(argument.ok()) << (argument.ok() ? "" : argument.error().message);
  if (!argument.ok())
    return {};
  EXPECT_TRUE(argument->allocate().ok()) << text;
  return *argument;
}

std::string errorOf(const std::string &text) {
  Result<HostArgument> argument = makeHostArgument(text, 1);
  return argument.ok() ? "no error" : argument.error().message;
}

float at(const NpyArray &tensor, int64_t offset) {
  float value;
  std::memcpy(&value, tensor.data.data() + offset * 4, 4);
  return value;
}

TEST(HostArgument, RandomIsNormal) {
  HostArgument x = make("x=rand:f32[1000,100]");
  EXPECT_EQ(x.name, "x");
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < 100000; ++i) {
    sum += at(x.tensor, i);
    squares += at(x.tensor, i) * double(at(x.tensor, i));
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.03);
}

TEST(HostArgument, SeedAndNameDecideTheBits) {
  EXPECT_EQ(make("x=rand:f16[64]", 7).tensor.data, make("x=rand:f16[64]", 7).tensor.data);
  EXPECT_NE(make("x=rand:f16[64]", 7).tensor.data, make("x=rand:f16[64]", 8).tensor.data);
  EXPECT_NE(make("x=rand:f16[64]", 7).tensor.data, make("y=rand:f16[64]", 7).tensor.data);
}

TEST(HostArgument, EmptyIsPoison) {
  HostArgument x = make("empty:f32[3]");
  EXPECT_TRUE(x.isPoisoned);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(std::isnan(at(x.tensor, i)));
}

TEST(HostArgument, StridesLeavePoisonedGaps) {
  HostArgument x = make("iota:f32[2,3]@[4,1]");
  EXPECT_EQ(x.tensor.strides, (std::vector<int64_t>{4, 1}));
  ASSERT_EQ(x.tensor.data.size(), 7 * sizeof(float));
  EXPECT_EQ(at(x.tensor, 2), 2);
  EXPECT_TRUE(std::isnan(at(x.tensor, 3)));
  EXPECT_EQ(at(x.tensor, 6), 5);
}

TEST(HostArgument, AnEmptyTensorTakesNoMemory) { EXPECT_TRUE(make("rand:f32[0,5]").tensor.data.empty()); }

TEST(HostArgument, ScalarTakesTheTypeAsked) {
  HostArgument s = make("s=-0.5");
  EXPECT_EQ(*scalarBits(s, DataType::F32), 0xbf000000u);
  EXPECT_EQ(scalarBits(s, DataType::I32).error().message, "`-0.5` is no value of i32");
  EXPECT_EQ(*scalarBits(make("300"), DataType::I32), 300u);
  EXPECT_EQ(scalarBits(make("300"), DataType::U8).error().message, "`300` is no value of u8");
  EXPECT_EQ(static_cast<int64_t>(*scalarBits(make("-1"), DataType::I64)), -1);
  EXPECT_EQ(*scalarBits(make("inf"), DataType::F16), 0x7c00u);
  EXPECT_EQ(*scalarBits(make("true"), DataType::Bool), 1u);
  EXPECT_EQ(scalarBits(make("n=i32:7"), DataType::I64).error().message, "`n` is i32; expected i64");
}

TEST(HostArgument, OnlyAWordIsInfinite) {
  EXPECT_EQ(scalarBits(make("1e39"), DataType::F32).error().message,
            "`1e39` does not fit f32; infinity is written `inf`");
  EXPECT_EQ(scalarBits(make("-1e999"), DataType::F64).error().message,
            "`-1e999` does not fit f64; infinity is written `inf`");
  EXPECT_EQ(scalarBits(make("65520"), DataType::F16).error().message,
            "`65520` does not fit f16; infinity is written `inf`");
  EXPECT_EQ(*scalarBits(make("1e39"), DataType::F64), 0x48078287f49c4a1du);
  EXPECT_EQ(*scalarBits(make("-inf"), DataType::F32), 0xff800000u);
  EXPECT_TRUE(scalarBits(make("nan"), DataType::F32).ok());
}

TEST(HostArgument, EightBitFloatsDoNotSaturate) {
  auto bits = [](const char *text, DataType type) { return *scalarBits(make(text), type); };
  auto error = [](const char *text, DataType type) { return scalarBits(make(text), type).error().message; };
  EXPECT_EQ(error("500", DataType::F8E4M3), "`500` does not fit f8e4m3; its largest number is 448");
  EXPECT_EQ(error("-464.1", DataType::F8E4M3), "`-464.1` does not fit f8e4m3; its largest number is 448");
  EXPECT_EQ(error("-inf", DataType::F8E4M3), "`-inf` does not fit f8e4m3; its largest number is 448");
  EXPECT_EQ(error("61440", DataType::F8E5M2), "`61440` does not fit f8e5m2; its largest number is 57344");
  EXPECT_EQ(bits("464", DataType::F8E4M3), 0x7eu);
  EXPECT_EQ(bits("256", DataType::F8E4M3), 0x78u);
  EXPECT_EQ(bits("-61439", DataType::F8E5M2), 0xfbu);
  EXPECT_EQ(bits("-inf", DataType::F8E5M2), 0xfcu);
  EXPECT_EQ(bits("nan", DataType::F8E4M3), 0x7fu);
}

TEST(HostArgument, ShapeIsKnownBeforeMemoryIsTaken) {
  Result<HostArgument> x = makeHostArgument("x=ones:f64[1000000000000]", 1);
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(x->tensor.extents, (std::vector<int64_t>{1000000000000}));
  EXPECT_EQ(x->bytes, 8000000000000);
  EXPECT_TRUE(x->tensor.data.empty());
}

TEST(HostArgument, ARangeBeyondItsTypeGivesTheTypesNearestNumbers) {
  for (auto [text, low, high] :
       {std::tuple("x=range(0,1e30):i8[100]", 0, 127), {"x=range(-1e308,1e308):i8[100]", -128, 127}}) {
    HostArgument x = make(text);
    ASSERT_TRUE(x.allocate());
    for (char byte : x.tensor.data) {
      EXPECT_GE(static_cast<signed char>(byte), low);
      EXPECT_LE(static_cast<signed char>(byte), high);
    }
    EXPECT_NE(std::count(x.tensor.data.begin(), x.tensor.data.end(), char(127)), 0);
  }
}

TEST(HostArgument, RangeIsEvenAndWithoutItsEnd) {
  HostArgument x = make("x=range(-3,2.5):f32[10000]"), i = make("i=range(0,4):i32[10000]");
  EXPECT_TRUE(x.isMade());
  bool seen[4] = {};
  for (int64_t k = 0; k < 10000; ++k) {
    EXPECT_TRUE(at(x.tensor, k) >= -3 && at(x.tensor, k) <= 2.5) << at(x.tensor, k);
    int32_t value = 0;
    std::memcpy(&value, i.tensor.data.data() + 4 * k, 4);
    ASSERT_TRUE(value >= 0 && value < 4) << value;
    seen[value] = true;
  }
  EXPECT_TRUE(seen[0] && seen[1] && seen[2] && seen[3]);
  for (const char *range : {"range(4,0)", "range(1)", "range(1,)", "range(1,2", "range(0,inf)"})
    EXPECT_EQ(errorOf(std::string(range) + ":f32[4]"),
              "found `" + std::string(range) + "`; expected `range(LOW,HIGH)` of two numbers, the lower one first");
}

TEST(HostArgument, ALargeTensorRepeatsWhatIsDrawnIfAsked) {
  for (const char *text : {"rand:f16[3,1000000]", "range(0,5):f16[3000000]", "iota:i16[3000000]"}) {
    HostArgument each = make(text);
    HostArgument first = *makeHostArgument(text, 1);
    ASSERT_TRUE(first.allocate(Draw::First).ok());
    ASSERT_EQ(first.tensor.data.size(), 6000000u);
    auto at = [](const HostArgument &argument, int64_t i) { return argument.tensor.data.data() + 2 * i; };
    EXPECT_EQ(std::memcmp(at(first, 0), at(each, 0), 2 * kDrawnElements), 0) << text;
    bool isOfIndex = std::string_view(text).substr(0, 4) == "iota";
    const HostArgument &again = isOfIndex ? each : first;
    int64_t from = isOfIndex ? 2 * kDrawnElements : 0;
    EXPECT_EQ(std::memcmp(at(first, 2 * kDrawnElements), at(again, from), 2 * (3000000 - 2 * kDrawnElements)), 0)
        << text;
  }
}

TEST(HostArgument, NoneIsAbsent) { EXPECT_EQ(make("w=none").kind, HostArgument::Kind::None); }

TEST(HostArgument, ChecksumIgnoresStrides) {
  EXPECT_EQ(checksum(make("iota:f32[2,3]").tensor), checksum(make("iota:f32[2,3]@[4,1]").tensor));
  EXPECT_NE(checksum(make("iota:f32[2,3]").tensor), checksum(make("zeros:f32[2,3]").tensor));
}

TEST(HostArgument, WrongForms) {
  EXPECT_EQ(errorOf("x="),
            "`x=` has no value; expected `rand:f32[4,5]` (or iota, normal, ones, special, uniform, zeros, "
            "range(0,9), empty), a file `x.npy`, a number, `true`, `i32:7` or `none`");
  EXPECT_EQ(errorOf("x=random:f32[4]").substr(0, 42), "`x=random:f32[4]` begins with `random:`; e");
  EXPECT_EQ(errorOf("x=randn:f32[4]").substr(0, 57), "`x=randn:f32[4]` begins with `randn:`, which is `normal:`");
  for (const char *text : {"rand:bf16:64x32", "rand:bf16(64,32)", "rand:bfloat16[64,32]", "rand:torch.bfloat16[64, 32]",
                           "rand:bf16 64*32"})
    EXPECT_EQ(errorOf(text), "found `" + std::string(text) + "`; expected `rand:bf16[64,32]`");
  EXPECT_EQ(errorOf("rand:torch.float8_e4m3fn[64,32]"),
            "found `rand:torch.float8_e4m3fn[64,32]`; expected `rand:f8e4m3[64,32]`");
  EXPECT_EQ(errorOf("rand:float8e5[3]"), "found `rand:float8e5[3]`; expected `rand:f8e5m2[3]`");
  EXPECT_EQ(errorOf("ones:float32"), "found `ones:float32`; expected `ones:f32[...]`");
  EXPECT_EQ(errorOf("ones:uint8[3]"), "found `ones:uint8[3]`; expected `ones:u8[3]`");
  EXPECT_EQ(errorOf("rand:f31[4]"), "unknown element type `f31` in `rand:f31[4]`; known: " + listTensorTypes());
  EXPECT_EQ(errorOf("rand:f32"), "`rand:f32` has no shape; expected one such as `f32[4,5]`");
  EXPECT_EQ(errorOf("rand:f32[4,]"), "`[4,]` is no shape; expected extents from 0 to 2^63 - 1, such as `[4,5]`");
  EXPECT_EQ(errorOf("rand:f32[-4]"), "`[-4]` is no shape; expected extents from 0 to 2^63 - 1, such as `[4,5]`");
  EXPECT_EQ(errorOf("rand:f32[4]@[1,1]"), "`@[1,1]` gives no strides for `[4]`; expected 1 of at least 0 in brackets");
  EXPECT_EQ(errorOf("rand:f32[4000000000,4000000000]"),
            "`rand:f32[4000000000,4000000000]` needs more than 2^40 elements of memory");
  EXPECT_EQ(errorOf("rand:f32[2,2]@[4000000000000000000,4]"),
            "`rand:f32[2,2]@[4000000000000000000,4]` needs more than 2^40 elements of memory");
  EXPECT_EQ(errorOf("rand:f32[4]@"), "`@` gives no strides for `[4]`; expected 1 of at least 0 in brackets");
  EXPECT_EQ(errorOf("s=i8:300"), "`300` is no value of i8");
  EXPECT_EQ(errorOf("x=rand").substr(0, 41), "`x=rand` is no argument; expected `rand:f");
}

} // namespace
