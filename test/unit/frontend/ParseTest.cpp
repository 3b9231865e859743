#include "Parsing.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace tile;
using namespace tile::test;

//===- Precedence -------------------------------------------------------------------------------------------------===//

namespace {
struct Level {
  int height;
  std::vector<std::string> operators;
};
} // namespace

/// The table of the language, from high to low, written down independently of the parser's.
static const std::vector<Level> kLevels = {
    {9, {"*", "/", "%", "@"}},
    {8, {"+", "-"}},
    {7, {"<<", ">>"}},
    {6, {"&"}},
    {5, {"^"}},
    {4, {"|"}},
    {2, {"&&"}},
    {1, {"||"}},
};
static const std::vector<std::string> kComparisons = {"<", "<=", ">", ">=", "==", "!="};

TEST(Precedence, EveryPairOfBinaryOperators) {
  std::vector<Level> levels = kLevels;
  levels.push_back({3, kComparisons});
  for (const Level &left : levels)
    for (const std::string &first : left.operators)
      for (const Level &right : levels)
        for (const std::string &second : right.operators) {
          if (left.height == 3 && right.height == 3)
            continue; // no chain
          std::string source = "a " + first + " b " + second + " c";
          std::string expected = left.height >= right.height ? "(" + second + " (" + first + " a b) c)"
                                                             : "(" + first + " a (" + second + " b c))";
          EXPECT_EQ(expression(source), expected) << source;
        }
}

TEST(Precedence, ComparisonsDoNotChain) {
  for (const std::string &first : kComparisons)
    for (const std::string &second : kComparisons) {
      Parsed parsed("const X = a " + first + " b " + second + " c");
      EXPECT_EQ(firstMessage(parsed), "comparisons do not chain: found `" + second + "` after `" + first + "`");
      EXPECT_EQ(expression("(a " + first + " b) " + second + " c"), "(" + second + " (" + first + " a b) c)");
    }
  EXPECT_EQ(expression("a < b && c < d"), "(&& (< a b) (< c d))");
}

TEST(Precedence, UnaryBindsTighterThanEveryBinary) {
  for (const Level &level : kLevels)
    for (const std::string &op : level.operators)
      for (std::string unary : {"-", "~", "!"}) {
        EXPECT_EQ(expression(unary + "a " + op + " b"), "(" + op + " (" + unary + " a) b)");
        EXPECT_EQ(expression("a " + op + " " + unary + "b"), "(" + op + " a (" + unary + " b))");
      }
}

TEST(Precedence, CastBindsLooserThanUnaryAndTighterThanBinary) {
  EXPECT_EQ(expression("-a as f32"), "(as (- a) f32)");
  for (const Level &level : kLevels)
    for (const std::string &op : level.operators)
      EXPECT_EQ(expression("a " + op + " b as f32 " + op + " c"), "(" + op + " (" + op + " a (as b f32)) c)");
  EXPECT_EQ(expression("a as f32 as bf16"), "(as (as a f32) bf16)");
  EXPECT_EQ(expression("a as f8e5m2 with (overflow = inf) * b"), "(* (as a f8e5m2 (with overflow=inf)) b)");
}

TEST(Precedence, PostfixBindsTighterThanUnary) {
  EXPECT_EQ(expression("-a(b)"), "(- (call a b))");
  EXPECT_EQ(expression("-a[b].T"), "(- (. (index a b) T))");
  EXPECT_EQ(expression("!f<T>(a)"), "(! (call (generic f T) a))");
  EXPECT_EQ(expression("- ~ ! a"), "(- (~ (! a)))");
}

TEST(Precedence, ElseOfAnAccessTakesAUnaryValue) {
  EXPECT_EQ(expression("x[i] else -inf + 1"), "(+ (index x i else=(- inf)) 1)");
  EXPECT_EQ(expression("x[i] else y[j] else 0"), "(index x i else=(index y j else=0))");
  EXPECT_EQ(expression("x[i] else a as f32"), "(as (index x i else=a) f32)");
  EXPECT_EQ(expression("-x[i] with (cache = streaming) else 1"), "(- (index x i else=1 (with cache=streaming)))");
}

TEST(Precedence, RangeAndRegionBindLoosest) {
  EXPECT_EQ(expression("a || b .. c + d"), "(.. (|| a b) (+ c d))");
  EXPECT_EQ(expression("f(0 .. n step s + 1)"), "(call f (.. 0 n step=(+ s 1)))");
  EXPECT_EQ(expression("x[i + 1 :+ n || m, a & b .. c]"), "(index x (:+ (+ i 1) (|| n m)) (.. (& a b) c))");
}

