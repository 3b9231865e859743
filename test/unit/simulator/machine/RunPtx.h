// Runs a kernel that a test writes down: its body, its buffers, what it found.
#ifndef TILE_TEST_UNIT_SIMULATOR_MACHINE_RUNPTX_H
#define TILE_TEST_UNIT_SIMULATOR_MACHINE_RUNPTX_H

#include "backend/simulator/Simulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tile::sim::test {

/// A kernel `k` with pointer parameters p0, p1, …, one per tensor, and the launch that a test wants.
class KernelRun {
public:
  /// `declarations` stand in front of the body, in the kernel; `module` in front of the kernel.
  explicit KernelRun(std::string body, std::string declarations = "", std::string module = "")
      : body(std::move(body)), declarations(std::move(declarations)), module(std::move(module)) {}

  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {32, 1, 1};
  RunOptions options;
  uint64_t dynamicShared = 0;
  std::string target = "sm_90a";
  std::string name; ///< of its record; else the test's
  /// Why a GPU may rightly leave other bytes, as where the schedule chooses; such a run is not recorded for one.
  const char *notComparable = nullptr;

  /// Adds a tensor of `values`; `defined` says whether the kernel may read it first.
  template <class T> void add(const std::vector<T> &values, bool defined = true, bool writable = true) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(values.data());
    tensors.emplace_back(bytes, bytes + values.size() * sizeof(T));
    traits.push_back({defined, writable});
  }
  /// Adds an output of `count` elements.
  template <class T> void addOutput(size_t count) { add(std::vector<T>(count, T(0x5a)), false); }

  /// The kernel's text, for messages.
  std::string text() const;
  /// Runs; a refusal fails the test.
  RunResult run();
  /// Why it is refused; a failure of the test if it is not.
  Refusal refusal();

  template <class T> std::vector<T> get(size_t number) const {
    const std::vector<uint8_t> &bytes = tensors[number];
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }

  /// The instructions of the last run, in the order of its counts.
  std::vector<Origin> origins;

private:
  std::variant<RunResult, Refusal> attempt();

  struct Traits {
    bool defined, writable;
  };
  std::string body, declarations, module;
  std::vector<std::vector<uint8_t>> tensors;
  std::vector<Traits> traits;
};

/// `race: …; undefined: …`, empty without findings.
std::string summary(const RunResult &result);

/// Whether there is a finding of this kind.
bool has(const RunResult &result, Fault fault);

} // namespace tile::sim::test

#endif // TILE_TEST_UNIT_SIMULATOR_MACHINE_RUNPTX_H
