#include "backend/simulator/counters/Sectors.h"

#include <algorithm>
#include <vector>

namespace tile::sim {

namespace {
struct Span {
  uint64_t start, end;
  bool operator<(const Span &other) const { return start < other.start; }
};
} // namespace

/// How many blocks of `size` bytes the spans, sorted and disjoint, touch.
static uint32_t blocksOf(const std::vector<Span> &spans, unsigned size) {
  uint32_t count = 0;
  uint64_t next = 0; // the first block that is not counted yet
  for (const Span &span : spans) {
    uint64_t first = std::max(span.start / size, next), last = (span.end - 1) / size;
    count += last >= first ? last - first + 1 : 0;
    next = std::max(next, last + 1);
  }
  return count;
}

static SectorCount count(std::vector<Span> &asked) {
  std::sort(asked.begin(), asked.end());
  std::vector<Span> spans;
  for (const Span &span : asked)
    if (!spans.empty() && span.start <= spans.back().end)
      spans.back().end = std::max(spans.back().end, span.end);
    else
      spans.push_back(span);
  SectorCount result;
  for (const Span &span : spans)
    result.bytes += span.end - span.start;
  result.sectors = blocksOf(spans, kSectorBytes);
  result.lines = blocksOf(spans, kLineBytes);
  result.ideal = (result.bytes + kSectorBytes - 1) / kSectorBytes;
  return result;
}

/// The first of `lanes` with each address.
static uint32_t nextTurn(const uint64_t (&addresses)[kLanes], uint32_t lanes) {
  uint32_t turn = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    bool isTaken = false;
    for (uint32_t others = turn; others; others &= others - 1)
      isTaken |= addresses[__builtin_ctz(others)] == addresses[lane];
    turn |= uint32_t(!isTaken) << lane;
  }
  return turn;
}

SectorCount countSectors(const uint64_t (&addresses)[kLanes], const uint32_t (&bytes)[kLanes], uint32_t lanes,
                         SameAddress sameAddress) {
  auto of = [&](uint32_t group) {
    std::vector<Span> asked;
    for (uint32_t rest = group; rest; rest &= rest - 1)
      if (unsigned lane = __builtin_ctz(rest); bytes[lane])
        asked.push_back({addresses[lane], addresses[lane] + bytes[lane]});
    return count(asked);
  };
  SectorCount result = of(lanes);
  if (sameAddress == SameAddress::Shared)
    return result;
  result.sectors = 0;
  for (uint32_t left = lanes; left;) {
    uint32_t turn = nextTurn(addresses, left);
    result.sectors += of(turn).sectors;
    left &= ~turn;
  }
  return result;
}

SectorCount countLocalSectors(const uint64_t (&addresses)[kLanes], unsigned bytes, uint32_t lanes) {
  constexpr unsigned kWordBytes = 4;
  std::vector<Span> asked;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned byte = 0; lanes >> lane & 1 && byte < bytes; byte += kWordBytes) {
      uint64_t address = addresses[lane] + byte;
      uint64_t place = (address / kWordBytes * kLanes + lane) * kWordBytes + address % kWordBytes;
      asked.push_back({place, place + std::min(bytes, kWordBytes)});
    }
  return count(asked);
}

} // namespace tile::sim
