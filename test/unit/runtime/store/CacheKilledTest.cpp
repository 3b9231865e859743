// The compile cache when its writers are killed at random points, and when processes write and prune at one time: what
// was said to be kept is there, and nothing that is read is wrong.

#include "runtime/store/Cache.h"

#include "Storing.h"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

namespace tile {
namespace {

constexpr int kRounds = 200;

std::string keyOf(const std::string &name) { return hashParts({{"name", name}}); }

/// Long enough for several writes, and different for every name.
std::string contentOf(const std::string &name) {
  std::string content;
  for (int i = 0; content.size() < 20'000; ++i)
    content += name + "/" + std::to_string(i) + "\n";
  return content;
}

TEST(Killed, WritersOfTheCacheLoseNothingThatIsKept) {
  TemporaryFolder folder;
  std::mt19937 random(20261130);
  Reports reports;
  int kept = 0;
  for (int round = 0; round < kRounds; ++round) {
    auto name = [&](int i) { return std::to_string(round) + "." + std::to_string(i); };
    int count = countBeforeKill(random, [&](int i) {
      Cache cache({folder.path(), {}, {}});
      // One name of its own, and one that all rounds write.
      if (!cache.put(keyOf(name(i)), contentOf(name(i)), {}) || !cache.put(keyOf("all"), contentOf("all"), {}))
        _exit(1);
    });
    Cache cache({folder.path(), {}, reports.collect()});
    for (int i = 0; i < count; ++i)
      EXPECT_EQ(cache.get(keyOf(name(i))), contentOf(name(i)));
    // What it was at may be kept or not.
    if (std::optional<std::string> last = cache.get(keyOf(name(count))))
      EXPECT_EQ(*last, contentOf(name(count)));
    if (std::optional<std::string> all = cache.get(keyOf("all")))
      EXPECT_EQ(*all, contentOf("all"));
    kept += count;
  }
  EXPECT_GT(kept, kRounds / 2);
  EXPECT_TRUE(Cache({folder.path(), {}, {}}).verify().damaged.empty());
  EXPECT_TRUE(reports.take().empty());
}

TEST(Killed, PrunersTakeNothingThatIsNew) {
  TemporaryFolder folder;
  std::mt19937 random(7);
  for (int round = 0; round < kRounds / 4; ++round) {
    std::string name = std::to_string(round);
    for (int i = 0; i < 4; ++i)
      Cache({folder.path(), {}, {}}).put(keyOf(name + std::to_string(i)), contentOf(name), {});
    countBeforeKill(random, [&](int) { Cache({folder.path(), {}, {}}).prune(50'000); });
    EXPECT_EQ(Cache({folder.path(), {}, {}}).get(keyOf(name + "3")), contentOf(name));
  }
  EXPECT_TRUE(Cache({folder.path(), {}, {}}).verify().damaged.empty());
}

TEST(Together, ProcessesThatWriteOneKeyAndPrune) {
  TemporaryFolder folder;
  EXPECT_TRUE(passTogether(4, [&](int process) {
    Reports reports;
    Cache cache({folder.path(), 100'000, reports.collect()});
    bool right = true;
    for (int i = 0; i < 60; ++i) {
      right = cache.put(keyOf("one"), contentOf("one"), {}) && right;
      std::string other = std::to_string(process * 60 + i);
      right = cache.put(keyOf(other), contentOf(other), {}) && right;
      std::optional<std::string> read = cache.get(keyOf("one"));
      right = (!read || *read == contentOf("one")) && right;
      if (process == 3)
        cache.prune(i % 2 ? 0 : 50'000);
    }
    return right && reports.take().empty();
  }));
  EXPECT_TRUE(Cache({folder.path(), {}, {}}).verify().damaged.empty());
}

TEST(Together, WhoFindsDamageDoesNotRemoveWhatReplacedIt) {
  TemporaryFolder folder;
  Cache cache({folder.path(), {}, {}});
  cache.put(keyOf("one"), "good", {});
  std::string path = folder / (keyOf("one") + ".kept"), good = readText(path);
  std::atomic<bool> done{false};
  std::thread reader([&] {
    while (!done)
      Cache({folder.path(), {}, {}}).get(keyOf("one"));
  });
  for (int round = 0; round < 500; ++round) {
    writeText(folder / "bad", std::string(good.size(), 'x'));
    writeText(folder / "good", good);
    std::filesystem::rename(folder / "bad", path);
    // The reader is anywhere between having read the one and removing what is there now.
    std::this_thread::sleep_for(std::chrono::microseconds(round % 100));
    {
      // As `put` does it.
      FolderLock lock(folder / "total");
      std::filesystem::rename(folder / "good", path);
    }
    // Longer than the reader waits before it asks for the lock again.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_EQ(cache.get(keyOf("one")), "good") << round;
  }
  done = true;
  reader.join();
}

TEST(Together, ThreadsOfOneCache) {
  TemporaryFolder folder;
  Reports reports;
  Cache cache({folder.path(), 100'000, reports.collect()});
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 30; ++i) {
        std::string name = std::to_string(i % 10 + thread / 2 * 10);
        EXPECT_TRUE(cache.put(keyOf(name), contentOf(name), {}));
        std::optional<std::string> read = cache.get(keyOf(name));
        EXPECT_TRUE(!read || *read == contentOf(name));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(reports.take().empty());
}

} // namespace
} // namespace tile
