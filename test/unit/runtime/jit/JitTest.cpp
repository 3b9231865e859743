// Which code a launch takes, what is compiled and measured for it, and what threads share.

#include "test/unit/runtime/jit/Jitting.h"

#include <atomic>
#include <thread>

namespace tile {
namespace {

constexpr size_t kBytes = 64 * 256 * 4;

/// No tuning: one program per 128 elements.
const char *const kAdd = R"(
kernel add<T: type = f32>(x: tensor<T>[N], out y: tensor<T>[N]) grid [cdiv(N, 128)] {
    let i = program_id(0) * 128
    y[i :+ 128] = x[i :+ 128] + x[i :+ 128]
}
)";

/// The block follows from N.
const char *const kRows = R"(
@heuristic(BLOCK = next_pow2(N))
kernel rows<BLOCK: int>(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] { y[0 :+ BLOCK] = x[0 :+ BLOCK] }
)";

std::vector<Argument> vectors(const DeviceMemory &x, const DeviceMemory &y, int64_t n, DataType type = DataType::F32) {
  return {Argument::tensor(x.get(), type, {n}), Argument::tensor(y.get(), type, {n})};
}

TEST_F(Jitting, LaunchesOfManyThreadsShareOneKnownChoice) {
  constexpr size_t kBytes = 64 * 8 * 4;
  DeviceMemory x = allocate(kBytes);
  {
    // Measured by processes of tilec, whose driver times 32 programs as the fastest.
    DeviceMemory y = allocate(kBytes);
    Jit jit = make(options(TunePolicy::Missing));
    TILE_EXPECT_DONE(jit.kernel(TILE_INPUTS "/tuned.tile")->launch(nullptr, scaleArguments(x, y)));
    EXPECT_EQ(describe(jit.statistics()), "compiled 0, cached 1, known 0, searches 1") << reported;
  }
  Jit jit = make(options());
  JitKernel scale = *jit.kernel(TILE_INPUTS "/tuned.tile", "scale");
  constexpr int kThreads = 16, kLaunches = 10000;
  std::atomic<int> failures{0};
  std::vector<DeviceMemory> outputs;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    outputs.push_back(allocate(kBytes));
  for (const DeviceMemory &y : outputs)
    threads.emplace_back([&] {
      for (int i = 0; i < kLaunches; ++i)
        failures += !scale.launch(nullptr, scaleArguments(x, y)); // the driver refuses other configurations
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(describe(jit.statistics()), "compiled 0, cached 1, known 1, searches 0");
  for (const DeviceMemory &y : outputs) {
    std::vector<unsigned char> bytes(kBytes);
    TILE_EXPECT_DONE(y.download(bytes.data(), nullptr));
    EXPECT_EQ(bytes, std::vector<unsigned char>(kBytes, static_cast<unsigned char>(kLaunches)));
  }
  EXPECT_EQ(reported, "");
}

TEST_F(Jitting, WhatThreadsNeedAtOnceIsCompiledOnce) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  JitKernel add = *jit.kernel(write(kAdd));
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&] { failures += !add.launch(nullptr, vectors(x, y, 1000)); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(describe(jit.statistics()), "compiled 1, cached 0, known 0, searches 0");
}

TEST_F(Jitting, KernelsAreCompiledSideBySide) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (const char *size : {"64", "128", "256", "512"})
    threads.emplace_back([&, size] {
      JitKernel rows = *jit.kernel(write(kRows, std::string(size) + ".tile"), "rows", {{"BLOCK", size}});
      failures += !rows.launch(nullptr, vectors(x, y, 1000));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(jit.statistics().compiled, 4u);
}

TEST_F(Jitting, CodeServesEverySizeThatItsContractTakes) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  JitKernel add = *jit.kernel(write(kAdd));
  for (int64_t n : {1000, 900, 1, 1000})
    TILE_EXPECT_DONE(add.launch(nullptr, vectors(x, y, n)));
  EXPECT_EQ(jit.statistics().compiled, 1u);
  TILE_EXPECT_DONE(add.launch(nullptr, vectors(x, y, 1000, DataType::F16)));
  EXPECT_EQ(jit.statistics().compiled, 2u);

  JitKernel rows = *jit.kernel(write(kRows, "rows.tile"));
  for (int64_t n : {1000, 600, 1024, 1000})
    TILE_EXPECT_DONE(rows.launch(nullptr, vectors(x, y, n)));
  EXPECT_EQ(jit.statistics().compiled, 3u);
  TILE_EXPECT_DONE(rows.launch(nullptr, vectors(x, y, 100)));
  EXPECT_EQ(jit.statistics().compiled, 4u);
}

TEST_F(Jitting, ShapesWithoutEndAreServed) {
  DeviceMemory x = allocate(5000 * 4), y = allocate(5000 * 4);
  Jit jit = make(options());
  JitKernel add = *jit.kernel(write(kAdd));
  for (int64_t n = 1; n <= 5000; ++n) // more than are remembered
    TILE_EXPECT_DONE(add.launch(nullptr, vectors(x, y, n)));
  EXPECT_EQ(jit.statistics().compiled, 1u);
}

TEST_F(Jitting, ScalarsThatHeuristicsReadTellLaunchesApart) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  JitKernel kernel = *jit.kernel(write("@heuristic(BLOCK = next_pow2(n))\n"
                                       "kernel first<BLOCK: int>(x: tensor<f32>[N], out y: tensor<f32>[N], n: i32)"
                                       " grid [1] { y[0 :+ BLOCK] = x[0 :+ BLOCK] }\n"));
  auto block = [&](int n) {
    std::vector<Argument> arguments = vectors(x, y, 1000);
    arguments.push_back(Argument::scalar(n));
    Result<Prepared> prepared = kernel.prepare(arguments);
    return prepared ? prepared->binding().kernel->describeInstance() : prepared.error().message;
  };
  EXPECT_EQ(block(100), "BLOCK = 128, warps = 1");
  EXPECT_EQ(block(1000), "BLOCK = 1024, warps = 4");
  EXPECT_EQ(block(99), "BLOCK = 128, warps = 1");
  EXPECT_EQ(jit.statistics().compiled, 2u);
}

