// Loading and launching, against the fake driver: what reaches the driver, and every refusal on the way.

#include "runtime/artifact/Cubin.h"
#include "runtime/artifact/File.h"
#include "runtime/driver/Device.h"
#include "runtime/launch/Module.h"
#include "test/unit/runtime/FakeDriver.h"

#include <gtest/gtest.h>

#include <dlfcn.h>

FakeDriver *findFakeDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  auto find = library ? reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "tileFakeDriver")) : nullptr;
  return find ? find() : nullptr;
}

namespace tile {
namespace {

const char *const kManifest = R"json({"schema": 1, "target": "sm_80", "kernels": [{
    "name": "scale",
    "parameters": [{"name": "x", "dtype": "f32", "extents": [["N"]]},
                   {"name": "y", "dtype": "f32", "role": "out", "extents": [["N"]]},
                   {"name": "w", "dtype": "f32", "optional": true, "present": false, "extents": [["N"]]},
                   {"name": "c", "kind": "scalar", "dtype": "i32"}],
    "dims": [{"name": "N", "parameter": "x", "axis": 0}],
    "grid": [["N", 128, "cdiv"], ["num_sms"]],
    "abi": [{"pointer": "x"}, {"dim": "N"}, {"pointer": "y"}, {"scalar": "c"}],
    "variants": [{"name": "fast", "symbol": "scale$fast", "requires": ["align16", "offsets31"], "warps": 8,
                  "shared_bytes": 65536, "cluster": [2, 1, 1]},
                 {"name": "generic", "symbol": "scale", "warps": 4}]}]})json";

std::string cubinWith(const std::string &manifest) {
  Result<std::string> cubin = appendManifest(*readFile(TILE_TEST_FIXTURES "/add_one.cubin"), manifest);
  EXPECT_TRUE(cubin.ok());
  return *cubin;
}

std::string replace(std::string text, const std::string &from, const std::string &to) {
  return text.replace(text.find(from), from.size(), to);
}

class Launch : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_NE(findFakeDriver(), nullptr);
    fake() = FakeDriver();
    fake().symbols = {"scale", "scale$fast"};
    fake().cellCount = 4;
    context.emplace(std::move(*Context::create(0)));
    x.emplace(std::move(*DeviceMemory::allocate(4096)));
    y.emplace(std::move(*DeviceMemory::allocate(4096)));
  }

  static FakeDriver &fake() { return *findFakeDriver(); }

  Kernel load(const std::string &manifest = kManifest) { return *Module::load(cubinWith(manifest))->kernel("scale"); }

  static std::string loadError(const std::string &manifest) {
    Result<Module> module = Module::load(cubinWith(manifest));
    return module.ok() ? "" : module.error().message;
  }

  std::vector<Argument> arguments(int64_t n = 1000) {
    return {Argument::tensor(x->get(), DataType::F32, {n}), Argument::tensor(y->get(), DataType::F32, {n}),
            Argument::none(), Argument::scalar(7)};
  }

  std::optional<Context> context;
  std::optional<DeviceMemory> x, y;
};

TEST_F(Launch, ReachesTheDriverAsTheManifestSays) {
  Stream stream = std::move(*Stream::create());
  Status status = load().launch(stream.get(), arguments());
  ASSERT_TRUE(status.ok()) << status.error().message;
  ASSERT_EQ(fake().launches.size(), 1u);
  const FakeLaunch &launch = fake().launches[0];
  EXPECT_EQ(launch.symbol, "scale$fast");
  EXPECT_EQ(launch.cells, (std::vector<uint64_t>{x->address(), 1000, y->address(), 7}));
  EXPECT_EQ(launch.config.gridDimX, 8u);
  EXPECT_EQ(launch.config.gridDimY, 132u);
  EXPECT_EQ(launch.config.gridDimZ, 1u);
  EXPECT_EQ(launch.config.blockDimX, 256u);
  EXPECT_EQ(launch.config.sharedMemBytes, 65536u);
  EXPECT_EQ(launch.config.hStream, stream.get());
  ASSERT_EQ(launch.attributes.size(), 1u);
  EXPECT_EQ(launch.attributes[0].value.clusterDim.x, 2u);
}

TEST_F(Launch, LargeSharedMemoryIsAskedForOnce) {
  Kernel kernel = load();
  ASSERT_TRUE(kernel.launch(nullptr, arguments()).ok());
  ASSERT_TRUE(kernel.launch(nullptr, arguments()).ok());
  EXPECT_EQ(fake().functionAttributes, (std::vector<std::pair<std::string, int>>{{"scale$fast", 65536}}));
}

