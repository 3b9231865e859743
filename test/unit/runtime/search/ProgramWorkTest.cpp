/// What is counted of one program, against what can be worked out by hand.
#include "runtime/search/ProgramWork.h"
#include "backend/pipeline/Pipeline.h"
#include "test/unit/runtime/search/Searching.h"

#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

namespace {

const Target &hopper() { return *findTarget("sm_90a"); }

/// The mean work of a launch of one program, or of as many as `values` make.
ProgramWork workOf(Searched &searched, const std::map<std::string, int64_t> &values) {
  searched.options.forOneLaunch = true;
  for (const auto &[name, value] : values)
    searched.options.values[name] = std::to_string(value);
  auto module = generate(*searched.module, searched.session.sources, searched.session.engine, searched.session.context,
                         searched.options);
  EXPECT_TRUE(module) << searched.errors();
  mlir::PassManager passes(&searched.session.context);
  PipelineOptions options;
  options.target = &hopper();
  options.variants = {"fast"};
  addDecidingPasses(passes, options);
  EXPECT_TRUE(mlir::succeeded(passes.run(*module)));
  auto kernel = *module->getOps<mlir::func::FuncOp>().begin();
  LaunchValues launch(kernel, values);
  return meanWork(kernel, launch, throughputOf(hopper()));
}

ProgramWork productWork(int64_t k, int64_t stages) {
  auto searched = Searched::example("matmul", {{"T", "bf16"}});
  return workOf(
      *searched,
      {{"M", 128}, {"N", 128}, {"K", k}, {"BM", 128}, {"BN", 128}, {"BK", 64}, {"stages", stages}, {"warps", 8}});
}

TEST(ProgramWork, CopiesCountOncePerTrip) {
  // Those that are issued before the loop and those that the last trips leave out make up for each other.
  for (int64_t stages : {2, 3, 4})
    for (int64_t trips : {1, 2, 3, 64}) {
      double bytes = static_cast<double>(trips * (128 + 128) * 64 * 2 + 128 * 128 * 2);
      EXPECT_DOUBLE_EQ(productWork(64 * trips, stages).trafficBytes, bytes)
          << stages << " stages, " << trips << " trips";
    }
}

TEST(ProgramWork, ProductsTakeTheTensorCoresByTheirOperations) {
  EXPECT_DOUBLE_EQ(productWork(4096, 4).tensorCycles, 2.0 * 128 * 128 * 4096 / 4096);
}

TEST(ProgramWork, WarpgroupsReadTheirRowsAndAllColumnsFromSharedMemory) {
  // Per 16 of K each of two warpgroups reads 64 rows and 128 columns of 32 bytes; copies write both tiles.
  double reads = 64.0 * 4 * 2 * (64 + 128) * 32, writes = 64.0 * (128 + 128) * 64 * 2;
  double result = productWork(4096, 4).sharedBytes - reads - writes; // on its way to whole rows
  EXPECT_GE(result, 0);
  EXPECT_LE(result, 4 * 128 * 128 * 4);
}

TEST(ProgramWork, TensorsAreAskedForWhatLiesInsideOfThem) {
  auto searched = Searched::example("matmul", {{"T", "bf16"}});
  ProgramWork work = workOf(
      *searched, {{"M", 16}, {"N", 128}, {"K", 640}, {"BM", 64}, {"BN", 128}, {"BK", 64}, {"stages", 4}, {"warps", 4}});
  EXPECT_DOUBLE_EQ(work.trafficBytes, 640 * (16 + 128) * 2 + 16 * 128 * 2);
}

std::string loopOver(const std::string &bound) {
  return "kernel k(x: tensor<f32>[N], n: tensor<i32>[], out y: tensor<f32>[N]) grid [4] {\n"
         "  let p = program_id(0)\n"
         "  for i in 0 .. " +
         bound + " { y[i * 1024 :+ 1024] = x[i * 1024 :+ 1024] + 1 }\n}";
}

TEST(ProgramWork, IsTheMeanOfProgramsThatDiffer) {
  Searched searched(loopOver("p as i32"), {});
  EXPECT_DOUBLE_EQ(workOf(searched, {{"N", 65536}}).trafficBytes, (0 + 1 + 2 + 3) / 4.0 * 2 * 4096);
}

TEST(ProgramWork, ALoopThatMemoryBoundsHasAFewTrips) {
  Searched searched(loopOver("n[]"), {});
  double traffic = workOf(searched, {{"N", 65536}}).trafficBytes;
  EXPECT_NEAR(traffic, static_cast<double>(kUnknownTrips) * 2 * 4096, 64);
}

TEST(ProgramWork, ABranchThatTheLaunchDecidesIsTheOneTaken) {
  auto traffic = [](int64_t n) {
    Searched searched("kernel k(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] {\n"
                      "  if N > 1000 { y[0 :+ 1024] = x[0 :+ 1024] + 1 } else { y[0 :+ 64] = x[0 :+ 64] + 2 }\n}",
                      {});
    return workOf(searched, {{"N", n}}).trafficBytes;
  };
  EXPECT_DOUBLE_EQ(traffic(4096), 2 * 4096);
  EXPECT_DOUBLE_EQ(traffic(1000), 2 * 256);
}

TEST(ProgramWork, LoadsThatAreUsedTogetherAreWaitedForOnce) {
  auto alone = [](const std::string &body) {
    Searched searched(
        "kernel k(a: tensor<f32>[N], b: tensor<f32>[N], inout y: tensor<f32>[N]) grid [1] {\n" + body + "\n}", {});
    ProgramWork work = workOf(searched, {{"N", 4096}});
    return work.aloneCycles - work.busyCycles;
  };
  double latency = throughputOf(hopper()).latency;
  double together = alone("let (u, v) = (a[0 :+ 256], b[0 :+ 256])\ny[0 :+ 256] = exp2(u) + v");
  EXPECT_LT(together, 1.5 * latency);
  EXPECT_GT(alone("y[0 :+ 256] = a[0 :+ 256] + 1\nlet s = sum(y[0 :+ 256])\ny[0 :+ 256] = b[0 :+ 256] * s"),
            together + 0.9 * latency);
}

} // namespace
