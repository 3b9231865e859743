/// \file
/// Variables and parameters: type, extents, initial bytes. (PTX ISA 9.0, 5.2 to 5.4)
#include "backend/simulator/ptx/Constant.h"
#include "backend/simulator/ptx/Reading.h"

namespace tile::sim::ptx {

/// Of one variable; above what any GPU addresses, and far from where sums of 64 bits wrap.
static constexpr uint64_t kMostBytes = uint64_t(1) << 44;
/// Of all initial values of a module.
static constexpr uint64_t kMostInitialBytes = uint64_t(1) << 28;

std::optional<Space> spaceNamed(std::string_view name) {
  static constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"reg", Space::Register},  {"param", Space::Parameter}, {"local", Space::Local},
      {"shared", Space::Shared}, {"const", Space::Constant},  {"global", Space::Global},
  };
  for (auto [known, space] : kSpaces)
    if (known == name)
      return space;
  return std::nullopt;
}

void skipPragma(Tokens &tokens) {
  do
    tokens.expect(Token::Kind::String, "a string");
  while (tokens.accept(","));
  tokens.expect(";");
}

void skipBrackets(Tokens &tokens, std::string_view open, std::string_view close) {
  tokens.expect(open);
  for (size_t depth = 1; depth > 0 && !tokens.failed();) {
    if (tokens.peek().kind == Token::Kind::End) {
      tokens.failExpected("`" + std::string(close) + "`");
      return;
    }
    Token token = tokens.next();
    depth += token.is(open);
    depth -= token.is(close);
  }
}

static std::optional<unsigned> vectorNamed(std::string_view name) {
  if (name == "v2" || name == "v4")
    return name[1] - '0';
  return std::nullopt;
}

static uint64_t readAlignment(Tokens &tokens) {
  Token at = tokens.peek();
  uint64_t align = readPlainInteger(tokens, kMostBytes, "an alignment");
  if (!tokens.failed() && (align == 0 || (align & (align - 1))))
    tokens.fail(at, "found alignment " + std::to_string(align) + "; expected a power of two");
  return align;
}

DeclaredType readType(Reading &reading, Space space) {
  Tokens &tokens = reading.tokens;
  DeclaredType declared;
  bool hasType = false, isPointer = false;
  while (tokens.peek().kind == Token::Kind::Dotted) {
    Token token = tokens.next();
    if (token.text == "align") {
      uint64_t align = readAlignment(tokens);
      // Behind `.ptr` it is what the pointer points to that has the space and the alignment.
      if (!isPointer)
        declared.align = align;
    } else if (token.text == "attribute") {
      skipBrackets(tokens, "(", ")");
    } else if (token.text == "ptr" && space == Space::Parameter) {
      isPointer = true;
    } else if (isPointer && spaceNamed(token.text)) {
      continue;
    } else if (std::optional<unsigned> width = vectorNamed(token.text)) {
      declared.width = *width;
    } else if (std::optional<Type> type = typeNamed(token.text); type && !hasType) {
      declared.type = *type;
      hasType = true;
    } else {
      tokens.fail(token, "found " + token.describe() + "; expected " + (hasType ? "a name" : "a type"));
    }
  }
  if (!hasType)
    tokens.failExpected("a type");
  return declared;
}

namespace {
/// The initial value of one variable, in elements; a vector's are its innermost extent. Lists are nested as deep as the
/// variable has extents, and what they do not say is 0. An inner list that stops early must be the last: the ISA then
/// has zeros up to the next row, as in C, but ptxas goes on where the list stopped.
class InitialValue {
public:
  InitialValue(Reading &reading, Variable &variable, std::vector<uint64_t> extents, unsigned width, bool grows)
      : reading(reading), tokens(reading.tokens), variable(variable), extents(std::move(extents)), width(width),
        grows(grows) {
    if (width > 1)
      this->extents.push_back(width);
  }

  /// Leaves `initial` and, where the first extent was not written, `bytes`.
  void read() {
    if (!grows && !reserve(variable.bytes / sizeOf(variable.type)))
      return;
    if (extents.empty())
      readElement(0);
    else
      readList(0, 0);
    variable.bytes = variable.initial.size();
  }

private:
  uint64_t elementsIn(size_t level) const {
    uint64_t count = 1;
    for (; level < extents.size(); ++level)
      count *= extents[level];
    return count;
  }

