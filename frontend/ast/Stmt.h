// Statements and blocks.
#ifndef FRONTEND_AST_STMT_H
#define FRONTEND_AST_STMT_H

#include "frontend/ast/Expr.h"

namespace tile::ast {

struct FnDecl; // Item.h

enum class StmtKind {
  Let,
  Shared,
  Assign,
  Expr,
  For,
  While,
  Return,
  Break,
  Continue,
  StaticAssert,
  StaticPrint,
  Fn,
  Roles,
};

struct Stmt {
  const StmtKind kind;
  SourceRange range;

  virtual ~Stmt() = default;

protected:
  Stmt(StmtKind kind, SourceRange range) : kind(kind), range(range) {}
};
using StmtPtr = std::unique_ptr<Stmt>;
template <StmtKind kind> using StmtNode = NodeOf<Stmt, StmtKind, kind>;

struct Block {
  std::vector<StmtPtr> statements;
  SourceRange range; // with its braces
};

/// What a `let`, `var` or `for` binds: a name, `_`, or a tuple of patterns.
struct Pattern {
  enum class Kind { Name, Wildcard, Tuple };
  Kind kind = Kind::Name;
  std::string name;
  std::vector<Pattern> elements;
  SourceRange range;
};

/// `@stages(4)`, `@persistent`, `@autotune(configs = […])`: before an item or, as a schedule clause, before a loop.
struct Decorator {
  Identifier name;
  std::vector<Argument> arguments;
  SourceRange range;
};

/// `let pattern: type = value`, or `var`.
struct LetStmt : StmtNode<StmtKind::Let> {
  using NodeOf::NodeOf;
  bool isMutable = false;
  Pattern pattern;
  ExprPtr type; // or null
  ExprPtr value;
};

/// `shared name: type`: a tile in shared memory.
struct SharedStmt : StmtNode<StmtKind::Shared> {
  using NodeOf::NodeOf;
  Identifier name;
  ExprPtr type;
};

/// `target = value`, or with `op` `target op= value`. A target is a Name, Index, Member, or Tuple of them.
struct AssignStmt : StmtNode<StmtKind::Assign> {
  using NodeOf::NodeOf;
  ExprPtr target;
  std::optional<BinaryOp> op;
  SourceRange opRange;
  ExprPtr value;
};

struct ExprStmt : StmtNode<StmtKind::Expr> {
  using NodeOf::NodeOf;
  ExprPtr expr;
};

/// `for pattern in iterable { }`.
struct ForStmt : StmtNode<StmtKind::For> {
  using NodeOf::NodeOf;
  std::vector<Decorator> clauses;
  bool isStatic = false;
  Pattern pattern;
  ExprPtr iterable; // a RangeExpr, a call of `rev`, or (static) a tuple or array
  Block body;
};

struct WhileStmt : StmtNode<StmtKind::While> {
  using NodeOf::NodeOf;
  std::vector<Decorator> clauses;
  ExprPtr condition;
  Block body;
};

struct ReturnStmt : StmtNode<StmtKind::Return> {
  using NodeOf::NodeOf;
  ExprPtr value; // or null
};

struct BreakStmt : StmtNode<StmtKind::Break> {
  using NodeOf::NodeOf;
};

struct ContinueStmt : StmtNode<StmtKind::Continue> {
  using NodeOf::NodeOf;
};

/// `static_assert(condition, "message")`.
struct StaticAssertStmt : StmtNode<StmtKind::StaticAssert> {
  using NodeOf::NodeOf;
  ExprPtr condition;
  ExprPtr message; // or null
};

/// `static_print(values…)`.
struct StaticPrintStmt : StmtNode<StmtKind::StaticPrint> {
  using NodeOf::NodeOf;
  std::vector<ExprPtr> values;
};

/// A local function.
struct FnStmt : StmtNode<StmtKind::Fn> {
  explicit FnStmt(SourceRange range);
  ~FnStmt() override;
  std::unique_ptr<FnDecl> function;
};

/// `roles { producer { … } consumer(2) { … } }`: explicit warp roles.
struct RolesStmt : StmtNode<StmtKind::Roles> {
  using NodeOf::NodeOf;
  struct Role {
    Identifier name;
    std::vector<Argument> arguments;
    Block body;
  };
  std::vector<Role> roles;
};

} // namespace tile::ast

#endif // FRONTEND_AST_STMT_H
