// What the headers of the AST leave out of line: operator spellings and the destructors of nodes that hold blocks.
#include "frontend/ast/Item.h"

using namespace tile;
using namespace tile::ast;

IfExpr::IfExpr(SourceRange range) : NodeOf(range) {}
IfExpr::~IfExpr() = default;
FnLiteral::FnLiteral(SourceRange range) : NodeOf(range) {}
FnLiteral::~FnLiteral() = default;
FnStmt::FnStmt(SourceRange range) : NodeOf(range) {}
FnStmt::~FnStmt() = default;

std::string_view ast::spelling(UnaryOp op) {
  static constexpr std::string_view names[] = {"-", "~", "!"};
  return names[static_cast<size_t>(op)];
}

std::string_view ast::spelling(BinaryOp op) {
  static constexpr std::string_view names[] = {"*", "/", "%",  "@", "+",  "-",  "<<", ">>", "&", "^",
                                               "|", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
  return names[static_cast<size_t>(op)];
}
