// Element types: names, ranges, and rounding to every float format against its own list of values.

#include "runtime/artifact/DataType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tile {
namespace {

TEST(DataType, NamesAreFoundAgain) {
  EXPECT_EQ(findDataType("bf16"), DataType::BF16);
  EXPECT_EQ(findDataType("index"), DataType::Index);
  EXPECT_EQ(findDataType("float"), std::nullopt);
  EXPECT_STREQ(getName(DataType::F8E4M3), "f8e4m3");
  EXPECT_EQ(listDataTypes(), "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4m3 f8e5m2 index");
  EXPECT_EQ(listTensorTypes(), "bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 f8e4m3 f8e5m2");
}

TEST(DataType, EveryBitPatternOfSmallFloatsRoundTrips) {
  for (DataType type : {DataType::F16, DataType::BF16, DataType::F8E4M3, DataType::F8E5M2})
    for (uint64_t bits = 0; bits < uint64_t(1) << (8 * getBytes(type)); ++bits) {
      double value = fromBits(type, bits);
      if (std::isnan(value) || (type == DataType::F8E5M2 && std::isinf(value)))
        continue;
      ASSERT_EQ(roundToBits(type, value), bits) << getName(type) << " " << value;
    }
}

TEST(DataType, MidpointsGoToEven) {
  for (DataType type : {DataType::F16, DataType::BF16, DataType::F8E4M3, DataType::F8E5M2}) {
    uint64_t last = type == DataType::F16      ? 0x7BFF
                    : type == DataType::BF16   ? 0x7F7F
                    : type == DataType::F8E4M3 ? 0x7E
                                               : 0x7B;
    for (uint64_t bits = 0; bits < last; ++bits) {
      double low = fromBits(type, bits), high = fromBits(type, bits + 1), middle = (low + high) / 2;
      ASSERT_EQ(roundToBits(type, middle), bits + (bits & 1)) << getName(type) << " " << middle;
      ASSERT_EQ(roundToBits(type, std::nextafter(middle, 1e300)), bits + 1) << getName(type) << " " << middle;
      ASSERT_EQ(roundToBits(type, std::nextafter(middle, 0)), bits) << getName(type) << " " << middle;
    }
  }
}

TEST(DataType, RoundsToF32AsTheHostDoes) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200000; ++i) {
    uint64_t pattern = random();
    if (i % 2) // Half of them near the range of f32.
      pattern = (pattern & ~(uint64_t(0x7FF) << 52)) | ((860 + random() % 300) << 52);
    double value;
    std::memcpy(&value, &pattern, sizeof(value));
    if (std::isnan(value))
      continue;
    float expected = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &expected, sizeof(bits));
    ASSERT_EQ(roundToBits(DataType::F32, value), bits) << value;
  }
}

TEST(DataType, OverflowIsInfiniteOrSaturates) {
  EXPECT_EQ(roundToBits(DataType::F16, 65520), 0x7C00u);
  EXPECT_EQ(roundToBits(DataType::F16, 65519), 0x7BFFu);
  EXPECT_EQ(roundToBits(DataType::BF16, -1e39), 0xFF80u);
  EXPECT_EQ(roundToBits(DataType::F8E4M3, 1000), 0x7Eu);
  EXPECT_EQ(roundToBits(DataType::F8E5M2, std::numeric_limits<double>::infinity()), 0x7Bu);
}

TEST(DataType, NanStaysNan) {
  for (DataType type :
       {DataType::F16, DataType::BF16, DataType::F32, DataType::F64, DataType::F8E4M3, DataType::F8E5M2})
    EXPECT_TRUE(std::isnan(fromBits(type, roundToBits(type, std::nan(""))))) << getName(type);
}

TEST(DataType, IntegersOutsideTheTypeAreSeen) {
  EXPECT_TRUE(holdsInteger(DataType::I8, -128, false));
  EXPECT_FALSE(holdsInteger(DataType::I8, 128, false));
  EXPECT_FALSE(holdsInteger(DataType::U32, -1, false));
  EXPECT_TRUE(holdsInteger(DataType::U32, 0xFFFFFFFF, false));
  EXPECT_TRUE(holdsInteger(DataType::U64, -1, true));
  EXPECT_FALSE(holdsInteger(DataType::I64, -1, true));
  EXPECT_TRUE(holdsInteger(DataType::I64, -1, false));
  EXPECT_FALSE(holdsInteger(DataType::Bool, 2, false));
}

} // namespace
} // namespace tile
