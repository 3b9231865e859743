#include "backend/simulator/check/Finding.h"

#include <algorithm>
#include <iterator>

using namespace tile::sim;

namespace {

struct FaultName {
  const char *key, *name;
};

/// By `Fault`.
constexpr FaultName kNames[] = {
    {"race", "data race"},
    {"missing-proxy-fence", "missing proxy fence"},
    {"async-not-awaited", "asynchronous operation not awaited"},
    {"register-in-flight", "register in flight"},
    {"undefined", "undefined value"},
    {"out-of-bounds", "out of bounds"},
    {"misaligned", "misaligned address"},
    {"read-only", "write to a read-only argument"},
    {"barrier-divergence", "barrier divergence"},
    {"arrival-count", "arrival count"},
    {"deadlock", "deadlock"},
    {"bad-operand", "bad operand"},
    {"trap", "trap"},
    {"assertion", "assertion failed"},
    {"step-limit", "step limit"},
    {"schedule-difference", "difference between schedules"},
};
static_assert(std::size(kNames) == size_t(Fault::ScheduleDifference) + 1, "a fault without a name");

auto orderOf(const Place &place) { return std::tie(place.origin, place.cta, place.thread); }

} // namespace

std::string tile::sim::nameOf(Fault fault) { return kNames[size_t(fault)].name; }
std::string tile::sim::keyOf(Fault fault) { return kNames[size_t(fault)].key; }

static bool before(const Finding &left, const Finding &right) {
  return std::forward_as_tuple(orderOf(left.place), left.fault, left.hasOther, orderOf(left.other), left.address,
                               left.message) < std::forward_as_tuple(orderOf(right.place), right.fault, right.hasOther,
                                                                     orderOf(right.other), right.address,
                                                                     right.message);
}

void Findings::add(Finding finding) {
  Key key(finding.fault, finding.place.origin, finding.hasOther, finding.other.origin);
  std::lock_guard<std::mutex> lock(mutex);
  auto [place, isNew] = found.try_emplace(key, finding);
  if (isNew)
    return;
  Finding &kept = place->second;
  uint64_t count = kept.count + finding.count;
  // Which one comes first depends on the threads of the host; which one is the least does not.
  if (before(finding, kept))
    kept = std::move(finding);
  kept.count = count;
}

std::vector<Finding> Findings::sorted() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Finding> result;
  for (const auto &[key, finding] : found)
    result.push_back(finding);
  std::sort(result.begin(), result.end(), before);
  return result;
}

bool Findings::empty() const {
  std::lock_guard<std::mutex> lock(mutex);
  return found.empty();
}
