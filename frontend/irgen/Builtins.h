/// The functions that the language knows without an import. A row of the table says how a call is checked and what it
/// becomes: an elementwise function is one row.
#ifndef FRONTEND_IRGEN_BUILTINS_H
#define FRONTEND_IRGEN_BUILTINS_H

#include "frontend/irgen/Evaluator.h"

#include <cmath>

namespace tile::irgen {

/// Scalars that an elementwise function is defined for.
enum class Domain : uint8_t { F32, Float, Integer, Number };

struct Builtin {
  std::string_view name;

  /// Elementwise functions: operands of one type and shape give a result of that type and shape.
  unsigned arity = 0;
  Domain domain = Domain::Number;
  Emitter::Exactness exactness = Emitter::Exactness::Exact; ///< on floats
  mlir::Value (*emit)(Evaluator &evaluator, llvm::ArrayRef<mlir::Value> operands, Scalar scalar,
                      mlir::Location location) = nullptr;
  /// Their value on constants, where it is worth having at compile time.
  WideInt (*foldInteger)(WideInt, WideInt) = nullptr;
  double (*foldFloat)(double, double) = nullptr;

  /// All other functions.
  Value (*call)(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) = nullptr;
  /// `call` evaluates the arguments itself.
  bool takesSyntax = false;
};

/// The order of extremes, in which 0 is above -0; false for NaN.
inline bool isAbove(double a, double b) { return a > b || (a == b && !std::signbit(a)); }

/// A row that is no elementwise function.
inline Builtin builtinRow(std::string_view name, Value (*call)(Evaluator &, const Builtin &, CallArguments &),
                          bool takesSyntax = false) {
  Builtin row;
  row.name = name;
  row.call = call;
  row.takesSyntax = takesSyntax;
  return row;
}

/// The rows, by family.
llvm::ArrayRef<Builtin> elementwiseBuiltins();
llvm::ArrayRef<Builtin> memoryBuiltins();
llvm::ArrayRef<Builtin> programBuiltins();
llvm::ArrayRef<Builtin> reductionBuiltins();
llvm::ArrayRef<Builtin> tileBuiltins();

/// Help for those who look for a scan.
inline constexpr std::string_view kRunningSum =
    "a running sum is `sum(where(i[:, None] <= i[None, :], x[:, None], 0), axis = 0)` with `i = iota<i32>[n]`";

/// The builtin named `name`, or null.
const Builtin *findBuiltin(std::string_view name);
/// Appends every name, for suggestions.
void collectBuiltins(std::vector<std::string_view> &names);

/// The call of an elementwise builtin.
Value callElementwise(Evaluator &evaluator, const Builtin &builtin, CallArguments &arguments);

/// The arguments of a builtin by parameter name; an unknown, repeated or missing one is reported.
class BuiltinArguments {
public:
  /// `parameters` begins with the positional ones; `required` of them must be there; the others are given by name only.
  BuiltinArguments(Evaluator &evaluator, const Builtin &builtin, CallArguments &arguments,
                   std::vector<std::string_view> parameters, unsigned required, unsigned positional);
  bool isValid() const { return valid; }
  /// The argument, or null.
  const CallArguments::Argument *get(std::string_view name) const;
  Operand operand(std::string_view name) const { return get(name)->operand; }

private:
  std::vector<std::string_view> parameters;
  std::vector<const CallArguments::Argument *> bound;
  bool valid = true;
};

} // namespace tile::irgen

#endif
