/// Loops and conditionals, and what they carry.
#include "test/unit/interpreter/Launch.h"

using namespace tile;

using Pair = std::pair<int64_t, int64_t>;

/// Runs `body`, which defines `%r` and `%s` of type i64 from the arguments `%a`, `%b`, `%c` of type index.
static Pair run(const std::string &body, int64_t a, int64_t b, int64_t c) {
  std::vector<int64_t> out(2);
  Launch launch("func.func @k(%p: !tile.ptr<i64>, %a: index, %b: index, %c: index) {\n%zero = arith.constant 0 : i64\n"
                "%one = arith.constant 1 : i64\n" +
                body + R"mlir(
  %q = tile.ptr_add %p, %one : !tile.ptr<i64>, i64
  tile.store_ptr %r, %p : i64, !tile.ptr<i64>
  tile.store_ptr %s, %q : i64, !tile.ptr<i64>
  return
})mlir");
  launch.out(out).index(a).index(b).index(c).runClean();
  return {out[0], out[1]};
}

static const char *kCount = R"mlir(
  %r, %s = scf.for %i = %a to %b step %c iter_args(%n = %zero, %sum = %zero) -> (i64, i64) {
    %i64 = arith.index_cast %i : index to i64
    %m = arith.addi %n, %one : i64
    %t = arith.addi %sum, %i64 : i64
    scf.yield %m, %t : i64, i64
  })mlir";

TEST(For, StepsFromLowToHigh) {
  EXPECT_EQ(run(kCount, 0, 10, 3), Pair(4, 0 + 3 + 6 + 9));
  EXPECT_EQ(run(kCount, -5, -1, 1), Pair(4, -5 - 4 - 3 - 2));
  EXPECT_EQ(run(kCount, 5, 5, 1), Pair(0, 0));
  EXPECT_EQ(run(kCount, 6, 5, 1), Pair(0, 0));
}

TEST(For, TheLastStepMayPassTheLargestInteger) {
  EXPECT_EQ(run(kCount, INT64_MAX - 1, INT64_MAX, 100), Pair(1, INT64_MAX - 1));
  EXPECT_EQ(run(kCount, INT64_MIN, INT64_MAX, INT64_MAX).first, 3);
}

TEST(For, CarriedValuesAreMovedAllAtOnce) {
  // Fibonacci: the yield swaps.
  EXPECT_EQ(run(R"mlir(
  %r, %s = scf.for %i = %a to %b step %c iter_args(%x = %zero, %y = %one) -> (i64, i64) {
    %t = arith.addi %x, %y : i64
    scf.yield %y, %t : i64, i64
  })mlir",
                0, 10, 1),
            Pair(55, 89));
  EXPECT_EQ(run(R"mlir(
  %r, %s = scf.for %i = %a to %b step %c iter_args(%x = %zero, %y = %one) -> (i64, i64) {
    scf.yield %y, %x : i64, i64
  })mlir",
                0, 3, 1),
            Pair(1, 0));
}

TEST(For, AValueFromOutsideOutlivesEveryRound) {
  EXPECT_EQ(run(R"mlir(
  %k = arith.addi %one, %one : i64
  %r, %s = scf.for %i = %a to %b step %c iter_args(%x = %zero, %y = %zero) -> (i64, i64) {
    %u = arith.addi %x, %k : i64
    %v = arith.muli %u, %one : i64
    %w = arith.addi %y, %v : i64
    scf.yield %v, %w : i64, i64
  })mlir",
                0, 4, 1),
            Pair(8, 2 + 4 + 6 + 8));
}

