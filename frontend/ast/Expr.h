// Expressions. Types are expressions too: whether `T` in `f<T>` or `E: type = ()` names a type or a value is decided
// by irgen, so syntax keeps one hierarchy. Every node knows its source range. Parentheses leave no node.
//
// `classof` serves llvm::isa / cast / dyn_cast; `ast::dynCast` does the same without LLVM.
#ifndef FRONTEND_AST_EXPR_H
#define FRONTEND_AST_EXPR_H

#include "frontend/diagnostic/Source.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tile::ast {

struct Identifier {
  std::string text;
  SourceRange range;
};

enum class ExprKind {
  IntLiteral,
  FloatLiteral,
  BoolLiteral,
  StringLiteral,
  None,
  Wildcard,
  Name,
  Member,
  GenericApply,
  Call,
  Index,
  Unary,
  Binary,
  Range,
  Cast,
  If,
  Tuple,
  List,
  Record,
  FnLiteral,
  FnType,
  ArrayType,
  StridedType,
};

struct Expr {
  const ExprKind kind;
  SourceRange range;

  virtual ~Expr() = default;

protected:
  Expr(ExprKind kind, SourceRange range) : kind(kind), range(range) {}
};
using ExprPtr = std::unique_ptr<Expr>;

/// Gives a node class its constructor and `classof`.
template <typename Base, typename Kind, Kind kindOfNode> struct NodeOf : Base {
  explicit NodeOf(SourceRange range) : Base(kindOfNode, range) {}
  static bool classof(const Base *node) { return node->kind == kindOfNode; }
};
template <ExprKind kind> using ExprNode = NodeOf<Expr, ExprKind, kind>;

/// `node` as a T, or null if it is another kind or null.
template <typename T, typename Base> const T *dynCast(const Base *node) {
  return node && T::classof(node) ? static_cast<const T *>(node) : nullptr;
}
template <typename T, typename Base> const T *dynCast(const std::unique_ptr<Base> &node) {
  return dynCast<T>(static_cast<const Base *>(node.get()));
}

/// `value`, `name = value`, or in `@instances` `has(name) = value`.
struct Argument {
  std::optional<Identifier> name;
  bool isHas = false;
  ExprPtr value;
  SourceRange range;
};

/// A block's last statement, if it is an expression, is the block's value. Defined in Stmt.h.
struct Block;
using BlockPtr = std::unique_ptr<Block>;

//===-- Literals and names

/// Non-negative; a leading `-` is a Unary. At most 2^64 - 1.
struct IntLiteral : ExprNode<ExprKind::IntLiteral> {
  using NodeOf::NodeOf;
  uint64_t value = 0;
};

struct FloatLiteral : ExprNode<ExprKind::FloatLiteral> {
  using NodeOf::NodeOf;
  double value = 0;     // nearest double; never infinite
  std::string spelling; // digits as written, without `_`
};

struct BoolLiteral : ExprNode<ExprKind::BoolLiteral> {
  using NodeOf::NodeOf;
  bool value = false;
};

struct StringLiteral : ExprNode<ExprKind::StringLiteral> {
  using NodeOf::NodeOf;
  std::string value; // escapes replaced
};

/// `none`, the absent value of an optional parameter.
struct NoneLiteral : ExprNode<ExprKind::None> {
  using NodeOf::NodeOf;
};

/// `_`: any extent in a parameter's type, an element that a pattern ignores.
struct Wildcard : ExprNode<ExprKind::Wildcard> {
  using NodeOf::NodeOf;
};

/// A variable, parameter, function, type (`f32`, `index`, `type`), or module.
struct Name : ExprNode<ExprKind::Name> {
  using NodeOf::NodeOf;
  std::string text;
};

//===-- Postfix forms

/// `base.name`: `x.T`, `T.max`, a field, a module's member; called, a method.
struct Member : ExprNode<ExprKind::Member> {
  using NodeOf::NodeOf;
  ExprPtr base;
  Identifier name;
};

/// `base<arguments>[shape]`, as a type (`tile<f32>[BM, BN]`) or a callee (`full<f32>[BM]`). `base` is a Name or Member.
struct GenericApply : ExprNode<ExprKind::GenericApply> {
  using NodeOf::NodeOf;
  ExprPtr base;
  std::vector<Argument> arguments;
  std::optional<std::vector<ExprPtr>> shape; // absent: no brackets; empty: `[]`
};