// Of two sizes in one bucket each has one configuration that is not pruned.
TEST_F(Jitting, WhatIsPrunedForASizeDoesNotServeIt) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  JitKernel kernel =
      *jit.kernel(write("@autotune(configs = [{BLOCK: 256}, {BLOCK: 64}], key = [N], bucket = next_pow2(N), "
                        "prune = N % BLOCK != 0 || N == BLOCK * 4)\n"
                        "kernel copy<BLOCK: int>(x: tensor<f32>[N], out y: tensor<f32>[N]) "
                        "grid [cdiv(N, BLOCK)] {\n"
                        "    let i = program_id(0) * BLOCK\n"
                        "    y[i :+ BLOCK] = x[i :+ BLOCK]\n"
                        "}\n"));
  EXPECT_EQ(kernel.prepare(vectors(x, y, 256))->binding().grid, std::vector<int64_t>{1});
  EXPECT_EQ(kernel.prepare(vectors(x, y, 192))->binding().grid, std::vector<int64_t>{3}) << "256 divides no 192";
}

TEST_F(Jitting, ImportsAreFoundInIncludeFolders) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  std::filesystem::create_directory(folder + "/lib");
  write("fn twice(v: tile<f32>[128]) -> tile<f32>[128] { return v + v }", "lib/twice.tile");
  JitOptions including = options();
  including.includeFolders = {folder + "/lib"};
  JitKernel kernel = *make(including).kernel(
      write("import \"twice.tile\" as t\n"
            "kernel f(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] { y[0 :+ 128] = t.twice(x[0 :+ 128]) }\n"));
  TILE_EXPECT_DONE(kernel.launch(nullptr, vectors(x, y, 128)));
}

TEST_F(Jitting, WarningsOfTheCompilerAreReported) {
  DeviceMemory a = allocate(4096), b = allocate(4096), c = allocate(4096);
  Jit jit = make(options());
  auto square = [](const DeviceMemory &memory, DataType type) {
    return Argument::tensor(memory.get(), type, {16, 16});
  };
  JitKernel product = *jit.kernel(TILE_INPUTS "/product.tile");
  TILE_EXPECT_DONE(
      product.launch(nullptr, {square(a, DataType::BF16), square(b, DataType::BF16), square(c, DataType::F32)}));
  EXPECT_NE(reported.find("warning[W0601]: kernel `product`"), std::string::npos) << reported;
}

