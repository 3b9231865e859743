// What the fake driver's kernels do, for tests that run them in other processes: read from the variable
// TILE_FAKE_SCRIPT. Entries are parted by `;`, their words by spaces. An entry begins with a pattern of the shell for
// `SYMBOL/GRID/THREADS/SHARED` of a launch; the first that matches counts. Its words:
//
//   us=10        microseconds, on a clock of its own     noise=0.01   relative, of each launch
//   out=2        fills the memory that argument 2 points to, wrong: with an element that differs, unwritten: not at all
//   add=2        adds one to each byte there
//   fault=3 hang=3 crash=3    from its third launch in a process on; refuse: the launch fails
//   kill=3       likewise, by a signal such as the system sends where memory runs out
//
// `gpu sm=90 sms=132 l2=1024 memory=4096` describes the GPU, sizes in bytes.

#ifndef TILE_TEST_UNIT_RUNTIME_FAKESCRIPT_H
#define TILE_TEST_UNIT_RUNTIME_FAKESCRIPT_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

struct FakeBehaviour {
  std::string pattern;
  double us = 10, noise = 0;
  int out = -1, add = -1;
  bool isWrong = false, isUnwritten = false, isRefused = false;
  unsigned fault = 0, hang = 0, crash = 0, kill = 0;
  unsigned launches = 0;
};

struct FakeScript {
  bool isGiven = false;
  int capability = 80, numSms = 132;
  int64_t l2Bytes = 0, memoryBytes = int64_t(1) << 40;
  std::vector<FakeBehaviour> behaviours;

  /// Of the variable; ends the process where it cannot be read.
  static FakeScript fromEnvironment();

  FakeBehaviour *find(const std::string &launch);
};

#endif // TILE_TEST_UNIT_RUNTIME_FAKESCRIPT_H
