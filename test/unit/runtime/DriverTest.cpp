// Machines on which nothing can be launched: each program links to a different absence through its run path.

#include "runtime/driver/Device.h"

#include <gtest/gtest.h>

namespace tile {
namespace {

/// What TILE_ABSENCE stands for, and the message, up to where it quotes the system.
enum Absence { NoDriver, OldDriver, NoGpu };
const char *const kMessages[] = {
    "found no CUDA driver (",
    "the driver supports CUDA 13.0 and lacks `cuLaunchKernelEx`; expected CUDA 13.0 or later: update the NVIDIA driver",
    "`cuInit` failed: CUDA_ERROR_NO_DEVICE; the driver is there, but no GPU is visible (CUDA_VISIBLE_DEVICES, "
    "container "
    "options)",
};

TEST(Driver, AbsenceIsSaid) {
  for (int attempt = 0; attempt < 2; ++attempt) { // The outcome is kept.
    Result<Context> context = Context::create(0);
    ASSERT_FALSE(context.ok());
    EXPECT_EQ(context.error().code, ErrorCode::NoDriver);
    EXPECT_EQ(context.error().message.rfind(kMessages[TILE_ABSENCE], 0), 0u) << context.error().message;
  }
}

} // namespace
} // namespace tile
