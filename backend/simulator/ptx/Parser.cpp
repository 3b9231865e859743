/// \file
/// The module: its head, and the directives outside bodies. (PTX ISA 9.0, 11.1, 11.2, 11.4, 11.6)
#include "backend/simulator/ptx/Constant.h"
#include "backend/simulator/ptx/Reading.h"

#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace tile::sim::ptx {

/// What may stand between a function's parameters and its body, with the fewest numbers that it is kept with: `.reqntid
/// 128` leaves the extents it does not say at 1.
static constexpr struct DirectiveRow {
  std::string_view name;
  size_t numbers;
} kFunctionDirectives[] = {
    {"abi_preserve", 1},      {"abi_preserve_control", 1},
    {"blocksareclusters", 0}, {"explicitcluster", 0},
    {"maxclusterrank", 1},    {"maxnctapersm", 1},
    {"maxnreg", 1},           {"maxntid", 3},
    {"minnctapersm", 1},      {"noreturn", 0},
    {"reqnctapercluster", 3}, {"reqntid", 3},
};

namespace {
class ModuleReader {
public:
  explicit ModuleReader(std::string_view text)
      : reading{Tokens(text), {}, {}, {}}, tokens(reading.tokens), module(reading.module) {
    module.files.emplace_back();
  }

  Parsed read() {
    readHead();
    while (!tokens.failed() && tokens.peek().kind != Token::Kind::End)
      readItem();
    checkLateNames();
    if (tokens.failed())
      return tokens.error();
    return std::move(module);
  }

private:
  void expectDirective(std::string_view name) {
    if (tokens.peek().isDotted(name))
      tokens.next();
    else
      tokens.failExpected("`." + std::string(name) + "`");
  }

  /// `.version 9.0 .target sm_90a, debug .address_size 64`, the last of them optional.
  void readHead() {
    expectDirective("version");
    readVersion();
    expectDirective("target");
    do {
      Token option = tokens.expect(Token::Kind::Word, "a target such as `sm_90a`");
      module.target.append(module.target.empty() ? "" : ", ").append(option.text);
    } while (tokens.accept(","));
    if (!tokens.peek().isDotted("address_size"))
      return;
    tokens.next();
    Token bits = tokens.peek();
    module.addressBits = static_cast<unsigned>(readPlainInteger(tokens, 64, "32 or 64"));
    if (!tokens.failed() && module.addressBits != 32 && module.addressBits != 64)
      tokens.fail(bits, "found " + bits.describe() + " bits of an address; expected 32 or 64");
  }

  void readVersion() {
    Token version = tokens.expect(Token::Kind::Number, "a version such as 9.0");
    const char *end = version.text.data() + version.text.size();
    auto major = std::from_chars(version.text.data(), end, module.versionMajor);
    bool hasPoint = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
    auto minor = hasPoint ? std::from_chars(major.ptr + 1, end, module.versionMinor) : major;
    if (!tokens.failed() && (!hasPoint || minor.ec != std::errc() || minor.ptr != end))
      tokens.fail(version, "found version " + version.describe() + "; expected two numbers such as 9.0");
  }

  void readItem() {
    bool isExtern = false, isLinked = false;
    Token token = tokens.next();
    for (; token.isDotted("extern") || token.isDotted("visible") || token.isDotted("weak") || token.isDotted("common");
         token = tokens.next()) {
      isExtern |= token.text == "extern";
      isLinked = true;
    }
    std::optional<Space> space = token.kind == Token::Kind::Dotted ? spaceNamed(token.text) : std::nullopt;
    if (token.isDotted("entry") || token.isDotted("func"))
      readFunction(token.text == "entry");
    else if (space && *space != Space::Register && *space != Space::Parameter && *space != Space::Local)
      readModuleVariables(*space, isExtern);
    else if (isLinked)
      tokens.fail(token, "found " + token.describe() + "; expected a function or variable");
    else if (token.isDotted("file"))
      readFile(reading);
    else if (token.isDotted("section"))
      skipSection(reading);
    else if (token.isDotted("alias"))
      readAlias();
    else if (token.isDotted("pragma"))
      skipPragma(tokens);
    else
      tokens.fail(token, "found " + token.describe() + "; expected a function, a variable or a directive of a module");
  }

