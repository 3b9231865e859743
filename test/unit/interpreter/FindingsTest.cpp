/// What the interpreter reports, word by word, and that nothing outside the buffers is touched meanwhile.
#include "test/unit/interpreter/Launch.h"

using namespace tile;

namespace {
/// A finding without its place in the source.
struct Summary {
  FindingKind kind;
  std::string message;
  int buffer;
  int64_t element, count;
  bool operator==(const Summary &other) const {
    return std::tie(kind, message, buffer, element, count) ==
           std::tie(other.kind, other.message, other.buffer, other.element, other.count);
  }
  friend std::ostream &operator<<(std::ostream &os, const Summary &s) {
    return os << toString(s.kind).str() << ": " << s.message << " [buffer " << s.buffer << ", element " << s.element
              << ", " << s.count << " times]";
  }
};
} // namespace

static std::vector<Summary> summarize(const InterpretReport &report) {
  std::vector<Summary> result;
  for (const Finding &f : report.findings)
    result.push_back({f.kind, f.message, f.buffer, f.element, f.count});
  return result;
}
using Summaries = std::vector<Summary>;

TEST(Findings, OutOfBoundsThroughAPointerReadsZeroAndWritesNothing) {
  // The buffers are the middle of larger arrays, whose ends must stay as they are.
  std::vector<float> memory = {-1, 1, 2, 3, -1}, out(4);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %by: index) {
  %i = tile.iota : tensor<4xindex>
  %s = tile.splat %pa : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %by4 = tile.splat %by : index -> tensor<4xindex>
  %j = arith.addi %i, %by4 : tensor<4xindex>
  %q = tile.ptr_add %s, %j : tensor<4x!tile.ptr<f32>>, tensor<4xindex>
  %t = tile.load_ptr %q : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  %sb = tile.splat %pb : !tile.ptr<f32> -> tensor<4x!tile.ptr<f32>>
  %qb = tile.ptr_add %sb, %i : tensor<4x!tile.ptr<f32>>, tensor<4xindex>
  tile.store_ptr %t, %qb : tensor<4xf32>, tensor<4x!tile.ptr<f32>>
  tile.store_ptr %t, %q : tensor<4xf32>, tensor<4x!tile.ptr<f32>>
  return
})mlir");
  launch.buffers.push_back({"a", memory.data() + 1, 12, Element::F32, true, true});
  launch.arguments.push_back(reinterpret_cast<uint64_t>(memory.data() + 1));
  launch.out(out).index(0);
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::OutOfBounds, "read of element 3 of `a`; expected at least 0 and below 3", 0, 3, 1},
                 {FindingKind::OutOfBounds, "write of element 3 of `a`; expected at least 0 and below 3", 0, 3, 1}}));
  EXPECT_EQ(out, (std::vector<float>{1, 2, 3, 0}));
  launch.arguments[2] = -2;
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::OutOfBounds, "read of element -2 of `a`; expected at least 0 and below 3", 0, -2, 2},
                 {FindingKind::OutOfBounds, "write of element -2 of `a`; expected at least 0 and below 3", 0, -2, 2}}));
  EXPECT_EQ(out, (std::vector<float>{0, 0, 1, 2}));
  EXPECT_EQ(memory, (std::vector<float>{-1, 1, 2, 3, -1}));
}

// 2^48 bytes are as much as an address holds: a pointer that wraps there would be back where it began.
TEST(Findings, APointerDoesNotComeBackFromTheOtherSide) {
  std::vector<float> memory = {1, 2};
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %by: index) {
  %q = tile.ptr_add %pa, %by : !tile.ptr<f32>, index
  %t = tile.load_ptr %q : !tile.ptr<f32> -> f32
  return
})mlir");
  launch.buffers.push_back({"a", memory.data(), 8, Element::F32, true, true});
  launch.arguments.push_back(reinterpret_cast<uint64_t>(memory.data()));
  launch.index(0);
  for (int64_t power : {46, 47, 61, 62}) {
    for (bool isBefore : {false, true}) {
      launch.arguments[1] = isBefore ? -(int64_t(1) << power) : int64_t(1) << power;
      std::string message = isBefore ? "read far before `a`; expected elements at least 0 and below 2"
                                     : "read far behind `a`; expected elements at least 0 and below 2";
      EXPECT_EQ(summarize(launch.run()), (Summaries{{FindingKind::OutOfBounds, message, 0, 0, 1}})) << power;
    }
  }
}