TEST(While, TestsBeforeEveryRoundAndGivesWhatTheTestSaw) {
  // Collatz steps of a.
  const char *body = R"mlir(
  %n0 = arith.index_cast %a : index to i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %r, %s = scf.while (%n = %n0, %steps = %zero) : (i64, i64) -> (i64, i64) {
    %go = arith.cmpi ne, %n, %one : i64
    scf.condition(%go) %steps, %n : i64, i64
  } do {
  ^bb0(%steps: i64, %n: i64):
    %odd = arith.andi %n, %one : i64
    %isOdd = arith.cmpi eq, %odd, %one : i64
    %next = scf.if %isOdd -> (i64) {
      %t = arith.muli %n, %three : i64
      %u = arith.addi %t, %one : i64
      scf.yield %u : i64
    } else {
      %t = tile.divi signed %n, %two : i64
      scf.yield %t : i64
    }
    %more = arith.addi %steps, %one : i64
    scf.yield %next, %more : i64, i64
  })mlir";
  EXPECT_EQ(run(body, 27, 0, 0), Pair(111, 1));
  EXPECT_EQ(run(body, 1, 0, 0), Pair(0, 1));
}

TEST(If, ChoosesAViewAtRunTime) {
  std::vector<float> a = {1, 2}, b = {3, 4}, c(2);
  Launch launch(R"mlir(
func.func @k(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>, %first: i1, %n: index) {
  %zero = arith.constant 0 : index
  %va = tile.make_view %pa, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %vb = tile.make_view %pb, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %vc = tile.make_view %pc, [%n], [1] : !tile.ptr<f32> -> !tile.view<?xf32>
  %v = scf.if %first -> (!tile.view<?xf32>) {
    scf.yield %va : !tile.view<?xf32>
  } else {
    scf.yield %vb : !tile.view<?xf32>
  }
  %w = arith.select %first, %vb, %va : !tile.view<?xf32>
  %t = tile.load %v[%zero] : !tile.view<?xf32>, (index) -> f32
  %u = tile.load %w[%zero] : !tile.view<?xf32>, (index) -> f32
  tile.store %t, %vc[%zero] : f32, !tile.view<?xf32>, (index)
  %one = arith.constant 1 : index
  tile.store %u, %vc[%one] : f32, !tile.view<?xf32>, (index)
  return
})mlir");
  launch.in(a).in(b).out(c);
  launch.scalar(true).index(2).runClean();
  EXPECT_EQ(c, (std::vector<float>{1, 3}));
  launch.arguments[3] = 0;
  launch.runClean();
  EXPECT_EQ(c, (std::vector<float>{3, 1}));
}

TEST(Grid, FirstAxisIsFastestAndEveryProgramRunsOnceInAnyOrder) {
  for (uint64_t seed : {0, 1, 12345}) {
    std::vector<int32_t> a(3 * 5 * 2);
    Launch launch(R"mlir(
func.func @k(%p: !tile.ptr<i32>) {
  %x = tile.program_id 0
  %y = tile.program_id 1
  %z = tile.program_id 2
  %nx = tile.num_programs 0
  %ny = tile.num_programs 1
  %zy = arith.muli %z, %ny : index
  %row = arith.addi %zy, %y : index
  %rx = arith.muli %row, %nx : index
  %at = arith.addi %rx, %x : index
  %one = arith.constant 1 : i32
  %q = tile.ptr_add %p, %at : !tile.ptr<i32>, index
  %old = tile.load_ptr %q : !tile.ptr<i32> -> i32
  %new = arith.addi %old, %one : i32
  tile.store_ptr %new, %q : i32, !tile.ptr<i32>
  return
})mlir");
    launch.options.seed = seed;
    launch.inout(a).runClean({3, 5, 2});
    EXPECT_EQ(a, std::vector<int32_t>(30, 1)) << seed;
  }
}

TEST(Grid, AnEmptyGridRunsNothing) {
  std::vector<int32_t> a(1);
  Launch launch("func.func @k(%p: !tile.ptr<i32>) {\n%one = arith.constant 1 : i32\n"
                "tile.store_ptr %one, %p : i32, !tile.ptr<i32>\nreturn\n}");
  launch.out(a).runClean({0, 4, 1});
  EXPECT_EQ(a[0], 0);
}
