// What is said of what does not work: to the caller as errors, to the report as warnings.

#include "test/unit/runtime/FakeDriver.h"
#include "test/unit/runtime/jit/Jitting.h"

#include <dlfcn.h>

FakeDriver *findFakeDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  auto find = library ? reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "tileFakeDriver")) : nullptr;
  return find ? find() : nullptr;
}

namespace tile {
namespace {

using JitErrors = Jitting;

const char *const kCopy =
    "kernel copy(x: tensor<f32>[N], out y: tensor<f32>[N], flag: bool) grid [1] where N <= 128 {\n"
    "    y[0 :+ 128] = where(flag, x[0 :+ 128], 0.0)\n"
    "}\n";

template <typename T> Error errorOf(const Result<T> &result) { return result ? Error{} : result.error(); }

TEST_F(JitErrors, OfFiles) {
  Jit jit = make(options());
  Error absent = errorOf(jit.kernel("/absent.tile"));
  EXPECT_EQ(absent.code, ErrorCode::File);
  EXPECT_EQ(absent.message, "cannot open `/absent.tile`: No such file or directory");
  Error other = errorOf(jit.kernel(write("func.func @f()", "f.mlir")));
  EXPECT_EQ(other.code, ErrorCode::InvalidSource);
  EXPECT_NE(other.message.find("expected Tile source"), std::string::npos) << other.message;
  Error name = errorOf(jit.kernel(write(kCopy), "copi"));
  EXPECT_EQ(name.code, ErrorCode::InvalidSource);
  EXPECT_NE(name.message.find("no kernel `copi` in"), std::string::npos) << name.message;
  EXPECT_NE(name.message.find("did you mean `copy`?"), std::string::npos) << name.message;
  JitOptions database = options();
  database.database = "/absent.db";
  EXPECT_EQ(errorOf(Jit::create(database)).message,
            "there is no database `/absent.db`; expected one that `tilec tune` or `tilec cache import` wrote");
  JitOptions folders = options();
  folders.includeFolders = {"/absent"};
  EXPECT_EQ(errorOf(Jit::create(folders)).message, "`/absent` is no folder to include from; expected one that exists");
}

TEST_F(JitErrors, OfTheSourceHoldTheDiagnostics) {
  Jit jit = make(options());
  Error syntax = errorOf(jit.kernel(write("kernel copy(")));
  EXPECT_EQ(syntax.code, ErrorCode::InvalidSource);
  EXPECT_NE(syntax.message.find("error[E"), std::string::npos) << syntax.message;
  EXPECT_NE(syntax.message.find("kernel.tile:1:"), std::string::npos) << syntax.message;

  DeviceMemory x = allocate(512), y = allocate(512);
  JitKernel wrong = *jit.kernel(
      write("kernel copy(x: tensor<f32>[N], out y: tensor<f32>[N]) grid [1] { y[0 :+ 128] = z[0 :+ 128] }"));
  std::vector<Argument> arguments = {Argument::tensor(x.get(), DataType::F32, {128}),
                                     Argument::tensor(y.get(), DataType::F32, {128})};
  for (int i = 0; i < 2; ++i) { // the second time from memory
    Error error = wrong.launch(nullptr, arguments).error();
    EXPECT_EQ(error.code, ErrorCode::InvalidSource);
    EXPECT_NE(error.message.find("unknown name `z`"), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find("loc("), std::string::npos) << error.message;
  }
  EXPECT_EQ(jit.statistics().compiled, 0u);
}

TEST_F(JitErrors, OfArgumentsNameTheParameter) {
  Jit jit = make(options());
  JitKernel copy = *jit.kernel(write(kCopy));
  DeviceMemory x = allocate(512), y = allocate(512);
  Argument from = Argument::tensor(x.get(), DataType::F32, {128}), to = Argument::tensor(y.get(), DataType::F32, {128});
  auto launch = [&](std::vector<Argument> arguments) {
    Status status = copy.launch(nullptr, arguments);
    EXPECT_EQ(status.ok() || status.error().code == ErrorCode::InvalidArgument ||
                  status.error().code == ErrorCode::NotCompiled,
              true);
    return status.ok() ? "" : status.error().message;
  };
  EXPECT_EQ(launch({from, to, Argument::scalar(true)}), "");
  EXPECT_EQ(launch({from}), "kernel `copy` is given 1 arguments; expected 3: x, y, flag");
  EXPECT_EQ(launch({Argument::tensor(x.get(), DataType::F32, {2, 64}), to, Argument::scalar(true)}),
            "`x` has rank 2; expected 1, `tensor<f32>[N]`");
  EXPECT_EQ(launch({Argument::tensor(x.get(), DataType::F32, std::vector<int64_t>(17, 1)), to, Argument::scalar(true)}),
            "`x` has rank 17; expected at most 16");
  EXPECT_EQ(launch({from, from, Argument::scalar(true)}),
            "`y` is written and shares memory with `x`; expected them apart, or `alias(y, x)` in the kernel");
  EXPECT_EQ(launch({from, to, Argument::scalar(0.5)}), "`0.5` is no value of bool");
  EXPECT_EQ(launch({Argument::tensor(x.get(), DataType::F16, {128}), to, Argument::scalar(true)}),
            "`x` has elements of f16; expected f32");
  EXPECT_EQ(launch({Argument::pointer(x.get()), to, Argument::scalar(true)}),
            "`x` is a pointer; expected a tensor of f32");
  EXPECT_EQ(launch({Argument::tensor(x.get(), DataType::F32, {4000}), Argument::tensor(y.get(), DataType::F32, {4000}),
                    Argument::scalar(true)}),
            "`where N <= 128` does not hold: N = 4000 from extent 0 of `x`");
  EXPECT_EQ(findFakeDriver()->modules, 1) << "the code that refused them is the one that is there";
}

TEST_F(JitErrors, OfTheStoreAreWarningsAndNothingElse) {
  std::ofstream(folder + "/file") << "no folder";
  JitOptions unusable = options();
  unusable.cacheFolder = folder + "/file";
  Jit jit = make(unusable);
  JitKernel copy = *jit.kernel(write(kCopy));
  DeviceMemory x = allocate(512), y = allocate(512);
  for (int64_t n : {128, 64})
    TILE_EXPECT_DONE(copy.launch(nullptr, {Argument::tensor(x.get(), DataType::F32, {n}),
                                           Argument::tensor(y.get(), DataType::F32, {n}), Argument::scalar(true)}));
  EXPECT_EQ(jit.statistics().compiled, 1u);
  EXPECT_NE(reported.find("/file"), std::string::npos) << reported;
}

TEST_F(JitErrors, OfMeasuringLeaveTheModelsFirst) {
  DeviceMemory x = allocate(64 * 128 * 4), y = allocate(64 * 128 * 4);
  JitOptions absent = options(TunePolicy::Missing);
  absent.program = "/absent/tilec";
  Jit jit = make(absent);
  Status status = jit.kernel(TILE_INPUTS "/tuned.tile")->launch(nullptr, scaleArguments(x, y));
  EXPECT_EQ(describe(jit.statistics()), "compiled 1, cached 0, known 0, searches 0");
  EXPECT_NE(
      reported.find("no configuration of `scale` could be measured; going on with the model's first:\nerror[E0607]"),
      std::string::npos)
      << reported;
  EXPECT_NE(reported.find("cannot run `/absent/tilec`: No such file or directory"), std::string::npos) << reported;
}

TEST_F(JitErrors, PointersAreNotMeasured) {
  DeviceMemory x = allocate(4096);
  Jit jit = make(options(TunePolicy::Missing));
  JitKernel zero =
      *jit.kernel(write("@autotune(configs = [{warps: 1}, {warps: 2}])\n"
                        "kernel zero(p: ptr<f32>, n: index) grid [n] { store(p + program_id(0), 0.0) }\n"));
  TILE_EXPECT_DONE(zero.launch(nullptr, {Argument::pointer(x.get()), Argument::scalar(8)}));
  EXPECT_EQ(describe(jit.statistics()), "compiled 1, cached 0, known 0, searches 0");
  EXPECT_EQ(reported, "kernel `zero` takes a raw pointer, which says not how much memory a measurement needs; its "
                      "configuration is taken without one\n");
}

TEST(NoDriver, IsAnErrorOfTheLaunch) {
  if (countDevices().ok())
    GTEST_SKIP() << "there is a driver"; // tile_jit_without_driver runs it where there is none
  Jit jit = std::move(*Jit::create());
  Result<JitKernel> kernel = jit.kernel(TILE_INPUTS "/tuned.tile");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  Status status = kernel->launch(nullptr, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::NoDriver);
  EXPECT_EQ(status.error().message.rfind("found no CUDA driver", 0), 0u) << status.error().message;
}

} // namespace
} // namespace tile