//===- Line ends --------------------------------------------------------------------------------------------------===//

TEST(LineEnd, EndsAStatement) {
  EXPECT_EQ(statements("a\nb"), "a\nb");
  EXPECT_EQ(statements("a; b;; c;"), "a\nb\nc");
  EXPECT_EQ(statements("\n\n a \r\n\r\n b // c\n // d"), "a\nb");
  EXPECT_EQ(statements("f\n(a)"), "f\na");
  EXPECT_EQ(statements("x\n[a]"), "x\n(list a)");
}

TEST(LineEnd, DoesNotInsideBrackets) {
  EXPECT_EQ(statements("f(\na\n,\nb\n)"), "(call f a b)");
  EXPECT_EQ(statements("x[\ni\n:+\n4\n]"), "(index x (:+ i 4))");
  EXPECT_EQ(statements("f<\nA,\nB\n>(c)"), "(call (generic f A B) c)");
  EXPECT_EQ(statements("f({\nwarps:\n4\n})"), "(call f (record warps=4))");
}

TEST(LineEnd, CountsAgainInABlockInsideBrackets) {
  EXPECT_EQ(statements("f(fn() => {\na\nb\n})"), "(call f (fn ()\n  (body\n    a\n    b)))");
}

TEST(LineEnd, DoesNotAfterAnOperatorOrComma) {
  std::vector<std::string> operators = kComparisons;
  for (const Level &level : kLevels)
    operators.insert(operators.end(), level.operators.begin(), level.operators.end());
  for (const std::string &op : operators)
    EXPECT_EQ(statements("let x = a " + op + "\n b"), "(let x (" + op + " a b))");
  for (std::string assign : {"=", "+=", "-=", "*=", "/=", "%=", "@=", "<<=", ">>=", "&=", "^=", "|="})
    EXPECT_EQ(statements("x " + assign + "\n b"), "(" + assign + " x b)");
  EXPECT_EQ(statements("let x =\n\n a"), "(let x a)");
  EXPECT_EQ(statements("for i in 0 ..\n n { }"), "(for i (.. 0 n)\n  (body))");
  EXPECT_EQ(statements("let f = fn(a) =>\n a"), "(let f (fn (a) a))");
  EXPECT_EQ(Parsed("fn f() ->\n i32 { }\nkernel g() where a,\n b { }").errors(), "");
}

TEST(LineEnd, DoesNotBeforeABraceOrElse) {
  EXPECT_EQ(statements("if a\n{ b }\nelse\n{ c }"), "(if a\n  (then\n    b)\n  (else\n    c))");
  EXPECT_EQ(statements("if a { b }\nelse if c { d }"),
            "(if a\n  (then\n    b)\n  (else\n    (if c\n      (then\n        d))))");
  EXPECT_EQ(statements("let v = x[i]\n else 0"), "(let v (index x i else=0))");
  EXPECT_EQ(statements("while a\n{ b }"), "(while a\n  (body\n    b))");
}

TEST(LineEnd, DoesNotBeforeAClauseOfAKernel) {
  Parsed parsed("kernel f()\n grid [1]\n resident\n where a\n specialize b\n alias(x, y)\n { }");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.ast(), "(module\n  (kernel f\n    (grid resident 1)\n    (where a)\n    (specialize b)\n"
                          "    (alias x y)\n    (body)))\n");
}

TEST(LineEnd, DoesBeforeTheSameWordsInABody) {
  EXPECT_EQ(statements("let a = b\nwhere(a, 0, 1)"), "(let a b)\n(call where a 0 1)");
  EXPECT_EQ(statements("a\ngrid\nalias\nspecialize"), "a\ngrid\nalias\nspecialize");
}

TEST(LineEnd, DoesNotAfterADecorator) {
  EXPECT_EQ(statements("@stages(4)\n@persistent\nfor i in n { }"),
            "(for i n\n  (@stages 4)\n  (@persistent)\n  (body))");
}

TEST(LineEnd, IndentedMinusWarns) {
  EXPECT_EQ(firstMessage(Parsed("fn f() {\n  let x = a\n    - b\n}")),
            "this line is a statement of its own, although it begins with `-`");
  EXPECT_EQ(firstMessage(Parsed("fn f() {\n  let x = a\n  -x\n}")), "");
}

