/// \file
/// Small programs on the clocks and the shared shadow, step by step in the order in which they are executed. Each step
/// is an instruction of its own.
#ifndef TEST_UNIT_SIMULATOR_CHECK_LITMUS_H
#define TEST_UNIT_SIMULATOR_CHECK_LITMUS_H

#include "backend/simulator/check/SharedShadow.h"

#include <initializer_list>
#include <vector>

namespace tile::sim::check {

constexpr uint32_t kWholeWarp = ~0u;

struct Litmus {
  explicit Litmus(unsigned threads = 128) : clocks(threads), shadow(clocks, 16384) {}

  /// Lane i of `lanes` accesses `bytes` at `start + i * stride`.
  void access(Access access, unsigned warp, uint32_t lanes, uint64_t start, uint64_t stride = 4, unsigned bytes = 4,
              uint32_t unchanged = 0) {
    shadow.access(access, request(warp, lanes, start, stride, bytes, unchanged), found);
  }
  void read(unsigned warp, uint32_t lanes, uint64_t start, uint64_t stride = 4, unsigned bytes = 4) {
    access(Access::Read, warp, lanes, start, stride, bytes);
  }
  void write(unsigned warp, uint32_t lanes, uint64_t start, uint64_t stride = 4, unsigned bytes = 4) {
    access(Access::Write, warp, lanes, start, stride, bytes);
  }
  /// `cp.async`: each lane writes 16 bytes.
  void copy(unsigned warp, uint64_t start, const AsyncId *ids) {
    shadow.copy(request(warp, kWholeWarp, start, 16, 16, 0), ids, found);
  }
  void async(Access access, AsyncId id, unsigned warp, uint64_t start, uint64_t bytes, uint32_t lanes = kWholeWarp) {
    shadow.async(access, {id, warp, lanes, start, bytes, ++origin}, found);
  }
  void barrier() {
    std::vector<uint32_t> everyone(clocks.warps(), kWholeWarp);
    clocks.synchronise(everyone.data());
  }

  /// The faults found since the last call.
  std::vector<Fault> faults() {
    std::vector<Fault> result;
    for (const Conflict &conflict : found)
      result.push_back(conflict.fault);
    found.clear();
    return result;
  }

  Clocks clocks;
  SharedShadow shadow;
  Conflicts found;
  uint32_t origin = 0;

private:
  Request request(unsigned warp, uint32_t lanes, uint64_t start, uint64_t stride, unsigned bytes, uint32_t unchanged) {
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      offsets[lane] = start + lane * stride;
    Request result;
    result.warp = warp;
    result.lanes = lanes;
    result.offsets = offsets;
    result.bytes = bytes;
    result.origin = ++origin;
    result.unchanged = unchanged;
    return result;
  }
  uint64_t offsets[kWarpLanes];
};

using Faults = std::vector<Fault>;
const Faults kNone;
const Faults kOneRace = {Fault::Race};

} // namespace tile::sim::check

#endif // TEST_UNIT_SIMULATOR_CHECK_LITMUS_H
