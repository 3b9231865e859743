/// \file
/// What the parts of the parser share, and their entry points: `Parser.cpp` reads a module and calls these for what is
/// inside.
#ifndef BACKEND_SIMULATOR_PTX_READING_H
#define BACKEND_SIMULATOR_PTX_READING_H

#include "backend/simulator/ptx/Lexer.h"
#include "backend/simulator/ptx/Names.h"
#include "backend/simulator/ptx/Syntax.h"

namespace tile::sim::ptx {

/// A module half read.
struct Reading {
  Tokens tokens;
  Module module;
  /// Index of each variable of the module.
  std::map<std::string, size_t, std::less<>> variables;
  /// Uses of names that no function has: what they name may stand further below, so the end of the module decides.
  std::vector<Token> lateNames;
  /// Of all variables so far. An extent is text, so it must not choose how much memory the parser takes.
  uint64_t initialBytes = 0;
};

/// A variable, and where its name stands.
struct Declared {
  Variable variable;
  Token name;
};

/// The variables of one declaration, after its state space: `.align 4 .b8 x[2], y;`.
std::vector<Declared> readVariables(Reading &reading, Space space, bool isExtern);

/// `.param .u64 .ptr .global .align 16 x`, without what follows.
Declared readParameter(Reading &reading);

/// What stands before the names of a declaration.
struct DeclaredType {
  Type type = Type::B32;
  unsigned width = 1; ///< elements of a `.v4`
  uint64_t align = 0; ///< as written, or 0
};
DeclaredType readType(Reading &reading, Space space);

/// The space that a declaration's first directive names: `shared`. Nothing if it names none.
std::optional<Space> spaceNamed(std::string_view name);

/// `{ … }` of a function that has its parameters.
void readBody(Reading &reading, Function &function);

/// One operand. A name that may be a label or function further below is left in `late`; who passes none refuses it.
/// Parentheses are a list in a `call`, else they group a constant expression.
Operand readOperand(Reading &reading, const Names &names, bool isOfCall, std::optional<Token> *late);

/// `%p1` as it is called in the module.
std::string readRegister(Reading &reading, const Names &names);

/// `.file 1 "a.cu", 0x52…, 120`.
void readFile(Reading &reading);

/// `.section .debug_str { … }`: debug information is none of ours.
void skipSection(Reading &reading);

/// `"nounroll";`: hints to a compiler.
void skipPragma(Tokens &tokens);

/// Takes tokens from an opening bracket to its partner.
void skipBrackets(Tokens &tokens, std::string_view open, std::string_view close);

} // namespace tile::sim::ptx

#endif // BACKEND_SIMULATOR_PTX_READING_H
