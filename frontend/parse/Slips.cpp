// Slips: faults that those who come from Python, CUDA or C make, each told what Tile writes instead. A slip is a
// function that reports and returns true if the fault is its own; the first one that does ends the search.
#include "frontend/parse/SyntaxErrors.h"

#include <algorithm>

using namespace tile;
using namespace tile::syntax;

static SourceRange rangeOf(const Fault &fault, int first, int last) {
  return fault.source.range(fault.at(first).begin, fault.at(last).end);
}
static SourceRange rangeOf(const Fault &fault) { return rangeOf(fault, 0, 0); }
static std::string quote(std::string_view text) { return "`" + std::string(text) + "`"; }

static bool isBinaryOperator(uint32_t type) {
  return (type >= TileParser::STAR && type <= TileParser::OR) || type == TileParser::SHR;
}

/// `if a = b {`
static bool assignmentInCondition(const Fault &fault) {
  if (fault.type() != TileParser::ASSIGN || !fault.expects(TileParser::LBRACE))
    return false;
  fault.source.engine.report(Code::E0011, rangeOf(fault), "found `=` in a condition; expected `==`")
      .replace(rangeOf(fault), "==", "", " compares, `=` assigns");
  return true;
}

/// `if c:`, `for i in 0 .. n:`, `def f():`
static bool colonForBlock(const Fault &fault) {
  if (fault.type() != TileParser::COLON || !fault.expects(TileParser::LBRACE))
    return false;
  fault.source.engine.report(Code::E0012, rangeOf(fault), "found `:`; expected `{`")
      .help("a block stands in braces: `{ … }`");
  return true;
}

/// Words of other languages that stand where Tile has a sign or another word.
static bool foreignWord(const Fault &fault) {
  struct Word {
    std::string_view found;
    int offset; // of the word from the token at fault
    std::string_view help;
    bool isEdit = false; // `help` is what to write in its place
  };
  static constexpr Word words[] = {
      {"and", 0, "&&", true},
      {"or", 0, "||", true},
      {"is", 0, "==", true},
      {"elif", 0, "else if", true},
      {"not", -1, "!", true},
      {"def", -1, "write `fn name(…) { … }`, or `kernel name(…) grid […] { … }`"},
      {"func", -1, "write `fn name(…) { … }`"},
      {"function", -1, "write `fn name(…) { … }`"},
      {"class", -1, "write `struct Name { … }`"},
      {"elif", -1, "else if", true},
      {"lambda", -1, "write `fn(a, b) => a + b`"},
      {"del", -1, "values need no deletion"},
      {"from", -1, "write `import \"file.tile\" as name`"},
      {"def", 0, "write `fn name(…) { … }`, or `kernel name(…) grid […] { … }`"},
      {"func", 0, "write `fn name(…) { … }`"},
      {"function", 0, "write `fn name(…) { … }`"},
      {"class", 0, "write `struct Name { … }`"},
      {"void", 0, "write `fn name(…) { … }`, or `kernel name(…) grid […] { … }`"},
      {"__global__", 0, "write `kernel name(…) grid […] { … }`"},
      {"from", 0, "write `import \"file.tile\" as name`"},
  };
  for (const Word &word : words) {
    if (fault.type(word.offset) != TileParser::NAME || fault.text(word.offset) != word.found)
      continue;
    SourceRange range = rangeOf(fault, word.offset, word.offset);
    DiagnosticBuilder diagnostic =
        fault.source.engine.report(Code::E0012, range, "found " + quote(word.found) + ", which is no word of Tile");
    if (word.isEdit)
      diagnostic.replace(range, word.help, "write ");
    else
      diagnostic.help(std::string(word.help));
    return true;
  }
  return false;
}