//===- `<` --------------------------------------------------------------------------------------------------------===//

TEST(GenericList, OpensWhereItTouchesANameAndACallFollows) {
  EXPECT_EQ(expression("f<a>(b)"), "(call (generic f a) b)");
  EXPECT_EQ(expression("f<a, 3>[b]"), "(generic f a 3 (shape b))");
  EXPECT_EQ(expression("zeros<f32>[]"), "(generic zeros f32 (shape))");
  EXPECT_EQ(expression("full<f32>[B](-inf)"), "(call (generic full f32 (shape B)) (- inf))");
  EXPECT_EQ(expression("m.f<a + 2 * b>(c)"), "(call (generic (. m f) (+ a (* 2 b))) c)");
  EXPECT_EQ(expression("f<a,>(c)"), "(call (generic f a) c)");
  EXPECT_EQ(expression("f<N = 4>(c)"), "(call (generic f N=4) c)");
}

TEST(GenericList, ElseItIsLessThan) {
  EXPECT_EQ(expression("a < b"), "(< a b)");
  EXPECT_EQ(expression("a<b"), "(< a b)");
  EXPECT_EQ(expression("a<b && c>d"), "(&& (< a b) (> c d))");
  EXPECT_EQ(expression("a <b> (c)"), Parsed("const X = a <b> (c)").errors()); // a chain, not a list
  EXPECT_EQ(expression("a<b || c>(d)"), "(|| (< a b) (> c d))");
  EXPECT_EQ(expression("(a)<b"), "(< a b)");
  EXPECT_EQ(expression("2<b"), "(< 2 b)");
  EXPECT_EQ(expression("a as f32<b"), "(< (as a f32) b)");
  EXPECT_EQ(statements("if a<b { c }"), "(if (< a b)\n  (then\n    c))");
}

TEST(GenericList, TwoCloseAtOnce) {
  EXPECT_EQ(expression("f<ptr<f32>>(a)"), "(call (generic f (generic ptr f32)) a)");
  EXPECT_EQ(expression("f<g<h<a>>>(b)"), "(call (generic f (generic g (generic h a))) b)");
  EXPECT_EQ(expression("a >> b"), "(>> a b)");
  EXPECT_EQ(expression("f<a>(b) >> c"), "(>> (call (generic f a) b) c)");
}

TEST(GenericList, InATypeNothingNeedsToFollow) {
  EXPECT_EQ(statements("let a: ptr<f32> = b"), "(let a:(generic ptr f32) b)");
  EXPECT_EQ(Parsed("fn f(a: ptr<f32>, b: S<i32>?, c: [2] ptr<f32>) -> (ptr<f32>, S<f32>) { }").errors(), "");
  EXPECT_EQ(Parsed("struct S<T> { a: ptr<T>\n b: fn(ptr<T>, i32) -> S<T> }").errors(), "");
  EXPECT_EQ(expression("x[:, a<b]"), "(index x : (< a b))");
}

//===- Forms ------------------------------------------------------------------------------------------------------===//

TEST(Forms, Literals) {
  EXPECT_EQ(expression("[0, 18446744073709551615, 0xFf, 0b1_0, 0o17, 1_000]"),
            "(list 0 18446744073709551615 255 2 15 1000)");
  EXPECT_EQ(expression("[1.5, 1e3, 1.0e-6, 1_0.5]"), "(list 1.5 1e3 1.0e-6 10.5)");
  EXPECT_EQ(expression(R"(["a\n\t\0\"\\é", ""])"), "(list \"a\\n\\x09\\x00\\\"\\\\é\" \"\")");
  EXPECT_EQ(expression("[true, false, none, _]"), "(list true false none _)");
  EXPECT_EQ(expression("0..n"), "(.. 0 n)");
}

TEST(Forms, FloatValuesAreNearest) {
  Parsed parsed("const X = 0.1\nconst Y = 1e-400");
  auto value = [&](size_t i) {
    return static_cast<const ast::FloatLiteral &>(
               *static_cast<const ast::ConstItem &>(*parsed.result.module->items.at(i)).value)
        .value;
  };
  EXPECT_EQ(value(0), 0.1);
  EXPECT_EQ(value(1), 0.0);
}

TEST(Forms, TuplesAndParentheses) {
  EXPECT_EQ(expression("(a)"), "a");
  EXPECT_EQ(expression("((a, b), (c,), ())"), "(tuple (tuple a b) (tuple c) (tuple))");
}

