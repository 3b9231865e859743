/// The checks of a warp's accesses to shared memory, as they are in a loop that writes a stage, passes a barrier, reads
/// it and passes another; and what a barrier costs. They should stay below a fifth of the 2 us that a warp instruction
/// may take in all: 400 ns for 32 lanes of 16 bytes, 200 ns for 32 lanes of 4.
#include "backend/simulator/check/GlobalShadow.h"
#include "backend/simulator/check/SharedShadow.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

using namespace tile::sim::check;

static constexpr unsigned kWarps = 4;
static constexpr unsigned kStages = 8;

/// Each warp of the CTA runs `access` on its part of every stage.
template <class Body> static void forStages(unsigned bytes, Body body) {
  uint64_t offsets[kWarpLanes];
  for (unsigned stage = 0; stage < kStages; ++stage) {
    for (unsigned warp = 0; warp < kWarps; ++warp) {
      for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        offsets[lane] = ((stage * kWarps + warp) * kWarpLanes + lane) * bytes;
      Request request;
      request.warp = warp;
      request.lanes = ~0u;
      request.offsets = offsets;
      request.bytes = bytes;
      request.origin = 1;
      body(request);
    }
  }
}

static void barrier(Clocks &clocks) {
  const uint32_t everyone[kWarps] = {~0u, ~0u, ~0u, ~0u};
  clocks.synchronise(everyone);
}

/// Time per warp instruction of `access`; the others are not timed.
static void time(benchmark::State &state, Access timed) {
  Clocks clocks(kWarps * kWarpLanes);
  SharedShadow shadow(clocks, 1 << 16);
  Conflicts conflicts;
  for (auto _ : state) {
    for (Access access : {Access::Write, Access::Read}) {
      if (access != timed)
        state.PauseTiming();
      forStages(unsigned(state.range(0)), [&](Request &request) { shadow.access(access, request, conflicts); });
      barrier(clocks);
      if (access != timed)
        state.ResumeTiming();
    }
  }
  if (!conflicts.empty())
    state.SkipWithError("conflict");
  state.SetItemsProcessed(state.iterations() * kStages * kWarps);
}

static void write(benchmark::State &state) { time(state, Access::Write); }
static void read(benchmark::State &state) { time(state, Access::Read); }
BENCHMARK(write)->Arg(2)->Arg(4)->Arg(16);
BENCHMARK(read)->Arg(2)->Arg(4)->Arg(16);

/// Both, as a loop has them.
static void writeAndRead(benchmark::State &state) {
  Clocks clocks(kWarps * kWarpLanes);
  SharedShadow shadow(clocks, 1 << 16);
  Conflicts conflicts;
  for (auto _ : state)
    for (Access access : {Access::Write, Access::Read}) {
      forStages(unsigned(state.range(0)), [&](Request &request) { shadow.access(access, request, conflicts); });
      barrier(clocks);
    }
  state.SetItemsProcessed(state.iterations() * kStages * kWarps * 2);
}
BENCHMARK(writeAndRead)->Arg(2)->Arg(4)->Arg(16);

/// CTAs one after another that read the same and write what is theirs.
static void globalMemory(benchmark::State &state) {
  constexpr uint64_t kSize = kStages * kWarps * kWarpLanes * 16;
  constexpr uint32_t kCtas = 64;
  GlobalShadow input(kSize);
  std::unique_ptr<GlobalShadow> output;
  Conflicts conflicts;
  uint32_t cta = 0;
  for (auto _ : state) {
    if (cta++ % kCtas == 0)
      output = std::make_unique<GlobalShadow>(kSize * kCtas);
    Clocks clocks(kWarps * kWarpLanes, cta % kCtas);
    forStages(unsigned(state.range(0)), [&](Request &request) {
      input.access(clocks, Access::Read, request, conflicts);
      uint64_t offsets[kWarpLanes];
      for (unsigned lane = 0; lane < kWarpLanes; ++lane)
        offsets[lane] = request.offsets[lane] + clocks.cta() * kSize;
      request.offsets = offsets;
      output->access(clocks, Access::Write, request, conflicts);
    });
  }
  if (!conflicts.empty())
    state.SkipWithError("conflict");
  state.SetItemsProcessed(state.iterations() * kStages * kWarps * 2);
}
BENCHMARK(globalMemory)->Arg(2)->Arg(4)->Arg(16);

/// A tile that an m64n256k16 instruction reads: 8 KB.
static void multiply(benchmark::State &state) {
  Clocks clocks(kWarps * kWarpLanes);
  SharedShadow shadow(clocks, 1 << 16);
  Column queue = clocks.makeQueues(1, Proxy::Async, Completion::InOrder);
  Conflicts conflicts;
  for (auto _ : state) {
    AsyncId id = clocks.issue(queue, 0);
    shadow.async(Access::Read, {id, 0, ~0u, 0, 8192, 1}, conflicts);
    clocks.complete(id, 0, ~0u);
  }
}
BENCHMARK(multiply);

static void barrierOfCta(benchmark::State &state) {
  unsigned threads = unsigned(state.range(0));
  Clocks clocks(threads);
  clocks.makeQueues(threads, Proxy::Generic, Completion::InOrder);
  std::vector<uint32_t> everyone(threads / kWarpLanes, ~0u);
  for (auto _ : state)
    clocks.synchronise(everyone.data());
}
BENCHMARK(barrierOfCta)->Arg(128)->Arg(1024);

static void barrierOfWarp(benchmark::State &state) {
  Clocks clocks(unsigned(state.range(0)));
  for (auto _ : state)
    clocks.synchronise(0, ~0u);
}
BENCHMARK(barrierOfWarp)->Arg(128)->Arg(1024);
