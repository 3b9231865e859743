// Outputs are hundreds of megabytes, and most candidates write the same bits as the reference: those are compared
// first. The rest goes through one loop per type, on all cores.

#include "runtime/tune/Agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <thread>

namespace tile {

double unitRoundoff(DataType type) { return isFloat(type) ? std::ldexp(1.0, -getMantissaBits(type) - 1) : 0; }

AgreementOptions completed(AgreementOptions options, const std::vector<DataType> &tensors) {
  double widest = 0;
  bool has8Bits = false, hasF64Alone = true;
  for (DataType type : tensors) {
    if (!isFloat(type))
      continue;
    bool is8Bits = getBytes(type) == 1;
    has8Bits |= is8Bits;
    hasF64Alone &= type == DataType::F64;
    widest = std::max(widest, is8Bits ? unitRoundoff(DataType::BF16) : unitRoundoff(type));
  }
  if (options.intermediate == 0)
    options.intermediate = widest;
  if (options.accumulator == 0)
    options.accumulator = has8Bits ? 0x1p-13 : hasF64Alone ? unitRoundoff(DataType::F64) : unitRoundoff(DataType::F32);
  return options;
}

//===-- Elements as numbers

/// The values of a type of at most 16 bits.
template <DataType type> static const std::vector<float> &valuesOf() {
  static const std::vector<float> values = [] {
    std::vector<float> all(size_t(1) << (8 * getBytes(type)));
    for (size_t bits = 0; bits < all.size(); ++bits)
      all[bits] = static_cast<float>(fromBits(type, bits));
    return all;
  }();
  return values;
}

template <typename Bits> static Bits load(const char *memory) {
  Bits bits;
  std::memcpy(&bits, memory, sizeof(bits));
  return bits;
}

/// Calls `work(decode)`, where `decode(i)` is element `i` of `memory`, a float type.
template <typename Work> static void withValues(DataType type, const char *memory, Work work) {
  switch (type) {
  case DataType::F64:
    return work([=](size_t i) { return load<double>(memory + 8 * i); });
  case DataType::F32:
    return work([=](size_t i) { return static_cast<double>(load<float>(memory + 4 * i)); });
  case DataType::F16:
    return work([=, &values = valuesOf<DataType::F16>()](size_t i) {
      return static_cast<double>(values[load<uint16_t>(memory + 2 * i)]);
    });
  case DataType::BF16:
    return work([=, &values = valuesOf<DataType::BF16>()](size_t i) {
      return static_cast<double>(values[load<uint16_t>(memory + 2 * i)]);
    });
  case DataType::F8E4M3:
    return work([=, &values = valuesOf<DataType::F8E4M3>()](size_t i) {
      return static_cast<double>(values[load<uint8_t>(memory + i)]);
    });
  case DataType::F8E5M2:
    return work([=, &values = valuesOf<DataType::F8E5M2>()](size_t i) {
      return static_cast<double>(values[load<uint8_t>(memory + i)]);
    });
  default:
    return;
  }
}

/// Calls `work(begin, end)` on parts of `count` elements, on as many threads as that is worth; gives what each
/// returned.
template <typename Part, typename Work> static std::vector<Part> inParts(size_t count, Work work) {
  constexpr size_t kWorthAThread = 1 << 18;
  size_t threads = std::clamp<size_t>(count / kWorthAThread, 1, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<Part> parts(threads);
  std::vector<std::thread> running;
  auto runPart = [&](size_t i) { parts[i] = work(count * i / threads, count * (i + 1) / threads); };
  for (size_t i = 1; i < threads; ++i)
    running.emplace_back(runPart, i);
  runPart(0);
  for (std::thread &thread : running)
    thread.join();
  return parts;
}

//===-- The reference

/// The root of the mean square of the finite elements.
static double rootMeanSquare(const NpyArray &tensor) {
  struct Sum {
    double largest = 0, squares = 0, count = 0;
  };
  size_t elements = tensor.data.size() / getBytes(tensor.type);
  Sum total;
  withValues(tensor.type, tensor.data.data(), [&](auto value) {
    // Scaled by the largest, whose square may be beyond every number.
    for (const Sum &part : inParts<Sum>(elements, [&](size_t begin, size_t end) {
           Sum sum;
           for (size_t i = begin; i < end; ++i)
             if (double x = std::fabs(value(i)); std::isfinite(x))
               sum.largest = std::max(sum.largest, x);
           return sum;
         }))
      total.largest = std::max(total.largest, part.largest);
    double scale = total.largest > 0 ? total.largest : 1;
    for (const Sum &part : inParts<Sum>(elements, [&](size_t begin, size_t end) {
           Sum sum;
           for (size_t i = begin; i < end; ++i)
             if (double x = value(i) / scale; std::isfinite(x)) {
               sum.squares += x * x;
               ++sum.count;
             }
           return sum;
         })) {
      total.squares += part.squares;
      total.count += part.count;
    }
  });
  return total.count > 0 ? total.largest * std::sqrt(total.squares / total.count) : 0;
}

ReferenceTensor::ReferenceTensor(std::string name, NpyArray data, const AgreementOptions &options)
    : name(std::move(name)), tensor(std::move(data)) {
  constexpr double kIntermediateRoundings = 8, kSpread = 8, kTermsPerInstruction = 16;
  double terms = static_cast<double>(options.terms);
  if (isFloat(tensor.type))
    slack = (kIntermediateRoundings * options.intermediate +
             (kSpread * std::sqrt(terms) + terms / kTermsPerInstruction) * options.accumulator) *
            rootMeanSquare(tensor);
  else if (options.roundsToIntegers && tensor.type != DataType::Bool)
    slack = 1;
}

//===-- Differences

namespace {
struct Differences {
  size_t count = 0, unwritten = 0;
  size_t worst = 0, firstUnwritten = 0;
  double worstRatio = -1;

  void merge(const Differences &part) {
    if (unwritten == 0)
      firstUnwritten = part.firstUnwritten;
    if (part.worstRatio > worstRatio) {
      worst = part.worst;
      worstRatio = part.worstRatio;
    }
    count += part.count;
    unwritten += part.unwritten;
  }
};
} // namespace

static double toleranceAt(double reference, const ReferenceTensor &tensor) {
  return 4 * unitRoundoff(tensor.tensor.type) * std::fabs(reference) + tensor.slack;
}

/// How many tolerances `found` is away; at most 1 where it agrees.
static double ratioOf(double found, double reference, const ReferenceTensor &tensor, double largest) {
  if (found == reference || (std::isnan(found) && std::isnan(reference)))
    return 0;
  double tolerance = toleranceAt(std::isfinite(reference) ? reference : found, tensor);
  if (std::isinf(found) && std::isfinite(reference))
    found = std::copysign(largest, found); // as near to overflow as that
  else if (std::isinf(reference) && std::isfinite(found))
    reference = std::copysign(largest, reference);
  double error = std::fabs(found - reference);
  if (std::isfinite(error) && error <= tolerance)
    return tolerance > 0 ? error / tolerance : 0;
  return std::isfinite(error) && tolerance > 0 ? error / tolerance : std::numeric_limits<double>::infinity();
}

/// Notes element `i`, which differs by `ratio`.
static void note(Differences &part, size_t i, double ratio, bool isUnwritten) {
  ++part.count;
  if (isUnwritten && part.unwritten++ == 0)
    part.firstUnwritten = i;
  if (!isUnwritten && ratio > part.worstRatio) {
    part.worst = i;
    part.worstRatio = ratio;
  }
}

static long double integerAt(DataType type, const char *memory) {
  uint64_t bits = 0;
  std::memcpy(&bits, memory, getBytes(type));
  int unused = 64 - 8 * static_cast<int>(getBytes(type));
  return isSignedInteger(type) ? static_cast<long double>(static_cast<int64_t>(bits << unused) >> unused)
                               : static_cast<long double>(bits);
}

static Differences findDifferences(const char *found, const ReferenceTensor &reference, unsigned char poison) {
  DataType type = reference.tensor.type;
  size_t width = getBytes(type), elements = reference.tensor.data.size() / width;
  const char *expected = reference.tensor.data.data();
  auto isUntouched = [&](size_t i) {
    return std::all_of(found + i * width, found + (i + 1) * width,
                       [&](char byte) { return static_cast<unsigned char>(byte) == poison; });
  };
  Differences all;
  auto compareWith = [&](auto ratioAt) {
    for (const Differences &part : inParts<Differences>(elements, [&](size_t begin, size_t end) {
           Differences part;
           for (size_t i = begin; i < end; ++i)
             if (std::memcmp(found + i * width, expected + i * width, width) != 0)
               if (double ratio = ratioAt(i); ratio > 1)
                 note(part, i, ratio, isUntouched(i));
           return part;
         }))
      all.merge(part);
  };
  if (!isFloat(type)) {
    compareWith([&](size_t i) {
      long double error = std::fabs(integerAt(type, found + i * width) - integerAt(type, expected + i * width));
      return error <= reference.slack ? 1 : std::numeric_limits<double>::infinity();
    });
    return all;
  }
  double largest = fromBits(type, encode(type, std::numeric_limits<double>::infinity()) - (type != DataType::F8E4M3));
  withValues(type, found, [&](auto valueFound) {
    withValues(type, expected, [&](auto valueExpected) {
      compareWith([&](size_t i) { return ratioOf(valueFound(i), valueExpected(i), reference, largest); });
    });
  });
  return all;
}

//===-- Words

/// `` `c[3, 17]` ``; of memory between elements, where that is.
static std::string placeOf(size_t offset, const ReferenceTensor &reference) {
  const NpyArray &tensor = reference.tensor;
  std::vector<size_t> axes(tensor.extents.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::sort(axes.begin(), axes.end(), [&](size_t a, size_t b) { return tensor.strides[a] > tensor.strides[b]; });
  std::vector<int64_t> position(axes.size(), 0);
  int64_t rest = static_cast<int64_t>(offset);
  for (size_t axis : axes) {
    if (tensor.strides[axis] == 0 || tensor.extents[axis] == 1)
      continue;
    position[axis] = std::min(rest / tensor.strides[axis], tensor.extents[axis] - 1);
    rest -= position[axis] * tensor.strides[axis];
  }
  if (rest != 0)
    return "`" + reference.name + "` between its elements, " + std::to_string(offset) + " from the first,";
  std::string text;
  for (int64_t index : position)
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "`" + reference.name + "[" + text + "]`";
}

static std::string valueText(DataType type, const char *memory) {
  char text[40];
  uint64_t bits = 0;
  std::memcpy(&bits, memory, getBytes(type));
  if (type == DataType::Bool && bits < 2)
    return bits ? "true" : "false";
  if (isFloat(type))
    std::snprintf(text, sizeof(text), "%.9g", fromBits(type, bits));
  else if (isSignedInteger(type))
    return std::to_string(static_cast<int64_t>(bits << (64 - 8 * getBytes(type))) >> (64 - 8 * getBytes(type)));
  else
    return std::to_string(bits);
  return text;
}

std::string findDifference(const std::vector<char> &found, const ReferenceTensor &reference, unsigned char poison) {
  const NpyArray &tensor = reference.tensor;
  if (found == tensor.data)
    return "";
  Differences all = findDifferences(found.data(), reference, poison);
  if (all.count == 0)
    return "";
  size_t width = getBytes(tensor.type), elements = tensor.data.size() / width;
  std::string share = std::to_string(all.count) + " of " + std::to_string(elements) + " elements";
  if (all.count == all.unwritten)
    return "never writes " + share + " of `" + reference.name + "`, the first " +
           placeOf(all.firstUnwritten, reference);
  std::string text = placeOf(all.worst, reference) + " is " + valueText(tensor.type, found.data() + all.worst * width) +
                     "; the reference has " + valueText(tensor.type, tensor.data.data() + all.worst * width);
  char within[40];
  double exact = 0;
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.data.data() + all.worst * width, width);
  if (!isFloat(tensor.type) && reference.slack > 0)
    text += ", within 1";
  if (isFloat(tensor.type) && std::isfinite(exact = fromBits(tensor.type, bits))) {
    std::snprintf(within, sizeof(within), ", within %.3g", toleranceAt(exact, reference));
    text += within;
  }
  return text + ": " + share + " differ";
}

} // namespace tile