TEST(Findings, APointerKeepsItsBufferWhereverItGoes) {
  // b lies right behind a: an index past a must not be taken for one of b.
  std::vector<float> memory = {1, 2, 3, 4};
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {
  %two = arith.constant 2 : index
  %x = arith.constant 9.0 : f32
  %q = tile.ptr_add %pa, %two : !tile.ptr<f32>, index
  tile.store_ptr %x, %q : f32, !tile.ptr<f32>
  return
})mlir");
  for (int i = 0; i < 2; ++i) {
    launch.buffers.push_back({i ? "b" : "a", memory.data() + 2 * i, 8, Element::F32, true, true});
    launch.arguments.push_back(reinterpret_cast<uint64_t>(memory.data() + 2 * i));
  }
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::OutOfBounds, "write of element 2 of `a`; expected at least 0 and below 2", 0, 2, 1}}));
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3, 4}));
}

TEST(Findings, AnAddressInNoBuffer) {
  Launch launch(R"mlir(
func.func @k(%p: !tile.ptr<f32>) {
  %x = tile.load_ptr %p : !tile.ptr<f32> -> f32
  %old = tile.atomic_ptr add %x, %p : f32, !tile.ptr<f32>
  return
})mlir");
  launch.arguments.push_back(0x10);
  EXPECT_EQ(summarize(launch.run()),
            (Summaries{{FindingKind::OutOfBounds,
                        "read at address 0x10, which is in no buffer; expected one of the arguments", -1, 0, 1},
                       {FindingKind::OutOfBounds,
                        "atomic at address 0x10, which is in no buffer; expected one of the arguments", -1, 0, 1}}));
}

TEST(Findings, BrokenPromisesOfUncheckedAccesses) {
  std::vector<float> a = {1, 2, 3}, b(4, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %va = tile.make_view %pa, [3], [1] : !tile.ptr<f32> -> !tile.view<3xf32>
  %vb = tile.make_view %pb, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  %t = tile.load %va[%zero :+ 4] {unchecked} : !tile.view<3xf32>, (index) -> tensor<4xf32>
  tile.store %t, %vb[%one :+ 4] {unchecked} : tensor<4xf32>, !tile.view<4xf32>, (index)
  return
})mlir");
  launch.in(a).out(b);
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::OutOfBounds,
                  "position 3 along dim 0 of an access that is `unchecked`; expected at least 0 and below 3", 0, 0, 1},
                 {FindingKind::OutOfBounds,
                  "position 4 along dim 0 of an access that is `unchecked`; expected at least 0 and below 4", 1, 1,
                  1}}));
  EXPECT_EQ(b, (std::vector<float>{-1, 1, 2, 3}));
}

TEST(Findings, AViewThatReachesOutOfItsBuffer) {
  std::vector<float> a = {1, 2, 3}, b(4, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %vb = tile.make_view %pb, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  %t = tile.load %va[%zero :+ 4] : !tile.view<?xf32>, (index) -> tensor<4xf32>
  tile.store %t, %vb[%zero :+ 4] : tensor<4xf32>, !tile.view<4xf32>, (index)
  return
})mlir");
  launch.in(a).out(b).index(1000);
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::OutOfBounds, "read of element 3 of `a`; expected at least 0 and below 3", 0, 3, 1}}));
  EXPECT_EQ(b, (std::vector<float>{1, 2, 3, 0}));
}

