#include "backend/pipeline/FaultGuard.h"

#include "llvm/Support/ErrorHandling.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tile {

TEST(FaultGuard, WorkThatEndsGivesNoReason) {
  bool ran = false;
  EXPECT_EQ(runGuarded([&] { ran = true; }), std::nullopt);
  EXPECT_TRUE(ran);
}

TEST(FaultGuard, FatalErrorGivesItsWords) {
  EXPECT_EQ(runGuarded([] { llvm::report_fatal_error("cannot select: x", /*gen_crash_diag=*/false); }),
            "cannot select: x");
}

TEST(FaultGuard, SignalGivesItsName) {
  EXPECT_EQ(runGuarded([] { raise(SIGABRT); }), "Aborted");
}

TEST(FaultGuard, WorksAgainAfterAFault) {
  EXPECT_TRUE(runGuarded([] { raise(SIGSEGV); }));
  EXPECT_EQ(runGuarded([] {}), std::nullopt);
  EXPECT_TRUE(runGuarded([] { llvm::report_fatal_error("again", false); }));
}

} // namespace tile
