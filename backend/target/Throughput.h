/// How fast each GPU generation does what, as far as an estimate of a kernel's time needs it. Per multiprocessor and
/// cycle, of the generation's usual product for servers or workstations; a launch knows how many multiprocessors it
/// has.
#ifndef BACKEND_TARGET_THROUGHPUT_H
#define BACKEND_TARGET_THROUGHPUT_H

#include "backend/target/Target.h"

namespace tile {

struct Throughput {
  unsigned capability; ///< of the target
  unsigned processors;
  double gigahertz;        ///< the clock without a limit of power
  double memoryBytes;      ///< of global memory per second, in 10^9, for the whole GPU
  double tensorOperations; ///< products and sums of 16-bit factors, dense, by the widest instruction that we use
  double mmaShare;         ///< what mma.sync reaches of that

  double specialLanes = 16; ///< exp2, rsqrt, … of f32
  double sharedBytes = 128; ///< read or written
  double schedulers = 4;    ///< instructions of a warp that are issued

  // Measured on an H200 (test/gpu/results, DATE-h200-spaces.json); of others nothing better is known.
  double cacheBytes = 52;     ///< from the L2 cache that a multiprocessor sustains while all load
  double latency = 1150;      ///< cycles from a load or copy to its data, under load
  double tensorShare = 0.9;   ///< what tensor cores sustain: power lowers the clock where they are all busy
  double warpIssue = 0.5;     ///< instructions per cycle of one warp, which mostly waits for its own results
  double barrierCycles = 60;  ///< all threads of a block wait for each other, and go on
  double productCycles = 150; ///< from the end of an asynchronous product through its wait to the next one
  double launchMicroseconds = 2.5;
};

/// Of every target there is a row.
const Throughput &throughputOf(const Target &target);

} // namespace tile

#endif
