/// What a loop does to the world around it, read off its syntax before it runs: which names it assigns and how
/// control may leave it.
#ifndef FRONTEND_IRGEN_ASSIGNEDNAMES_H
#define FRONTEND_IRGEN_ASSIGNEDNAMES_H

#include "frontend/ast/Item.h"

#include <set>
#include <string>

namespace tile::irgen {

struct AssignedNames {
  std::set<std::string> names; // targets of assignments, wherever they are declared
  bool breaks = false;         // out of the loop whose body this is
  bool returns = false;
};

/// Local functions capture by value, so what they assign does not count.
AssignedNames assignedNames(const ast::Block &body);
/// The same of an expression, such as the condition of a `while`.
AssignedNames assignedNames(const ast::Expr &expr);

} // namespace tile::irgen

#endif
