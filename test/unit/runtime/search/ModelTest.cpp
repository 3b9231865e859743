#include "test/unit/runtime/search/Searching.h"

#include "gtest/gtest.h"

using namespace tile;
using namespace tile::test;

namespace {

using Values = std::map<std::string, std::string>;

Configuration tiles(int m, int n, int k, int warps, int stages) {
  return {{{"BM", std::to_string(m)},
           {"BN", std::to_string(n)},
           {"BK", std::to_string(k)},
           {"warps", std::to_string(warps)},
           {"stages", std::to_string(stages)}}};
}

Values square(int n) {
  std::string text = std::to_string(n);
  return {{"M", text}, {"N", text}, {"K", text}, {"T", "bf16"}};
}

Estimate product(int n, const Configuration &configuration, std::optional<int64_t> numSms = std::nullopt) {
  return Searched::example("matmul", square(n))->estimate(configuration, numSms);
}

Estimate attention(bool isCausal, int length) {
  std::string text = std::to_string(length);
  return Searched::example("flash_attention", {{"T", "bf16"},
                                               {"B", "1"},
                                               {"H", "16"},
                                               {"HK", "16"},
                                               {"S", text},
                                               {"L", text},
                                               {"D", "128"},
                                               {"CAUSAL", isCausal ? "true" : "false"},
                                               {"has(lse)", "false"}})
      ->estimate();
}

TEST(Model, SaysWhatAProgramTakes) {
  Estimate estimate = product(4096, tiles(128, 256, 64, 8, 4));
  EXPECT_EQ(estimate.rejection, "");
  EXPECT_EQ(estimate.threads(), 256);
  EXPECT_EQ(estimate.sharedBytes, 4 * (128 + 256) * 64 * 2);
  EXPECT_EQ(estimate.programs, 32 * 16);
  EXPECT_EQ(estimate.programsPerSm, 1);
  EXPECT_NEAR(estimate.waves, 512 / 132.0, 1e-9);
  EXPECT_EQ(estimate.bound, "tensor cores");
  EXPECT_TRUE(estimate.copiesAhead);
}

TEST(Model, MoreWorkTakesLonger) {
  Configuration configuration = tiles(128, 128, 64, 8, 4);
  double last = 0;
  for (int n : {1024, 2048, 4096, 8192}) {
    double time = product(n, configuration).microseconds;
    EXPECT_GT(time, last) << n;
    last = time;
  }
}

TEST(Model, MoreWavesTakeLonger) {
  Configuration configuration = tiles(128, 128, 64, 8, 4);
  EXPECT_GT(product(4096, configuration, 66).microseconds, 1.8 * product(4096, configuration, 132).microseconds);
  // 132 programs at a time: the 133rd needs another turn.
  EXPECT_DOUBLE_EQ(product(4096, configuration, 1024).microseconds, product(4096, configuration, 2048).microseconds);
}

TEST(Model, CopiesThatAreFurtherAheadHideMore) {
  EXPECT_LT(product(4096, tiles(128, 256, 64, 8, 4)).microseconds,
            product(4096, tiles(128, 256, 64, 8, 3)).microseconds);
}

TEST(Model, ACausalLaunchMakesHalfOfTheTrips) {
  double causal = attention(true, 8192).microseconds, full = attention(false, 8192).microseconds;
  EXPECT_GT(causal, 0.45 * full);
  EXPECT_LT(causal, 0.65 * full);
}

TEST(Model, ALaunchIsNoFasterThanItsTensorsPassThroughMemory) {
  Estimate estimate = Searched::example("vector_add", {{"T", "f32"}, {"N", "134217728"}})->estimate();
  EXPECT_EQ(estimate.bound, "memory");
  EXPECT_NEAR(estimate.microseconds, 3 * 4 * 134217728.0 / 4.8e6, 20);
  EXPECT_FALSE(estimate.copiesAhead);
}

TEST(Model, ATensorThatIsReadAndWrittenPassesThroughMemoryTwice) {
  auto sum = [](const std::string &parameters, const std::string &target, const std::string &other) {
    return Searched("kernel k(x: tensor<f32>[N], " + parameters +
                        ") grid [cdiv(N, 1024)] {\n  let i = program_id(0) * 1024\n  " + target +
                        "[i :+ 1024] = x[i :+ 1024] + " + other + "[i :+ 1024]\n}",
                    {{"N", "134217728"}})
        .estimate()
        .microseconds;
  };
  EXPECT_DOUBLE_EQ(sum("inout y: tensor<f32>[N]", "y", "y"), sum("y: tensor<f32>[N], out z: tensor<f32>[N]", "z", "y"));
}

TEST(Model, RegistersAreNearThoseOfTheCode) {
  struct Compiled {
    const char *example;
    int warps;
    double registers; ///< of the faster form, as the assembler of CUDA 13 says for sm_90a
  };
  const Compiled rows[] = {
      {"rms_norm_silu_mul", 2, 211}, {"rms_norm_silu_mul", 4, 117}, {"rms_norm_silu_mul", 8, 62}, {"softmax", 4, 55}};
  for (const Compiled &row : rows) {
    Estimate estimate = Searched::example(row.example, {{"T", "bf16"}, {"M", "8192"}, {"N", "4096"}})
                            ->estimate({{{"warps", std::to_string(row.warps)}}});
    EXPECT_NEAR(static_cast<double>(estimate.registers), row.registers, 0.2 * row.registers)
        << row.example << ' ' << row.warps;
  }
}

TEST(Model, WhatNoProgramDoesTakesNoTime) {
  Values values = square(4096);
  values["M"] = "0";
  EXPECT_EQ(Searched::example("matmul", values)->estimate(tiles(128, 128, 64, 8, 4)).microseconds, 0);
}

TEST(Model, WhatDoesNotFitIsRejectedInTheCompilersWords) {
  Estimate large = product(4096, tiles(256, 128, 64, 4, 4));
  EXPECT_NE(large.rejection.find("is 256 elements for each of the 128 threads of a block"), std::string::npos)
      << large.rejection;
  Searched whole("kernel k(a: tensor<bf16>[M, 1024], b: tensor<bf16>[1024, N], out c: tensor<f32>[M, N])"
                 " grid [1] { c[0 :+ 128, 0 :+ 128] = a[0 :+ 128, :] @ b[:, 0 :+ 128] }",
                 {{"M", "128"}, {"N", "128"}});
  EXPECT_NE(whole.estimate().rejection.find("bytes of shared memory; expected at most 232448"), std::string::npos)
      << whole.estimate().rejection;
  EXPECT_NE(product(4096, {{{"BM", "128"}, {"BN", "x"}, {"BK", "64"}}}).rejection.find("unknown name `x`"),
            std::string::npos);
}

TEST(Model, SumsThatAThreadHasNoRegistersForAreRejected) {
  Configuration configuration = tiles(128, 128, 64, 4, 4);
  configuration.values.emplace_back("max_registers", "64");
  EXPECT_EQ(product(4096, configuration).rejection,
            "the sums of its products take 128 registers of a thread; expected 48 at most, as it has 64");
}

/// `sums` products of the same left factor, which are added up side by side.
std::string gated(int sums) {
  std::string declared, added, total;
  for (int i = 0; i < sums; ++i) {
    std::string sum = "s" + std::to_string(i), factor = "b" + std::to_string(i);
    declared += "  var " + sum + " = zeros<f32>[128, 128]\n";
    added += "    " + sum + " += t @ b[k :+ 64, " + std::to_string(128 * i) + " :+ 128]\n";
    total += (i ? " * " : "") + sum;
  }
  return "@heuristic(warps = 4)\nkernel k(a: tensor<bf16>[128, K], b: tensor<bf16>[K, N], out c: tensor<f32>[128, 128])"
         " grid [1] {\n" +
         declared + "  for k in 0 .. K step 64 {\n    let t = a[0 :+ 128, k :+ 64]\n" + added +
         "  }\n  c[0 :+ 128, 0 :+ 128] = " + total + "\n}";
}

TEST(Model, SumsOfSeveralProductsShareTheRegistersOfAThread) {
  Values values = {{"K", "4096"}, {"N", "256"}};
  EXPECT_EQ(Searched(gated(1), values).estimate().rejection, "");
  EXPECT_EQ(Searched(gated(2), values).estimate().rejection,
            "the sums of its products take 256 registers of a thread; expected 239 at most, as it has 255");
}

TEST(Model, SumsOfWhichOneIsMadeOfTheOtherAreNotHeldTogether) {
  Searched chained("@heuristic(warps = 4)\n"
                   "kernel k(a: tensor<bf16>[128, K], b: tensor<bf16>[K, 128], d: tensor<bf16>[128, 128],"
                   " out c: tensor<f32>[128, 128]) grid [1] {\n"
                   "  var sum = zeros<f32>[128, 128]\n"
                   "  for k in 0 .. K step 64 { sum += a[0 :+ 128, k :+ 64] @ b[k :+ 64, 0 :+ 128] }\n"
                   "  c[0 :+ 128, 0 :+ 128] = (sum as bf16) @ d[0 :+ 128, 0 :+ 128]\n}",
                   {{"K", "4096"}});
  EXPECT_EQ(chained.estimate().rejection, "");
}

TEST(Model, AKernelWithoutTensorsHasItsOneForm) {
  Searched pointers("kernel k(p: ptr<f32>, q: ptr<f32>, n: i32) grid [cdiv(n, 256)] {\n"
                    "  let i = (program_id(0) * 256) as i32 + iota<i32>[256]\n"
                    "  store(q + i, load(p + i, mask = i < n), mask = i < n)\n}",
                    {}, {{"n", "1000000"}});
  Estimate estimate = pointers.estimate();
  EXPECT_EQ(estimate.rejection, "");
  EXPECT_EQ(estimate.programs, 3907);
  EXPECT_GT(estimate.microseconds, 0);
}

TEST(Terms, AreTheLongestSumOfAnElement) {
  EXPECT_EQ(product(4096, tiles(128, 128, 64, 8, 4)).terms, 4096);
  EXPECT_EQ(Searched::example("vector_add", {{"T", "f32"}, {"N", "1000"}})->estimate().terms, 1);
  int64_t terms = attention(false, 4096).terms;
  EXPECT_GE(terms, 4096);
  EXPECT_LE(terms, 4096 + 2 * 128 + 8192);
}

TEST(Terms, AMaximumAddsNothing) {
  Searched searched("kernel k(x: tensor<f32>[N], out y: tensor<f32>[1]) grid [1] {\n"
                    "  var best = -inf\n"
                    "  for i in 0 .. N step 64 { best = max(best, max(x[i :+ 64] + 1)) }\n"
                    "  y[0] = best\n}",
                    {{"N", "6400"}});
  EXPECT_EQ(searched.estimate().terms, 1);
}

//===-- Ranking

TEST(Ranking, WhatHasTheCodeOfAnotherIsNamedAndNotRanked) {
  auto searched = Searched::example("matmul", square(4096));
  Space space; // three slots are all that shared memory has room for
  space.all = {tiles(128, 256, 128, 8, 4), tiles(128, 256, 64, 8, 4), tiles(128, 256, 128, 8, 3)};
  auto ranking = searched->rank(space);
  ASSERT_TRUE(ranking);
  EXPECT_EQ(ranking->at(0).place, 1u);
  EXPECT_EQ(ranking->at(1).place, 0u);
  EXPECT_EQ(ranking->at(1).estimate.rejection, "");
  EXPECT_EQ(ranking->at(2).place, 2u);
  EXPECT_EQ(ranking->at(2).estimate.rejection, "the same code as #2");
}

TEST(Ranking, CodeThatRunsOnAnotherGridOrInFewerRegistersIsNotTheSame) {
  Searched searched("kernel k<P: int>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [P] {\n"
                    "  y[0 :+ 1024] = x[0 :+ 1024]\n}",
                    {{"N", "1024"}});
  Space space;
  space.all = {{{{"P", "1"}, {"max_registers", "64"}}},
               {{{"P", "2"}, {"max_registers", "64"}}},
               {{{"P", "2"}, {"max_registers", "32"}}},
               {{{"P", "2"}, {"max_registers", "64"}, {"stages", "3"}}}};
  auto ranking = searched.rank(space);
  ASSERT_TRUE(ranking);
  for (const RankedConfiguration &one : *ranking)
    EXPECT_EQ(one.estimate.rejection.empty(), one.place != 3) << one.place << ": " << one.estimate.rejection;
}

TEST(Ranking, WhatTheModelExpectsToBeFastestComesFirst) {
  auto searched = Searched::example("matmul", square(4096));
  Space space;
  space.all = {tiles(64, 64, 64, 4, 4), tiles(256, 128, 64, 4, 4), tiles(128, 256, 64, 8, 4)};
  auto ranking = searched->rank(space);
  ASSERT_TRUE(ranking);
  EXPECT_EQ((*ranking)[0].configuration, space.all[2]);
  EXPECT_EQ((*ranking)[1].configuration, space.all[0]);
  EXPECT_EQ((*ranking)[1].place, 0u);
  EXPECT_NE((*ranking)[2].estimate.rejection, "");
  std::string text;
  llvm::raw_string_ostream out(text);
  printRanking(*ranking, /*top=*/1, out);
  EXPECT_EQ(text.find("   1  "), 0u) << text;
  EXPECT_NE(text.find("\n      a search measures those above and the default; `--top` says how many\n   2  "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("us, tensor cores"), std::string::npos) << text;
  EXPECT_NE(text.find("BM = 64, BN = 64, BK = 64, warps = 4, stages = 4 (the default)"), std::string::npos) << text;
  EXPECT_NE(text.find("   -  BM = 256, BN = 128, BK = 64, warps = 4, stages = 4: tile<f32>[256, 128] is"),
            std::string::npos)
      << text;
}

TEST(Ranking, StagesWithoutAProductAreAnError) {
  Searched searched("@autotune(space = {warps: [4, 8], stages: [2, 3]})\n"
                    "kernel k(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] {\n"
                    "  for i in 0 .. N step 256 { y[i :+ 256] = x[i :+ 256] + 1 }\n}",
                    {{"N", "1024"}});
  std::optional<Space> space = searched.space();
  ASSERT_TRUE(space) << searched.errors();
  EXPECT_FALSE(searched.rank(*space));
  EXPECT_NE(searched.errors().find("`@autotune` sets `stages`, and no loop of kernel `k` has a matrix product"),
            std::string::npos)
      << searched.errors();
  EXPECT_NE(searched.errors().find("stages are iterations of such a loop whose tiles are in shared memory at a time"),
            std::string::npos);
}

} // namespace
