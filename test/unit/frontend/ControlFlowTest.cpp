// What control flow and functions compute: programs of one i32, run by the interpreter for a range of values and
// compared with the same program in C++.
#include "Generating.h"

#include "backend/interpreter/Interpreter.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

/// Runs `body`, which assigns `r[p]` from `a`, for a = -5 … 20. `items` stands before the kernel.
static std::vector<int32_t> run(const std::string &items, const std::string &body) {
  Generated program(items + "\nkernel k(n: tensor<i32>[N], out r: tensor<i32>[N]) grid [N] {\n" +
                    "let p = program_id(0)\nlet a = n[p]\n" + body + "\n}\n");
  EXPECT_TRUE(program.module) << program.errors();
  std::vector<int32_t> n, r;
  for (int32_t a = -5; a <= 20; ++a)
    n.push_back(a);
  r.assign(n.size(), -999);
  if (!program.module)
    return r;
  auto bytes = static_cast<int64_t>(n.size() * sizeof(int32_t));
  std::vector<Buffer> buffers = {{"n", n.data(), bytes, Element::I32, false, true},
                                 {"r", r.data(), bytes, Element::I32, true, true}};
  std::vector<uint64_t> arguments = {reinterpret_cast<uint64_t>(n.data()), n.size(),
                                     reinterpret_cast<uint64_t>(r.data())};
  auto kernel = *program.module->getOps<mlir::func::FuncOp>().begin();
  auto report = interpret(kernel, {arguments, {static_cast<int64_t>(n.size()), 1, 1}, buffers});
  if (!report) {
    ADD_FAILURE() << llvm::toString(report.takeError()) << program.ir();
    return r;
  }
  for (const Finding &finding : report->findings)
    ADD_FAILURE() << finding.message;
  return r;
}

static void expectSame(const std::string &items, const std::string &body, int32_t (*reference)(int32_t)) {
  std::vector<int32_t> actual = run(items, body), expected;
  for (int32_t a = -5; a <= 20; ++a)
    expected.push_back(reference(a));
  EXPECT_EQ(actual, expected) << items << body;
}

TEST(Return, LeavesTheKernelEarly) {
  expectSame("", "r[p] = 1\nif a < 0 { return }\nr[p] = 2\nif a > 10 { if a > 15 { return }\nr[p] = 3 }\nr[p] = a",
             [](int32_t a) -> int32_t { return a < 0    ? 1
                                               : a > 15 ? 2
                                                        : a; });
}

TEST(Return, GivesTheValueOfTheFirstThatIsReached) {
  expectSame("fn f(x) { if x < 0 { return -x }\nif x > 10 { if x % 2 == 0 { return 0 } else { return 1 } }\nx * 2 }",
             "r[p] = f(a)", [](int32_t x) -> int32_t { return x < 0    ? -x
                                                              : x > 10 ? x % 2
                                                                       : x * 2; });
}

TEST(Return, LeavesFunctionsFromWithinLoops) {
  expectSame(
      "fn f(x: i32) -> i32 { for i in 0 .. 10 { for j in 0 .. 10 { if i * j == x { return 100 * i + j } } }\n-1 }",
      "r[p] = f(a)", [](int32_t x) -> int32_t {
        for (int i = 0; i < 10; ++i)
          for (int j = 0; j < 10; ++j)
            if (i * j == x)
              return 100 * i + j;
        return -1;
      });
}

TEST(Return, OfOneFunctionLeavesTheCallerRunning) {
  expectSame("fn f(x: i32) -> i32 { while true { if x > 3 { return 1 }\nreturn 2 }\n0 }",
             "let q = f(a)\nr[p] = q + f(q)", [](int32_t x) -> int32_t { return (x > 3 ? 1 : 2) + 2; });
}

TEST(Break, LeavesTheInnermostLoop) {
  expectSame("", R"(
    var s = 0
    for i in 0 .. 4 {
        for j in 0 .. a {
            if j > i { break }
            s += j + 1
        }
        s += 100
    }
    r[p] = s)",
             [](int32_t a) -> int32_t {
               int32_t s = 0;
               for (int i = 0; i < 4; ++i) {
                 for (int j = 0; j < a; ++j) {
                   if (j > i)
                     break;
                   s += j + 1;
                 }
                 s += 100;
               }
               return s;
             });
}

TEST(Continue, SkipsTheRestOfTheBody) {
  expectSame("", R"(
    var s = 0
    for i in 0 .. a {
        if i % 3 == 0 { continue }
        s += i
        if i == 7 { continue }
        s += 10
    }
    r[p] = s)",
             [](int32_t a) -> int32_t {
               int32_t s = 0;
               for (int i = 0; i < a; ++i) {
                 if (i % 3 == 0)
                   continue;
                 s += i;
                 if (i == 7)
                   continue;
                 s += 10;
               }
               return s;
             });
}

