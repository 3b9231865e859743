// The AST as text: `tilec --emit=ast`, and the parser's tests.
#ifndef FRONTEND_AST_PRINTER_H
#define FRONTEND_AST_PRINTER_H

#include "frontend/ast/Item.h"

#include <iosfwd>

namespace tile::ast {

/// Prints S-expressions: one item or statement a line, nested ones indented, expressions inline. The output depends on
/// the syntax alone, never on layout or locations.
void print(std::ostream &out, const Module &module);
void print(std::ostream &out, const Item &item);
void print(std::ostream &out, const Stmt &stmt);
void print(std::ostream &out, const Expr &expr);

std::string toString(const Expr &expr);

} // namespace tile::ast

#endif // FRONTEND_AST_PRINTER_H
