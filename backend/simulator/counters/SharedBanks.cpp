#include "backend/simulator/counters/SharedBanks.h"

#include <algorithm>

namespace tile::sim {

constexpr unsigned kBanks = 32, kWordBytes = 4, kPassBytes = kBanks * kWordBytes;

/// Passes that the words of one group of lanes take: the most words that one bank gives.
static uint32_t passesOf(uint64_t *words, size_t count, BankAccess access) {
  if (access != BankAccess::Atomic) {
    std::sort(words, words + count);
    count = std::unique(words, words + count) - words;
  }
  uint32_t inBank[kBanks] = {}, most = 0;
  for (size_t i = 0; i < count; ++i)
    most = std::max(most, ++inBank[words[i] % kBanks]);
  return most;
}

/// Whether each of `lanes` wants what its partner at `distance` wants, if that one is there too.
static bool areAlike(const uint64_t (&addresses)[kLanes], uint32_t lanes, unsigned distance) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest), partner = lane ^ distance;
    if (lanes >> partner & 1 && addresses[lane] != addresses[partner])
      return false;
  }
  return true;
}

BankPasses countBankPasses(const uint64_t (&addresses)[kLanes], uint32_t lanes, unsigned bytes, BankAccess access) {
  unsigned wordsPerLane = std::max(bytes / kWordBytes, 1u), group = kPassBytes / (wordsPerLane * kWordBytes);
  if (access == BankAccess::Load && group < kLanes && (areAlike(addresses, lanes, 1) || areAlike(addresses, lanes, 2)))
    group *= 2;
  BankPasses passes;
  for (unsigned first = 0; first < kLanes; first += group) {
    uint64_t words[2 * kBanks]; // of one pass, or of two groups that go together
    size_t count = 0;
    for (unsigned lane = first; lane < first + group; ++lane)
      for (unsigned i = 0; lanes >> lane & 1 && i < wordsPerLane; ++i)
        words[count++] = addresses[lane] / kWordBytes + i;
    passes.wavefronts += passesOf(words, count, access);
    passes.ideal += count != 0;
  }
  return passes;
}

} // namespace tile::sim
