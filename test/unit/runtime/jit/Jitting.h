// A Jit on the fake driver with a store of its own. This process and those that measure have different scripts: here
// only the fastest configuration of `scale` may run, and adds one to each byte of the output.

#ifndef TILE_TEST_UNIT_RUNTIME_JIT_JITTING_H
#define TILE_TEST_UNIT_RUNTIME_JIT_JITTING_H

#include "runtime/driver/Device.h"
#include "runtime/jit/Jit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace tile {

class Jitting : public testing::Test {
protected:
  /// `scale` with BLOCK = 2 has 32 programs for 64 rows.
  static constexpr const char *kOwnScript = "gpu sm=90 sms=132 l2=65536; scale*/32/*/* add=4; scale* refuse; *";
  static constexpr const char *kScriptOfMeasurer =
      "gpu sm=90 sms=132 l2=65536; scale*/64/*/* us=30 out=4; scale*/32/*/* us=20 out=4; scale*/16/*/* us=40 out=4; "
      "scale*/8/*/* us=50 out=4";

  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tile-jit-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    setenv("TILE_FAKE_SCRIPT", kOwnScript, 1); // read when the driver is loaded
    Result<Context> made = Context::create(0);
    ASSERT_TRUE(made.ok()) << made.error().message;
    context.emplace(std::move(*made));
    setenv("TILE_FAKE_SCRIPT", kScriptOfMeasurer, 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  JitOptions options(TunePolicy tune = TunePolicy::Never) {
    JitOptions options;
    options.cacheFolder = folder + "/cache";
    options.tune = tune;
    options.program = TILE_TILEC;
    options.tuneSeconds = 1;
    options.report = [this](const std::string &text) { reported += text + "\n"; };
    return options;
  }
  static Jit make(const JitOptions &options) { return std::move(*Jit::create(options)); }

  std::string write(const std::string &text, const std::string &name = "kernel.tile") {
    std::ofstream(folder + "/" + name) << text;
    return folder + "/" + name;
  }

  /// Arguments of `scale`, of `columns` elements of `type`.
  static std::vector<Argument> scaleArguments(const DeviceMemory &x, const DeviceMemory &y, int64_t columns = 8,
                                              DataType type = DataType::F32) {
    return {Argument::tensor(x.get(), type, {64, columns}), Argument::tensor(y.get(), type, {64, columns}),
            Argument::scalar(0.5)};
  }
  static DeviceMemory allocate(size_t bytes) {
    DeviceMemory memory = std::move(*DeviceMemory::allocate(bytes));
    EXPECT_TRUE(memory.fill(0, nullptr).ok());
    return memory;
  }

  std::string folder, reported;
  std::optional<Context> context;
};

/// `compiled 1, cached 0, known 0, searches 0`
inline std::string describe(const JitStatistics &done) {
  std::ostringstream text;
  text << "compiled " << done.compiled << ", cached " << done.fromCache << ", known " << done.known << ", searches "
       << done.searches;
  return text.str();
}

#define TILE_EXPECT_DONE(status)                                                                                       \
  do {                                                                                                                 \
    Status done = (status);                                                                                            \
    EXPECT_TRUE(done.ok()) << done.error().message;                                                                    \
  } while (false)

} // namespace tile

#endif // TILE_TEST_UNIT_RUNTIME_JIT_JITTING_H
