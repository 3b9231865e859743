/// \file
/// What is compared between the simulator and a GPU: small kernels, the memory that they start from, and what each
/// stretch of their output is. A class of instructions gives its kernels one by one, always the same ones.
#ifndef TEST_SIMULATOR_VALIDATE_SWEEP_H
#define TEST_SIMULATOR_VALIDATE_SWEEP_H

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tile::sim::validate {

using Bytes = std::vector<uint8_t>;

/// Elements of the output that one form of an instruction left, one after the other.
struct Result {
  std::string instruction;
  size_t offset, count; ///< in bytes, in elements
  unsigned elementBytes;
  std::string bound; ///< a name in numerics::kApproximationBounds; empty: the bits must be the same
};

/// A kernel `k` whose parameters are pointers to the inputs and, last, to the output.
struct Kernel {
  std::string name; ///< also of files
  std::string body, declarations;
  std::array<uint32_t, 3> grid = {1, 1, 1}, block = {128, 1, 1};
  std::vector<Bytes> inputs;
  Bytes output; ///< what the kernel finds there
  std::vector<Result> results;
  /// Of kernels that compute element by element: bytes of an element of each input, for messages and bounds.
  std::vector<unsigned> operandBytes;

  /// The module. The pointers are in %d100, %d101 and so on, the output's in `outputPointer()`.
  std::string text() const;
  std::string outputPointer() const { return "%d" + std::to_string(100 + inputs.size()); }
  /// Makes room for `count` more elements of the output and says what they are. Returns their offset.
  size_t addResult(std::string instruction, size_t count, unsigned elementBytes, std::string bound = {});
};

using Sink = std::function<void(const Kernel &)>;

struct SweepClass {
  std::string_view name;
  void (*give)(const Sink &);
};

void giveApproximations(const Sink &sink);
void giveArithmetic(const Sink &sink);
void giveAtomics(const Sink &sink);
void giveBarriers(const Sink &sink);
void giveCollectives(const Sink &sink);
void giveComparisons(const Sink &sink);
void giveConversions(const Sink &sink);
void giveIntegers(const Sink &sink);
void giveLoads(const Sink &sink);
void giveMatrixMoves(const Sink &sink);
void giveMma(const Sink &sink);
void giveWgmma(const Sink &sink);

inline constexpr SweepClass kClasses[] = {
    {"approximations", giveApproximations},
    {"arithmetic", giveArithmetic},
    {"atomics", giveAtomics},
    {"collectives", giveCollectives},
    {"comparisons", giveComparisons},
    {"conversions", giveConversions},
    {"integers", giveIntegers},
    {"loads and stores", giveLoads},
    {"matrix moves", giveMatrixMoves},
    {"mbarriers and copies", giveBarriers},
    {"mma.sync", giveMma},
    {"wgmma", giveWgmma},
};

/// What the simulator makes of it. Ends the program with the reason where it refuses or complains.
Bytes simulate(const Kernel &kernel);

} // namespace tile::sim::validate

#endif // TEST_SIMULATOR_VALIDATE_SWEEP_H