TEST_F(Launch, UnalignedMemoryTakesTheGenericVariant) {
  std::vector<Argument> shifted = arguments(100);
  shifted[0].address += 4;
  ASSERT_TRUE(load().launch(nullptr, shifted).ok());
  EXPECT_EQ(fake().launches[0].symbol, "scale");
  EXPECT_EQ(fake().launches[0].config.blockDimX, 128u);
  EXPECT_TRUE(fake().launches[0].attributes.empty());
}

TEST_F(Launch, EmptyGridLaunchesNothing) {
  ASSERT_TRUE(load().launch(nullptr, arguments(0)).ok());
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(Launch, WrongArgumentsDoNotReachTheDriver) {
  std::vector<Argument> wrong = arguments();
  wrong[1].extents[0] = 999;
  Status status = load().launch(nullptr, wrong);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "extent 0 of `y` is 999; expected N = 1000 from extent 0 of `x`");
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(Launch, HostMemoryIsRefused) {
  std::vector<float> host(1000);
  std::vector<Argument> wrong = arguments();
  wrong[0] = Argument::tensor(host.data(), DataType::F32, {1000});
  EXPECT_EQ(load().launch(nullptr, wrong).error().message,
            "`x` is memory that the GPU cannot reach; expected memory from CUDA");
}

TEST_F(Launch, DriversTextIsKept) {
  Kernel kernel = load();
  fake().failing = "cuLaunchKernelEx";
  Status status = kernel.launch(nullptr, arguments());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::Driver);
  EXPECT_EQ(status.error().message, "`cuLaunchKernelEx` failed: CUDA_ERROR_UNKNOWN (unknown error)");
}

TEST_F(Launch, PreparedLaunchRepeats) {
  Result<Prepared> prepared = load().prepare(arguments());
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake().launches.size(), 3u);
  EXPECT_EQ(prepared->binding().grid, (std::vector<int64_t>{8, 132}));
}

TEST_F(Launch, PreparedLaunchTakesOtherMemory) {
  Result<Prepared> prepared = load().prepare(arguments(100));
  ASSERT_TRUE(prepared.ok());
  auto address = [](uint64_t base) { return reinterpret_cast<const void *>(base); };
  ASSERT_TRUE(prepared->launch(nullptr, {y->get(), x->get(), nullptr, nullptr}).ok());
  EXPECT_EQ(fake().launches[0].cells, (std::vector<uint64_t>{y->address(), 100, x->address(), 7}));
  EXPECT_EQ(fake().launches[0].symbol, "scale$fast");
  ASSERT_TRUE(prepared->launch(nullptr, {address(y->address() + 4), x->get(), nullptr, nullptr}).ok());
  EXPECT_EQ(fake().launches[1].symbol, "scale");
}