/// Four reaches of nearly 2^126 add up to a small number in 128 bits.
TEST(Findings, AViewWhoseReachIsMoreThan128Bits) {
  std::vector<float> a(16, 1), b(1, -1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %va = tile.make_view %pa, [%n, %n, %n, %n], [%n, %n, %n, %n] : !tile.ptr<f32> -> !tile.view<?x?x?x?xf32, strided>
  %vb = tile.make_view %pb, [1], [1] : !tile.ptr<f32> -> !tile.view<1xf32>
  %t = tile.load %va[%one, %zero, %zero, %zero] : !tile.view<?x?x?x?xf32, strided>, (index, index, index, index) -> f32
  tile.store %t, %vb[%zero] : f32, !tile.view<1xf32>, (index)
  return
})mlir");
  launch.in(a).out(b).index(std::numeric_limits<int64_t>::max());
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::OutOfBounds, "read of element -1 of `a`; expected at least 0 and below 16", 0, -1, 1}}));
}

TEST(Findings, AWindowOutsideItsParent) {
  std::vector<float> a(8);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>) {
  %low = arith.constant -3 : index
  %two = arith.constant 2 : index
  %va = tile.make_view %pa, [2, 4], [4, 1] : !tile.ptr<f32> -> !tile.view<2x4xf32>
  %w = tile.subview %va, [%two, %low], [%two] kept [false, true] : !tile.view<2x4xf32> -> !tile.view<?xf32>
  return
})mlir");
  launch.in(a);
  EXPECT_EQ(summarize(launch.run()),
            (Summaries{{FindingKind::SubviewOutOfBounds,
                        "subview is fixed at 2 along dim 0; expected at least 0 and below 2", 0, 0, 2}}));
}

TEST(Findings, WritingWhatIsOnlyRead) {
  std::vector<float> a = {1, 2};
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>) {
  %one = arith.constant 1 : index
  %x = arith.constant 5.0 : f32
  %va = tile.make_view %pa, [2], [1] : !tile.ptr<f32> -> !tile.view<2xf32>
  tile.store %x, %va[%one] : f32, !tile.view<2xf32>, (index)
  return
})mlir");
  launch.in(a);
  EXPECT_EQ(
      summarize(launch.run()),
      (Summaries{{FindingKind::ReadOnlyWrite,
                  "write of element 1 of `a`, which is only read; expected an `out` or `inout` tensor", 0, 1, 1}}));
  EXPECT_EQ(a, (std::vector<float>{1, 2}));
}

/// Each program writes two elements from `%at` on.
static const char *kWriteTwo = R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %apart: index) {
  %id = tile.program_id 0
  %at = arith.muli %id, %apart : index
  %x = arith.constant dense<1.0> : tensor<2xf32>
  %va = tile.make_view %pa, [8], [1] : !tile.ptr<f32> -> !tile.view<8xf32>
  tile.store %x, %va[%at :+ 2] : tensor<2xf32>, !tile.view<8xf32>, (index)
  return
})mlir";

TEST(Findings, TwoProgramsWriteOneElement) {
  std::vector<float> a(8);
  Launch launch(kWriteTwo);
  launch.out(a).index(1);
  launch.options.conflicts = true;
  EXPECT_EQ(
      summarize(launch.run({4, 1, 1})),
      (Summaries{{FindingKind::WriteConflict,
                  "element 1 of `a` is written by programs (0, 0, 0) and (1, 0, 0); expected one program", 0, 1, 3}}));
  launch.arguments[1] = 2;
  EXPECT_EQ(summarize(launch.run({4, 1, 1})), Summaries{});
  launch.arguments[1] = 1;
  launch.options.conflicts = false;
  EXPECT_EQ(summarize(launch.run({4, 1, 1})), Summaries{});
}

TEST(Findings, APlainWriteAndAnAtomicOneConflict) {
  std::vector<int32_t> a(1);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<i32>) {
  %id = tile.program_id 0
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %first = arith.cmpi eq, %id, %zero : index
  scf.if %first {
    tile.store_ptr %one, %pa : i32, !tile.ptr<i32>
  } else {
    %old = tile.atomic_ptr add %one, %pa : i32, !tile.ptr<i32>
  }
  return
})mlir");
  launch.out(a);
  launch.options.conflicts = true;
  auto findings = launch.run({3, 1, 1}).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message,
            "element 0 of `a` is written by programs (0, 0, 0) and (2, 0, 0); expected one program");
}

