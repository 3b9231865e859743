#include "frontend/diagnostic/Render.h"

#include "gtest/gtest.h"

#include <set>
#include <sstream>

using namespace tile;

namespace {

class Rendering : public testing::Test {
protected:
  void source(std::string text) { file = sources.add("k.tile", std::move(text)); }
  /// The range of the `n`th (from 0) occurrence of `text`.
  SourceRange at(std::string_view text, int n = 0) {
    size_t begin = sources.text(file).find(text);
    while (n-- > 0)
      begin = sources.text(file).find(text, begin + 1);
    EXPECT_NE(begin, std::string_view::npos);
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + text.size())};
  }
  std::string text() {
    std::ostringstream out;
    renderText(out, sources, engine);
    return out.str();
  }

  SourceManager sources;
  FileId file;
  DiagnosticEngine engine;
};

} // namespace

TEST_F(Rendering, LastLabelStandsInlineOthersHang) {
  source("\n    acc += a[m :+ 4] @ b[k :+ 128]\n");
  engine.report(Code::E0001, at("@"), "inner dimensions of `@` differ: 64 and 128")
      .secondary(at("a[m :+ 4]"), "tile<bf16>[128, 64]")
      .secondary(at("b[k :+ 128]"), "tile<bf16>[128, 256]")
      .help("`BK` is 64 here; write `b[k :+ BK]`");
  EXPECT_EQ(text(), R"(error[E0001]: inner dimensions of `@` differ: 64 and 128
 --> k.tile:2:22
  |
2 |     acc += a[m :+ 4] @ b[k :+ 128]
  |            --------- ^ ----------- tile<bf16>[128, 256]
  |            tile<bf16>[128, 64]
  = help: `BK` is 64 here; write `b[k :+ BK]`

)");
}

TEST_F(Rendering, PendingLabelsAreConnected) {
  source("a + b + c");
  engine.report(Code::E0001, at("c"), "m").label("third").secondary(at("a"), "first").secondary(at("b"), "second");
  EXPECT_EQ(text(), R"(error[E0001]: m
 --> k.tile:1:9
  |
1 | a + b + c
  | -   -   ^ third
  | |   second
  | first

)");
}

TEST_F(Rendering, InnerUnderlineIsPaintedOverOuter) {
  source("f(a + b)");
  engine.report(Code::E0001, at("+"), "m").label("here").secondary(at("a + b"), "in this sum");
  EXPECT_EQ(text(), R"(error[E0001]: m
 --> k.tile:1:5
  |
1 | f(a + b)
  |   --^--
  |   | here
  |   in this sum

)");
}

TEST_F(Rendering, GapsBetweenLines) {
  source("kernel f(\n\n\n\n)\nb\nc\n");
  engine.report(Code::E0001, at("c"), "m").secondary(at("("), "opened here").secondary(at(")"), "");
  EXPECT_EQ(text(), R"(error[E0001]: m
 --> k.tile:7:1
  |
1 | kernel f(
  |         - opened here
...
5 | )
  | -
6 | b
7 | c
  | ^

)");
}

TEST_F(Rendering, RangeOverSeveralLines) {
  source("let v = f(\n    1,\n    2,\n    3)\n");
  engine.report(Code::E0001, at("f(\n    1,\n    2,\n    3)"), "m").label("has four");
  EXPECT_EQ(text(), R"(error[E0001]: m
 --> k.tile:1:9
  |
1 | let v = f(
  |         ^^
...
4 |     3)
  |     ^^ has four

)");
}

TEST_F(Rendering, TabsAndWideCharactersKeepColumns) {
  source("\tlet x = \"漢é\" + y\n");
  engine.report(Code::E0001, at("y"), "m").secondary(at("\"漢é\""), "s");
  EXPECT_EQ(text(), R"(error[E0001]: m
 --> k.tile:1:17
  |
1 |     let x = "漢é" + y
  |             -----   ^
  |             s

)");
}

TEST_F(Rendering, BytesThatAreNoTextAreReplaced) {
  source(std::string("a\x80\0b\x1b", 5));
  engine.report(Code::E0001, at("b"), "m");
  EXPECT_EQ(text(), "error[E0001]: m\n --> k.tile:1:3\n  |\n1 | a\xEF\xBF\xBD\xEF\xBF\xBD"
                    "b\xEF\xBF\xBD\n  |    ^\n\n");
}

TEST_F(Rendering, LongLineIsCutAroundTheLabel) {
  source(std::string(1000, 'x') + "FAULT" + std::string(1000, 'y'));
  engine.report(Code::E0001, at("FAULT"), "m").label("here");
  std::string kept = std::string(40, 'x') + "FAULT" + std::string(115, 'y');
  EXPECT_EQ(text(), "error[E0001]: m\n --> k.tile:1:1001\n  |\n1 | …" + kept + "…\n  | " + std::string(41, ' ') +
                        "^^^^^ here\n\n");
}

