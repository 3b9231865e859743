// The operators of manifest expressions are rows of one table: spelling, operands, how they print, what they compute.
//
// A row has an integer rule and a real rule; a mixed pair of operands uses the real one. Rules without a real form
// (bit operators) truncate their operands.

#include "runtime/artifact/Expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tile {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

int64_t wrap(uint64_t bits) { return static_cast<int64_t>(bits); }
uint64_t bits(int64_t value) { return static_cast<uint64_t>(value); }

int64_t divide(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? wrap(0 - bits(a)) : a / b; }
int64_t remainder(int64_t a, int64_t b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
bool crosses(int64_t a, int64_t b) { return b != 0 && remainder(a, b) != 0 && (a < 0) != (b < 0); }
int64_t floorDivide(int64_t a, int64_t b) { return divide(a, b) - (crosses(a, b) ? 1 : 0); }
int64_t floorRemainder(int64_t a, int64_t b) { return crosses(a, b) ? remainder(a, b) + b : remainder(a, b); }
int64_t ceilDivide(int64_t a, int64_t b) {
  return divide(a, b) + (b != 0 && remainder(a, b) != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

int64_t shiftLeft(int64_t a, int64_t count) { return count < 0 || count > 63 ? 0 : wrap(bits(a) << count); }
int64_t shiftRight(int64_t a, int64_t count) { return a >> (count < 0 || count > 63 ? 63 : count); }

int64_t nextPowerOf2(int64_t a) {
  if (a <= 1)
    return 1;
  int64_t power = 1;
  while (power < a && power > 0)
    power = shiftLeft(power, 1);
  return power;
}

double realMin(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }
double realMax(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }
double realFloorRemainder(double a, double b) { return a - std::floor(a / b) * b; }

using IntegerRule = int64_t (*)(int64_t, int64_t);
using RealRule = double (*)(double, double);
using RealTest = int64_t (*)(double, double);

/// How tightly an infix operator binds, as in the language; `Call` prints `name(a, b)`, `Prefix` prints `!a`.
enum Binding { Call = 0, Or, And, Compare, BitOr, BitXor, BitAnd, Shift, Sum, Product, Prefix, Atom };

struct Row {
  const char *name;
  int operands;
  Binding binding;
  IntegerRule integer;
  RealRule real;
  RealTest test;
};

#define TILE_COMPARE(name, op)                                                                                         \
  {name,    2,                                                                                                         \
   Compare, [](int64_t a, int64_t b) -> int64_t { return a op b; },                                                                   \
   nullptr, [](double a, double b) -> int64_t { return a op b; }}

const Row kRows[] = {
    {"+", 2, Sum, [](int64_t a, int64_t b) { return wrap(bits(a) + bits(b)); },
     [](double a, double b) { return a + b; }, nullptr},
    {"-", 2, Sum, [](int64_t a, int64_t b) { return wrap(bits(a) - bits(b)); },
     [](double a, double b) { return a - b; }, nullptr},
    {"*", 2, Product, [](int64_t a, int64_t b) { return wrap(bits(a) * bits(b)); },
     [](double a, double b) { return a * b; }, nullptr},
    {"/", 2, Product, divide, [](double a, double b) { return a / b; }, nullptr},
    {"%", 2, Product, remainder, [](double a, double b) { return std::fmod(a, b); }, nullptr},
    {"min", 2, Call, [](int64_t a, int64_t b) { return std::min(a, b); }, realMin, nullptr},
    {"max", 2, Call, [](int64_t a, int64_t b) { return std::max(a, b); }, realMax, nullptr},
    {"cdiv", 2, Call, ceilDivide, [](double a, double b) { return std::ceil(a / b); }, nullptr},
    {"floordiv", 2, Call, floorDivide, [](double a, double b) { return std::floor(a / b); }, nullptr},
    {"floormod", 2, Call, floorRemainder, realFloorRemainder, nullptr},
    TILE_COMPARE("==", ==),
    TILE_COMPARE("!=", !=),
    TILE_COMPARE("<", <),
    TILE_COMPARE("<=", <=),
    TILE_COMPARE(">", >),
    TILE_COMPARE(">=", >=),
    {"&&", 2, And, [](int64_t a, int64_t b) -> int64_t { return a && b; }, nullptr,
     [](double a, double b) -> int64_t { return a != 0 && b != 0; }},
    {"||", 2, Or, [](int64_t a, int64_t b) -> int64_t { return a || b; }, nullptr,
     [](double a, double b) -> int64_t { return a != 0 || b != 0; }},
    {"&", 2, BitAnd, [](int64_t a, int64_t b) { return a & b; }, nullptr, nullptr},
    {"|", 2, BitOr, [](int64_t a, int64_t b) { return a | b; }, nullptr, nullptr},
    {"^", 2, BitXor, [](int64_t a, int64_t b) { return a ^ b; }, nullptr, nullptr},
    {"<<", 2, Shift, shiftLeft, nullptr, nullptr},
    {">>", 2, Shift, shiftRight, nullptr, nullptr},
    {"neg", 1, Prefix, [](int64_t a, int64_t) { return wrap(0 - bits(a)); }, [](double a, double) { return -a; },
     nullptr},
    {"!", 1, Prefix, [](int64_t a, int64_t) -> int64_t { return !a; }, nullptr,
     [](double a, double) -> int64_t { return a == 0; }},
    {"next_pow2", 1, Call, [](int64_t a, int64_t) { return nextPowerOf2(a); }, nullptr, nullptr},
    // `select` chooses between operands as they are; `apply` treats it before the rules.
    {"select", 3, Call, nullptr, nullptr, nullptr},
};
#undef TILE_COMPARE

int findOperator(std::string_view name) {
  for (size_t i = 0; i < std::size(kRows); ++i)
    if (name == kRows[i].name)
      return static_cast<int>(i);
  return -1;
}

Value apply(const Row &row, const Value *operands) {
  if (row.operands == 3)
    return operands[0].isTrue() ? operands[1] : operands[2];
  const Value &a = operands[0];
  const Value &b = row.operands == 2 ? operands[1] : a;
  if (a.isReal || b.isReal) {
    if (row.test)
      return row.test(a.toReal(), b.toReal());
    if (row.real)
      return Value::ofReal(row.real(a.toReal(), b.toReal()));
  }
  return row.integer(a.toInteger(), b.toInteger());
}

} // namespace

Value Value::ofReal(double real) {
  Value value;
  value.isReal = true;
  value.real = real;
  return value;
}

int64_t Value::toInteger() const {
  if (!isReal)
    return integer;
  if (std::isnan(real))
    return 0;
  if (real >= 0x1p63)
    return kMax;
  return real < -0x1p63 ? kMin : static_cast<int64_t>(real);
}

std::string Value::print() const {
  if (!isReal)
    return std::to_string(integer);
  if (std::isnan(real))
    return "nan";
  if (std::isinf(real))
    return real < 0 ? "-inf" : "inf";
  // The shortest digits that read back as the same number, whatever the program's locale.
  char text[40];
  std::string result(text, std::to_chars(text, text + sizeof(text), real).ptr);
  return result.find_first_of(".e") == std::string::npos ? result + ".0" : result;
}

Result<Expression> Expression::create(const std::vector<Token> &tokens, const Resolver &resolve) {
  auto invalid = [](std::string message) { return Error{ErrorCode::InvalidArtifact, std::move(message)}; };
  Expression expression;
  int depth = 0;
  for (const Token &token : tokens) {
    Step step;
    step.kind = Step::Kind::Number;
    int operands = 0;
    if (const auto *integer = std::get_if<int64_t>(&token)) {
      step.number = *integer;
    } else if (const auto *real = std::get_if<double>(&token)) {
      step.number = Value::ofReal(*real);
    } else {
      const std::string &name = std::get<std::string>(token);
      if (int row = findOperator(name); row >= 0) {
        step.kind = Step::Kind::Operator;
        step.index = row;
        operands = kRows[row].operands;
        if (depth < operands)
          return invalid("operator `" + name + "` has " + std::to_string(depth) + " operands; expected " +
                         std::to_string(operands));
      } else {
        step.kind = Step::Kind::Name;
        step.index = resolve(name);
        if (step.index < 0)
          return invalid("unknown name `" + name + "`");
      }
    }
    depth += 1 - operands;
    if (depth > kMaxDepth)
      return invalid("expression is deeper than " + std::to_string(kMaxDepth) + " operands");
    expression.steps.push_back(step);
  }
  if (depth != 1)
    return invalid("expression leaves " + std::to_string(depth) + " values; expected 1");
  return expression;
}

Value Expression::evaluate(const std::vector<Value> &slots) const {
  Value stack[kMaxDepth];
  int depth = 0;
  for (const Step &step : steps) {
    if (step.kind == Step::Kind::Operator) {
      const Row &row = kRows[step.index];
      depth -= row.operands;
      stack[depth] = apply(row, stack + depth);
    } else {
      stack[depth] = step.kind == Step::Kind::Name ? slots[step.index] : step.number;
    }
    ++depth;
  }
  return stack[0];
}

std::string Expression::print(const std::vector<std::string> &names) const {
  struct Text {
    std::string text;
    int binding;
  };
  std::vector<Text> stack;
  auto atLeast = [](const Text &operand, int binding) {
    return operand.binding < binding ? "(" + operand.text + ")" : operand.text;
  };
  for (const Step &step : steps) {
    if (step.kind == Step::Kind::Name) {
      stack.push_back({names[step.index], Atom});
      continue;
    }
    if (step.kind == Step::Kind::Number) {
      std::string text = step.number.print();
      stack.push_back({text, text[0] == '-' ? Prefix : Atom});
      continue;
    }
    const Row &row = kRows[step.index];
    std::vector<Text> operands(stack.end() - row.operands, stack.end());
    stack.resize(stack.size() - row.operands);
    if (row.binding == Prefix) {
      stack.push_back({(row.name[0] == '!' ? "!" : "-") + atLeast(operands[0], Prefix), Prefix});
    } else if (row.binding == Call) {
      std::string text = std::string(row.name) + "(";
      for (size_t i = 0; i < operands.size(); ++i)
        text += (i ? ", " : "") + operands[i].text;
      stack.push_back({text + ")", Atom});
    } else {
      // Left associative: the right operand needs parentheses already at equal strength; comparisons do not chain.
      int left = row.binding == Compare ? Compare + 1 : row.binding;
      stack.push_back(
          {atLeast(operands[0], left) + " " + row.name + " " + atLeast(operands[1], row.binding + 1), row.binding});
    }
  }
  return stack.back().text;
}

std::vector<int> Expression::usedSlots() const {
  std::vector<int> slots;
  for (const Step &step : steps)
    if (step.kind == Step::Kind::Name && std::find(slots.begin(), slots.end(), step.index) == slots.end())
      slots.push_back(step.index);
  return slots;
}

int Expression::bareSlot() const {
  return steps.size() == 1 && steps[0].kind == Step::Kind::Name ? steps[0].index : -1;
}

} // namespace tile
