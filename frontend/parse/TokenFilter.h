// The token filter; see grammar/README.md for its rules. Brackets are kept on a stack, so that each decision knows
// where it is taken; what a `<` means is decided in GenericList.cpp, all else in TokenFilter.cpp.
#ifndef FRONTEND_PARSE_TOKENFILTER_H
#define FRONTEND_PARSE_TOKENFILTER_H

#include "frontend/parse/Tokens.h"

namespace tile::syntax {

class TokenFilter {
public:
  TokenFilter(const Source &source, const TokenList &lexed) : source(source), in(lexed.tokens) {
    list.muted = lexed.muted;
    docs = lexed.docs;
  }
  TokenList run();

private:
  struct Bracket {
    uint32_t type;    // the opener's type, as the parser sees it
    uint32_t token;   // index in `in`
    bool isTypeList;  // holds types: of a function type, a tuple type, a generic list
    bool isDecorator; // of a decorator's arguments
  };

  //===- Reading ------------------------------------------------------------------------------------------------===//
  const Lexeme &current() const { return in[next]; }
  /// Type of the token after the current one.
  uint32_t typeAfter() const { return next + 1 < in.size() ? in[next + 1].type : kEndOfFile; }
  /// Type of the last token written, or 0.
  uint32_t lastType() const { return list.tokens.empty() ? 0 : list.tokens.back().type; }
  bool touches(size_t first, size_t second) const { return in[first].end == in[second].begin; }
  bool inBlock() const;
  bool atStart() const;
  uint32_t indentation(const Lexeme &token) const;

  //===- Writing ------------------------------------------------------------------------------------------------===//
  void write(uint32_t type, uint32_t begin, uint32_t end);
  void write(uint32_t type) { write(type, current().begin, current().end); }
  void writeEnd(uint32_t begin, uint32_t end);
  void open(uint32_t type);
  void close(uint32_t begin, uint32_t end);

  //===- Rules --------------------------------------------------------------------------------------------------===//
  void token();
  void lineEnd();
  bool continuesLine() const;
  void name();
  uint32_t wordInPlace() const;
  void opener();
  void closer();
  void at();
  void closeLeftOpen();
  bool beginsStatement() const;
  bool beginsItem() const;
  void reportUnclosed(const Lexeme &found, size_t keep);

  //===- GenericList.cpp ----------------------------------------------------------------------------------------===//
  bool opensGenericList() const;
  bool inTypePosition() const;
  size_t findGenericClose() const;
  bool opensArrayType() const;

  const Source &source;
  const std::vector<Lexeme> &in;
  std::vector<DocLine> docs;
  TokenList list;
  size_t next = 0;
  std::vector<Bracket> brackets;
  size_t decoratorEnd = SIZE_MAX; // size of the output right after a decorator
  size_t arrayTypeEnd = SIZE_MAX; // … after the `]` of an array type
  bool inKernelHead = false;
  bool isBalanced = true;        // every brace of the file has its partner
  uint32_t statementStart = 0;   // index in `in`
  uint32_t suspect = UINT32_MAX; // a `{` whose `}` stands less indented than its line: the likely one without end
};

} // namespace tile::syntax

#endif // FRONTEND_PARSE_TOKENFILTER_H