TEST(Findings, ReadingWhatNobodyWrote) {
  std::vector<float> a(4), b(4);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>) {
  %zero = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<2xf32>
  %va = tile.make_view %pa, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  %vb = tile.make_view %pb, [4], [1] : !tile.ptr<f32> -> !tile.view<4xf32>
  tile.store %x, %va[%zero :+ 2] : tensor<2xf32>, !tile.view<4xf32>, (index)
  %t = tile.load %va[%zero :+ 4] : !tile.view<4xf32>, (index) -> tensor<4xf32>
  tile.store %t, %vb[%zero :+ 4] : tensor<4xf32>, !tile.view<4xf32>, (index)
  return
})mlir");
  launch.out(a).out(b);
  launch.options.uninitialized = true;
  EXPECT_EQ(summarize(launch.run()),
            (Summaries{{FindingKind::UninitializedRead,
                        "read of element 2 of `a`, which nothing has written; expected a write before it", 0, 2, 2}}));
}

TEST(Findings, AFailedAssertStopsItsProgramOnly) {
  std::vector<int32_t> a(4);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<i32>) {
  %id = tile.program_id 0
  %two = arith.constant 2 : index
  %one = arith.constant 1 : i32
  %ok = arith.cmpi slt, %id, %two : index
  tile.assert %ok, "row is in range" : i1
  %q = tile.ptr_add %pa, %id : !tile.ptr<i32>, index
  tile.store_ptr %one, %q : i32, !tile.ptr<i32>
  return
})mlir");
  launch.out(a);
  auto findings = launch.run({4, 1, 1}).findings;
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].message, "assertion failed: row is in range");
  EXPECT_EQ(findings[0].program, (std::array<int64_t, 3>{2, 0, 0}));
  EXPECT_EQ(findings[0].count, 2);
  EXPECT_EQ(a, (std::vector<int32_t>{1, 1, 0, 0}));
  auto location = mlir::cast<mlir::FileLineColLoc>(findings[0].location);
  EXPECT_EQ(location.getLine(), 7u);
}

TEST(Findings, AFailedAssertOfATileNamesTheElement) {
  Launch launch(R"mlir(
func.func @k() {
  %ok = arith.constant dense<[true, true, false]> : tensor<3xi1>
  tile.assert %ok, "sorted" : tensor<3xi1>
  return
})mlir");
  EXPECT_EQ(summarize(launch.run()),
            (Summaries{{FindingKind::AssertFailed, "assertion failed at element 2: sorted", -1, 2, 1}}));
}

TEST(Findings, ArithmeticEdgesOnlyWhenChecked) {
  Launch launch(R"mlir(
func.func @k() {
  %a = arith.constant dense<[7, -128]> : tensor<2xi8>
  %b = arith.constant dense<[0, -1]> : tensor<2xi8>
  %c = arith.constant dense<[3, 8]> : tensor<2xi8>
  %d = arith.constant dense<[1, -1]> : tensor<2xi8>
  %q = tile.divi signed %a, %b : tensor<2xi8>
  %r = tile.remi signed %a, %d : tensor<2xi8>
  %u = tile.divi unsigned %a, %d : tensor<2xi8>
  %s = tile.shift left %a, %c : tensor<2xi8>
  return
})mlir");
  EXPECT_EQ(summarize(launch.run()), Summaries{});
  launch.options.checked = true;
  EXPECT_EQ(summarize(launch.run()),
            (Summaries{{FindingKind::ArithmeticEdge, "7 / 0; expected a divisor other than 0", -1, 0, 1},
                       {FindingKind::ArithmeticEdge, "-128 % -1, which overflows; expected a quotient that fits 8 bits",
                        -1, 1, 1},
                       {FindingKind::ArithmeticEdge, "shift of 8 bits by 8; expected a count from 0 to 7", -1, 1, 1}}));
}

TEST(Findings, ALoopThatNeverAdvances) {
  Launch launch(R"mlir(
func.func @k(%step: index) {
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  scf.for %i = %zero to %ten step %step {
  }
  return
})mlir");
  launch.index(0);
  EXPECT_EQ(summarize(launch.run()),
            (Summaries{{FindingKind::ArithmeticEdge, "loop step is 0; expected at least 1", -1, 0, 1}}));
}

