// Manifest expressions: every operator's edges, printing, refusals, and random expressions against a tree evaluator.

#include "runtime/artifact/Expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace tile {
namespace {

using Token = Expression::Token;
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

const std::vector<std::string> kNames = {"M", "N", "x"};
const std::vector<Value> kValues = {int64_t(4), int64_t(3000), Value::ofReal(0.5)};

Result<Expression> parse(const std::vector<Token> &tokens) {
  return Expression::create(tokens, [](std::string_view name) {
    for (size_t i = 0; i < kNames.size(); ++i)
      if (kNames[i] == name)
        return static_cast<int>(i);
    return -1;
  });
}

Value evaluate(const std::vector<Token> &tokens) {
  Result<Expression> expression = parse(tokens);
  EXPECT_TRUE(expression.ok()) << (expression.ok() ? "" : expression.error().message);
  return expression.ok() ? expression->evaluate(kValues) : Value();
}

int64_t binary(int64_t a, const char *op, int64_t b) {
  Value value = evaluate({a, b, op});
  EXPECT_FALSE(value.isReal);
  return value.integer;
}

int64_t unary(const char *op, int64_t a) { return evaluate({a, op}).integer; }

std::string errorOf(const std::vector<Token> &tokens) {
  Result<Expression> expression = parse(tokens);
  return expression.ok() ? "" : expression.error().message;
}

TEST(Expression, ArithmeticWraps) {
  EXPECT_EQ(binary(kMax, "+", 1), kMin);
  EXPECT_EQ(binary(kMin, "-", 1), kMax);
  EXPECT_EQ(binary(kMax, "*", 2), -2);
  EXPECT_EQ(unary("neg", kMin), kMin);
}

TEST(Expression, DivisionTruncatesAndIsTotal) {
  EXPECT_EQ(binary(-7, "/", 2), -3);
  EXPECT_EQ(binary(7, "/", 0), 0);
  EXPECT_EQ(binary(kMin, "/", -1), kMin);
  EXPECT_EQ(binary(-7, "%", 2), -1);
  EXPECT_EQ(binary(7, "%", 0), 7);
  EXPECT_EQ(binary(kMin, "%", -1), 0);
}

TEST(Expression, FloorAndCeilingDivisionFollowTheSigns) {
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0)
        continue;
      double quotient = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(binary(a, "floordiv", b), std::floor(quotient)) << a << " " << b;
      EXPECT_EQ(binary(a, "cdiv", b), std::ceil(quotient)) << a << " " << b;
      EXPECT_EQ(binary(a, "floormod", b), a - b * std::floor(quotient)) << a << " " << b;
    }
  EXPECT_EQ(binary(5, "cdiv", 0), 0);
  EXPECT_EQ(binary(5, "floordiv", 0), 0);
  EXPECT_EQ(binary(5, "floormod", 0), 5);
  EXPECT_EQ(binary(kMax, "cdiv", 2), (kMax >> 1) + 1);
}

TEST(Expression, MinMaxAndComparisons) {
  EXPECT_EQ(binary(-2, "min", 3), -2);
  EXPECT_EQ(binary(-2, "max", 3), 3);
  EXPECT_EQ(binary(2, "==", 2), 1);
  EXPECT_EQ(binary(2, "!=", 2), 0);
  EXPECT_EQ(binary(2, "<", 2), 0);
  EXPECT_EQ(binary(2, "<=", 2), 1);
  EXPECT_EQ(binary(3, ">", 2), 1);
  EXPECT_EQ(binary(1, ">=", 2), 0);
}

TEST(Expression, LogicGivesOneOrZero) {
  EXPECT_EQ(binary(7, "&&", 2), 1);
  EXPECT_EQ(binary(7, "&&", 0), 0);
  EXPECT_EQ(binary(0, "||", 9), 1);
  EXPECT_EQ(unary("!", 5), 0);
  EXPECT_EQ(unary("!", 0), 1);
}

TEST(Expression, BitOperatorsAndShiftsPastTheWidth) {
  EXPECT_EQ(binary(12, "&", 10), 8);
  EXPECT_EQ(binary(12, "|", 10), 14);
  EXPECT_EQ(binary(12, "^", 10), 6);
  EXPECT_EQ(binary(1, "<<", 63), kMin);
  EXPECT_EQ(binary(1, "<<", 64), 0);
  EXPECT_EQ(binary(1, "<<", -1), 0);
  EXPECT_EQ(binary(-8, ">>", 1), -4);
  EXPECT_EQ(binary(-8, ">>", 64), -1);
  EXPECT_EQ(binary(8, ">>", -1), 0);
}

TEST(Expression, NextPowerOfTwo) {
  EXPECT_EQ(unary("next_pow2", -5), 1);
  EXPECT_EQ(unary("next_pow2", 0), 1);
  EXPECT_EQ(unary("next_pow2", 1), 1);
  EXPECT_EQ(unary("next_pow2", 3000), 4096);
  EXPECT_EQ(unary("next_pow2", 4096), 4096);
  EXPECT_EQ(unary("next_pow2", kMax), kMin);
}

TEST(Expression, RealsSpreadThroughMixedOperands) {
  Value half = evaluate({int64_t(1), 2.0, "/"});
  EXPECT_TRUE(half.isReal);
  EXPECT_EQ(half.real, 0.5);
  EXPECT_EQ(evaluate({"x", int64_t(1), "<"}).integer, 1);
  EXPECT_FALSE(evaluate({"x", int64_t(1), "<"}).isReal);
  EXPECT_TRUE(std::isnan(evaluate({std::nan(""), int64_t(1), "max"}).real));
  EXPECT_EQ(evaluate({7.5, 2.0, "floormod"}).real, 1.5);
}

