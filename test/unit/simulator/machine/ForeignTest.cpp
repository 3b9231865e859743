// Kernels that another compiler made (test/simulator/foreign): the right ones give the right results without a finding,
// whatever the schedule; their twins that lack a barrier or an atomic are caught, whatever the schedule.
#include "backend/simulator/Simulator.h"
#include "backend/simulator/ptx/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

namespace tile::sim::test {

namespace {
/// A kernel of a recorded module with its launch.
class ForeignRun {
public:
  ForeignRun(const std::string &file, const std::string &kernel) {
    std::ifstream stream(std::string(TILE_FOREIGN_PTX_DIR) + "/" + file);
    std::stringstream text;
    text << stream.rdbuf();
    ptx::Parsed module = ptx::parse(text.str());
    if (!module) {
      ADD_FAILURE() << file << ":" << module.error().line << ": " << module.error().message;
      return;
    }
    auto loaded = load(*module, kernel);
    if (auto *refusal = std::get_if<Refusal>(&loaded))
      ADD_FAILURE() << file << ":" << refusal->line << ": " << refusal->message;
    else
      program = std::move(std::get<0>(loaded));
  }

  template <class T> void add(std::vector<T> &values, bool isOutput = false) {
    auto *bytes = reinterpret_cast<uint8_t *>(values.data());
    launch.buffers.push_back(
        {"p" + std::to_string(launch.arguments.size()), bytes, values.size() * sizeof(T), !isOutput, true});
    Argument argument;
    argument.isPointer = true;
    argument.buffer = unsigned(launch.buffers.size() - 1);
    launch.arguments.push_back(argument);
  }
  void add(int32_t value) {
    Argument argument;
    argument.scalar.resize(sizeof(value));
    std::memcpy(argument.scalar.data(), &value, sizeof(value));
    launch.arguments.push_back(argument);
  }

  std::vector<Finding> run(uint64_t seed) {
    if (!program)
      return {};
    RunOptions options;
    options.seed = seed;
    auto outcome = sim::run(*program, launch, options);
    if (auto *refusal = std::get_if<Refusal>(&outcome)) {
      ADD_FAILURE() << refusal->message;
      return {};
    }
    return std::get<0>(outcome).findings;
  }

  Launch launch;

private:
  std::unique_ptr<const Program> program;
};
} // namespace

constexpr unsigned kSeeds = 8;

static std::vector<float> normals(size_t count) {
  static std::mt19937 generator(std::random_device{}());
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(generator);
  return values;
}

static bool hasRace(const std::vector<Finding> &findings) {
  for (const Finding &finding : findings)
    if (finding.fault == Fault::Race)
      return true;
  return false;
}

static std::string first(const std::vector<Finding> &findings) {
  return findings.empty() ? "" : keyOf(findings[0].fault) + (": " + findings[0].message);
}

/// m x k times k x n, no extent a multiple of the tile.
static std::vector<Finding> multiply(const std::string &kernel, uint64_t seed) {
  int m = 33, n = 20, k = 45;
  std::vector<float> a = normals(m * k), b = normals(k * n), c(m * n);
  ForeignRun run("matmul.ptx", kernel);
  run.launch.grid = {2, 3, 1};
  run.launch.block = {16, 16, 1};
  run.add(a);
  run.add(b);
  run.add(c, true);
  for (int extent : {m, n, k})
    run.add(extent);
  std::vector<Finding> findings = run.run(seed);
  if (hasRace(findings))
    return findings;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column) {
      double sum = 0, size = 0;
      for (int i = 0; i < k; ++i) {
        sum += double(a[row * k + i]) * b[i * n + column];
        size += std::abs(double(a[row * k + i]) * b[i * n + column]);
      }
      EXPECT_NEAR(c[row * n + column], sum, size * k * 0x1p-24) << row << ", " << column;
    }
  return findings;
}

static std::vector<Finding> reduce(const std::string &kernel, uint64_t seed) {
  int n = 5000, ctas = 3;
  std::vector<float> x = normals(n), y(ctas);
  ForeignRun run("reduction.ptx", kernel);
  run.launch.grid = {unsigned(ctas), 1, 1};
  run.launch.block = {128, 1, 1};
  run.add(x);
  run.add(y, true);
  run.add(n);
  std::vector<Finding> findings = run.run(seed);
  if (hasRace(findings))
    return findings;
  double found = 0, expected = 0, size = 0;
  for (float value : y)
    found += value;
  for (float value : x) {
    expected += value;
    size += std::abs(value);
  }
  EXPECT_NEAR(found, expected, size * 100 * 0x1p-24);
  return findings;
}

static std::vector<Finding> count(const std::string &kernel, uint64_t seed) {
  int n = 3000;
  std::mt19937 generator(seed);
  std::vector<uint8_t> x(n);
  for (uint8_t &value : x)
    value = uint8_t(generator() % 40);
  std::vector<uint32_t> counts(256, 0), expected(256, 0);
  for (uint8_t value : x)
    ++expected[value];
  ForeignRun run("histogram.ptx", kernel);
  run.launch.grid = {4, 1, 1};
  run.launch.block = {96, 1, 1};
  run.add(x);
  run.add(counts);
  run.add(n);
  std::vector<Finding> findings = run.run(seed);
  if (!hasRace(findings)) {
    EXPECT_EQ(counts, expected);
  }
  return findings;
}

TEST(Foreign, RightKernelsAreRightAndQuiet) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_EQ(first(multiply("matmul", seed)), "") << seed;
    EXPECT_EQ(first(reduce("reduction", seed)), "") << seed;
    EXPECT_EQ(first(count("histogram", seed)), "") << seed;
  }
}

TEST(Foreign, RacyKernelsAreCaughtInEverySchedule) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    EXPECT_TRUE(hasRace(multiply("matmul_racy", seed))) << seed;
    EXPECT_TRUE(hasRace(reduce("reduction_racy", seed))) << seed;
    EXPECT_TRUE(hasRace(count("histogram_racy", seed))) << seed;
  }
}

} // namespace tile::sim::test