TEST_F(Rendering, EmptyRangeAtEndOfFile) {
  source("let x =");
  engine.report(Code::E0001, {file, 7, 7}, "m").label("expected an expression");
  EXPECT_EQ(text(), "error[E0001]: m\n --> k.tile:1:8\n  |\n1 | let x =\n  |        ^ expected an expression\n\n");
}

TEST_F(Rendering, OtherFileFollows) {
  FileId other = sources.add("lib.tile", "fn f() {}\n");
  source("f(1)\n");
  engine.report(Code::E0001, at("1"), "m").secondary({other, 3, 4}, "declared here").note("one\ntwo");
  EXPECT_EQ(text(), R"(error[E0001]: m
 --> k.tile:1:3
  |
1 | f(1)
  |   ^
 ::: lib.tile:1:4
  |
1 | fn f() {}
  |    - declared here
  = note: one
          two

)");
}

TEST_F(Rendering, WithoutPlace) {
  engine.report(Code::E0001, {}, "no kernel named `f`").help("`g` is one");
  EXPECT_EQ(text(), "error[E0001]: no kernel named `f`\n  = help: `g` is one\n\n");
}

TEST_F(Rendering, SaysHowManyErrorsWereDropped) {
  source("abcd");
  engine = DiagnosticEngine(/*errorLimit=*/1);
  for (std::string_view letter : {"a", "b", "c"})
    engine.report(Code::E0001, at(letter), "m");
  EXPECT_EQ(text(), "error[E0001]: m\n --> k.tile:1:1\n  |\n1 | abcd\n  | ^\n\nerror: 2 more errors not shown\n");
}

TEST_F(Rendering, LabelAtTheEndOfALongLine) {
  source(std::string(400, 'x') + "END");
  engine.report(Code::E0001, at("END"), "m");
  EXPECT_EQ(text(), "error[E0001]: m\n --> k.tile:1:401\n  |\n1 | …" + std::string(157, 'x') + "END\n  | " +
                        std::string(158, ' ') + "^^^\n\n");
}

TEST(Explanation, HasTitleAndText) {
  std::ostringstream out;
  renderExplanation(out, codeInfo(Code::E0011));
  EXPECT_EQ(out.str(),
            "E0011: an assignment as a condition\n\n`=` assigns and is a statement; `==` compares.\n\nWrong:\n"
            "    if n = 0 { }\nRight:\n    if n == 0 { }\n");
}

TEST_F(Rendering, GutterGrowsWithTheLineNumber) {
  source(std::string(99, '\n') + "x\n");
  engine.report(Code::E0001, at("x"), "m").help("h");
  EXPECT_EQ(text(), "error[E0001]: m\n   --> k.tile:100:1\n    |\n100 | x\n    | ^\n    = help: h\n\n");
}

TEST_F(Rendering, Json) {
  source("é \"b\n");
  engine.report(Code::E0001, at("\"b"), "quote \"").label("l\x01").secondary(at("é"), "").note("n").help("\x80h");
  std::ostringstream out;
  renderJson(out, sources, engine);
  EXPECT_EQ(out.str(),
            R"([
{"code": "E0001", "severity": "error", "message": "quote \"", "file": "k.tile", )"
            R"("begin": {"line": 1, "column": 3, "offset": 3}, "end": {"line": 1, "column": 5, "offset": 5}, )"
            R"("label": "l\u0001", "secondary": [{"file": "k.tile", )"
            R"("begin": {"line": 1, "column": 1, "offset": 0}, "end": {"line": 1, "column": 2, "offset": 2}}], )"
            R"("notes": ["n"], "help": "\ufffdh"}
]
)");
}

TEST_F(Rendering, AnEditIsHelpAndData) {
  source("a = b\n");
  engine.report(Code::E0011, at("="), "m").replace(at("="), "==", "write ", ", not `=`");
  EXPECT_NE(text().find("= help: write `==`, not `=`\n"), std::string::npos) << text();
  std::ostringstream out;
  renderJson(out, sources, engine);
  EXPECT_NE(out.str().find(R"(, "help": "write `==`, not `=`", "fix": {"file": "k.tile", )"
                           R"("begin": {"line": 1, "column": 3, "offset": 2}, )"
                           R"("end": {"line": 1, "column": 4, "offset": 3}, "text": "=="}})"),
            std::string::npos)
      << out.str();
}

TEST_F(Rendering, AnEditOfAnotherFileIsNone) {
  source("a\n");
  FileId other = sources.add("other.tile", "b\n");
  engine.report(Code::E0011, at("a"), "m").replace({other, 0, 1}, "c", "write ");
  EXPECT_EQ(text().find("help"), std::string::npos) << text();
}

TEST_F(Rendering, JsonOfNothingIsAnEmptyArray) {
  std::ostringstream out;
  renderJson(out, sources, engine);
  EXPECT_EQ(out.str(), "[\n]\n");
}

