#include "frontend/irgen/AssignedNames.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

namespace {

struct Collector {
  AssignedNames result;
  unsigned loopDepth = 0;

  void visit(const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block.statements)
      visit(*stmt);
  }

  void visitLoop(const ast::Block &body) {
    ++loopDepth;
    visit(body);
    --loopDepth;
  }

  void target(const ast::Expr &expr) {
    if (auto *name = dynCast<ast::Name>(&expr))
      result.names.insert(name->text);
    if (auto *tuple = dynCast<ast::Tuple>(&expr))
      for (const ast::ExprPtr &element : tuple->elements)
        target(*element);
  }

  void visit(const ast::Expr *expr) {
    auto *conditional = dynCast<ast::IfExpr>(expr);
    if (!conditional)
      return;
    visit(*conditional->thenBlock);
    if (conditional->elseBlock)
      visit(*conditional->elseBlock);
  }

  void visit(const ast::Stmt &stmt) {
    switch (stmt.kind) {
    case ast::StmtKind::Let:
      return visit(dynCast<ast::LetStmt>(&stmt)->value.get());
    case ast::StmtKind::Assign:
      target(*dynCast<ast::AssignStmt>(&stmt)->target);
      return visit(dynCast<ast::AssignStmt>(&stmt)->value.get());
    case ast::StmtKind::Expr:
      return visit(dynCast<ast::ExprStmt>(&stmt)->expr.get());
    case ast::StmtKind::For:
      return visitLoop(dynCast<ast::ForStmt>(&stmt)->body);
    case ast::StmtKind::While:
      return visitLoop(dynCast<ast::WhileStmt>(&stmt)->body);
    case ast::StmtKind::Return:
      result.returns = true;
      return visit(dynCast<ast::ReturnStmt>(&stmt)->value.get());
    case ast::StmtKind::Break:
      result.breaks |= loopDepth == 0;
      return;
    default:
      return;
    }
  }
};

} // namespace

AssignedNames irgen::assignedNames(const ast::Block &body) {
  Collector collector;
  collector.visit(body);
  return std::move(collector.result);
}
