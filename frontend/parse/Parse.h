// Source text to AST. The only folder that sees ANTLR and exceptions; neither passes this header.
#ifndef FRONTEND_PARSE_PARSE_H
#define FRONTEND_PARSE_PARSE_H

#include "frontend/ast/Item.h"
#include "frontend/diagnostic/Diagnostic.h"

namespace tile {

struct ParseResult {
  /// Never null. After an error, what could be made out: items and statements at fault are left out.
  std::unique_ptr<ast::Module> module;
  bool hasErrors = false;
};

/// Parses `file`, reporting to `engine`. Never throws; terminates on any bytes.
ParseResult parse(const SourceManager &sources, FileId file, DiagnosticEngine &engine);

/// Parses what follows byte `begin` of `file` as one expression: the value of the only item, a constant.
ParseResult parseValue(const SourceManager &sources, FileId file, uint32_t begin, DiagnosticEngine &engine);

} // namespace tile

#endif // FRONTEND_PARSE_PARSE_H