TEST_F(Launch, RefusedMemoryChangesNothing) {
  Result<Prepared> prepared = load().prepare(arguments(100));
  ASSERT_TRUE(prepared.ok());
  auto refusal = [&](const std::vector<const void *> &bases) {
    Status status = prepared->launch(nullptr, bases);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(refusal({nullptr, y->get(), nullptr, nullptr}), "`x` is a null pointer; expected 400 bytes");
  EXPECT_EQ(refusal({y->get(), y->get(), nullptr, nullptr}),
            "`y` is written and shares memory with `x`; expected them apart, or `alias(y, x)` in the kernel");
  EXPECT_EQ(refusal({y->get()}), "kernel `scale` is given 1 bases; expected 4");
  ASSERT_TRUE(prepared->launch(nullptr).ok());
  EXPECT_EQ(fake().launches[0].cells, (std::vector<uint64_t>{x->address(), 100, y->address(), 7}));
}

TEST_F(Launch, ModuleLivesAsLongAsItsUsers) {
  {
    std::optional<Prepared> prepared(std::move(*load().prepare(arguments())));
    EXPECT_EQ(fake().modules, 1);
    ASSERT_TRUE(prepared->launch(nullptr).ok());
  }
  EXPECT_EQ(fake().modules, 0);
}

TEST_F(Launch, KernelsAreFoundByName) {
  Result<Module> module = Module::load(cubinWith(kManifest));
  ASSERT_TRUE(module.ok());
  EXPECT_EQ(module->manifest().target, "sm_80");
  EXPECT_EQ(module->kernel("scale")->instances().size(), 1u);
  EXPECT_EQ(module->kernel("softmax").error().message, "cubin has no kernel `softmax`; it has scale");
}

TEST_F(Launch, CubinForAnotherGpuIsRefused) {
  auto fits = [&](const char *target, int major, int minor) {
    fake().major = major;
    fake().minor = minor;
    return loadError(replace(kManifest, "sm_80", target)).empty();
  };
  EXPECT_TRUE(fits("sm_80", 8, 6));
  EXPECT_FALSE(fits("sm_86", 8, 0));
  EXPECT_TRUE(fits("sm_90a", 9, 0));
  EXPECT_FALSE(fits("sm_80", 9, 0));
  EXPECT_TRUE(fits("sm_100", 10, 3));
  EXPECT_FALSE(fits("sm_100a", 10, 3));
  EXPECT_FALSE(fits("compute_80", 8, 0));
  EXPECT_EQ(loadError(replace(kManifest, "sm_80", "sm_90a")),
            "cubin is for sm_90a; the GPU, Fake GPU, is sm_80: compile with that `--arch`");
}

TEST_F(Launch, CubinThatContradictsItsManifest) {
  fake().symbols = {"scale"};
  EXPECT_EQ(load().launch(nullptr, arguments()).error().message,
            "cubin has no function `scale$fast`, which its manifest names");
  fake().sharedBytes = 49152;
  EXPECT_EQ(load().launch(nullptr, arguments()).error().message,
            "`scale$fast` needs 65536 bytes of shared memory; Fake GPU has 49152");
}

TEST_F(Launch, LoadingNeedsACurrentContext) {
  fake().current = nullptr;
  EXPECT_EQ(loadError(kManifest), "no CUDA context is current in this thread; expected one, as "
                                  "`tile::Context::create` or `cudaSetDevice` makes it");
}

TEST_F(Launch, FileErrorsNameTheFile) {
  EXPECT_EQ(Module::loadFile(TILE_TEST_FIXTURES "/add_one.cubin").error().message,
            "`" TILE_TEST_FIXTURES "/add_one.cubin`: cubin has no manifest, the section `.tile.manifest`; expected one "
            "that tilec made of `.tile` or "
            "`.mlir`, for LLVM IR and PTX do not say what their kernels expect");
}

TEST_F(Launch, EveryFailingCallOfLoadingIsReported) {
  for (const char *call : {"cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
                           "cuCtxGetCurrent", "cuCtxGetDevice", "cuModuleLoadData"}) {
    fake().failing = call;
    EXPECT_EQ(loadError(kManifest), "`" + std::string(call) + "` failed: CUDA_ERROR_UNKNOWN (unknown error)");
  }
}

TEST_F(Launch, MemoryCopiesAndFrees) {
  std::vector<int> sent = {1, 2, 3}, received(3);
  {
    DeviceMemory memory = std::move(*DeviceMemory::allocate(12));
    EXPECT_EQ(fake().allocations, 3u);
    ASSERT_TRUE(memory.upload(sent.data(), nullptr).ok());
    ASSERT_TRUE(memory.download(received.data(), nullptr).ok());
    EXPECT_EQ(received, sent);
    ASSERT_TRUE(memory.fill(0xFF, nullptr).ok());
    ASSERT_TRUE(memory.download(received.data(), nullptr).ok());
    EXPECT_EQ(received, (std::vector<int>{-1, -1, -1}));
    ASSERT_TRUE(memory.upload(sent.data(), nullptr).ok());
    DeviceMemory firstTwo = std::move(*DeviceMemory::allocate(8));
    ASSERT_TRUE(firstTwo.copyFrom(memory, nullptr).ok());
    ASSERT_TRUE(firstTwo.download(received.data(), nullptr).ok());
    EXPECT_EQ(received, (std::vector<int>{1, 2, -1}));
  }
  EXPECT_EQ(fake().allocations, 2u);
  EXPECT_EQ(DeviceMemory::allocate(0)->address(), 0u);
}

TEST_F(Launch, ContextIsReleased) {
  EXPECT_EQ(fake().retained, 1);
  context.reset();
  EXPECT_EQ(fake().retained, 0);
  EXPECT_EQ(Context::create(3).error().message, "device 3 of 1 does not exist");
}

TEST_F(Launch, DriverAndMemoryAreTold) {
  EXPECT_EQ(*driverVersion(), 13000);
  EXPECT_EQ(*freeMemory(), (int64_t(1) << 40) - 8192);
}

TEST_F(Launch, EventsTellTimes) {
  Event start = std::move(*Event::create()), stop = std::move(*Event::create());
  ASSERT_TRUE(start.record(nullptr).ok() && stop.record(nullptr).ok() && stop.synchronize().ok());
  EXPECT_EQ(*stop.millisecondsSince(start), 1.5f);
}

} // namespace
} // namespace tile
