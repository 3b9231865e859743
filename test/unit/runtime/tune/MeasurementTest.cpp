// One candidate at a time on the fake driver: what reaches the GPU's memory, and what a time is the time of.

#include "runtime/tune/Measurement.h"

#include "runtime/driver/Device.h"
#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/tune/MeasuredKernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>
#include <optional>

namespace tile {
namespace {

/// Set before the driver is loaded, which reads it once.
const int isScripted =
    setenv("TILE_FAKE_SCRIPT",
           "gpu l2=1048576 memory=16777216; quick* us=2 out=2; slow* us=3000 out=2; adding* add=2; "
           "workspace* add=0; other* add=0 wrong; refused* refuse; wrong* out=2 wrong; missing* unwritten out=2",
           /*overwrite=*/1);

FakeDriver &fake() {
  auto find = reinterpret_cast<FakeDriver *(*)()>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "tileFakeDriver"));
  return *find();
}

MeasureSetup setupOf(int64_t elements = 1000) {
  MeasureSetup setup;
  setup.kernel = "scale";
  std::string shape = ":f32[" + std::to_string(elements) + "]";
  setup.arguments = {{"c", "c=7"}, {"x", "rand" + shape}, {"y", "y=zeros" + shape}};
  setup.seed = 1;
  return setup;
}

class MeasurementTest : public testing::Test {
protected:
  void open(const MeasureSetup &setup) {
    measurement = nullptr;
    Result<std::unique_ptr<Measurement>> created = Measurement::create(setup);
    ASSERT_TRUE(created.ok()) << created.error().message;
    measurement = std::move(*created);
  }
  std::string load(size_t candidate, const std::string &symbol, const std::string &role = "out") {
    Status status = measurement->load(candidate, writeCubin(testing::TempDir(), symbol, role));
    return status ? "" : status.error().message;
  }
  std::unique_ptr<Measurement> measurement;
};

TEST_F(MeasurementTest, StepsOfACandidate) {
  open(setupOf());
  EXPECT_EQ(load(0, "quick"), "");
  ASSERT_TRUE(measurement->run(0).ok());
  EXPECT_EQ(measurement->compare(0)->difference, "");
  EXPECT_NEAR(*measurement->estimate(0), 2, 1e-3);
  EXPECT_NEAR(*measurement->time(0), 2, 1e-3);
  LaunchedCode facts = measurement->facts(0);
  EXPECT_EQ(facts.variant, "generic");
  EXPECT_EQ(facts.registers, 40);
  EXPECT_EQ(facts.spillBytes, 8);
  EXPECT_EQ(facts.sharedBytes, 2048);
  EXPECT_EQ(facts.warps, 4);
  EXPECT_EQ(load(1, "slow"), "");
  ASSERT_TRUE(measurement->run(1).ok());
  EXPECT_EQ(measurement->compare(1)->difference, "");
  EXPECT_NEAR(*measurement->time(1), 3000, 1) << "without an estimate it is made";
  EXPECT_TRUE(measurement->isUsable());
}

TEST_F(MeasurementTest, WrongAndMissingOutputsAreSaid) {
  open(setupOf());
  EXPECT_EQ(load(0, "quick") + load(1, "wrong") + load(2, "missing"), "");
  for (size_t candidate : {0, 1, 2}) {
    ASSERT_TRUE(measurement->run(candidate).ok());
    std::string difference = measurement->compare(candidate)->difference;
    EXPECT_EQ(difference,
              candidate == 0 ? ""
              : candidate == 1
                  ? "`y[0]` is 12.0784311; the reference has 0.747058809, within 8.93e-07: 2 of 1000 elements differ"
                  : "never writes 1000 of 1000 elements of `y`, the first `y[0]`");
  }
}

TEST_F(MeasurementTest, WhoAgreesWithWhomIsSaid) {
  open(setupOf());
  std::vector<size_t> alike;
  for (const char *symbol : {"missing", "quick", "wrong", "slow", "missing", "wrong"}) {
    size_t candidate = alike.size();
    EXPECT_EQ(load(candidate, symbol), "");
    ASSERT_TRUE(measurement->run(candidate).ok());
    alike.push_back(measurement->compare(candidate)->alike);
  }
  EXPECT_EQ(alike, (std::vector<size_t>{0, 1, 2, 1, 0, 2}));
}

TEST_F(MeasurementTest, OneThatFewWroteGivesWayToAnother) {
  open(setupOf());
  std::vector<size_t> alike;
  for (const char *symbol : {"quick", "wrong", "missing", "adding", "adding", "wrong", "wrong", "adding"}) {
    size_t candidate = alike.size();
    EXPECT_EQ(load(candidate, symbol), "");
    ASSERT_TRUE(measurement->run(candidate).ok());
    alike.push_back(measurement->compare(candidate)->alike);
  }
  EXPECT_EQ(alike, (std::vector<size_t>{0, 1, 2, 3, 3, 5, 5, 3}));
}

TEST_F(MeasurementTest, WhatIsReadAndWrittenIsRestored) {
  open(setupOf());
  EXPECT_EQ(load(0, "adding", "inout"), "");
  ASSERT_TRUE(measurement->run(0).ok());
  EXPECT_EQ(measurement->compare(0)->difference, "");
  ASSERT_TRUE(measurement->time(0).ok()) << "many launches, each of which adds";
  ASSERT_TRUE(measurement->run(0).ok());
  EXPECT_EQ(measurement->compare(0)->difference, "");
}

