// Modules that compilers wrote, ours and nvcc: they parse, and what came out says what stood there. TILE_PTX_CORPUS
// names a folder of more.
#include "ParsePtx.h"

#include "gtest/gtest.h"

#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace tile::sim::ptx;
using namespace tile::sim::test;

static std::string print(const Operand &operand);

static std::string print(const std::vector<Operand> &operands) {
  std::string text;
  for (size_t i = 0; i < operands.size(); ++i)
    text += (i ? "," : "") + print(operands[i]);
  return text;
}

/// The name that the source has: `tmp` for `tmp@3`, `%r1` for `%r@3_1`.
static std::string written(const std::string &name) {
  size_t at = name.find('@');
  if (at == name.npos)
    return name;
  size_t end = name.find_first_not_of("0123456789", at + 1);
  std::string rest = end == name.npos ? "" : name.substr(name[end] == '_' ? end + 1 : end);
  return name.substr(0, at) + rest;
}

static std::string hex(const char *format, unsigned long long bits) {
  char text[32];
  std::snprintf(text, sizeof(text), format, bits);
  return text;
}

static std::string print(const Operand &operand) {
  std::string sign = operand.negated ? "!" : "";
  switch (operand.kind) {
  case Operand::Kind::Register:
    return sign + written(operand.name);
  case Operand::Kind::Symbol:
    return written(operand.name);
  case Operand::Kind::Integer:
    return std::to_string(static_cast<int64_t>(operand.bits));
  case Operand::Kind::Float32:
    return hex("0f%08llX", operand.bits);
  case Operand::Kind::Float64:
    return hex("0d%016llX", operand.bits);
  case Operand::Kind::Address:
    return "[" + written(operand.name) +
           (operand.bits ? "+" + std::to_string(static_cast<int64_t>(operand.bits)) : "") +
           (operand.parts.empty() ? "" : "," + print(operand.parts)) + "]";
  case Operand::Kind::Vector:
    return "{" + print(operand.parts) + "}";
  case Operand::Kind::List:
    return "(" + print(operand.parts) + ")";
  case Operand::Kind::Pair:
    return print(operand.parts[0]) + "|" + print(operand.parts[1]);
  case Operand::Kind::Sink:
    return "_";
  }
  return "";
}

static std::string print(const Instruction &instruction) {
  std::string guard = instruction.guard.empty() ? "" : "@" + written(instruction.guard);
  if (instruction.guardNegated)
    guard.insert(1, "!");
  return guard + instruction.mnemonic() + print(instruction.operands) + ";";
}

/// Whether at `i` there is the `U` of an unsigned number.
static bool isUnsignedSuffix(std::string_view text, size_t i) {
  return text[i] == 'U' && std::isdigit(static_cast<unsigned char>(text[i - 1])) &&
         !std::isalnum(static_cast<unsigned char>(text[i + 1]));
}

/// The source without blanks, comments and displacements of 0, and with decimal integers; where each line begins in it.
static std::string squeeze(std::string_view text, std::vector<size_t> &lines) {
  std::string result;
  lines = {0, 0};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//")
      i = std::min(text.find('\n', i), text.size() - 1);
    if (text.substr(i, 2) == "0x") {
      char *end = nullptr;
      result += std::to_string(std::strtoull(text.data() + i, &end, 16));
      i = end - text.data() - (*end != 'U');
      continue;
    }
    if (!std::isspace(static_cast<unsigned char>(text[i])) && !isUnsignedSuffix(text, i))
      result += text[i];
    if (result.size() > 3 && result.compare(result.size() - 3, 3, "+0]") == 0)
      result.replace(result.size() - 3, 3, "]");
    if (text[i] == '\n')
      lines.push_back(result.size());
  }
  return result;
}

