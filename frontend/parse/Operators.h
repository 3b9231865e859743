// Precedence of the binary operators.
#ifndef FRONTEND_PARSE_OPERATORS_H
#define FRONTEND_PARSE_OPERATORS_H

#include "frontend/ast/Expr.h"

namespace tile::syntax {

struct BinaryOperator {
  uint32_t token; // a TileParser type
  ast::BinaryOp op;
  /// Higher binds tighter; operators of one level group to the left.
  unsigned level;
  /// A comparison, which does not chain.
  bool isComparison;
};

/// The operator written as `token`, which is one.
const BinaryOperator &binaryOperator(uint32_t token);

/// The operator of a compound assignment (`+=`), or nothing for `=`.
std::optional<ast::BinaryOp> assignmentOperator(uint32_t token);

} // namespace tile::syntax

#endif // FRONTEND_PARSE_OPERATORS_H
