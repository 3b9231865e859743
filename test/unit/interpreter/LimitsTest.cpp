/// What a run may take at most: turns of loops, bytes of values.
#include "test/unit/interpreter/Launch.h"

using namespace tile;

/// Counts to %n within an endless loop: n + 1 turns in all for each of its own.
static const char *kEndless = R"mlir(
func.func @k(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %go = arith.constant true
  scf.while : () -> () {
    scf.condition(%go)
  } do {
    scf.for %i = %zero to %n step %one {
    }
    scf.yield
  }
  return
})mlir";

/// The sole finding of a run, with its location as text.
struct Found {
  FindingKind kind = FindingKind::OutOfBounds;
  std::string message, place;
  int64_t count = 0;
};

static Found endless(int64_t inner, int64_t limit, unsigned threads) {
  Launch launch(kEndless);
  launch.options.maxLoopTurns = limit;
  launch.options.threads = threads;
  std::vector<Finding> findings = launch.index(inner).run({1000, 1, 1}).findings;
  EXPECT_EQ(findings.size(), 1u);
  Found found;
  for (const Finding &finding : findings) {
    found = {finding.kind, finding.message, "", finding.count};
    llvm::raw_string_ostream(found.place) << finding.location;
  }
  return found;
}

TEST(LoopLimit, EndsTheProgramAtTheBusiestLoop) {
  Found outer = endless(/*inner=*/4, /*limit=*/100, /*threads=*/1);
  EXPECT_EQ(outer.kind, FindingKind::LoopLimit);
  EXPECT_EQ(outer.message, "loop has made 21 of the 100 turns that the loops of a program may make; expected it to end "
                           "before");
  EXPECT_NE(outer.place.find(":6:3"), std::string::npos) << outer.place;
  Found inner = endless(/*inner=*/1000, /*limit=*/100, /*threads=*/1);
  EXPECT_NE(inner.place.find(":9:5"), std::string::npos) << inner.place;
}

TEST(LoopLimit, ProgramsThatHaveNotStartedAreGivenUp) {
  EXPECT_EQ(endless(4, 100, /*threads=*/1).count, 1);
  EXPECT_LE(endless(4, 100, /*threads=*/3).count, 3);
}

TEST(LoopLimit, CountsEachProgramAnew) {
  Launch launch(R"mlir(
func.func @k(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
  }
  return
})mlir");
  launch.options.maxLoopTurns = 10;
  launch.index(10).runClean({50, 1, 1});
}

static std::string refusal(llvm::StringRef kernel, int64_t bytes) {
  Launch launch(kernel);
  launch.options.maxValueBytes = bytes;
  std::vector<int32_t> out(1);
  auto report = launch.out(out).tryRun();
  return report ? "" : llvm::toString(report.takeError());
}

TEST(ValueLimit, TileThatNoMachineHoldsIsRefusedBeforeItIsMade) {
  std::string said = refusal(R"mlir(
func.func @k(%p: !tile.ptr<i32>) {
  %0 = arith.constant dense<1> : tensor<1048576x1048576x1048576xi32>
  %1 = arith.addi %0, %0 : tensor<1048576x1048576x1048576xi32>
  return
})mlir",
                             int64_t(1) << 40);
  EXPECT_NE(said.find("tile takes 4611686018427387904 bytes on the CPU; expected at most 1099511627776"),
            std::string::npos)
      << said;
}

static const char *kThreeTiles = R"mlir(
func.func @k(%p: !tile.ptr<i32>) {
  %0 = tile.iota : tensor<1024xi32>
  %1 = arith.addi %0, %0 : tensor<1024xi32>
  %2 = arith.muli %0, %1 : tensor<1024xi32>
  %3 = arith.muli %2, %1 : tensor<1024xi32>
  return
})mlir";

TEST(ValueLimit, TilesOfOneProgramTogether) {
  std::string said = refusal(kThreeTiles, 8192);
  EXPECT_NE(said.find("the tiles of one program take "), std::string::npos) << said;
  EXPECT_NE(said.find("expected at most 8192"), std::string::npos) << said;
}

TEST(ValueLimit, FewerThreadsRunWhereMemoryIsLittle) {
  Launch launch(kThreeTiles);
  launch.options.maxValueBytes = 20000;
  launch.options.threads = 64;
  std::vector<int32_t> out(1);
  launch.out(out).runClean({1000, 1, 1});
}