  /// Reads a list whose first element has index `begin`. The index behind the last one it says.
  uint64_t readList(size_t level, uint64_t begin) {
    Nesting nesting(tokens);
    tokens.expect("{");
    bool isOpen = grows && level == 0, hasRows = level + 1 < extents.size();
    uint64_t row = elementsIn(level + 1), end = isOpen ? kMostBytes : begin + elementsIn(level), at = begin,
             said = begin;
    for (; !tokens.failed() && !tokens.peek().is("}"); at += row) {
      if (said != at)
        fail("found a row behind an incomplete one of `" + variable.name +
             "`; expected all values of each but the last");
      else if (at + row > end)
        fail("found more values than the " + std::to_string(end - begin) + " of `" + variable.name + "`" +
             (level ? " there" : ""));
      else if (hasRows == !tokens.peek().is("{"))
        tokens.failExpected(hasRows ? "`{`; each extent of `" + variable.name + "` has its braces"
                                    : "a value; `" + variable.name + "` has no further extent");
      else if (isOpen && !reserve(at + row))
        return at;
      if (!tokens.failed())
        said = hasRows ? readList(level + 1, at) : readElement(at);
      if (!tokens.accept(","))
        break;
    }
    bool isVector = width > 1 && !hasRows;
    if (!tokens.failed() && isVector && said != end)
      fail("found " + std::to_string(said - begin) + " elements of a vector; expected " + std::to_string(width));
    tokens.expect("}");
    return said;
  }

  void fail(std::string message) { tokens.fail(tokens.peek(), std::move(message)); }

  /// Makes `initial` hold `elements`. False if that is too much.
  bool reserve(uint64_t elements) {
    uint64_t bytes = elements * sizeOf(variable.type);
    if (bytes <= variable.initial.size())
      return true;
    uint64_t more = bytes - variable.initial.size();
    if (bytes > kMostInitialBytes || more > kMostInitialBytes - reading.initialBytes) {
      tokens.fail(tokens.peek(), "found " + std::to_string(bytes) + " bytes of initial values in `" + variable.name +
                                     "`; expected at most " + std::to_string(kMostInitialBytes) + " in the module");
      return false;
    }
    reading.initialBytes += more;
    variable.initial.resize(bytes);
    return true;
  }

  /// The index behind it.
  uint64_t readElement(uint64_t index) {
    uint64_t offset = index * sizeOf(variable.type);
    const Token &token = tokens.peek();
    bool isMasked = token.kind == Token::Kind::Number && tokens.peekSecond().is("(");
    if (isMasked || (token.kind == Token::Kind::Word && !token.isWord("WARP_SZ")))
      readRelocation(offset);
    else
      readValue(offset);
    return index + 1;
  }

  void readValue(uint64_t offset) {
    Token at = tokens.peek();
    Constant value = readConstant(tokens);
    if (tokens.failed())
      return;
    std::optional<uint64_t> bits = bitsOf(value);
    if (!bits)
      return tokens.fail(at, "found " + at.describe() + " as a value of type `." + std::string(nameOf(variable.type)) +
                                 "`; expected " + expectedOf(variable.type));
    for (unsigned byte = 0; byte < sizeOf(variable.type) && byte < 8; ++byte)
      variable.initial[offset + byte] = static_cast<uint8_t>(*bits >> (8 * byte));
  }

  static std::string expectedOf(Type type) {
    bool isFloat = type == Type::F32 || type == Type::F64, isBits = type == Type::B32 || type == Type::B64;
    return isFloat ? "a floating-point number" : isBits ? "a number" : "an integer";
  }

  /// `value` in the variable's type. Nothing if it is of another kind.
  std::optional<uint64_t> bitsOf(Constant value) const {
    Type type = variable.type;
    if (value.isInteger())
      return type == Type::F32 || type == Type::F64 ? std::nullopt : std::optional(value.bits);
    if (type == Type::F32 || type == Type::B32)
      return value.toFloatBits();
    return type == Type::F64 || type == Type::B64 ? std::optional(Constant::of(value.toDouble()).bits) : std::nullopt;
  }

  /// `x`, `x+4`, `generic(x)+4`, or one byte of these: `0xff00(x)`.
  void readRelocation(uint64_t offset) {
    Relocation relocation;
    relocation.offset = offset;
    bool isMasked = tokens.peek().kind == Token::Kind::Number;
    if (isMasked) {
      relocation.mask = readPlainInteger(tokens, ~uint64_t(0), "a mask");
      tokens.expect("(");
    }
    relocation.isGeneric = tokens.peek().isWord("generic") && tokens.peekSecond().is("(");
    if (relocation.isGeneric) {
      tokens.next();
      tokens.next();
    }
    Token name = tokens.expect(Token::Kind::Word, "a name");
    if (relocation.isGeneric)
      tokens.expect(")");
    // The sign that joins them is also one that an expression can begin with.
    if (tokens.peek().is("+") || tokens.peek().is("-"))
      relocation.addend = readInteger(tokens, ~uint64_t(0), "a displacement");
    if (isMasked)
      tokens.expect(")");
    relocation.symbol = name.text;
    reading.lateNames.push_back(name);
    variable.relocations.push_back(std::move(relocation));
  }