TEST_F(Jitting, AConfigurationServesItsBucketAlone) {
  DeviceMemory x = allocate(kBytes), y = allocate(kBytes);
  Jit jit = make(options(TunePolicy::Missing));
  JitKernel scale = *jit.kernel(TILE_INPUTS "/tuned.tile");
  for (int64_t columns : {128, 100, 65})
    TILE_EXPECT_DONE(scale.launch(nullptr, scaleArguments(x, y, columns)));
  EXPECT_EQ(jit.statistics().searches, 2u) << "rows of 65 elements are not aligned, which is another variant";
  TILE_EXPECT_DONE(scale.launch(nullptr, scaleArguments(x, y, 256)));
  EXPECT_EQ(jit.statistics().searches, 3u);
}

TEST_F(Jitting, NothingIsMeasuredUnlessAsked) {
  DeviceMemory x = allocate(kBytes), y = allocate(kBytes);
  auto run = [&](TunePolicy tune) {
    Jit jit = make(options(tune));
    Status status = jit.kernel(TILE_INPUTS "/tuned.tile")->launch(nullptr, scaleArguments(x, y));
    return describe(jit.statistics());
  };
  EXPECT_EQ(run(TunePolicy::Never), "compiled 1, cached 0, known 0, searches 0");
  EXPECT_EQ(run(TunePolicy::Missing), "compiled 0, cached 1, known 0, searches 1");
  EXPECT_EQ(run(TunePolicy::Missing), "compiled 0, cached 1, known 1, searches 0");
  EXPECT_EQ(run(TunePolicy::Force), "compiled 0, cached 1, known 0, searches 1");
  EXPECT_EQ(run(TunePolicy::Never), "compiled 0, cached 1, known 1, searches 0");
}

TEST_F(Jitting, ADatabaseMayComeWithTheApplication) {
  DeviceMemory x = allocate(kBytes), y = allocate(kBytes);
  TILE_EXPECT_DONE(
      make(options(TunePolicy::Missing)).kernel(TILE_INPUTS "/tuned.tile")->launch(nullptr, scaleArguments(x, y)));
  JitOptions shipped = options();
  shipped.cacheFolder = folder + "/empty";
  shipped.database = folder + "/cache/tuning.db";
  // Nor does it matter in which folder the source is.
  std::filesystem::copy_file(TILE_INPUTS "/tuned.tile", folder + "/tuned.tile");
  Jit jit = make(shipped);
  TILE_EXPECT_DONE(jit.kernel(folder + "/tuned.tile")->launch(nullptr, scaleArguments(x, y)));
  EXPECT_EQ(describe(jit.statistics()), "compiled 1, cached 0, known 1, searches 0");
}

TEST_F(Jitting, AChangeIsNoticedByReloadAlone) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  JitKernel add = *jit.kernel(write(kAdd));
  TILE_EXPECT_DONE(add.launch(nullptr, vectors(x, y, 1000)));
  Prepared prepared = std::move(*add.prepare(vectors(x, y, 1000)));
  EXPECT_EQ(prepared.binding().grid, std::vector<int64_t>{8});

  write("kernel add(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] { y[0 :+ 128] = x[0 :+ 128] }");
  EXPECT_EQ(add.prepare(vectors(x, y, 1000))->binding().grid, std::vector<int64_t>{8});
  TILE_EXPECT_DONE(add.reload());
  EXPECT_EQ(add.prepare(vectors(x, y, 1000))->binding().grid, std::vector<int64_t>{1});
  TILE_EXPECT_DONE(prepared.launch(nullptr));

  write("kernel add(");
  EXPECT_EQ(add.reload().error().code, ErrorCode::InvalidSource);
  EXPECT_EQ(add.prepare(vectors(x, y, 1000))->binding().grid, std::vector<int64_t>{1});
}

TEST_F(Jitting, GivenValuesAreCompiledIn) {
  DeviceMemory x = allocate(4096), y = allocate(4096);
  Jit jit = make(options());
  Result<Prepared> prepared = jit.kernel(write(kRows), "rows", {{"BLOCK", "2048"}})->prepare(vectors(x, y, 100));
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  EXPECT_EQ(prepared->binding().kernel->describeInstance(), "BLOCK = 2048, warps = 4");
}

} // namespace
} // namespace tile