  /// A variable may be declared `.extern` any number of times before and after its definition.
  void readModuleVariables(Space space, bool isExtern) {
    for (Declared &declared : readVariables(reading, space, isExtern)) {
      Variable &variable = declared.variable;
      auto [known, isNew] = reading.variables.emplace(variable.name, module.variables.size());
      if (isNew)
        module.variables.push_back(std::move(variable));
      else if (Variable &other = module.variables[known->second]; other.isExtern)
        other = std::move(variable);
      else if (!isExtern)
        failSecond(declared.name, other.line);
    }
  }

  void failSecond(const Token &name, unsigned line) {
    tokens.fail(name,
                "found a second definition of " + name.describe() + "; the first is in line " + std::to_string(line));
  }

  void readAlias() {
    Token alias = tokens.expect(Token::Kind::Word, "the name of a function");
    tokens.expect(",");
    Token function = tokens.expect(Token::Kind::Word, "the name of a function");
    tokens.expect(";");
    module.aliases[std::string(alias.text)] = function.text;
    reading.lateNames.push_back(function);
  }

  std::vector<Variable> readParameters() {
    std::vector<Variable> parameters;
    tokens.expect("(");
    if (tokens.accept(")"))
      return parameters;
    do {
      Declared declared = readParameter(reading);
      // A declaration may leave its parameters without names.
      if (!declared.name.isWord("_") && !parameterNames.insert(declared.name.text).second)
        tokens.fail(declared.name, "found a second parameter " + declared.name.describe() + "; expected another name");
      parameters.push_back(std::move(declared.variable));
    } while (tokens.accept(","));
    tokens.expect(")");
    return parameters;
  }

  void readFunction(bool isKernel) {
    Function function;
    function.isKernel = isKernel;
    parameterNames.clear();
    skipAttributes();
    if (!isKernel && tokens.peek().is("("))
      function.results = readParameters();
    skipAttributes();
    Token name = tokens.expect(Token::Kind::Word, "the name of a function");
    function.name = name.text;
    function.line = name.line;
    if (tokens.peek().is("("))
      function.parameters = readParameters();
    while (tokens.peek().kind == Token::Kind::Dotted)
      readFunctionDirective(function);
    function.isDeclaration = tokens.accept(";");
    if (!function.isDeclaration)
      readBody(reading, function);
    if (!tokens.failed())
      keep(std::move(function), name);
  }

  void skipAttributes() {
    if (!tokens.peek().isDotted("attribute"))
      return;
    tokens.next();
    skipBrackets(tokens, "(", ")");
  }

  void readFunctionDirective(Function &function) {
    Token directive = tokens.next();
    if (directive.text == "pragma")
      return skipPragma(tokens);
    for (const DirectiveRow &row : kFunctionDirectives) {
      if (row.name != directive.text)
        continue;
      std::vector<uint64_t> &numbers = function.directives[std::string(row.name)];
      numbers.clear();
      if (row.numbers > 0)
        do
          numbers.push_back(readPlainInteger(tokens, UINT32_MAX, "a number"));
        while (tokens.accept(","));
      while (numbers.size() < row.numbers)
        numbers.push_back(1);
      return;
    }
    tokens.fail(directive, "found " + directive.describe() + "; expected a directive of a function, `;` or `{`");
  }

  /// Declarations give way to the definition.
  void keep(Function function, const Token &name) {
    auto [known, isNew] = functions.emplace(name.text, module.functions.size());
    if (isNew)
      module.functions.push_back(std::move(function));
    else if (Function &other = module.functions[known->second]; other.isDeclaration)
      other = std::move(function);
    else if (!function.isDeclaration)
      failSecond(name, other.line);
  }

  void checkLateNames() {
    for (const Token &name : reading.lateNames)
      if (!functions.count(name.text) && !reading.variables.count(name.text) && !module.aliases.count(name.text))
        tokens.fail(name, "found unknown name " + name.describe() + "; expected a label, function or variable");
  }

  Reading reading;
  Tokens &tokens;
  Module &module;
  std::unordered_map<std::string_view, size_t> functions; ///< index of each
  std::unordered_set<std::string_view> parameterNames;    ///< of the function that is being read
};
} // namespace

Parsed parse(std::string_view text) { return ModuleReader(text).read(); }

} // namespace tile::sim::ptx