TEST(Expression, SelectKeepsTheKindOfTheChosenOperand) {
  EXPECT_EQ(evaluate({int64_t(1), int64_t(7), "x", "select"}), Value(int64_t(7)));
  EXPECT_TRUE(evaluate({int64_t(0), int64_t(7), "x", "select"}).isReal);
}

TEST(Expression, RealsTruncateAndSaturateToIntegers) {
  EXPECT_EQ(Value::ofReal(-2.9).toInteger(), -2);
  EXPECT_EQ(Value::ofReal(1e30).toInteger(), kMax);
  EXPECT_EQ(Value::ofReal(-1e30).toInteger(), kMin);
  EXPECT_EQ(Value::ofReal(std::nan("")).toInteger(), 0);
}

TEST(Expression, PrintsAsSource) {
  auto print = [](const std::vector<Token> &tokens) { return parse(tokens)->print(kNames); };
  EXPECT_EQ(print({"M", int64_t(128), "cdiv"}), "cdiv(M, 128)");
  EXPECT_EQ(print({"M", "N", "+", int64_t(2), "*"}), "(M + N) * 2");
  EXPECT_EQ(print({"M", "N", int64_t(2), "*", "+"}), "M + N * 2");
  EXPECT_EQ(print({"M", "N", int64_t(2), "-", "-"}), "M - (N - 2)");
  EXPECT_EQ(print({"M", "N", "%", int64_t(0), "=="}), "M % N == 0");
  EXPECT_EQ(print({"M", int64_t(0), ">", "!"}), "!(M > 0)");
  EXPECT_EQ(print({"M", "neg", "x", "*"}), "-M * x");
  EXPECT_EQ(print({0.1}), "0.1");
  EXPECT_EQ(print({2.0}), "2.0");
}

TEST(Expression, RefusalsSayWhatIsWrong) {
  EXPECT_EQ(errorOf({"Q"}), "unknown name `Q`");
  EXPECT_EQ(errorOf({"M", "+"}), "operator `+` has 1 operands; expected 2");
  EXPECT_EQ(errorOf({"M", "N"}), "expression leaves 2 values; expected 1");
  EXPECT_EQ(errorOf({}), "expression leaves 0 values; expected 1");
  EXPECT_EQ(errorOf(std::vector<Token>(33, int64_t(1))), "expression is deeper than 32 operands");
}

TEST(Expression, KnowsItsNames) {
  EXPECT_EQ(parse({"N", "M", "+", "N", "*"})->usedSlots(), (std::vector<int>{1, 0}));
  EXPECT_EQ(parse({"N"})->bareSlot(), 1);
  EXPECT_EQ(parse({int64_t(1)})->bareSlot(), -1);
}

/// A random expression as postfix tokens, together with its value by wide arithmetic over a tree.
int64_t generate(std::mt19937 &random, int depth, std::vector<Token> &tokens) {
  static const int64_t kLeaves[] = {0, 1, -1, 2, 7, 64, 3000, kMax, kMin};
  if (depth == 0 || random() % 4 == 0) {
    if (random() % 3 == 0) {
      bool first = random() % 2;
      tokens.push_back(first ? "M" : "N");
      return first ? 4 : 3000;
    }
    int64_t leaf = kLeaves[random() % std::size(kLeaves)];
    tokens.push_back(leaf);
    return leaf;
  }
  int64_t a = generate(random, depth - 1, tokens);
  int64_t b = generate(random, depth - 1, tokens);
  __extension__ typedef __int128 Wide;
  Wide wideA = a, wideB = b;
  struct Rule {
    const char *name;
    std::function<Wide()> value;
  };
  Wide floored = b == 0 ? 0 : wideA / wideB - (wideA % wideB != 0 && (a < 0) != (b < 0));
  const Rule kRules[] = {
      {"+", [&] { return wideA + wideB; }},
      {"-", [&] { return wideA - wideB; }},
      {"*", [&] { return wideA * wideB; }},
      {"/", [&] { return b == 0 ? Wide(0) : wideA / wideB; }},
      {"%", [&] { return b == 0 ? wideA : wideA % wideB; }},
      {"floordiv", [&] { return floored; }},
      {"cdiv", [&] { return b == 0 ? Wide(0) : floored + (wideA % wideB != 0); }},
      {"floormod", [&] { return b == 0 ? wideA : wideA - floored * wideB; }},
      {"min", [&] { return std::min(wideA, wideB); }},
      {"max", [&] { return std::max(wideA, wideB); }},
      {"<", [&] { return Wide(a < b); }},
      {"&&", [&] { return Wide(a != 0 && b != 0); }},
      {"^", [&] { return Wide(a ^ b); }},
  };
  const Rule &rule = kRules[random() % std::size(kRules)];
  tokens.push_back(rule.name);
  return static_cast<int64_t>(rule.value());
}

TEST(Expression, AgreesWithWideArithmetic) {
  std::mt19937 random(20);
  for (int i = 0; i < 20000; ++i) {
    std::vector<Token> tokens;
    int64_t expected = generate(random, 4, tokens);
    Value value = evaluate(tokens);
    ASSERT_EQ(value.integer, expected) << parse(tokens)->print(kNames);
  }
}

} // namespace
} // namespace tile
