// What may differ between configurations and what may not, in every type.

#include "runtime/tune/Agreement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tile {
namespace {

constexpr unsigned char kPoison = 0xff;
const double kInfinity = std::numeric_limits<double>::infinity();

NpyArray tensorOf(DataType type, const std::vector<double> &values, std::vector<int64_t> extents = {}) {
  NpyArray tensor;
  tensor.type = type;
  tensor.extents = extents.empty() ? std::vector<int64_t>{static_cast<int64_t>(values.size())} : extents;
  tensor.strides = rowMajorStrides(tensor.extents);
  size_t width = getBytes(type);
  tensor.data.resize(values.size() * width);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = isFloat(type) ? encode(type, values[i]) : static_cast<uint64_t>(static_cast<int64_t>(values[i]));
    std::memcpy(tensor.data.data() + i * width, &bits, width);
  }
  return tensor;
}

/// Of sums of `terms` f32 values, all in f32.
AgreementOptions optionsOf(int64_t terms, double intermediate = 0x1p-24) { return {terms, intermediate, 0x1p-24}; }

std::string differenceOf(DataType type, const std::vector<double> &found, const std::vector<double> &expected,
                         const AgreementOptions &options = optionsOf(1)) {
  return findDifference(tensorOf(type, found).data, {"y", tensorOf(type, expected), options}, kPoison);
}

TEST(Agreement, IntegersAreExact) {
  for (DataType type : {DataType::I8, DataType::U16, DataType::I32, DataType::U64}) {
    EXPECT_EQ(differenceOf(type, {1, 2, 3}, {1, 2, 3}), "");
    EXPECT_EQ(differenceOf(type, {1, 7, 3}, {1, 2, 3}), "`y[1]` is 7; the reference has 2: 1 of 3 elements differ");
  }
  EXPECT_EQ(differenceOf(DataType::I16, {-7}, {5}), "`y[0]` is -7; the reference has 5: 1 of 1 elements differ");
  EXPECT_EQ(differenceOf(DataType::Bool, {1, 0}, {1, 1}),
            "`y[1]` is false; the reference has true: 1 of 2 elements differ");
}

TEST(Agreement, IntegersThatWereFloatsMayBeOnEitherSideOfAStep) {
  AgreementOptions options = optionsOf(1);
  options.roundsToIntegers = true;
  for (DataType type : {DataType::I8, DataType::I32, DataType::I64}) {
    EXPECT_EQ(differenceOf(type, {1, -1, 3}, {1, 0, 2}, options), "");
    EXPECT_EQ(differenceOf(type, {1, 4, 3}, {1, 2, 2}, options),
              "`y[1]` is 4; the reference has 2, within 1: 1 of 3 elements differ");
  }
  EXPECT_NE(differenceOf(DataType::U8, {255}, {0}, options), "");
  EXPECT_NE(differenceOf(DataType::Bool, {1}, {0}, options), "");
}

TEST(Agreement, FloatsMayRoundDifferently) {
  for (DataType type :
       {DataType::F64, DataType::F32, DataType::F16, DataType::BF16, DataType::F8E4M3, DataType::F8E5M2}) {
    double unit = 2 * unitRoundoff(type);
    EXPECT_EQ(differenceOf(type, {1 + 2 * unit, 1}, {1, 1}, {1, 0, 0}), "") << getName(type);
    EXPECT_NE(differenceOf(type, {1 + 3 * unit, 1}, {1, 1}, {1, 0, 0}), "") << getName(type);
    EXPECT_EQ(differenceOf(type, {-2, 0.5}, {-2, 0.5}), "") << getName(type);
    EXPECT_NE(differenceOf(type, {-2, 0.5}, {2, 0.5}), "") << getName(type);
  }
}

TEST(Agreement, MessageNamesTheWorst) {
  EXPECT_EQ(differenceOf(DataType::F32, {1, 2.5, 4}, {1, 1.25, 3}),
            "`y[1]` is 2.5; the reference has 1.25, within 2.18e-06: 2 of 3 elements differ");
}

TEST(Agreement, WhatIsNotGivenFollowsFromTheTypes) {
  auto optionsOf = [](std::vector<DataType> types, AgreementOptions given = {}) {
    AgreementOptions options = completed(given, types);
    return std::pair(options.intermediate, options.accumulator);
  };
  EXPECT_EQ(optionsOf({DataType::F32, DataType::I32}), std::pair(0x1p-24, 0x1p-24));
  EXPECT_EQ(optionsOf({DataType::F32, DataType::BF16, DataType::F16}), std::pair(0x1p-8, 0x1p-24));
  EXPECT_EQ(optionsOf({DataType::F64, DataType::F64}), std::pair(0x1p-53, 0x1p-53));
  EXPECT_EQ(optionsOf({DataType::F8E4M3, DataType::F32}), std::pair(0x1p-8, 0x1p-13));
  EXPECT_EQ(optionsOf({DataType::F32}, {1, 0x1p-11, 0x1p-20}), std::pair(0x1p-11, 0x1p-20));
}

