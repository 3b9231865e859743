/// Random programs of accesses and synchronisation: the first step with a conflict is the reference's first, and what
/// it says is among what the reference says.
#include "Reference.h"

#include "backend/simulator/check/SharedShadow.h"

#include <gtest/gtest.h>

#include <random>

using namespace tile::sim;
using namespace tile::sim::check;

namespace {

constexpr unsigned kThreads = 80; ///< the last warp is not whole
constexpr unsigned kWarps = 3;
constexpr unsigned kObjects = 3;

/// How a family of programs is made: which steps it has, and where it accesses.
struct Family {
  const char *name;
  unsigned accesses, barriers, objects, asyncs; ///< weights of steps
  bool strong, narrow, elected;
};

class RandomProgram {
public:
  RandomProgram(const Family &family, uint32_t seed)
      : family(family), random(seed), clocks(kThreads), shadow(clocks, 4096), reference(kThreads) {
    copies = clocks.makeQueues(kWarps * kWarpLanes, Proxy::Generic, Completion::InOrder);
    multiplies = clocks.makeQueues(kWarps, Proxy::Async, Completion::InOrder);
  }

  /// Runs up to the first conflict. Returns how many steps went without one.
  unsigned run(unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
      step();
      std::set<std::pair<Fault, uint32_t>> found;
      for (const Conflict &conflict : conflicts)
        found.emplace(conflict.fault, conflict.other.origin);
      EXPECT_EQ(found.empty(), verdicts.empty()) << "step " << i;
      EXPECT_TRUE(std::includes(verdicts.begin(), verdicts.end(), found.begin(), found.end())) << "step " << i;
      if (!found.empty() || !verdicts.empty())
        return i;
    }
    return steps;
  }

private:
  unsigned below(unsigned bound) { return unsigned(random() % bound); }
  bool chance(unsigned oneIn) { return below(oneIn) == 0; }

  uint32_t existing(unsigned warp) const { return warp == kWarps - 1 ? (1u << kThreads % kWarpLanes) - 1 : ~0u; }
  /// Mostly all lanes, sometimes one, sometimes any.
  uint32_t someLanes(unsigned warp) {
    uint32_t lanes = ~0u;
    if (chance(family.elected ? 2 : 6))
      lanes = chance(2) ? 1u << below(16) : uint32_t(random());
    lanes &= existing(warp);
    return lanes ? lanes : 1;
  }
  static std::vector<unsigned> threadsOf(unsigned warp, uint32_t lanes) {
    std::vector<unsigned> threads;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      if (lanes >> lane & 1)
        threads.push_back(warp * kWarpLanes + lane);
    return threads;
  }

  void step() {
    unsigned choice = below(family.accesses + family.barriers + family.objects + family.asyncs);
    if (choice < family.accesses)
      access();
    else if (choice < family.accesses + family.barriers)
      synchronise();
    else if (choice < family.accesses + family.barriers + family.objects)
      passOn();
    else
      asynchronous();
  }

  void access() {
    static constexpr Access kWeak[] = {Access::Read, Access::Read, Access::Write};
    static constexpr Access kStrong[] = {Access::StrongRead, Access::StrongWrite};
    Access kind = family.strong && chance(2) ? kStrong[below(2)] : kWeak[below(3)];
    unsigned warp = below(kWarps), bytes = family.narrow ? 1u << below(5) : chance(3) ? 16 : 4;
    if (isStrong(kind))
      bytes = chance(8) ? 8 : 4;
    // One place for all, or lanes next to each other, within what a few warps share.
    unsigned stride = chance(4) ? 0 : bytes;
    uint64_t start = uint64_t(below(family.strong ? 4 : 12)) * 64;
    Request request;
    request.warp = warp;
    request.lanes = someLanes(warp);
    if (stride == 0 && kind == Access::Write && !chance(4))
      request.lanes &= -request.lanes;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      offsets[lane] = start + uint64_t(lane) * stride;
    request.offsets = offsets;
    request.bytes = bytes;
    request.origin = ++origin;
    request.unchanged = writes(kind) && chance(3) ? uint32_t(random()) | uint32_t(random()) : 0;
    shadow.access(kind, request, conflicts);
    for (unsigned thread : threadsOf(warp, request.lanes)) {
      unsigned lane = thread % kWarpLanes;
      Reference::Actor actor;
      actor.threads = {thread};
      actor.unchanged = request.unchanged.has(lane);
      reference.access(kind, actor, offsets[lane], bytes, origin, verdicts);
    }
  }

  void synchronise() {
    unsigned warp = below(kWarps);
    if (chance(2)) {
      uint32_t lanes = someLanes(warp);
      clocks.synchronise(warp, lanes);
      reference.synchronise(threadsOf(warp, lanes));
      return;
    }
    uint32_t lanes[kWarps];
    std::vector<unsigned> together;
    for (unsigned i = 0; i < kWarps; ++i) {
      lanes[i] = chance(6) ? 0 : existing(i);
      for (unsigned thread : threadsOf(i, lanes[i]))
        together.push_back(thread);
    }
    clocks.synchronise(lanes);
    reference.synchronise(together);
  }

  void passOn() {
    unsigned warp = below(kWarps), which = below(kObjects);
    uint32_t lanes = someLanes(warp);
    switch (below(4)) {
    case 0:
      if (chance(3)) {
        objects[which] = SyncObject();
        referenceObjects[which] = Reference::Object();
      }
      [[fallthrough]];
    case 1:
      clocks.release(warp, lanes, objects[which]);
      reference.release(threadsOf(warp, lanes), referenceObjects[which]);
      break;
    default:
      clocks.acquire(warp, lanes, objects[which]);
      reference.acquire(threadsOf(warp, lanes), referenceObjects[which]);
    }
  }

