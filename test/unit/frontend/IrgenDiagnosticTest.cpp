// Wrong programs that parse, and what irgen says about them. A first line `// -D NAME=VALUE` or `// --kernel NAME`
// gives options, and `// --spec NAME` asks for the spec of a kernel.
#include "Corpus.h"
#include "Generating.h"

using namespace tile;
using namespace tile::test;
namespace fs = std::filesystem;

/// E01xx to E05xx, E09xx, W03xx and W04xx; E0999 says that the compiler is at fault, which no program should provoke.
static bool isOurs(std::string_view code) {
  std::string_view family = code.substr(0, 3);
  bool isError = family[0] == 'E' && ((family[1] == '0' && family[2] >= '1' && family[2] <= '5') || family == "E09");
  return (isError || family == "W03" || family == "W04") && code.substr(0, 5) != "E0999";
}

/// The options of the first line.
static IrgenOptions optionsOf(const std::string &text) {
  IrgenOptions options;
  std::istringstream words(text.substr(0, text.find('\n')));
  std::string word, value;
  words >> word;
  if (word != "//")
    return options;
  while (words >> word >> value) {
    if (word == "--kernel" || word == "--spec")
      options.kernel = value;
    if (word == "-D")
      options.values[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
  }
  return options;
}

static std::string diagnose(const fs::path &path) {
  fs::current_path(path.parent_path()); // imports are found beside the file, whose name has no folder
  std::string text = readFile(path);
  bool isSpec = text.rfind("// --spec ", 0) == 0;
  Generated generated(text, optionsOf(text), path.filename().string(),
                      isSpec ? Generated::What::Specs : Generated::What::Kernels);
  return generated.errors();
}

class IrgenDiagnostics : public testing::TestWithParam<fs::path> {};

TEST_P(IrgenDiagnostics, SaysExactly) { expectSaysExactly(GetParam(), diagnose(GetParam())); }
INSTANTIATE_TEST_SUITE_P(Programs, IrgenDiagnostics, testing::ValuesIn(corpusPrograms(isOurs)), corpusTestName);

class IrgenFixes : public testing::TestWithParam<fs::path> {};

/// What a help offers as an edit ends the fault.
TEST_P(IrgenFixes, EndTheirFaults) {
  fs::current_path(GetParam().parent_path());
  std::string text = readFile(GetParam()), name = GetParam().filename().string();
  Generated before(text, optionsOf(text), name);
  for (const Diagnostic *diagnostic : before.engine.sorted()) {
    if (!diagnostic->fix || before.sources.name(diagnostic->fix->range.file) != name)
      continue;
    std::string right = edited(text, *diagnostic->fix);
    Generated after(right, optionsOf(right), name);
    expectFixed(*diagnostic, before.engine.errorCount(), after.engine);
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, IrgenFixes, testing::ValuesIn(corpusPrograms(isOurs)), corpusTestName);

/// `links` functions, each of which calls the one before.
static std::string chain(unsigned links) {
  std::string text = "fn f0(x) { x + 1 }\n";
  for (unsigned i = 1; i < links; ++i)
    text += "fn g" + std::to_string(i) + "(x) { " + (i > 1 ? "g" + std::to_string(i - 1) : "f0") + "(x) }\n";
  return text + "kernel k(x: tensor<i32>[N], out y: tensor<i32>[N]) grid [1] { y[0] = g" + std::to_string(links - 1) +
         "(x[0]) }\n";
}

TEST(IrgenDiagnostics, AChainOfCallsHasALimit) {
  EXPECT_EQ(Generated(chain(256)).errors(), "");
  Generated tooLong(chain(3000));
  ASSERT_EQ(tooLong.engine.errorCount(), 1u) << tooLong.errors();
  EXPECT_EQ(tooLong.engine.sorted().front()->message,
            "257 functions call each other, from `g2999` to `g2743`; expected at most 256");
}

/// What nests at every level as deep as a source may, in as many functions as may call each other.
TEST(IrgenDiagnostics, DeepCallsOfDeepFunctionsHaveALimit) {
  std::string open, close;
  for (int i = 0; i < 90; ++i) {
    open += "static for i" + std::to_string(i) + " in 0 .. 1 { ";
    close += " }";
  }
  std::string text = "fn f0(x) { x + 1 }\n";
  for (int i = 1; i < 200; ++i)
    text += "fn f" + std::to_string(i) + "(x) { var y = x\n" + open + "y = f" + std::to_string(i - 1) + "(y)" + close +
            "\ny }\n";
  text += "kernel k(x: tensor<i32>[N], out y: tensor<i32>[N]) grid [1] { y[0] = f199(x[0]) }\n";
  Generated generated(text);
  ASSERT_EQ(generated.engine.errorCount(), 1u) << generated.errors();
  EXPECT_EQ(generated.engine.sorted().front()->message, "expressions and statements nest more than 2500 levels deep");
}

TEST(IrgenDiagnostics, AChainOfConstantsHasALimit) {
  std::string text = "const C0 = 1\n";
  for (int i = 1; i < 3000; ++i)
    text += "const C" + std::to_string(i) + " = C" + std::to_string(i - 1) + " + 1\n";
  Generated generated(text + "kernel k(out y: tensor<i32>[N]) grid [1] { y[0] = C2999 }\n");
  ASSERT_EQ(generated.engine.errorCount(), 1u) << generated.errors();
  EXPECT_EQ(generated.engine.sorted().front()->message, "expressions and statements nest more than 2500 levels deep");
}

TEST(IrgenDiagnostics, EveryCodeHasAProgram) { expectAProgramForEveryCode(isOurs); }
