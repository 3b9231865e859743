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

  /// An `if` may stand within an expression, and assign.
  void visit(const ast::Expr *expr) {
    if (auto *conditional = dynCast<ast::IfExpr>(expr)) {
      visit(conditional->condition.get());
      visit(*conditional->thenBlock);
      if (conditional->elseBlock)
        visit(*conditional->elseBlock);
    }
    if (auto *binary = dynCast<ast::Binary>(expr)) {
      visit(binary->lhs.get());
      visit(binary->rhs.get());
    }
    if (auto *unary = dynCast<ast::Unary>(expr))
      visit(unary->operand.get());
    if (auto *cast = dynCast<ast::Cast>(expr))
      visit(cast->operand.get());
    if (auto *member = dynCast<ast::Member>(expr))
      visit(member->base.get());
    if (auto *tuple = dynCast<ast::Tuple>(expr))
      for (const ast::ExprPtr &element : tuple->elements)
        visit(element.get());
    if (auto *list = dynCast<ast::List>(expr))
      for (const ast::ExprPtr &element : list->elements)
        visit(element.get());
    if (auto *call = dynCast<ast::Call>(expr)) {
      visit(call->callee.get());
      for (const ast::Argument &argument : call->arguments)
        visit(argument.value.get());
    }
    if (auto *index = dynCast<ast::Index>(expr)) {
      visit(index->base.get());
      for (const ast::Position &position : index->positions)
        visit(position.value.get());
    }
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
