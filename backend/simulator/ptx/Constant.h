/// \file
/// Constants and expressions of constants, evaluated as they are read. (PTX ISA 9.0, 4.5)
#ifndef BACKEND_SIMULATOR_PTX_CONSTANT_H
#define BACKEND_SIMULATOR_PTX_CONSTANT_H

#include "backend/simulator/ptx/Lexer.h"

namespace tile::sim::ptx {

struct Constant {
  enum class Kind : uint8_t { Signed, Unsigned, Float32, Float64 };
  Kind kind = Kind::Signed;
  uint64_t bits = 0; ///< an integer has 64 bits whatever its use takes of them

  bool isInteger() const { return kind == Kind::Signed || kind == Kind::Unsigned; }
  double toDouble() const;
  /// The bits of a floating-point constant as `.f32`: those written, or the nearest of an f64.
  uint64_t toFloatBits() const;
  bool isTrue() const { return isInteger() ? bits != 0 : toDouble() != 0; }

  static Constant of(double value);
};

/// Whether an expression can begin so.
bool startsConstant(const Token &token);
/// Reads an expression; without one, `tokens` fails.
Constant readConstant(Tokens &tokens);
/// Reads an expression of integers that is at most `most`; `what` names it in the error.
uint64_t readInteger(Tokens &tokens, uint64_t most, std::string_view what);
/// Reads one number, where an expression would take what follows as an operator: `<8>`, `.loc 1 2 3`.
uint64_t readPlainInteger(Tokens &tokens, uint64_t most, std::string_view what);

} // namespace tile::sim::ptx

#endif // BACKEND_SIMULATOR_PTX_CONSTANT_H