TEST(Findings, AreTheSameForEveryNumberOfThreadsAndOrder) {
  std::vector<float> a(8);
  Launch launch(kWriteTwo);
  launch.out(a).index(1);
  launch.options.conflicts = true;
  Summaries expected = summarize(launch.run({64, 1, 1}));
  for (unsigned threads : {1, 2, 7})
    for (uint64_t seed : {0, 5, 77}) {
      launch.options.threads = threads;
      launch.options.seed = seed;
      EXPECT_EQ(summarize(launch.run({64, 1, 1})), expected) << threads << ", " << seed;
    }
}

//===-- Errors before anything runs -------------------------------------------------------------------------------===//

static std::string errorOf(const std::string &kernel, std::vector<uint64_t> arguments = {},
                           std::array<int64_t, 3> grid = {1, 1, 1}) {
  Launch launch(kernel);
  launch.arguments = std::move(arguments);
  auto report = launch.tryRun(grid);
  return report ? "" : llvm::toString(report.takeError());
}

TEST(Errors, AnUnknownOpIsNamedWithItsPlace) {
  EXPECT_EQ(errorOf("func.func @k() {\n  func.call @k() : () -> ()\n  return\n}"),
            "loc(\"kernel.mlir\":2:3): 'func.call' is an op that the interpreter does not know");
}

TEST(Errors, AnUnknownTypeIsNamedWithItsOp) {
  EXPECT_EQ(errorOf("func.func @k() {\n  %x = arith.constant 3 : i4\n  return\n}"),
            "loc(\"kernel.mlir\":2:8): 'arith.constant' works on a type that the interpreter does not know");
}

TEST(Errors, AnOpOnOtherTypesIsNamed) {
  EXPECT_EQ(errorOf("func.func @k(%x: f32) {\n  %y = arith.truncf %x downward : f32 to f16\n  return\n}", {0}),
            "loc(\"kernel.mlir\":2:8): 'arith.truncf' rounds other than to nearest, ties to even");
  EXPECT_EQ(
      errorOf(
          "func.func @k() {\n  %a = arith.constant 0 : i8\n  scf.for %i = %a to %a step %a : i8 {\n  }\n  return\n}"),
      "loc(\"kernel.mlir\":3:3): 'scf.for' counts in a type that the interpreter does not know for it");
  EXPECT_EQ(errorOf("func.func @k(%p: !tile.ptr<i1>, %x: i1) {\n  %y = tile.atomic_ptr add %x, %p : i1, !tile.ptr<i1>\n"
                    "  return\n}",
                    {0, 0}),
            "loc(\"kernel.mlir\":2:8): 'tile.atomic_ptr' combines a type that the interpreter does not know for it");
  EXPECT_EQ(errorOf("func.func @k(%p: !tile.ptr<i1>, %x: i1, %i: index) {\n"
                    "  %v = tile.make_view %p, [4], [1] : !tile.ptr<i1> -> !tile.view<4xi1>\n"
                    "  %y = tile.atomic add %x, %v[%i] : i1, !tile.view<4xi1>, (index)\n  return\n}",
                    {0, 0, 0}),
            "loc(\"kernel.mlir\":3:8): 'tile.atomic' combines a type that the interpreter does not know for it");
}

TEST(Errors, TheInvocationMustFitTheKernel) {
  std::string kernel = "func.func @k(%x: f32) {\n  return\n}";
  EXPECT_EQ(errorOf(kernel), "loc(\"kernel.mlir\":1:1): kernel is given 0 arguments; expected 1");
  EXPECT_EQ(errorOf(kernel, {0}, {1, -2, 1}), "loc(\"kernel.mlir\":1:1): grid extent is -2; expected at least 0");
  EXPECT_EQ(errorOf(kernel, {0}, {65536, 65536, 1}),
            "loc(\"kernel.mlir\":1:1): grid has 2^31 programs or more; expected fewer");
  // Their product is 2^128.
  EXPECT_EQ(errorOf(kernel, {0}, {int64_t(1) << 62, int64_t(1) << 62, 16}),
            "loc(\"kernel.mlir\":1:1): grid has 2^31 programs or more; expected fewer");
}