TEST(While, RunsUntilItsConditionFails) {
  expectSame("", R"(
    var x = a
    var steps = 0
    while x > 1 && steps < 50 {
        if x % 2 == 0 { x = x / 2 } else { x = 3 * x + 1 }
        steps += 1
        if steps == 9 { break }
    }
    r[p] = steps * 1000 + x)",
             [](int32_t a) -> int32_t {
               int32_t x = a, steps = 0;
               while (x > 1 && steps < 50) {
                 x = x % 2 == 0 ? x / 2 : 3 * x + 1;
                 if (++steps == 9)
                   break;
               }
               return steps * 1000 + x;
             });
}

TEST(For, StepsBackwardsOverTheSameValues) {
  expectSame("", "var s = 0\nfor i in rev(-3 .. a step 4) { s = s * 3 + i }\nr[p] = s", [](int32_t a) -> int32_t {
    int32_t s = 0;
    std::vector<int32_t> visited;
    for (int i = -3; i < a; i += 4)
      visited.push_back(i);
    for (auto it = visited.rbegin(); it != visited.rend(); ++it)
      s = s * 3 + *it;
    return s;
  });
}

TEST(StaticFor, MayBeLeftByARunTimeCondition) {
  expectSame(
      "", "var s = 0\nstatic for i in 0 .. 6 { if i == a { break }\nif i % 2 == 1 { continue }\ns += i + 1 }\nr[p] = s",
      [](int32_t a) -> int32_t {
        int32_t s = 0;
        for (int i = 0; i < 6; ++i) {
          if (i == a)
            break;
          if (i % 2 == 0)
            s += i + 1;
        }
        return s;
      });
}

TEST(StaticFor, RunsOverTuples) {
  expectSame("", "var s = 0\nstatic for (w, f) in ((1, fn(x) => x), (10, fn(x) => x * x)) { s += w * f(a) }\nr[p] = s",
             [](int32_t a) -> int32_t { return a + 10 * a * a; });
}

TEST(StaticIf, SharesTheScopeAroundIt) {
  expectSame(
      "const WIDE = true",
      "static if WIDE { let limit = 9\nif a > limit { r[p] = 0\nreturn } } else { let limit = 3 }\nr[p] = a + limit",
      [](int32_t a) -> int32_t { return a > 9 ? 0 : a + 9; });
}

TEST(If, IsAnExpressionAndCarriesVariables) {
  expectSame("",
             "var t = 1\nlet v = if a > 5 { t = 2\na * 2 } else if a > 0 { t += 4\na } else { 0 }\nr[p] = v * 10 + t",
             [](int32_t a) -> int32_t { return a > 5   ? a * 20 + 2
                                               : a > 0 ? a * 10 + 5
                                                       : 1; });
}

TEST(Variables, TuplesAreAssignedAtOnce) {
  expectSame("", "var (x, y) = (0, 1)\nfor i in 0 .. a { (x, y) = (y, x + y) }\nr[p] = x", [](int32_t a) -> int32_t {
    int32_t x = 0, y = 1;
    for (int i = 0; i < a; ++i) {
      int32_t z = x + y;
      x = y;
      y = z;
    }
    return x;
  });
}

TEST(Variables, OfTupleTypeAreCarried) {
  expectSame("", "var t = (0, 1)\nwhile t[0] < a { t = (t[0] + t[1], t[1] + 1) }\nr[p] = t[0] - t[1]",
             [](int32_t a) -> int32_t {
               int32_t x = 0, y = 1;
               while (x < a) {
                 x += y;
                 y += 1;
               }
               return x - y;
             });
}

TEST(Functions, CaptureByValue) {
  expectSame("", "var k = 2\nfn scaled(x) { x * k }\nk = 100\nr[p] = scaled(a) + k",
             [](int32_t a) -> int32_t { return a * 2 + 100; });
}

TEST(Functions, AreValues) {
  expectSame("fn twice<F: fn(i32) -> i32>(x) { F(F(x)) }\nfn pick<B: int>(x: i32, y: i32 = 7) { x * B + y }",
             "r[p] = twice<fn(x) => x * x - 1>(a) + pick<3>(a) + pick<B = 2>(y = 1, x = a)", [](int32_t a) -> int32_t {
               int32_t b = a * a - 1;
               return b * b - 1 + a * 3 + 7 + a * 2 + 1;
             });
}

TEST(Logic, TheRightSideRunsOnlyIfNeeded) {
  // A load through a pointer that the left side guards would be out of bounds.
  expectSame("fn at(n: tensor<i32>[_], i) { unchecked n[i] }",
             "let ok = a >= 0 && a < 20 && at(n, a) > 0\nlet no = a < 0 || a > 25 || at(n, a) < 0\nr[p] = (ok as i32) "
             "* 2 + (no as i32)",
             [](int32_t a) -> int32_t {
               bool ok = a >= 0 && a < 20 && a - 5 > 0, no = a < 0 || a - 5 < 0;
               return ok * 2 + no;
             });
}
