// One step down the AST, written once: what walks over source asks here and handles only what it is about.
#ifndef FRONTEND_AST_CHILDREN_H
#define FRONTEND_AST_CHILDREN_H

#include "frontend/ast/Item.h"

#include <functional>

namespace tile::ast {

/// What an expression is to its parent.
enum class ChildRole {
  Value,  // it is evaluated
  Type,   // it names a type, or an argument or extent of one
  Callee, // it names what is called
};

struct ChildVisitor {
  std::function<void(const Expr &, ChildRole)> expr;
  std::function<void(const Block &)> block;
};

/// Calls `visitor` with what stands directly in a node, in the order of the source: expressions, and blocks as a whole.
/// A declaration of a function gives its parameters' types and defaults, its result and its body.
void forEachChild(const Expr &expr, const ChildVisitor &visitor);
void forEachChild(const Stmt &stmt, const ChildVisitor &visitor);

} // namespace tile::ast

#endif // FRONTEND_AST_CHILDREN_H
