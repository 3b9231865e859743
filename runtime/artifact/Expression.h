// Arithmetic over a kernel's dims that the launcher repeats: extents, grids, heuristics, preconditions.
//
// The manifest holds postfix arrays (runtime/launch/README.md, "Expressions"). Reading one resolves each name to a slot
// of the kernel's name table once, so that evaluation touches no strings and allocates nothing. Every operator is
// total: nothing here traps, and integers wrap as the language's do.

#ifndef TILE_RUNTIME_ARTIFACT_EXPRESSION_H
#define TILE_RUNTIME_ARTIFACT_EXPRESSION_H

#include "runtime/Result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tile {

/// A 64-bit integer or a double.
struct Value {
  bool isReal = false;
  int64_t integer = 0;
  double real = 0;

  Value() = default;
  Value(int64_t integer) : integer(integer) {}
  static Value ofReal(double real);

  double toReal() const { return isReal ? real : static_cast<double>(integer); }
  /// The integer, or the double truncated and saturated; NaN gives 0.
  int64_t toInteger() const;
  bool isTrue() const { return isReal ? real != 0 : integer != 0; }
  /// As the language writes it: `4096`, `0.5`.
  std::string print() const;

  friend bool operator==(const Value &a, const Value &b) {
    return a.isReal || b.isReal ? a.toReal() == b.toReal() : a.integer == b.integer;
  }
  friend bool operator!=(const Value &a, const Value &b) { return !(a == b); }
};

class Expression {
public:
  /// One element of a postfix array: a number, or the name of a value or an operator.
  using Token = std::variant<int64_t, double, std::string>;
  /// The slot of a name, or a negative number when there is no such name.
  using Resolver = std::function<int(std::string_view)>;

  /// Checks `tokens` and resolves their names. Fails on an unknown name, an operator without operands, left-over
  /// operands, and more than `kMaxDepth` operands waiting at once.
  static Result<Expression> create(const std::vector<Token> &tokens, const Resolver &resolve);

  /// The value when slot i holds `slots[i]`.
  Value evaluate(const std::vector<Value> &slots) const;

  /// As source text: `cdiv(M, 128) * N`. `names[i]` is the name of slot i.
  std::string print(const std::vector<std::string> &names) const;

  /// The slots that occur, in order of first occurrence.
  std::vector<int> usedSlots() const;

  /// The slot if the expression is a bare name, else -1.
  int bareSlot() const;

  static constexpr int kMaxDepth = 32;

private:
  struct Step {
    enum class Kind : uint8_t { Number, Name, Operator } kind;
    int index = 0; ///< Slot of a name, row of an operator.
    Value number;
  };
  std::vector<Step> steps;
};

} // namespace tile

#endif // TILE_RUNTIME_ARTIFACT_EXPRESSION_H
