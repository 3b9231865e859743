/// \file
/// Variables and parameters: type, extents, initial bytes. (PTX ISA 9.0, 5.2 to 5.4)
#include "backend/simulator/ptx/Constant.h"
#include "backend/simulator/ptx/Reading.h"

#include <cstring>

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
  if (name == "v2" || name == "v4" || name == "v8")
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
/// The initial value of one variable, in elements; a vector's are its innermost extent. Each inner list fills its own
/// row from the start, and what no list says is 0.
class InitialValue {
public:
  InitialValue(Reading &reading, Variable &variable, std::vector<uint64_t> extents, bool grows)
      : reading(reading), tokens(reading.tokens), variable(variable), extents(std::move(extents)), grows(grows) {}

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

  void readList(size_t level, uint64_t begin) {
    Nesting nesting(tokens);
    tokens.expect("{");
    bool isOpen = grows && level == 0;
    uint64_t row = elementsIn(level + 1), end = isOpen ? kMostBytes : begin + elementsIn(level), at = begin;
    while (!tokens.failed() && !tokens.peek().is("}")) {
      bool isRow = tokens.peek().is("{");
      if (isRow && row)
        at += (row - (at - begin) % row) % row;
      if (at + (isRow ? row : 1) > end)
        return tokens.fail(tokens.peek(), "found more values than the " + std::to_string(end - begin) + " of `" +
                                              variable.name + "`" + (level ? " there" : ""));
      if (isRow && level + 1 == extents.size())
        return tokens.failExpected("a value; `" + variable.name + "` has no further extent");
      // An open array ends with a whole row.
      if (isOpen && !reserve(at - at % std::max<uint64_t>(row, 1) + row))
        return;
      if (isRow)
        readList(level + 1, at);
      else
        readElement(at);
      at += isRow ? row : 1;
      if (!tokens.accept(","))
        break;
    }
    tokens.expect("}");
  }

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

  void readElement(uint64_t index) {
    const Token &token = tokens.peek();
    bool isMasked = token.kind == Token::Kind::Number && tokens.peekSecond().is("(");
    if (isMasked || (token.kind == Token::Kind::Word && !token.isWord("WARP_SZ")))
      return readRelocation(index * sizeOf(variable.type));
    Token at = token;
    Constant value = readConstant(tokens);
    if (tokens.failed())
      return;
    std::optional<uint64_t> bits = bitsOf(value);
    if (!bits)
      return tokens.fail(at, "found " + at.describe() + " as a value of type `." + std::string(nameOf(variable.type)) +
                                 "`; expected an integer, or a floating-point number for `.f32` and `.f64`");
    for (unsigned byte = 0; byte < sizeOf(variable.type) && byte < 8; ++byte)
      variable.initial[index * sizeOf(variable.type) + byte] = static_cast<uint8_t>(*bits >> (8 * byte));
  }

  /// `value` in the variable's type. Nothing if it is of another kind.
  std::optional<uint64_t> bitsOf(Constant value) const {
    uint64_t bits = 0;
    if (variable.type == Type::F64) {
      double number = value.toDouble();
      std::memcpy(&bits, &number, sizeof(number));
      return bits;
    }
    if (value.kind == Constant::Kind::Float32 && sizeOf(variable.type) == 4)
      return value.bits;
    if (variable.type == Type::F32) {
      float number = static_cast<float>(value.toDouble());
      std::memcpy(&bits, &number, sizeof(number));
      return bits;
    }
    bool isPattern = value.kind == Constant::Kind::Float64 && variable.type == Type::B64;
    return value.isInteger() || isPattern ? std::optional(value.bits) : std::nullopt;
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
  bool grows;
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
    if (declared.width > 1)
      extents.push_back(declared.width);
    InitialValue(reading, variable, std::move(extents), isOpen).read();
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