  void asynchronous() {
    unsigned warp = below(kWarps);
    uint32_t lanes = someLanes(warp);
    switch (below(6)) {
    case 0:
      return copy(warp, lanes);
    case 1:
      return multiply(warp);
    case 2:
      return waitForCopies(warp, lanes);
    case 3:
      return waitForMultiply(warp, lanes);
    case 4:
      return arriveWithCopies(warp, lanes);
    default:
      clocks.fenceProxy(warp, lanes);
      reference.fenceProxy(threadsOf(warp, lanes));
    }
  }

  void copy(unsigned warp, uint32_t lanes) {
    AsyncId ids[kWarpLanes];
    uint64_t start = uint64_t(below(12)) * 64;
    Request request;
    request.warp = warp;
    request.lanes = lanes;
    request.offsets = offsets;
    request.bytes = 4;
    request.origin = ++origin;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      offsets[lane] = start + lane * 4;
    for (unsigned thread : threadsOf(warp, lanes))
      ids[thread % kWarpLanes] = clocks.issue(Column(copies + thread), thread), ++copyCount[thread];
    shadow.copy(request, ids, conflicts);
    for (unsigned thread : threadsOf(warp, lanes)) {
      Reference::Actor actor;
      actor.threads = {thread};
      actor.asynchronous = true;
      actor.queue = thread;
      actor.epoch = copyCount[thread];
      reference.access(Access::Write, actor, offsets[thread % kWarpLanes], 4, origin, verdicts);
    }
  }

  void multiply(unsigned warp) {
    uint32_t lanes = existing(warp);
    Access kind = chance(4) ? Access::Write : Access::Read;
    uint64_t start = uint64_t(below(12)) * 64;
    unsigned bytes = chance(6) ? 62 : 128;
    AsyncId id = clocks.issue(Column(multiplies + warp), warp * kWarpLanes);
    ++multiplyCount[warp];
    shadow.async(kind, {id, warp, lanes, start, bytes, ++origin}, conflicts);
    Reference::Actor actor;
    actor.threads = threadsOf(warp, lanes);
    actor.asynchronous = actor.throughAsyncProxy = true;
    actor.queue = kThreads + warp;
    actor.epoch = multiplyCount[warp];
    reference.access(kind, actor, start, bytes, origin, verdicts);
  }

  void waitForCopies(unsigned warp, uint32_t lanes) {
    unsigned pending = below(2);
    for (unsigned thread : threadsOf(warp, lanes)) {
      if (copyCount[thread] <= pending)
        continue;
      uint32_t epoch = copyCount[thread] - pending;
      clocks.complete({Column(copies + thread), epoch}, warp, 1u << thread % kWarpLanes);
      Reference::Object object;
      reference.complete(thread, epoch, /*asyncProxy=*/false, object);
      reference.acquire({thread}, object);
    }
  }

  void waitForMultiply(unsigned warp, uint32_t lanes) {
    unsigned pending = below(2);
    if (multiplyCount[warp] <= pending)
      return;
    uint32_t epoch = multiplyCount[warp] - pending;
    clocks.complete({Column(multiplies + warp), epoch}, warp, lanes);
    Reference::Object object;
    reference.complete(kThreads + warp, epoch, /*asyncProxy=*/true, object);
    reference.acquire(threadsOf(warp, lanes), object);
  }

  void arriveWithCopies(unsigned warp, uint32_t lanes) {
    unsigned which = below(kObjects);
    for (unsigned thread : threadsOf(warp, lanes)) {
      if (!copyCount[thread])
        continue;
      clocks.complete({Column(copies + thread), copyCount[thread]}, objects[which]);
      reference.complete(thread, copyCount[thread], /*asyncProxy=*/false, referenceObjects[which]);
    }
  }

  const Family &family;
  std::mt19937 random;
  Clocks clocks;
  SharedShadow shadow;
  Reference reference;
  Conflicts conflicts;
  Reference::Verdicts verdicts;
  uint32_t origin = 0;
  uint64_t offsets[kWarpLanes];
  SyncObject objects[kObjects];
  Reference::Object referenceObjects[kObjects];
  Column copies, multiplies;
  uint32_t copyCount[kThreads] = {}, multiplyCount[kWarps] = {};
};

constexpr Family kFamilies[] = {
    {"plain", 4, 4, 0, 0, false, false, false},   {"objects", 3, 2, 6, 0, false, false, false},
    {"elected", 3, 3, 4, 0, false, false, true},  {"strong", 4, 2, 4, 0, true, false, true},
    {"narrow", 3, 3, 2, 0, true, true, false},    {"async", 2, 4, 1, 6, false, false, false},
    {"everything", 4, 4, 4, 6, true, true, true},
};

} // namespace

class RandomPrograms : public testing::TestWithParam<Family> {};

TEST_P(RandomPrograms, AgreeWithTheReference) {
  constexpr unsigned kPrograms = 500, kSteps = 60;
  unsigned farthest = 0, conflicting = 0;
  for (uint32_t seed = 0; seed < kPrograms && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomProgram program(GetParam(), seed);
    unsigned clean = program.run(kSteps);
    farthest = std::max(farthest, clean);
    conflicting += clean < kSteps;
  }
  // A family is worth its time only if its programs get somewhere, and most of them to a conflict.
  EXPECT_GT(farthest, 15u);
  EXPECT_GT(conflicting, kPrograms / 2);
}

INSTANTIATE_TEST_SUITE_P(All, RandomPrograms, testing::ValuesIn(kFamilies),
                         [](const auto &info) { return std::string(info.param.name); });
