/// \file
/// Bodies of functions: declarations, labels, instructions, and the scopes that hold them. (PTX ISA 9.0, 4.2 and 11)
#include "backend/simulator/ptx/Constant.h"
#include "backend/simulator/ptx/Reading.h"

#include <map>
#include <tuple>

namespace tile::sim::ptx {

/// Of one family. Whoever runs the function has to hold them.
static constexpr unsigned kMostRegisters = 1 << 24;
static constexpr size_t kMostScopes = 1000;

namespace {
class Body {
public:
  Body(Reading &reading, Function &function) : reading(reading), tokens(reading.tokens), function(function) {}

  void read() {
    tokens.expect("{");
    open();
    declareParameters(function.results);
    declareParameters(function.parameters);
    while (!tokens.failed() && names.depth() > 0)
      readStatement();
  }

private:
  /// A name that is no variable or register, hence a label of this scope or one around it, if no function.
  struct LateName {
    Token token;
    size_t instruction = 0, operand = 0; ///< what it stands in
    std::string *listed = nullptr;       ///< or the place in a list of targets
  };

  void open() {
    if (names.depth() >= kMostScopes)
      return tokens.fail(tokens.peek(), "found more than " + std::to_string(kMostScopes) + " scopes inside each other");
    names.open();
    late.emplace_back();
  }

  /// Labels of the scope that ends are known now; other names may be those of the scope around it.
  void close() {
    std::vector<LateName> waiting = std::move(late.back());
    late.pop_back();
    for (LateName &use : waiting) {
      if (const std::string *label = names.findLabel(use.token.text))
        (use.listed ? *use.listed : function.instructions[use.instruction].operands[use.operand].name) = *label;
      else if (!late.empty())
        late.back().push_back(use);
      else
        reading.lateNames.push_back(use.token);
    }
    names.close();
  }

  std::string declare(const Token &name, Names::Meaning meaning, unsigned count = 0, unsigned width = 1) {
    if (tokens.failed())
      return {};
    std::optional<std::string> unique = names.declare(name.text, meaning, count, width);
    if (!unique)
      tokens.fail(name, "found a second " + name.describe() + " in this scope; expected another name");
    return unique.value_or("");
  }

  void declareParameters(const std::vector<Variable> &parameters) {
    for (const Variable &parameter : parameters) {
      bool isRegister = parameter.space == Space::Register;
      names.declare(parameter.name, isRegister ? Names::Meaning::Register : Names::Meaning::Variable);
    }
  }

  void readStatement() {
    const Token &token = tokens.peek();
    if (token.kind == Token::Kind::Dotted)
      readDirective();
    else if (token.kind == Token::Kind::Word && tokens.peekSecond().is(":"))
      readLabel();
    else if (token.kind == Token::Kind::Word || token.is("@"))
      readInstruction();
    else if (token.is("{"))
      readScope();
    else if (tokens.accept("}"))
      close();
    else
      tokens.failExpected("an instruction, a directive or `}`");
  }

  void readScope() {
    open();
    tokens.next();
  }

  void readDirective() {
    Token directive = tokens.next();
    std::optional<Space> space = spaceNamed(directive.text);
    if (space == Space::Register)
      readRegisters();
    else if (space)
      readScopedVariables(*space, /*isExtern=*/false);
    else if (directive.text == "extern")
      readExtern();
    else if (directive.text == "loc")
      readLocation();
    else if (directive.text == "file")
      readFile(reading);
    else if (directive.text == "section")
      skipSection(reading);
    else if (directive.text == "pragma")
      skipPragma(tokens);
    else
      tokens.fail(directive, "found " + directive.describe() + "; expected a directive that a body may have");
  }

  void readExtern() {
    Token token = tokens.next();
    std::optional<Space> space = token.kind == Token::Kind::Dotted ? spaceNamed(token.text) : std::nullopt;
    if (!space || *space == Space::Register)
      return tokens.fail(token, "found " + token.describe() + "; expected a state space");
    readScopedVariables(*space, /*isExtern=*/true);
  }

  void readScopedVariables(Space space, bool isExtern) {
    for (Declared &declared : readVariables(reading, space, isExtern)) {
      declared.variable.name = declare(declared.name, Names::Meaning::Variable);
      function.variables.push_back(std::move(declared.variable));
    }
  }

  void readRegisters() {
    DeclaredType declared = readType(reading, Space::Register);
    do
      readRegisterNames(declared);
    while (tokens.accept(","));
    tokens.expect(";");
  }