TEST(PtxCorpus, EveryInstructionIsWhatItsLineSays) {
  size_t instructions = 0;
  for (const RecordedPtx &ptx : recordedPtx()) {
    SCOPED_TRACE(ptx.path);
    Module module = parsed(ptx.text);
    std::vector<size_t> lines;
    std::string source = squeeze(ptx.text, lines);
    size_t found = 0;
    for (const Function &function : module.functions)
      for (const Instruction &instruction : function.instructions) {
        ++instructions, ++found;
        ASSERT_LT(instruction.line, lines.size());
        std::string text = print(instruction);
        ASSERT_EQ(instruction.opcode.empty(), false);
        std::string_view there = std::string_view(source).substr(lines[instruction.line], text.size() + 100);
        ASSERT_NE(there.find(text), there.npos) << "line " << instruction.line << ": " << text << "\n" << there;
      }
    EXPECT_GT(found, 0u);
  }
  EXPECT_GT(instructions, 1000u);
}

TEST(PtxCorpus, EveryCallTargetIsAFunction) {
  for (const RecordedPtx &ptx : recordedPtx()) {
    SCOPED_TRACE(ptx.path);
    Module module = parsed(ptx.text);
    for (const Function &function : module.functions)
      for (const Instruction &instruction : function.instructions)
        for (const Operand &operand : instruction.operands)
          if (instruction.opcode == "bra")
            EXPECT_EQ(function.labels.count(operand.name), 1u) << operand.name;
          else if (instruction.opcode == "call" && operand.kind == Operand::Kind::Symbol)
            EXPECT_TRUE(module.find(operand.name) || function.prototypes.count(operand.name)) << operand.name;
  }
}

TEST(PtxCorpus, NvccsFeatures) {
  for (const RecordedPtx &ptx : recordedPtx()) {
    if (ptx.path != TILE_FOREIGN_PTX_DIR "/features.ptx")
      continue;
    Module module = parsed(ptx.text);
    EXPECT_EQ(module.target, "sm_90a");
    const Function *kernel = module.find("features");
    ASSERT_TRUE(kernel && kernel->isKernel);
    EXPECT_EQ(kernel->directives.at("maxntid"), (std::vector<uint64_t>{128, 1, 1}));
    EXPECT_EQ(kernel->parameters.size(), 4u);
    EXPECT_EQ(kernel->prototypes.size(), 1u);
    size_t again = 0, relocations = 0;
    for (auto &[label, position] : kernel->labels)
      again += label.rfind("AGAIN@", 0) == 0;
    EXPECT_EQ(again, 2u) << "the label of the inline assembly, once for each of its copies";
    for (const Variable &variable : module.variables)
      relocations += variable.relocations.size();
    EXPECT_EQ(relocations, 4u) << "two addresses of strings, two of functions";
    return;
  }
  FAIL() << "no features.ptx";
}

/// A text of at least 2 MB: the functions of one module, each time under other names.
static std::string longText(const std::string &module) {
  size_t begin = module.find(".visible .entry");
  std::string text = module.substr(0, begin), functions = module.substr(begin);
  functions = functions.substr(0, functions.rfind("}\n", functions.find(".file")) + 2);
  for (unsigned i = 0; text.size() < (2 << 20); ++i) {
    size_t last = 0;
    for (size_t at; (at = functions.find(".entry ", last)) != std::string::npos; last = at + 7)
      text += functions.substr(last, at + 7 - last) + "n" + std::to_string(i) + "_";
    text += functions.substr(last);
  }
  return text;
}

TEST(PtxCorpus, MegabyteTakesUnderATenthOfASecond) {
  for (const RecordedPtx &ptx : recordedPtx()) {
    if (ptx.path != TILE_EMITTED_PTX_DIR "/vector_add.ptx")
      continue;
    std::string text = longText(ptx.text);
    double fastest = 1e9;
    // Other tests take their share of the machine, so the fastest of some counts.
    for (int i = 0; i < 10; ++i) {
      auto start = std::chrono::steady_clock::now();
      Module module = parsed(text);
      std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      fastest = std::min(fastest, seconds.count());
      ASSERT_GT(module.functions.size(), 100u);
    }
    double perMegabyte = fastest * (1 << 20) / text.size();
    std::printf("%.1f ms a megabyte\n", 1e3 * perMegabyte);
    // Under the sanitizers it takes several times as long.
#if defined(NDEBUG) && !__has_feature(address_sanitizer)
    EXPECT_LT(perMegabyte, 0.1);
#endif
    return;
  }
  FAIL() << "no vector_add.ptx";
}