/// `x ** 2`, `i++`, `i--`, `a // b` cannot be seen.
static bool doubledOperator(const Fault &fault) {
  uint32_t type = fault.type();
  bool isAtEnd = type == TileParser::END || type == TileParser::RPAREN || type == TileParser::RBRACKET;
  if ((type == TileParser::STAR || type == TileParser::PLUS) && fault.type(-1) == type && fault.touches(-1, 0)) {
    fault.source.engine
        .report(Code::E0012, rangeOf(fault, -1, 0),
                type == TileParser::STAR ? "there is no operator `**`" : "there is no operator `++`")
        .help(type == TileParser::STAR ? "write a power as a product, `x * x`, or as `exp2(y * log2(x))`"
                                       : "write `x += 1`");
    return true;
  }
  if (isAtEnd && fault.type(-1) == TileParser::MINUS && fault.type(-2) == TileParser::MINUS && fault.touches(-2, -1)) {
    fault.source.engine.report(Code::E0012, rangeOf(fault, -2, -1), "there is no operator `--`").help("write `x -= 1`");
    return true;
  }
  return false;
}

/// `p: f32*`
static bool pointerType(const Fault &fault) {
  if (fault.type() != TileParser::STAR || fault.type(-1) != TileParser::NAME || !fault.expects(TileParser::QUESTION))
    return false;
  SourceRange range = rangeOf(fault, -1, 0);
  fault.source.engine.report(Code::E0012, range, "found `*` after a type; expected the type of a parameter")
      .replace(range, "ptr<" + std::string(fault.text(-1)) + ">", "a pointer is ");
  return true;
}

/// `c ? a : b`, `a if c else b`
static bool conditionalExpression(const Fault &fault) {
  bool isPython = fault.type() == TileParser::IF && endsOperand(fault.type(-1));
  bool isC = fault.type() == TileParser::QUESTION && endsOperand(fault.type(-1)) && !fault.expects(TileParser::INT);
  if (!isPython && !isC)
    return false;
  fault.source.engine
      .report(Code::E0012, rangeOf(fault), "found " + quote(fault.text()) + " after a value; expected an operator")
      .help("a choice is written `if condition { a } else { b }`; on tiles, `where(condition, a, b)`");
  return true;
}

/// `x: i32 = 4`, `x := 4`, `int x = 4`, `let mut x = 4`
static bool missingLet(const Fault &fault) {
  if (fault.type() == TileParser::NAME && fault.type(-1) == TileParser::NAME && fault.text(-1) == "mut") {
    fault.source.engine.report(Code::E0015, rangeOf(fault, -1, -1), "found `mut`; a variable is declared with `var`")
        .help("write `var " + std::string(fault.text()) + " = …`");
    return true;
  }
  if (fault.type(-1) != TileParser::NAME || !fault.beginsStatement(-1))
    return false;
  std::string name(fault.text(fault.type() == TileParser::NAME ? 0 : -1));
  bool isTyped = fault.type() == TileParser::COLON;
  std::string type = isTyped && fault.type(1) == TileParser::NAME ? ": " + std::string(fault.text(1)) : "";
  bool isC = fault.type() == TileParser::NAME && fault.type(1) == TileParser::ASSIGN;
  if (!isTyped && !isC)
    return false;
  fault.source.engine
      .report(Code::E0015, rangeOf(fault, -1, isTyped ? -1 : 0),
              "a declaration of " + quote(name) + " without `let` or `var`")
      .help("write `let " + name + type + " = …`, or `var` if it is assigned again");
  return true;
}

/// `x[1:5]`
static bool pythonSlice(const Fault &fault) {
  bool isSlice = fault.type() == TileParser::COLON || fault.type(-1) == TileParser::COLON;
  if (!isSlice || !fault.expects(TileParser::RBRACKET) || !fault.isInside(TileParser::RuleSuffix))
    return false;
  if (fault.type() != TileParser::COLON) {
    fault.source.engine
        .report(Code::E0022, rangeOf(fault), "found " + describeFound(fault) + " after `:`; expected `,` or `]`")
        .help("`0 :+ count` is a tile of the first `count` elements, `0 .. hi` a view of the elements up to `hi`");
    return true;
  }
  fault.source.engine.report(Code::E0022, rangeOf(fault), "found `:` after an index; expected `:+`, `..`, `,` or `]`")
      .help("`lo :+ count` is a tile of `count` elements, `lo .. hi` a view of the elements from `lo` up to `hi`");
  return true;
}