  Reading &reading;
  Tokens &tokens;
  Variable &variable;
  std::vector<uint64_t> extents;
  unsigned width; ///< elements of the vector type, or 1
  bool grows;     ///< the first extent is open: the value says it
};
} // namespace

/// Extents, from the outermost; the first may be empty, which `isOpen` says.
static std::vector<uint64_t> readExtents(Tokens &tokens, bool &isOpen) {
  std::vector<uint64_t> extents;
  isOpen = false;
  while (tokens.accept("[")) {
    if (extents.empty() && tokens.accept("]")) {
      isOpen = true;
      extents.push_back(0);
      continue;
    }
    extents.push_back(readInteger(tokens, kMostBytes, "an extent"));
    tokens.expect("]");
  }
  return extents;
}

/// Bytes of an array of `extents`. The product of the extents behind an open or empty one must fit as well.
static std::optional<uint64_t> bytesOf(const std::vector<uint64_t> &extents, uint64_t elementBytes) {
  uint64_t bytes = elementBytes;
  bool isEmpty = false;
  for (uint64_t extent : extents) {
    isEmpty |= extent == 0;
    if (extent > kMostBytes / bytes)
      return std::nullopt;
    bytes *= std::max<uint64_t>(extent, 1);
  }
  return isEmpty ? 0 : bytes;
}

/// A name with its extents and initial value.
static Declared readDeclared(Reading &reading, const DeclaredType &declared, Space space, bool isExtern) {
  Tokens &tokens = reading.tokens;
  Token name = tokens.expect(Token::Kind::Word, "a name");
  Variable variable;
  variable.space = space;
  variable.type = declared.type;
  variable.name = name.text;
  variable.line = name.line;
  variable.isExtern = isExtern;
  uint64_t elementBytes = uint64_t(sizeOf(declared.type)) * declared.width;
  variable.align = declared.align ? declared.align : elementBytes;
  if (space == Space::Register)
    return {std::move(variable), name};
  if (!tokens.failed() && elementBytes == 0)
    tokens.fail(name, "found type `.pred` for `" + variable.name + "`; expected one that memory can hold");

  bool isOpen = false;
  std::vector<uint64_t> extents = readExtents(tokens, isOpen);
  if (tokens.failed())
    return {std::move(variable), name};
  std::optional<uint64_t> bytes = bytesOf(extents, elementBytes);
  if (!bytes)
    tokens.fail(name, "found extents of `" + variable.name + "` that exceed " + std::to_string(kMostBytes) + " bytes");
  variable.bytes = bytes.value_or(0);
  if (tokens.accept("=")) {
    InitialValue(reading, variable, std::move(extents), declared.width, isOpen).read();
  } else if (isOpen && !isExtern && space != Space::Parameter) {
    tokens.fail(name, "found `" + variable.name + "[]` without a value; expected an extent, a value or `.extern`");
  }
  return {std::move(variable), name};
}

std::vector<Declared> readVariables(Reading &reading, Space space, bool isExtern) {
  DeclaredType declared = readType(reading, space);
  std::vector<Declared> variables;
  do
    variables.push_back(readDeclared(reading, declared, space, isExtern));
  while (reading.tokens.accept(","));
  reading.tokens.expect(";");
  return variables;
}

Declared readParameter(Reading &reading) {
  Token token = reading.tokens.next();
  std::optional<Space> space = token.kind == Token::Kind::Dotted ? spaceNamed(token.text) : std::nullopt;
  if (space != Space::Parameter && space != Space::Register) {
    reading.tokens.fail(token, "found " + token.describe() + "; expected `.param` or `.reg`");
    return {};
  }
  DeclaredType declared = readType(reading, *space);
  return readDeclared(reading, declared, *space, /*isExtern=*/false);
}

void readFile(Reading &reading) {
  // An index is text, so it must not choose how much memory the table takes.
  constexpr uint64_t kMostFiles = 65535;
  Tokens &tokens = reading.tokens;
  uint64_t index = readPlainInteger(tokens, kMostFiles, "the index of a file");
  Token name = tokens.expect(Token::Kind::String, "the name of a file");
  // The time and the size of the file, which nobody asks for.
  while (tokens.accept(","))
    readPlainInteger(tokens, ~uint64_t(0), "a number");
  std::vector<std::string> &files = reading.module.files;
  if (files.size() <= index)
    files.resize(index + 1);
  files[index] = name.text;
}

void skipSection(Reading &reading) {
  reading.tokens.expect(Token::Kind::Dotted, "the name of a section");
  skipBrackets(reading.tokens, "{", "}");
}

} // namespace tile::sim::ptx