TEST(DiagnosticEngine, SortsByFileAndPosition) {
  SourceManager sources;
  FileId first = sources.add("a", "abc"), second = sources.add("b", "abc");
  DiagnosticEngine engine;
  engine.report(Code::E0001, {second, 0, 1}, "4");
  engine.report(Code::E0001, {first, 2, 3}, "2");
  engine.report(Code::E0001, {first, 2, 3}, "3");
  engine.report(Code::E0001, {first, 0, 3}, "1");
  std::string order;
  for (const Diagnostic *diagnostic : engine.sorted())
    order += diagnostic->message;
  EXPECT_EQ(order, "1234");
}

TEST(DiagnosticEngine, GivesAwayAndTakesBack) {
  DiagnosticEngine engine, other;
  engine.report(Code::E0100, {}, "first").note("why");
  engine.report(Code::W0300, {}, "second");
  std::vector<Diagnostic> taken = engine.take();
  EXPECT_FALSE(engine.hasErrors());
  EXPECT_EQ(engine.warningCount(), 0u);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].notes, std::vector<std::string>{"why"});
  other.report(Code::E0100, {}, "first");
  for (Diagnostic &diagnostic : taken)
    other.add(std::move(diagnostic));
  EXPECT_EQ(other.errorCount(), 1u) << "a repetition";
  EXPECT_EQ(other.warningCount(), 1u);
}

TEST(DiagnosticEngine, DropsRepetitionsAndErrorsPastTheLimit) {
  SourceManager sources;
  FileId file = sources.add("a", "abcdef");
  DiagnosticEngine engine(/*errorLimit=*/2);
  for (uint32_t i : {0, 0, 1, 2, 3})
    engine.report(Code::E0001, {file, i, i + 1}, "m");
  EXPECT_EQ(engine.errorCount(), 2u);
  EXPECT_EQ(engine.droppedCount(), 2u);
  EXPECT_EQ(engine.sorted().size(), 2u);
}

TEST_F(Rendering, VariantsOfOneRemarkStandTogether) {
  source("a");
  engine.report(Code::W0602, at("a"), "m", {"fast"}).help("h");
  engine.report(Code::W0602, at("a"), "m", {"generic"}).help("h");
  engine.report(Code::W0602, at("a"), "n", {"generic"});
  EXPECT_EQ(engine.warningCount(), 2u);
  engine.dropWarnings([](const Diagnostic &diagnostic) { return diagnostic.variants.size() == 1; });
  EXPECT_EQ(engine.warningCount(), 1u);
  EXPECT_EQ(text(), R"(warning[W0602]: m
 --> k.tile:1:1
  |
1 | a
  | ^
  = note: in the variants `fast` and `generic`
  = help: h

)");
  std::ostringstream json;
  renderJson(json, sources, engine);
  EXPECT_NE(json.str().find(R"("variants": ["fast", "generic"], "help": "h")"), std::string::npos);
}

TEST(ClosestName, FindsSlipsOnly) {
  EXPECT_EQ(closestName("BLOKC", {"BLOCK", "BK", "N"}), "BLOCK");
  EXPECT_EQ(closestName("summ", {"sin", "sum"}), "sum");
  EXPECT_EQ(closestName("zeroes", {"ones", "zeros"}), "zeros");
  EXPECT_EQ(closestName("tun", {"run", "tune"}), "tune") << "as close, and begins alike";
  EXPECT_EQ(closestName("KK", {"BK", "K", "KX"}), "K");
  EXPECT_EQ(closestName("x", {"y"}), "");
  EXPECT_EQ(closestName("alpha", {"beta", "gamma"}), "");
  EXPECT_EQ(closestName("anything", {}), "");
}

TEST(Codes, AreSortedUniqueAndExplained) {
  std::string_view previous;
  for (const CodeInfo &info : allCodes()) {
    EXPECT_LT(previous, info.name);
    previous = info.name;
    EXPECT_EQ(info.name.size(), 5u) << info.name;
    EXPECT_EQ(&codeInfo(info.code), &info);
    EXPECT_EQ(findCode(info.name), &info);
    EXPECT_TRUE(info.title.size() && !isupper(info.title.front()) && info.title.back() != '.') << info.name;
    EXPECT_NE(info.explanation.find("Wrong:"), std::string_view::npos) << info.name;
    EXPECT_NE(info.explanation.find("Right:"), std::string_view::npos) << info.name;
  }
  EXPECT_EQ(findCode("e0001"), &codeInfo(Code::E0001));
  EXPECT_EQ(findCode("E9999"), nullptr);
}

TEST(SourceManager, LineEndsOfAllKinds) {
  SourceManager sources;
  FileId file = sources.add("a", "a\nbb\r\nc\rd");
  EXPECT_EQ(sources.lineCount(file), 4u);
  EXPECT_EQ(sources.line(file, 2), "bb");
  EXPECT_EQ(sources.line(file, 4), "d");
  EXPECT_EQ(sources.lineColumn(file, 3).line, 2u);
  EXPECT_EQ(sources.lineColumn(file, 3).column, 2u);
  EXPECT_EQ(sources.lineColumn(file, 9).line, 4u);
}
