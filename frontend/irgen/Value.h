/// What an expression evaluates to: a compile-time value, or an SSA value with its static type.
#ifndef FRONTEND_IRGEN_VALUE_H
#define FRONTEND_IRGEN_VALUE_H

#include "frontend/ast/Item.h"
#include "frontend/irgen/Type.h"

#include "mlir/IR/Value.h"

#include <memory>
#include <variant>

namespace tile::irgen {

struct Builtin;
struct LoadedModule;
class Scope;
class Value;

/// Reported already; whatever is made of it is silent.
struct ErrorValue {};
/// `none`, and an optional parameter that this instance lacks (then `parameter` names it).
struct AbsentValue {
  std::string parameter;
};
/// Control does not get here: what follows a `return`.
struct NeverValue {};
/// Without a type it takes that of the other operand; alone it is i32.
struct IntConstant {
  WideInt value = 0;
  std::optional<Scalar> type;
  Symbolic symbol; // meaningful within i64
};
/// Without a type it takes that of the other operand; alone it is f32.
struct FloatConstant {
  double value = 0;
  std::optional<Scalar> type;
};
struct BoolConstant {
  bool value = false;
};
struct StringConstant {
  std::string value;
};
/// A type as a value. A type written on the command line or as a default stays syntax until its extents have meaning.
struct TypeConstant {
  Type type;
  const ast::Expr *syntax = nullptr;
  std::shared_ptr<Scope> scope;
};
/// A declared function, a local one or a literal, with the names it sees.
struct Function {
  std::string name;
  const ast::FnDecl *decl = nullptr; // exactly one of decl and literal
  const ast::FnLiteral *literal = nullptr;
  std::shared_ptr<Scope> scope;
  const ast::FnType *signature = nullptr; // of the parameter it was bound to
  std::shared_ptr<Scope> signatureScope;
};
struct TupleValue {
  std::vector<Value> elements;
  bool isList = false;
  size_t size = 0; // of values, those of tuples in it included
};
/// A tile, scalar, pointer or view that the program computes.
struct RuntimeValue {
  mlir::Value value;
  Type type;
};

class Value {
public:
  using Storage = std::variant<ErrorValue, NeverValue, AbsentValue, IntConstant, FloatConstant, BoolConstant,
                               StringConstant, TypeConstant, std::shared_ptr<const Function>, const Builtin *,
                               const LoadedModule *, std::shared_ptr<const TupleValue>, RuntimeValue>;

  Value() = default;
  template <typename T, typename = std::enable_if_t<std::is_constructible_v<Storage, T &&> &&
                                                    !std::is_same_v<std::decay_t<T>, Value>>>
  Value(T &&value) : storage(std::forward<T>(value)) {}
  Value(mlir::Value value, Type type) : storage(RuntimeValue{value, std::move(type)}) {}

  static Value integer(int64_t value) { return IntConstant{value, std::nullopt, Symbolic(value)}; }
  static Value integer(const Dim &dim) { return IntConstant{dim.value, std::nullopt, dim.symbol}; }
  static Value boolean(bool value) { return BoolConstant{value}; }
  static Value type(Type type) { return TypeConstant{std::move(type), nullptr, nullptr}; }
  static Value tuple(std::vector<Value> elements, bool isList = false);
  static Value unit() { return tuple({}); }

  template <typename T> const T *as() const { return std::get_if<T>(&storage); }
  const TupleValue *asTuple() const {
    auto *tuple = as<std::shared_ptr<const TupleValue>>();
    return tuple ? tuple->get() : nullptr;
  }
  const Function *asFunction() const {
    auto *function = as<std::shared_ptr<const Function>>();
    return function ? function->get() : nullptr;
  }

  bool isError() const { return as<ErrorValue>(); }
  bool isUnit() const { return asTuple() && asTuple()->elements.empty(); }
  bool isRuntime() const { return as<RuntimeValue>(); }
  /// A number that takes the type of what it meets: a literal, or what was computed from literals alone.
  bool isUntyped() const;
  /// A number or bool known at compile time.
  bool isConstantScalar() const { return as<IntConstant>() || as<FloatConstant>() || as<BoolConstant>(); }
  bool isView() const { return isRuntime() && as<RuntimeValue>()->type.isView(); }
  bool isTile() const { return isRuntime() && as<RuntimeValue>()->type.isTile(); }
  /// The SSA value; the value is a run-time one.
  mlir::Value ssa() const { return as<RuntimeValue>()->value; }

  /// Its static type. That of a constant without a type is the one it has alone.
  Type type() const;
  /// `type()` for messages, which say more of compile-time values: `128`, `fn relu`.
  std::string describe() const;
  /// The same beside what was expected: `the type f32` is no f32.
  std::string describeFound() const;

private:
  Storage storage;
};

/// Values in `value`: those of a tuple and of the tuples in it, and itself.
size_t sizeOf(const Value &value);

} // namespace tile::irgen

#endif