TEST(Forms, Positions) {
  EXPECT_EQ(expression("x[i, :, .., None, a :+ 4, b .. c,]"), "(index x i : .. None (:+ a 4) (.. b c))");
  EXPECT_EQ(expression("x[]"), "(index x)");
}

TEST(Forms, WordsThatAreKeywordsInTheirPlaceOnlyAreNames) {
  for (std::string word : {"grid", "where", "specialize", "alias", "resident", "out", "inout", "volatile", "scratch",
                           "step", "unchecked", "strided", "shared", "roles", "type", "std", "T"})
    EXPECT_EQ(statements("let " + word + " = f(" + word + ", " + word + " = 1)\n" + word + " = " + word + " + 1"),
              "(let " + word + " (call f " + word + " " + word + "=1))\n(= " + word + " (+ " + word + " 1))");
}

TEST(Forms, FunctionLiteralsAndTypes) {
  EXPECT_EQ(expression("f(fn(a, b: f32) => a + b, c)"), "(call f (fn (a b:f32) (+ a b)) c)");
  EXPECT_EQ(expression("fn() => fn(x) => x"), "(fn () (fn (x) x))");
  EXPECT_EQ(expression("f<fn(f32, ptr<i32>) -> (f32, i32)>(x)"),
            "(call (generic f (fn-type (takes f32 (generic ptr i32)) -> (tuple f32 i32))) x)");
  EXPECT_EQ(expression("f<fn(), [2] [N] tile<f32>[4]>(x)"),
            "(call (generic f (fn-type (takes)) (array 2 (array N (generic tile f32 (shape 4))))) x)");
  EXPECT_EQ(expression("reduce(x, axis = 1, fn(a, b) => a)"), "(call reduce x axis=1 (fn (a b) a))");
}

TEST(Forms, RangesCoverTheText) {
  Parsed parsed("const X = f( (a + b) * c ) // d\n");
  auto &item = *parsed.result.module->items.at(0);
  auto &call = static_cast<const ast::Call &>(*static_cast<const ast::ConstItem &>(item).value);
  auto &product = static_cast<const ast::Binary &>(*call.arguments.at(0).value);
  EXPECT_EQ(parsed.sources.text(item.range), "const X = f( (a + b) * c )");
  EXPECT_EQ(parsed.sources.text(call.range), "f( (a + b) * c )");
  EXPECT_EQ(parsed.sources.text(product.range), "(a + b) * c");
  EXPECT_EQ(parsed.sources.text(product.opRange), "*");
  EXPECT_EQ(parsed.sources.text(product.lhs->range), "a + b");
}

TEST(Forms, DocumentationBelongsToWhatFollows) {
  Parsed parsed("/// a\n///b\n@check(1)\n/// c\nfn f() { }\n//// no\nfn g() { }\n");
  EXPECT_EQ(parsed.result.module->items.at(0)->doc, "a\nb\nc");
  EXPECT_EQ(parsed.result.module->items.at(1)->doc, "");
}

TEST(Forms, ByteOrderMarkIsSkipped) {
  EXPECT_EQ(Parsed("\xEF\xBB\xBFimport std\n").ast(), "(module\n  (import std))\n");
}

TEST(Forms, EmptyFiles) {
  for (std::string text : {"", "\n", "// a", "///", ";", "\n;\n"}) {
    Parsed parsed(text);
    EXPECT_EQ(parsed.errors(), "") << text;
    EXPECT_EQ(parsed.ast(), "(module)\n");
  }
}

//===- Programs ---------------------------------------------------------------------------------------------------===//