TEST_F(MeasurementTest, WorkspaceIsComparedWhereThereIsNoOutput) {
  auto differenceOf = [&](const std::string &roleOfY) {
    open(setupOf());
    for (const char *symbol : {"workspace", "other"}) {
      size_t candidate = symbol[0] == 'o';
      EXPECT_TRUE(measurement->load(candidate, writeCubin(testing::TempDir(), symbol, roleOfY, "inout")).ok());
      EXPECT_TRUE(measurement->run(candidate).ok());
      if (candidate == 0)
        EXPECT_EQ(measurement->compare(0)->difference, "");
    }
    return measurement->compare(1)->difference.substr(0, 4);
  };
  EXPECT_EQ(differenceOf("out"), "");
  EXPECT_EQ(differenceOf("inout"), "`x[1") << "there is nothing else to compare";
}

TEST_F(MeasurementTest, CopiesExceedTheCacheAndFitTheMemory) {
  auto allocationsOf = [&](int64_t elements) {
    open(setupOf(elements));
    size_t before = fake().allocations;
    EXPECT_EQ(load(0, "quick"), "");
    return fake().allocations - before;
  };
  // Two tensors of 64 KiB each; twice the cache is 2 MiB.
  EXPECT_EQ(allocationsOf(16384), 2 * 16u);
  EXPECT_EQ(allocationsOf(1 << 18), 2 * 1u) << "a pair is as large as that";
  EXPECT_EQ(allocationsOf(4), 2 * 256u) << "there is a limit";
  // Where 14 of 16 MiB are taken, half of what is left after the first pair holds seven more.
  open(setupOf(16384));
  std::optional<DeviceMemory> others(std::move(*DeviceMemory::allocate(14 << 20)));
  size_t before = fake().allocations;
  EXPECT_EQ(load(0, "quick"), "");
  EXPECT_EQ(fake().allocations - before, 2 * 8u);
  others.reset();
  measurement = nullptr;
  EXPECT_EQ(fake().allocations, 0u);
}

TEST_F(MeasurementTest, RefusalsAreErrorsAndTheGpuGoesOn) {
  open(setupOf());
  EXPECT_EQ(load(0, "refused"), "");
  EXPECT_EQ(measurement->run(0).error().message, "`cuLaunchKernelEx` failed: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
  EXPECT_TRUE(measurement->isUsable());
  EXPECT_EQ(load(1, "quick"), "");
  EXPECT_TRUE(measurement->run(1).ok());
  EXPECT_EQ(measurement->run(7).error().message, "candidate 7 is not loaded");
  EXPECT_EQ(measurement->load(2, "absent.cubin").error().code, ErrorCode::File);
}

TEST_F(MeasurementTest, NoMemoryIsAnError) {
  open(setupOf(1 << 24));
  EXPECT_EQ(load(0, "quick"), "`cuMemAlloc` failed: CUDA_ERROR_OUT_OF_MEMORY");
}

TEST_F(MeasurementTest, WhatIsLeftOfTooLittleMemoryIsNotUsed) {
  // Two tensors of 6 of 16 MiB, of which one is kept as it was made.
  open(setupOf(3 << 19));
  size_t before = fake().allocations;
  for (size_t candidate : {0, 1}) {
    EXPECT_EQ(load(candidate, "adding", "inout"), "`cuMemAlloc` failed: CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(fake().allocations, before);
  }
  EXPECT_EQ(load(2, "quick"), "") << "as an output it needs no original";
  ASSERT_TRUE(measurement->run(2).ok());
  EXPECT_EQ(measurement->compare(2)->difference, "");
}

TEST_F(MeasurementTest, ArgumentsThatDoNotFitAreErrors) {
  auto errorOf = [](std::vector<MeasuredArgument> arguments) {
    MeasureSetup setup = setupOf();
    setup.arguments = std::move(arguments);
    Result<std::unique_ptr<Measurement>> created = Measurement::create(setup);
    if (!created)
      return created.error().message;
    Status status = (*created)->load(0, writeCubin(testing::TempDir(), "quick"));
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(errorOf({{"x", "nonsense"}}).substr(0, 28), "`nonsense` is no argument; e");
  EXPECT_EQ(errorOf({{"x", "rand:f32[4]"}, {"y", "zeros:f32[4]"}, {"c", "1"}, {"d", "2"}}),
            "`d` is no parameter of kernel `scale`");
  EXPECT_EQ(errorOf({{"x", "rand:f32[4]"}, {"y", "zeros:f32[5]"}, {"c", "1"}}),
            "extent 0 of `y` is 5; expected N = 4 from extent 0 of `x`");
  std::string large = errorOf({{"x", "rand:f64[1099511627776]"}, {"y", "rand:f64[1099511627776]"}});
  EXPECT_EQ(large.substr(0, 54), "the tensors take 17592186044416 bytes; this machine ha");
}

TEST_F(MeasurementTest, OtherParametersThanTheFirstAreRefused) {
  open(setupOf());
  EXPECT_EQ(load(0, "quick"), "");
  std::string path = writeCubin(testing::TempDir(), "fewer");
  std::string cubin = *readFile(path), manifest(*findManifest(cubin));
  size_t begin = manifest.find("{\"name\": \"w\""), end = manifest.find("{\"name\": \"c\"");
  ASSERT_TRUE(writeFile(path, *appendManifest(cubin, manifest.erase(begin, end - begin))).ok());
  EXPECT_EQ(measurement->load(1, path).error().message, "candidate 1 has 3 parameters; the first one has 4");
}

} // namespace
} // namespace tile
