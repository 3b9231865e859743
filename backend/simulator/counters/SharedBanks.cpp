#include "backend/simulator/counters/SharedBanks.h"

#include <algorithm>

namespace tile::sim {

constexpr unsigned kBanks = 32, kWordBytes = 4, kPassBytes = kBanks * kWordBytes;

/// Passes that the words of one group of lanes take: the most words that one bank gives.
static uint32_t passesOf(uint64_t *words, size_t count, SameWord sameWord) {
  if (sameWord == SameWord::Shared) {
    std::sort(words, words + count);
    count = std::unique(words, words + count) - words;
  }
  uint32_t inBank[kBanks] = {}, most = 0;
  for (size_t i = 0; i < count; ++i)
    most = std::max(most, ++inBank[words[i] % kBanks]);
  return most;
}

BankPasses countBankPasses(const uint64_t (&addresses)[kLanes], uint32_t lanes, unsigned bytes, SameWord sameWord) {
  unsigned wordsPerLane = std::max(bytes / kWordBytes, 1u),
           group = std::min(kPassBytes / (wordsPerLane * kWordBytes), kLanes);
  BankPasses passes;
  for (unsigned first = 0; first < kLanes; first += group) {
    uint64_t words[kBanks];
    size_t count = 0;
    for (unsigned lane = first; lane < first + group; ++lane)
      for (unsigned i = 0; lanes >> lane & 1 && i < wordsPerLane; ++i)
        words[count++] = addresses[lane] / kWordBytes + i;
    passes.wavefronts += passesOf(words, count, sameWord);
    passes.ideal += count != 0;
  }
  return passes;
}

} // namespace tile::sim
