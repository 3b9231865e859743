/// Multiprocessors, clocks and bandwidths are those of NVIDIA's data sheets; operations per cycle follow from the dense
/// 16-bit rate there, divided by multiprocessors and boost clock.
#include "backend/target/Throughput.h"

namespace tile {

// clang-format off
constexpr Throughput kThroughputs[] = {
    // capability, multiprocessors, GHz, GB/s, operations, share of mma.sync
    {80,  108, 1.41, 2039,  2048, 1.0}, // A100 SXM 80 GB
    {86,   72, 1.69,  600,  1024, 1.0}, // A10
    {89,  142, 2.52,  864,  1024, 1.0}, // L40S
    {90,  132, 1.90, 4800,  4096, 0.62}, // H200 SXM; its clock as seen under load, 1.98 at most
    {100, 148, 1.85, 8000,  2048, 1.0}, // B200, by mma.sync: the rate of Hopper's
    {120, 188, 2.61, 1792,  1024, 1.0}, // RTX PRO 6000
};
// clang-format on

const Throughput &throughputOf(const Target &target) {
  const Throughput *found = kThroughputs;
  for (const Throughput &row : kThroughputs)
    if (row.capability == target.capability)
      found = &row;
  return *found;
}

} // namespace tile
