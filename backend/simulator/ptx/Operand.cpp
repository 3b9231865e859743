/// \file
/// Operands, and what their names mean. (PTX ISA 9.0, 6.2 to 6.4)
#include "backend/simulator/ptx/Constant.h"
#include "backend/simulator/ptx/Reading.h"

namespace tile::sim::ptx {

/// The element that a suffix of a vector register names: `.x` and `.r` are the first.
static std::optional<unsigned> elementNamed(std::string_view suffix) {
  if (suffix.size() != 1)
    return std::nullopt;
  size_t index = std::string_view("xyzwrgba").find(suffix[0]);
  return index == std::string_view::npos ? std::nullopt : std::optional<unsigned>(index % 4);
}

static Operand registerOperand(std::string name) {
  Operand operand;
  operand.kind = Operand::Kind::Register;
  operand.name = std::move(name);
  return operand;
}

static void failUnknown(Tokens &tokens, const Token &name, std::string_view expected) {
  tokens.fail(name, "found unknown name " + name.describe() + "; expected " + std::string(expected));
}

/// A register after its name, with its suffix: `%tid.x` is one register, and a vector register is its elements. What
/// begins with `%` and is not declared is left for those who know the special registers.
static Operand readRegisterOperand(Tokens &tokens, const Token &name, const std::optional<Names::Entry> &entry) {
  std::string base = entry ? entry->name : std::string(name.text);
  bool isVector = entry && entry->width > 1;
  if (tokens.peek().kind != Token::Kind::Dotted) {
    if (!isVector)
      return registerOperand(std::move(base));
    Operand vector;
    vector.kind = Operand::Kind::Vector;
    for (unsigned i = 0; i < entry->width; ++i)
      vector.parts.push_back(registerOperand(base + "." + "xyzw"[i]));
    return vector;
  }
  Token suffix = tokens.next();
  if (!isVector)
    return registerOperand(base + "." + std::string(suffix.text));
  std::optional<unsigned> element = elementNamed(suffix.text);
  if (!element || *element >= entry->width) {
    tokens.fail(suffix, "found " + suffix.describe() + "; expected an element of `" + std::string(name.text) +
                            "`, which has " + std::to_string(entry->width));
    return {};
  }
  return registerOperand(base + "." + "xyzw"[*element]);
}

/// The displacement behind a name, in bytes: nothing, `+4`, `+-8`, `-4`.
static uint64_t readDisplacement(Tokens &tokens) {
  if (tokens.accept("+"))
    return readInteger(tokens, ~uint64_t(0), "a displacement");
  return tokens.peek().is("-") ? readInteger(tokens, ~uint64_t(0), "a displacement") : 0;
}

static Operand readName(Reading &reading, const Names &names, std::optional<Token> *late) {
  Tokens &tokens = reading.tokens;
  Token name = tokens.expect(Token::Kind::Word, "a name");
  Operand operand;
  if (tokens.failed())
    return operand;
  std::optional<Names::Entry> entry = names.find(name.text);
  if (entry ? entry->meaning == Names::Meaning::Register : name.text[0] == '%')
    return readRegisterOperand(tokens, name, entry);
  operand.kind = Operand::Kind::Symbol;
  if (entry && entry->meaning == Names::Meaning::Variable) {
    operand.name = entry->name;
    operand.bits = readDisplacement(tokens);
    return operand;
  }
  operand.name = name.text;
  if (!entry && reading.variables.count(name.text))
    operand.bits = readDisplacement(tokens);
  else if (late)
    *late = name;
  else
    failUnknown(tokens, name, "a register or variable");
  return operand;
}

static Operand ofConstant(const Constant &value) {
  Operand operand;
  operand.bits = value.bits;
  operand.kind = value.isInteger()                       ? Operand::Kind::Integer
                 : value.kind == Constant::Kind::Float32 ? Operand::Kind::Float32
                                                         : Operand::Kind::Float64;
  return operand;
}

/// Operands between brackets that are open already.
static std::vector<Operand> readParts(Reading &reading, const Names &names, bool isOfCall, std::string_view close) {
  std::vector<Operand> parts;
  if (reading.tokens.accept(close))
    return parts;
  do
    parts.push_back(readOperand(reading, names, isOfCall, nullptr));
  while (reading.tokens.accept(","));
  reading.tokens.expect(close);
  return parts;
}

/// `[base + displacement, part, …]` behind its opening bracket.
static Operand readAddress(Reading &reading, const Names &names) {
  Tokens &tokens = reading.tokens;
  Operand address;
  address.kind = Operand::Kind::Address;
  if (startsConstant(tokens.peek())) {
    address.bits = readInteger(tokens, ~uint64_t(0), "an address");
  } else {
    Token name = tokens.expect(Token::Kind::Word, "a register, variable or number");
    std::optional<Names::Entry> entry = names.find(name.text);
    address.isRegister = entry ? entry->meaning == Names::Meaning::Register : name.text.substr(0, 1) == "%";
    if (tokens.failed())
      return address;
    if (address.isRegister) {
      Operand base = readRegisterOperand(tokens, name, entry);
      if (base.kind != Operand::Kind::Register)
        tokens.fail(name, "found vector register " + name.describe() + " as an address; expected one element of it");
      address.name = base.name;
    } else if (entry && entry->meaning == Names::Meaning::Variable) {
      address.name = entry->name;
    } else if (!entry && reading.variables.count(name.text)) {
      address.name = name.text;
    } else {
      failUnknown(tokens, name, "a register or variable");
    }
    address.bits = readDisplacement(tokens);
  }
  if (tokens.accept(","))
    address.parts = readParts(reading, names, /*isOfCall=*/false, "]");
  else
    tokens.expect("]");
  return address;
}

std::string readRegister(Reading &reading, const Names &names) {
  Tokens &tokens = reading.tokens;
  Token name = tokens.peek();
  Operand operand = readOperand(reading, names, /*isOfCall=*/false, nullptr);
  if (operand.kind != Operand::Kind::Register || operand.negated)
    tokens.fail(name, "found " + name.describe() + "; expected a register");
  return operand.name;
}

/// One operand but for a `|b` behind it.
static Operand readSingle(Reading &reading, const Names &names, bool isOfCall, std::optional<Token> *late) {
  Tokens &tokens = reading.tokens;
  Operand operand;
  Token token = tokens.peek();
  if (token.isWord("_")) {
    tokens.next();
    return operand;
  }
  if (token.is("[")) {
    tokens.next();
    return readAddress(reading, names);
  }
  bool isList = isOfCall && token.is("(");
  if (isList || token.is("{")) {
    tokens.next();
    operand.kind = isList ? Operand::Kind::List : Operand::Kind::Vector;
    operand.parts = readParts(reading, names, isOfCall, isList ? ")" : "}");
    return operand;
  }
  bool isName = tokens.peekSecond().kind == Token::Kind::Word && !tokens.peekSecond().isWord("WARP_SZ");
  if ((token.is("!") || token.is("-")) && isName) {
    tokens.next();
    operand = readName(reading, names, nullptr);
    if (!tokens.failed() && operand.kind != Operand::Kind::Register)
      tokens.fail(token, "found " + token.describe() + " before a name that is no register");
    operand.negated = true;
    return operand;
  }
  if (startsConstant(token))
    return ofConstant(readConstant(tokens));
  if (token.kind == Token::Kind::Word)
    return readName(reading, names, late);
  tokens.failExpected("an operand");
  return operand;
}

Operand readOperand(Reading &reading, const Names &names, bool isOfCall, std::optional<Token> *late) {
  Nesting nesting(reading.tokens);
  Operand left = readSingle(reading, names, isOfCall, late);
  if (!reading.tokens.accept("|"))
    return left;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.parts.push_back(std::move(left));
  pair.parts.push_back(readSingle(reading, names, isOfCall, nullptr));
  return pair;
}

} // namespace tile::sim::ptx
