// Parses snippets for the tests of the parser.
#ifndef TEST_UNIT_FRONTEND_PARSING_H
#define TEST_UNIT_FRONTEND_PARSING_H

#include "frontend/ast/Printer.h"
#include "frontend/diagnostic/Render.h"
#include "frontend/parse/Parse.h"

#include <sstream>

namespace tile::test {

/// A parsed text with everything that belongs to it.
struct Parsed {
  explicit Parsed(std::string text) {
    file = sources.add("t.tile", std::move(text));
    result = parse(sources, file, engine);
  }
  Parsed(const Parsed &) = delete;

  std::string errors() const {
    std::ostringstream out;
    renderText(out, sources, engine);
    return out.str();
  }
  std::string ast() const {
    std::ostringstream out;
    ast::print(out, *result.module);
    return out.str();
  }

  SourceManager sources;
  FileId file;
  DiagnosticEngine engine;
  ParseResult result;
};

/// The statements of a function's body, one a line, or the errors.
inline std::string statements(const std::string &body) {
  Parsed parsed("fn f() {\n" + body + "\n}\n");
  if (parsed.result.hasErrors)
    return parsed.errors();
  std::ostringstream out;
  auto &function = static_cast<const ast::FnDecl &>(*parsed.result.module->items.at(0));
  for (const ast::StmtPtr &stmt : function.body.statements) {
    if (out.tellp() > 0)
      out << '\n';
    ast::print(out, *stmt);
  }
  return out.str();
}

/// An expression, as it is printed; the errors if it is none.
inline std::string expression(const std::string &text) {
  Parsed parsed("const X = " + text + "\n");
  if (parsed.result.hasErrors)
    return parsed.errors();
  return ast::toString(*static_cast<const ast::ConstItem &>(*parsed.result.module->items.at(0)).value);
}

/// The text of the first diagnostic, or nothing.
inline std::string firstMessage(const Parsed &parsed) {
  auto all = parsed.engine.sorted();
  return all.empty() ? "" : all.front()->message;
}

} // namespace tile::test

#endif // TEST_UNIT_FRONTEND_PARSING_H