static std::string readFile(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// `syntax.tile` has every node kind: its tree is compared as a whole. With TILE_UPDATE_EXPECTED it is written.
TEST(Programs, HaveTheirTrees) {
  size_t count = 0;
  for (auto &entry : std::filesystem::directory_iterator(TILE_PROGRAMS_DIR)) {
    if (entry.path().extension() != ".tile")
      continue;
    ++count;
    Parsed parsed(readFile(entry.path()));
    EXPECT_EQ(parsed.errors(), "") << entry.path();
    std::filesystem::path tree = std::filesystem::path(entry.path()).replace_extension(".ast");
    if (std::getenv("TILE_UPDATE_EXPECTED"))
      std::ofstream(tree, std::ios::binary) << parsed.ast();
    EXPECT_EQ(parsed.ast(), readFile(tree)) << entry.path();
  }
  EXPECT_GE(count, 4u);
}

/// Prediction costs time when cold and blurs the place of errors; grammar/README.md says how decisions stay LL(1).
TEST(Grammar, TakesEveryDecisionOnOneToken) {
  std::string generated = readFile(TILE_GENERATED_PARSER);
  ASSERT_FALSE(generated.empty());
  EXPECT_EQ(generated.find("adaptivePredict"), std::string::npos);
}

//===- Recovery ---------------------------------------------------------------------------------------------------===//

TEST(Recovery, KeepsWhatIsSound) {
  Parsed parsed("const A = 1\nconst = 2\nfn f() {\n  let a = 1\n  let b = * 2\n  for i in 0 .. 4 {\n    let c = )\n"
                "    let d = 3\n  }\n}\nkernel { }\nconst B = 1 +\n\nconst C = 3\n");
  EXPECT_EQ(parsed.ast(), "(module\n  (const A 1)\n  (fn f\n    (body\n      (let a 1)\n      (for i (.. 0 4)\n"
                          "        (body\n          (let d 3)))))\n  (const C 3))\n");
  EXPECT_EQ(parsed.engine.errorCount(), 5u) << parsed.errors();
}

TEST(Recovery, ABrokenItemIsReportedOnce) {
  Parsed parsed("def f(x):\n    y = 1\n    if y:\n        z = 2\n    return z\n\nconst A = 1\n");
  EXPECT_EQ(parsed.engine.errorCount(), 1u) << parsed.errors();
  EXPECT_EQ(parsed.ast(), "(module\n  (const A 1))\n");
}

TEST(Recovery, AMissingBraceDoesNotSpoilTheNextItem) {
  Parsed parsed("kernel f() {\n  if a {\n    x = 1\n}\n\nkernel g() {\n  let y = = 1\n}\n");
  EXPECT_EQ(parsed.engine.errorCount(), 2u) << parsed.errors();
  EXPECT_EQ(parsed.engine.sorted()[0]->message, "found `kernel`; expected `}`");
  EXPECT_EQ(parsed.sources.begin(parsed.engine.sorted()[0]->secondary.at(0).range).line, 2u);
}

//===- Limits -----------------------------------------------------------------------------------------------------===//

static std::string repeat(std::string_view text, size_t count) {
  std::string result;
  while (count-- > 0)
    result += text;
  return result;
}

TEST(Limits, DeepNestingIsReported) {
  struct Case {
    std::string head, middle, tail, rest;
  };
  for (const Case &each : std::vector<Case>{{"= ", "(", "a", ")"},
                                            {"= ", "[", "a", "]"},
                                            {"= ", "f(", "a", ")"},
                                            {"= ", "x[", "a", "]"},
                                            {"= f(", "{a: ", "b", "}"},
                                            {"= ", "if a { ", "b", "}"},
                                            {"= a || ", "fn() => { b && ", "c", "}"},
                                            {": ", "fn(", "a", ")"},
                                            {"= ", "-", "a", ""},
                                            {"= ", "a + ", "a", ""},
                                            {"= a", ".b", "", ""},
                                            {"= a", "[0]", "", ""},
                                            {"= a", " as b", "", ""},
                                            {"= ", "fn() => ", "a", ""},
                                            {"= ", "x[i] else ", "a", ""},
                                            {"= if a { b }", " else if a { b }", "", ""},
                                            {": ", "fn() -> ", "a", ""},
                                            {": ", "strided ", "a", ""}}) {
    Parsed parsed("fn f() { let x " + each.head + repeat(each.middle, 3000) + each.tail + repeat(each.rest, 3000) +
                  "\n}");
    ASSERT_TRUE(parsed.result.hasErrors) << each.middle;
    EXPECT_EQ(codeInfo(parsed.engine.sorted()[0]->code).name, "E0013") << each.middle << "\n" << firstMessage(parsed);
  }
}

TEST(Limits, ReasonableNestingIsNot) {
  EXPECT_EQ(Parsed("const X = " + repeat("(", 150) + "a" + repeat(")", 150)).errors(), "");
  EXPECT_EQ(Parsed("const X = a" + repeat(" + a", 900)).errors(), "");
}

TEST(Limits, LargeFiles) {
  Parsed parsed(repeat("fn f(x: tensor<f32>[N]) { let y = x[0 :+ 4] * 2 + 1 }\n", 5000) + "const X = [" +
                repeat("1, ", 50000) + "]");
  EXPECT_EQ(parsed.errors(), "");
  EXPECT_EQ(parsed.result.module->items.size(), 5001u);
}