  void readRegisterNames(const DeclaredType &declared) {
    Token name = tokens.expect(Token::Kind::Word, "the name of a register");
    if (tokens.accept("<")) {
      auto count = static_cast<unsigned>(readPlainInteger(tokens, kMostRegisters, "a number of registers"));
      tokens.expect(">");
      if (declared.width > 1)
        tokens.fail(name, "found a numbered family of vector registers; expected single ones");
      std::string family = declare(name, Names::Meaning::Family, count);
      function.registers.push_back({declared.type, std::move(family), count});
      return;
    }
    std::string base = declare(name, Names::Meaning::Register, 0, declared.width);
    if (declared.width == 1)
      function.registers.push_back({declared.type, std::move(base), std::nullopt});
    else
      for (unsigned i = 0; i < declared.width; ++i)
        function.registers.push_back({declared.type, base + "." + "xyzw"[i], std::nullopt});
  }

  /// `.loc file line column`, and behind a comma where an inlined function was called: a place that a `.loc` has named
  /// before, with its own caller.
  void readLocation() {
    location.file = readPlain("the index of a file");
    location.line = readPlain("a line");
    location.column = readPlain("a column");
    caller = {};
    while (tokens.accept(",")) {
      Token attribute = tokens.expect(Token::Kind::Word, "`function_name` or `inlined_at`");
      if (attribute.text == "function_name") {
        tokens.expect(Token::Kind::Word, "a label");
        if (tokens.accept("+"))
          readPlain("a displacement");
      } else if (attribute.text == "inlined_at") {
        caller.file = readPlain("the index of a file");
        caller.line = readPlain("a line");
        caller.column = readPlain("a column");
        if (auto outer = callers.find(keyOf(caller)); outer != callers.end() && outer->second.line)
          caller = outer->second;
      } else {
        tokens.fail(attribute, "found " + attribute.describe() + "; expected `function_name` or `inlined_at`");
      }
    }
    callers[keyOf(location)] = caller;
  }

  unsigned readPlain(std::string_view what) {
    return static_cast<unsigned>(readPlainInteger(tokens, UINT32_MAX, what));
  }

  void readLabel() {
    Token name = tokens.next();
    tokens.expect(":");
    std::string label = declare(name, Names::Meaning::Label);
    const Token &token = tokens.peek();
    if (token.isDotted("branchtargets") || token.isDotted("calltargets"))
      readTargets(label);
    else if (token.isDotted("callprototype"))
      readPrototype(label);
    else
      function.labels[label] = function.instructions.size();
  }

  void readTargets(const std::string &label) {
    tokens.next();
    std::vector<Token> targets;
    do
      targets.push_back(tokens.expect(Token::Kind::Word, "a label or function"));
    while (tokens.accept(","));
    tokens.expect(";");
    if (tokens.failed())
      return;
    std::vector<std::string> &list = function.branchTargets[label];
    for (const Token &target : targets)
      list.emplace_back(target.text);
    for (size_t i = 0; i < targets.size(); ++i)
      late.back().push_back({targets[i], 0, 0, &list[i]});
  }

  void readPrototype(const std::string &label) {
    tokens.next();
    Token begin = tokens.peek();
    while (!tokens.failed() && tokens.peek().kind != Token::Kind::End && !tokens.peek().is(";"))
      tokens.next();
    Token end = tokens.peek();
    tokens.expect(";");
    if (tokens.failed())
      return;
    std::string_view text(begin.text.data(), static_cast<size_t>(end.text.data() - begin.text.data()));
    function.prototypes[label] = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  }

  void readInstruction() {
    Instruction instruction;
    if (tokens.accept("@")) {
      instruction.guardNegated = tokens.accept("!");
      instruction.guard = readRegister(reading, names);
    }
    Token opcode = tokens.expect(Token::Kind::Word, "an instruction");
    if (!tokens.failed() && opcode.text[0] == '%')
      tokens.fail(opcode, "found register " + opcode.describe() + "; expected an instruction");
    instruction.opcode = opcode.text;
    instruction.line = opcode.line;
    instruction.location = location;
    instruction.caller = caller;
    while (tokens.peek().kind == Token::Kind::Dotted)
      instruction.modifiers.emplace_back(tokens.next().text);
    if (!tokens.peek().is(";") && !tokens.peek().is("}"))
      readOperands(instruction);
    tokens.expect(";");
    function.instructions.push_back(std::move(instruction));
  }

  void readOperands(Instruction &instruction) {
    bool isCall = instruction.opcode == "call";
    do {
      std::optional<Token> name;
      instruction.operands.push_back(readOperand(reading, names, isCall, &name));
      if (name)
        late.back().push_back({*name, function.instructions.size(), instruction.operands.size() - 1, nullptr});
    } while (tokens.accept(","));
  }

  Reading &reading;
  Tokens &tokens;
  Function &function;
  Names names;
  std::vector<std::vector<LateName>> late; ///< by scope
  using LocationKey = std::tuple<unsigned, unsigned, unsigned>;
  static LocationKey keyOf(const Location &place) { return {place.file, place.line, place.column}; }
  Location location, caller;
  std::map<LocationKey, Location> callers; ///< of the places that a `.loc` has named
};
} // namespace

void readBody(Reading &reading, Function &function) { Body(reading, function).read(); }

} // namespace tile::sim::ptx