/// `callee(arguments)`; a struct value `S(x = 1)` is one too.
struct Call : ExprNode<ExprKind::Call> {
  using NodeOf::NodeOf;
  ExprPtr callee;
  std::vector<Argument> arguments;
};

/// One position of an Index.
struct Position {
  enum class Kind {
    Plain,   // `value`
    Region,  // `value :+ extent`
    Whole,   // `:`
    Range,   // `value .. extent`
    All,     // `..`
    NewAxis, // `None`
  };
  Kind kind = Kind::Plain;
  ExprPtr value; // Region: corner; Range: lower bound
  ExprPtr bound; // Region: extent; Range: upper bound
  SourceRange range;
};

/// `base[positions] else fallback with (options)`, after `unchecked` if so marked.
struct Index : ExprNode<ExprKind::Index> {
  using NodeOf::NodeOf;
  ExprPtr base;
  std::vector<Position> positions;
  ExprPtr fallback; // value of out-of-bounds lanes, or null
  std::vector<Argument> options;
  bool isUnchecked = false;
};

//===-- Operators

enum class UnaryOp { Negate, BitNot, LogicalNot };
enum class BinaryOp {
  Mul,
  Div,
  Rem,
  MatMul,
  Add,
  Sub,
  Shl,
  Shr,
  BitAnd,
  BitXor,
  BitOr,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  LogicalAnd,
  LogicalOr,
};

/// As written in source: `-`, `@`, `<=`.
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);

struct Unary : ExprNode<ExprKind::Unary> {
  using NodeOf::NodeOf;
  UnaryOp op = UnaryOp::Negate;
  ExprPtr operand;
};

struct Binary : ExprNode<ExprKind::Binary> {
  using NodeOf::NodeOf;
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  ExprPtr lhs;
  ExprPtr rhs;
};

/// `lo .. hi` or `lo .. hi step s`: what a `for` runs over. (In an index it is a Position.)
struct RangeExpr : ExprNode<ExprKind::Range> {
  using NodeOf::NodeOf;
  ExprPtr lo;
  ExprPtr hi;
  ExprPtr step; // or null
};

/// `operand as type with (options)`; `type` is a Name or Member.
struct Cast : ExprNode<ExprKind::Cast> {
  using NodeOf::NodeOf;
  ExprPtr operand;
  ExprPtr type;
  std::vector<Argument> options;
};

//===-- Compound values

/// `if condition { } else { }`, as an expression or (in an ExprStmt) a statement. `else if` is an else block whose one
/// statement is an IfExpr.
struct IfExpr : ExprNode<ExprKind::If> {
  explicit IfExpr(SourceRange range);
  ~IfExpr() override;
  bool isStatic = false;
  ExprPtr condition;
  BlockPtr thenBlock;
  BlockPtr elseBlock; // or null
};

/// `()`, `(a,)`, `(a, b)`; also a tuple type.
struct Tuple : ExprNode<ExprKind::Tuple> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> elements;
};

/// `[a, b]`.
struct List : ExprNode<ExprKind::List> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> elements;
};

/// `{warps: 4, BM: 64}`: a configuration in a decorator.
struct Record : ExprNode<ExprKind::Record> {
  using NodeOf::NodeOf;
  struct Field {
    Identifier name;
    ExprPtr value;
  };
  std::vector<Field> fields;
};

/// `fn(a, b) => a + b`.
struct FnLiteral : ExprNode<ExprKind::FnLiteral> {
  explicit FnLiteral(SourceRange range);
  ~FnLiteral() override;
  struct Parameter {
    Identifier name;
    ExprPtr type; // or null
  };
  std::vector<Parameter> parameters;
  ExprPtr body; // exactly one of body and block
  BlockPtr block;
};

//===-- Types that are no other expression

/// `fn(tile<f32>[M], index) -> f32`.
struct FnType : ExprNode<ExprKind::FnType> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> parameters;
  ExprPtr result; // null: none
};

/// `[4] tile<f32>[16, 16]`.
struct ArrayType : ExprNode<ExprKind::ArrayType> {
  using NodeOf::NodeOf;
  ExprPtr extent;
  ExprPtr element;
};

/// `strided tensor<f32>[M, N]`.
struct StridedType : ExprNode<ExprKind::StridedType> {
  using NodeOf::NodeOf;
  ExprPtr tensor;
};

} // namespace tile::ast

#endif // FRONTEND_AST_EXPR_H