/// A line that begins with an operator.
static bool operatorBeginsLine(const Fault &fault) {
  bool isContinuation = isBinaryOperator(fault.type()) || fault.type() == TileParser::DOT ||
                        fault.type() == TileParser::AS || fault.type() == TileParser::WITH ||
                        fault.type() == TileParser::REGION;
  Lexeme end = fault.at(-1);
  if (!isContinuation || end.type != TileParser::END || end.begin != end.end)
    return false;
  fault.source.engine
      .report(Code::E0020, rangeOf(fault), "this line begins with " + quote(fault.text()) + "; expected a statement")
      .secondary(fault.source.range(end), "the statement before it ends here")
      .help("end the line before with the operator, or put the expression in parentheses");
  return true;
}

/// `a < b < c` is found later; here `for i in range(n)` and `for i in a, b` lack a range.
static bool commaInRange(const Fault &fault) {
  if (fault.type() != TileParser::COMMA || !fault.expects(TileParser::LBRACE) || !fault.isInside(TileParser::RuleLoop))
    return false;
  fault.source.engine.report(Code::E0012, rangeOf(fault), "found `,`; expected `..` or `{`")
      .help("a loop runs over `lo .. hi` or `lo .. hi step s`");
  return true;
}

/// `let in = 1`
static bool keywordAsName(const Fault &fault) {
  std::string_view text = fault.text();
  bool isWord = !text.empty() && (isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
  if (!isWord || !fault.expects(TileParser::NAME) || fault.expects(TileParser::INT) || fault.type() == TileParser::NAME)
    return false;
  fault.source.engine
      .report(Code::E0001, rangeOf(fault), "found " + quote(text) + "; expected " + describeExpected(fault))
      .help(quote(text) + " is a keyword; choose another name");
  return true;
}

/// `const` in a block, `let` at top level
static bool wrongDeclaration(const Fault &fault) {
  bool isConst = fault.type() == TileParser::CONST && fault.expects(TileParser::LET);
  bool isLet = (fault.type() == TileParser::LET || fault.type() == TileParser::VAR) && fault.expects(TileParser::CONST);
  if (!isConst && !isLet)
    return false;
  fault.source.engine
      .report(Code::E0001, rangeOf(fault), "found " + quote(fault.text()) + "; expected " + describeExpected(fault))
      .help(isConst ? "inside a block write `let`; a `let` of compile-time values is one itself"
                    : "at top level write `const`");
  return true;
}

/// `{BM = [64, 128]}`
static bool assignedField(const Fault &fault) {
  bool isField = fault.type() == TileParser::ASSIGN && fault.type(-1) == TileParser::NAME &&
                 (fault.type(-2) == TileParser::RECORD_OPEN || fault.type(-2) == TileParser::LBRACE ||
                  fault.type(-2) == TileParser::COMMA);
  if (!isField || !fault.expects(TileParser::COLON))
    return false;
  fault.source.engine.report(Code::E0001, rangeOf(fault), "found `=`; expected `:`")
      .help("fields of a record are written `NAME: value`, such as `{BM: [64, 128]}`");
  return true;
}

/// `let a = b = c`
static bool assignmentInExpression(const Fault &fault) {
  if (fault.type() != TileParser::ASSIGN || !endsOperand(fault.type(-1)) || fault.expects(TileParser::INT))
    return false;
  fault.source.engine.report(Code::E0001, rangeOf(fault), "found `=`; expected " + describeExpected(fault))
      .help("`==` compares; an assignment is a statement, not a value");
  return true;
}

bool syntax::reportSlip(const Fault &fault) {
  static constexpr bool (*slips[])(const Fault &) = {
      assignmentInCondition, colonForBlock,    foreignWord,   doubledOperator,        pointerType,
      conditionalExpression, missingLet,       pythonSlice,   commaInRange,           operatorBeginsLine,
      keywordAsName,         wrongDeclaration, assignedField, assignmentInExpression,
  };
  return std::any_of(std::begin(slips), std::end(slips), [&](auto slip) { return slip(fault); });
}
