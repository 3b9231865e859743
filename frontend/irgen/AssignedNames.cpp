#include "frontend/irgen/AssignedNames.h"

#include "frontend/ast/Children.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

namespace {

/// Assignments may stand anywhere: an expression may hold an `if`, whose blocks hold statements.
struct Collector {
  AssignedNames result;
  unsigned loopDepth = 0;
  ast::ChildVisitor children{[this](const ast::Expr &expr, ast::ChildRole) { visit(expr); },
                             [this](const ast::Block &block) { visit(block); }};

  void visit(const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block.statements)
      visit(*stmt);
  }

  void target(const ast::Expr &expr) {
    if (auto *name = dynCast<ast::Name>(&expr))
      result.names.insert(name->text);
    if (auto *tuple = dynCast<ast::Tuple>(&expr))
      for (const ast::ExprPtr &element : tuple->elements)
        target(*element);
  }

  void visit(const ast::Expr &expr) {
    if (!dynCast<ast::FnLiteral>(&expr))
      forEachChild(expr, children);
  }

  void visit(const ast::Stmt &stmt) {
    if (dynCast<ast::FnStmt>(&stmt))
      return;
    if (auto *assign = dynCast<ast::AssignStmt>(&stmt))
      target(*assign->target);
    result.returns |= stmt.kind == ast::StmtKind::Return;
    result.breaks |= stmt.kind == ast::StmtKind::Break && loopDepth == 0;
    auto *loop = dynCast<ast::ForStmt>(&stmt);
    bool isLoop = loop || stmt.kind == ast::StmtKind::While;
    // What a `for` runs over is evaluated before it: a `break` there leaves the loop around it.
    if (loop)
      visit(*loop->iterable);
    loopDepth += isLoop;
    forEachChild(stmt, children);
    loopDepth -= isLoop;
  }
};

} // namespace

template <typename Node> static AssignedNames collect(const Node &node) {
  Collector collector;
  collector.visit(node);
  return std::move(collector.result);
}

AssignedNames irgen::assignedNames(const ast::Block &body) { return collect(body); }
AssignedNames irgen::assignedNames(const ast::Expr &expr) { return collect(expr); }
