#include "frontend/ast/Children.h"

using namespace tile;
using namespace tile::ast;

namespace {

struct Walk {
  const ChildVisitor &visitor;

  void one(const ExprPtr &expr, ChildRole role = ChildRole::Value) const {
    if (expr)
      visitor.expr(*expr, role);
  }
  void all(const std::vector<ExprPtr> &exprs, ChildRole role = ChildRole::Value) const {
    for (const ExprPtr &expr : exprs)
      one(expr, role);
  }
  void all(const std::vector<Argument> &arguments, ChildRole role = ChildRole::Value) const {
    for (const Argument &argument : arguments)
      one(argument.value, role);
  }
  void all(const std::vector<Decorator> &decorators) const {
    for (const Decorator &decorator : decorators)
      all(decorator.arguments);
  }
  void block(const BlockPtr &block) const {
    if (block)
      visitor.block(*block);
  }
  void function(const FnDecl &function) const {
    for (const GenericParameter &generic : function.generics) {
      one(generic.type, ChildRole::Type);
      one(generic.defaultValue);
    }
    for (const Parameter &parameter : function.parameters) {
      one(parameter.type, ChildRole::Type);
      one(parameter.defaultValue);
    }
    one(function.result, ChildRole::Type);
    visitor.block(function.body);
  }
};

} // namespace

template <typename T, typename Base> static const T &as(const Base &node) { return static_cast<const T &>(node); }

void ast::forEachChild(const Expr &expr, const ChildVisitor &visitor) {
  Walk walk{visitor};
  switch (expr.kind) {
  case ExprKind::IntLiteral:
  case ExprKind::FloatLiteral:
  case ExprKind::BoolLiteral:
  case ExprKind::StringLiteral:
  case ExprKind::None:
  case ExprKind::Wildcard:
  case ExprKind::Name:
    return;
  case ExprKind::Member:
    return walk.one(as<Member>(expr).base);
  case ExprKind::GenericApply: {
    const auto &apply = as<GenericApply>(expr);
    walk.one(apply.base, ChildRole::Callee);
    walk.all(apply.arguments, ChildRole::Type);
    if (apply.shape)
      walk.all(*apply.shape, ChildRole::Type);
    return;
  }
  case ExprKind::Call:
    walk.one(as<Call>(expr).callee, ChildRole::Callee);
    return walk.all(as<Call>(expr).arguments);
  case ExprKind::Index: {
    const auto &index = as<Index>(expr);
    walk.one(index.base);
    for (const Position &position : index.positions) {
      walk.one(position.value);
      walk.one(position.bound);
    }
    walk.one(index.fallback);
    return walk.all(index.options);
  }
  case ExprKind::Unary:
    return walk.one(as<Unary>(expr).operand);
  case ExprKind::Binary:
    walk.one(as<Binary>(expr).lhs);
    return walk.one(as<Binary>(expr).rhs);
  case ExprKind::Range:
    walk.one(as<RangeExpr>(expr).lo);
    walk.one(as<RangeExpr>(expr).hi);
    return walk.one(as<RangeExpr>(expr).step);
  case ExprKind::Cast:
    walk.one(as<Cast>(expr).operand);
    walk.one(as<Cast>(expr).type, ChildRole::Type);
    return walk.all(as<Cast>(expr).options);
  case ExprKind::If:
    walk.one(as<IfExpr>(expr).condition);
    walk.block(as<IfExpr>(expr).thenBlock);
    return walk.block(as<IfExpr>(expr).elseBlock);
  case ExprKind::Tuple:
    return walk.all(as<Tuple>(expr).elements);
  case ExprKind::List:
    return walk.all(as<List>(expr).elements);
  case ExprKind::Record:
    for (const Record::Field &field : as<Record>(expr).fields)
      walk.one(field.value);
    return;
  case ExprKind::FnLiteral:
    for (const FnLiteral::Parameter &parameter : as<FnLiteral>(expr).parameters)
      walk.one(parameter.type, ChildRole::Type);
    walk.one(as<FnLiteral>(expr).body);
    return walk.block(as<FnLiteral>(expr).block);
  case ExprKind::FnType:
    walk.all(as<FnType>(expr).parameters, ChildRole::Type);
    return walk.one(as<FnType>(expr).result, ChildRole::Type);
  case ExprKind::ArrayType:
    walk.one(as<ArrayType>(expr).extent, ChildRole::Type);
    return walk.one(as<ArrayType>(expr).element, ChildRole::Type);
  case ExprKind::StridedType:
    return walk.one(as<StridedType>(expr).tensor, ChildRole::Type);
  }
}

void ast::forEachChild(const Stmt &stmt, const ChildVisitor &visitor) {
  Walk walk{visitor};
  switch (stmt.kind) {
  case StmtKind::Let:
    walk.one(as<LetStmt>(stmt).type, ChildRole::Type);
    return walk.one(as<LetStmt>(stmt).value);
  case StmtKind::Shared:
    return walk.one(as<SharedStmt>(stmt).type, ChildRole::Type);
  case StmtKind::Assign:
    walk.one(as<AssignStmt>(stmt).target);
    return walk.one(as<AssignStmt>(stmt).value);
  case StmtKind::Expr:
    return walk.one(as<ExprStmt>(stmt).expr);
  case StmtKind::For:
    walk.all(as<ForStmt>(stmt).clauses);
    walk.one(as<ForStmt>(stmt).iterable);
    return visitor.block(as<ForStmt>(stmt).body);
  case StmtKind::While:
    walk.all(as<WhileStmt>(stmt).clauses);
    walk.one(as<WhileStmt>(stmt).condition);
    return visitor.block(as<WhileStmt>(stmt).body);
  case StmtKind::Return:
    return walk.one(as<ReturnStmt>(stmt).value);
  case StmtKind::Break:
  case StmtKind::Continue:
    return;
  case StmtKind::StaticAssert:
    walk.one(as<StaticAssertStmt>(stmt).condition);
    return walk.one(as<StaticAssertStmt>(stmt).message);
  case StmtKind::StaticPrint:
    return walk.all(as<StaticPrintStmt>(stmt).values);
  case StmtKind::Fn:
    return walk.function(*as<FnStmt>(stmt).function);
  case StmtKind::Roles:
    for (const RolesStmt::Role &role : as<RolesStmt>(stmt).roles) {
      walk.all(role.arguments);
      visitor.block(role.body);
    }
    return;
  }
}