TEST(Agreement, InfinitiesAndNaNs) {
  double nan = std::nan("");
  EXPECT_EQ(differenceOf(DataType::F32, {nan, kInfinity, -kInfinity}, {nan, kInfinity, -kInfinity}), "");
  EXPECT_EQ(differenceOf(DataType::F32, {1, nan}, {1, 1}),
            "`y[1]` is nan; the reference has 1, within 1.2e-06: 1 of 2 elements differ");
  EXPECT_NE(differenceOf(DataType::F32, {1, 1}, {1, nan}), "");
  EXPECT_NE(differenceOf(DataType::F32, {kInfinity}, {-kInfinity}), "");
  EXPECT_NE(differenceOf(DataType::F16, {kInfinity, 1}, {1, 1}), "");
  EXPECT_EQ(differenceOf(DataType::F16, {kInfinity, 1}, {65504, 1}), "") << "as near to overflow as that";
  EXPECT_EQ(differenceOf(DataType::F16, {65504, 1}, {kInfinity, 1}), "");
}

TEST(Agreement, ReferenceOfTheLargestNumbersHasATolerance) {
  EXPECT_NE(differenceOf(DataType::F64, {1e300, -1e300}, {1e300, 1e300}, {1, 0x1p-53, 0x1p-53}), "");
}

TEST(Agreement, NotWrittenIsSaid) {
  NpyArray reference = tensorOf(DataType::F32, {1, 2, 3, 4, 5, 6}, {2, 3});
  std::vector<char> found = reference.data;
  std::memset(found.data() + 16, kPoison, 8);
  EXPECT_EQ(findDifference(found, {"c", reference, optionsOf(1)}, kPoison),
            "never writes 2 of 6 elements of `c`, the first `c[1, 1]`");
  // What neither writes is the same.
  std::memset(reference.data.data() + 16, kPoison, 8);
  EXPECT_EQ(findDifference(found, {"c", reference, optionsOf(1)}, kPoison), "");
}

TEST(Agreement, MemoryBetweenElementsIsNobodys) {
  NpyArray reference = tensorOf(DataType::F32, {1, 2, 9, 3, 4, 9});
  reference.extents = {2, 2};
  reference.strides = {3, 1};
  std::vector<char> found = reference.data;
  found[3 * 4 + 3] = 0x50;
  EXPECT_EQ(findDifference(found, {"c", reference, optionsOf(1)}, kPoison).substr(0, 9), "`c[1, 0]`");
  found = reference.data;
  found[2 * 4 + 3] = 0x50;
  EXPECT_EQ(findDifference(found, {"c", reference, optionsOf(1)}, kPoison).substr(0, 44),
            "`c` between its elements, 2 from the first, ");
}

/// Sums of products in f32 in an order of its own for each configuration, each rounded to `type`.
struct Product {
  std::vector<double> inOrder, inBlocks, short1;
};
Product multiply(DataType type, int terms, int elements, double mean) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(mean);
  Product product;
  for (int e = 0; e < elements; ++e) {
    float sum = 0, whole = 0, part = 0, last = 0;
    for (int k = 0; k < terms; ++k) {
      float a = static_cast<float>(fromBits(type, encode(type, normal(random))));
      float b = static_cast<float>(fromBits(type, encode(type, normal(random))));
      sum += a * b;
      part += a * b;
      if (k % 64 == 63) {
        whole += part;
        last = part;
        part = 0;
      }
    }
    product.inOrder.push_back(sum);
    product.inBlocks.push_back(whole);
    product.short1.push_back(whole - last);
  }
  return product;
}

TEST(Agreement, OtherOrderAgreesAndAMissingBlockDoesNot) {
  for (DataType type : {DataType::F32, DataType::BF16, DataType::F16})
    for (int terms : {64, 1024, 8192})
      for (double mean : {0, 1}) {
        Product product = multiply(type, terms, 100, mean);
        AgreementOptions options = optionsOf(terms, unitRoundoff(type));
        EXPECT_EQ(differenceOf(type, product.inBlocks, product.inOrder, options), "") << getName(type) << terms;
        if (terms * unitRoundoff(type) < 8) // else a block is less than what rounding explains
          EXPECT_NE(differenceOf(type, product.short1, product.inOrder, options), "") << getName(type) << terms;
      }
}

TEST(Agreement, LargeTensorsAreComparedInParts) {
  std::vector<double> values(3 << 20);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>(i % 97) + 1;
  NpyArray reference = tensorOf(DataType::BF16, values);
  std::vector<char> found = reference.data;
  ReferenceTensor tensor("y", reference, optionsOf(1, 0));
  EXPECT_EQ(findDifference(found, tensor, kPoison), "");
  found[2 * 2'999'999 + 1] ^= 1;
  found[2 * 5 + 1] ^= 2;
  std::string difference = findDifference(found, tensor, kPoison);
  EXPECT_NE(difference.find("2 of 3145728 elements differ"), std::string::npos) << difference;
}

} // namespace
} // namespace tile
