/// What comes back from a call in a process of its own, and that no end of it is the end of this one.
#include "backend/ptx/IsolatedCall.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <thread>

namespace tile {

static IsolatedCall call(llvm::function_ref<std::string()> work) { return llvm::cantFail(callIsolated(work)); }

TEST(IsolatedCallTest, GivesTheResultByteForByte) {
  std::string large(3 << 20, '\0');
  large += "end";
  IsolatedCall outcome = call([&] { return large; });
  EXPECT_EQ(outcome.result, large);
  EXPECT_EQ(outcome.printed, "");
  EXPECT_EQ(outcome.signal, 0);
}

TEST(IsolatedCallTest, ChangesNothingHere) {
  int value = 1;
  call([&] { return std::to_string(value = 2); });
  EXPECT_EQ(value, 1);
}

TEST(IsolatedCallTest, AbortInAThreadOfTheCallEndsTheCallAlone) {
  IsolatedCall outcome = call([]() -> std::string {
    fputs("last words\n", stderr);
    std::thread([] { std::abort(); }).join();
    return "never";
  });
  EXPECT_EQ(outcome.signal, SIGABRT);
  EXPECT_EQ(outcome.printed, "last words\n");
  EXPECT_EQ(outcome.result, "");
}

TEST(IsolatedCallTest, KillIsNoEndOfTheCall) {
  llvm::Expected<IsolatedCall> outcome = callIsolated([]() -> std::string {
    raise(SIGKILL);
    return "never";
  });
  EXPECT_EQ(llvm::toString(outcome.takeError()),
            "a process of ours was ended by SIGKILL, as the system does where memory runs out");
}

} // namespace tile
