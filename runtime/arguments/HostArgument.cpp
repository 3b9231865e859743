#include "runtime/arguments/HostArgument.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tile {

/// Elements beyond this would not fit into memory, whatever the type.
static constexpr int64_t kMaxElements = int64_t(1) << 40;

static std::string forms() {
  std::string others;
  for (std::string_view name : fillingNames())
    if (name != "rand")
      others += std::string(name) + ", ";
  return "expected `rand:f32[4,5]` (or " + others +
         "range(0,9), empty), a file `x.npy`, a number, `true`, `i32:7` or `none`";
}

static Error invalid(std::string message) { return {ErrorCode::InvalidArgument, std::move(message)}; }

//===-- Reading the text

/// `[1823,781]`; `text` holds just that.
static std::optional<std::vector<int64_t>> parseList(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<int64_t> values;
  while (!text.empty()) {
    int64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0)
      return std::nullopt;
    values.push_back(value);
    text.remove_prefix(end - text.data());
    if (text.empty())
      break;
    if (text.front() != ',' || text.size() == 1)
      return std::nullopt;
    text.remove_prefix(1);
    while (!text.empty() && text.front() == ' ')
      text.remove_prefix(1);
  }
  return values;
}

static Error tooLarge(std::string_view text) {
  return invalid("`" + std::string(text) + "` needs more than 2^40 elements of memory");
}

/// Whether a row-major array of `extents` stays below the limit, extents of 0 counted as 1.
static bool fits(const std::vector<int64_t> &extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(count, std::max<int64_t>(extent, 1), &count) || count > kMaxElements)
      return false;
  return true;
}

/// The bytes from the first element to the last. The extents fit; the strides may be anything.
static Result<int64_t> countBytes(const NpyArray &tensor, std::string_view text) {
  int64_t last = 0;
  for (size_t axis = 0; axis < tensor.extents.size(); ++axis) {
    if (tensor.extents[axis] == 0)
      return int64_t(0);
    int64_t reach = 0;
    if (__builtin_mul_overflow(tensor.extents[axis] - 1, tensor.strides[axis], &reach) ||
        __builtin_add_overflow(last, reach, &last) || last >= kMaxElements)
      return tooLarge(text);
  }
  return (last + 1) * getBytes(tensor.type);
}

int64_t machineMemory() { return int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE); }

bool isAvailable(size_t bytes) {
  if (bytes == 0)
    return true;
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory != MAP_FAILED && munmap(memory, bytes) == 0;
}

Status HostArgument::allocate(Draw draw) {
  if (bytes == 0)
    return {};
  if (!isAvailable(bytes))
    return invalid("`" + name + "` takes " + std::to_string(bytes) + " bytes, which this machine does not have");
  tensor.data.resize(bytes);
  poison(tensor);
  if (filling)
    fill(tensor, *filling, seed, draw);
  else if (range)
    fillRange(tensor, range->first, range->second, seed, draw);
  bytes = 0;
  return {};
}

/// What `bf16(64,64)` or `bf16:64x64` is here: `bf16[64,64]`; empty where it is nothing of the kind.
static std::string respelled(std::string_view body) {
  size_t end = std::min(body.find_first_of(":(<{ "), body.size());
  std::string_view name = body.substr(0, end);
  for (std::string_view prefix : {"torch.", "tl.", "np.", "jnp."})
    if (name.substr(0, prefix.size()) == prefix)
      name.remove_prefix(prefix.size());
  std::string_view rest = body.substr(end);
  if (size_t bracket = name.find('['); bracket != std::string_view::npos)
    rest = body.substr(body.find('[')), name = name.substr(0, bracket);
  static constexpr std::pair<std::string_view, std::string_view> foreign[] = {
#define TILE_FOREIGN_TYPE(THEIRS, OURS) {THEIRS, OURS},
#include "frontend/diagnostic/ForeignTypes.def"
  };
  std::string type(name);
  for (auto [theirs, ours] : foreign)
    if (name == theirs)
      type = ours;
  std::optional<DataType> known = findDataType(type);
  if (!known || *known == DataType::Index ||
      rest.find_first_not_of("0123456789,x*:()[]<>{} ") != std::string_view::npos)
    return "";
  std::string extents;
  for (char c : rest)
    if (bool isDigit = c >= '0' && c <= '9'; isDigit)
      extents += c;
    else if (!extents.empty() && extents.back() != ',')
      extents += ',';
  while (!extents.empty() && extents.back() == ',')
    extents.pop_back();
  return type + "[" + (extents.empty() ? "..." : extents) + "]";
}

/// `T[shape]` or `T[shape]@[strides]` behind the name of a filling.
static Result<NpyArray> parseTensor(std::string_view text, std::string_view body) {
  NpyArray tensor;
  size_t bracket = body.find('[');
  std::string typeName(body.substr(0, bracket));
  auto type = findDataType(typeName);
  if (std::string meant = type ? "" : respelled(body); !meant.empty())
    return invalid("found `" + std::string(text) + "`; expected `" + std::string(text.substr(0, text.find(':') + 1)) +
                   meant + "`");
  if (!type || *type == DataType::Index)
    return invalid("unknown element type `" + typeName + "` in `" + std::string(text) +
                   "`; known: " + listTensorTypes());
  tensor.type = *type;
  if (bracket == std::string_view::npos)
    return invalid("`" + std::string(text) + "` has no shape; expected one such as `" + typeName + "[4,5]`");
  std::string_view shape = body.substr(bracket);
  std::optional<std::string_view> strides;
  if (size_t at = shape.find('@'); at != std::string_view::npos) {
    strides = shape.substr(at + 1);
    shape = shape.substr(0, at);
  }
  auto extents = parseList(shape);
  if (!extents)
    return invalid("`" + std::string(shape) + "` is no shape; expected extents from 0 to 2^63 - 1, such as `[4,5]`");
  if (!fits(*extents))
    return tooLarge(text);
  tensor.extents = *extents;
  if (!strides) {
    tensor.strides = rowMajorStrides(tensor.extents);
  } else {
    auto given = parseList(*strides);
    if (!given || given->size() != tensor.extents.size())
      return invalid("`@" + std::string(*strides) + "` gives no strides for `" + std::string(shape) + "`; expected " +
                     std::to_string(tensor.extents.size()) + " of at least 0 in brackets");
    tensor.strides = *given;
  }
  return tensor;
}

/// Whether `text` begins with `NAME=`, and where the value begins.
static size_t nameLength(std::string_view text) {
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return 0;
  for (char c : text.substr(0, equals))
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.')
      return 0;
  return equals;
}

/// Whether `text` is a number or a word that stands for one; whether it is of the parameter's type is seen later.
static bool looksLikeScalar(std::string_view text) {
  if (text == "true" || text == "false")
    return true;
  std::string copy(text);
  char *end = nullptr;
  std::strtod(copy.c_str(), &end);
  return end == copy.c_str() + copy.size();
}

static constexpr std::string_view kRange = "range(";

/// `range(0,0.5)`
static std::optional<std::pair<double, double>> parseRange(std::string_view head) {
  std::string text(head.substr(kRange.size()));
  char *end = nullptr;
  double low = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != ',')
    return std::nullopt;
  const char *second = end + 1;
  double high = std::strtod(second, &end);
  if (end == second || std::string_view(end) != ")" || !std::isfinite(low) || !std::isfinite(high) || low > high)
    return std::nullopt;
  return std::pair(low, high);
}

Result<HostArgument> makeHostArgument(std::string_view text, uint64_t seed) {
  HostArgument argument;
  std::string_view value = text;
  if (size_t length = nameLength(text)) {
    argument.name = std::string(text.substr(0, length));
    value = text.substr(length + 1);
  }
  if (value.empty())
    return invalid("`" + std::string(text) + "` has no value; " + forms());
  if (value == "none") {
    argument.kind = HostArgument::Kind::None;
    return argument;
  }
  if (value.size() > 4 && value.substr(value.size() - 4) == ".npy") {
    Result<NpyArray> tensor = readNpy(std::string(value));
    if (!tensor)
      return tensor.error();
    argument.tensor = std::move(*tensor);
    return argument;
  }
  size_t colon = value.find(':');
  if (colon == std::string_view::npos && !looksLikeScalar(value))
    return invalid("`" + std::string(text) + "` is no argument; " + forms());
  if (colon == std::string_view::npos) {
    argument.kind = HostArgument::Kind::Scalar;
    argument.scalarText = std::string(value);
    return argument;
  }
  std::string_view head = value.substr(0, colon), body = value.substr(colon + 1);
  if (auto type = findDataType(head)) {
    argument.kind = HostArgument::Kind::Scalar;
    argument.scalarType = type;
    argument.scalarText = std::string(body);
    if (Result<uint64_t> bits = scalarBits(argument, *type); !bits)
      return bits.error();
    return argument;
  }
  const Filling *filling = findFilling(head);
  if (head.substr(0, kRange.size()) == kRange) {
    argument.range = parseRange(head);
    if (!argument.range)
      return invalid("found `" + std::string(head) +
                     "`; expected `range(LOW,HIGH)` of two numbers, the lower one first");
  } else if (!filling && head != "empty")
    return invalid("`" + std::string(text) + "` begins with `" + std::string(head) + ":`" +
                   (head == "randn" ? ", which is `normal:` here" : "") + "; " + forms());
  Result<NpyArray> tensor = parseTensor(value, body);
  if (!tensor)
    return tensor.error();
  Result<int64_t> bytes = countBytes(*tensor, value);
  if (!bytes)
    return bytes.error();
  argument.tensor = std::move(*tensor);
  argument.isPoisoned = !filling && !argument.range;
  argument.bytes = *bytes;
  argument.filling = filling;
  argument.seed = mixSeed(seed, argument.name);
  return argument;
}

/// Whether `value` is so far past the largest number of an 8-bit float, which `bits` are, that it does not round to it.
static bool isSaturated(DataType type, double value, uint64_t bits) {
  if (getBytes(type) != 1 || bits != roundToBits(type, std::copysign(std::numeric_limits<double>::infinity(), value)))
    return false;
  double largest = std::fabs(fromBits(type, bits)), half = (largest - std::fabs(fromBits(type, bits - 1))) / 2;
  double excess = std::fabs(value) - largest;
  return excess > half || (excess == half && bits % 2 != 0);
}

Result<uint64_t> scalarBits(const HostArgument &argument, DataType type) {
  const std::string &text = argument.scalarText;
  std::string typeName = getName(type);
  if (argument.scalarType && *argument.scalarType != type)
    return invalid("`" + argument.name + "` is " + std::string(getName(*argument.scalarType)) + "; expected " +
                   typeName);
  auto refuse = [&]() { return invalid("`" + text + "` is no value of " + typeName); };
  if (type == DataType::Bool) {
    if (text != "true" && text != "false")
      return refuse();
    return uint64_t(text == "true");
  }
  if (isFloat(type)) {
    char *end = nullptr;
    double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end)
      return refuse();
    uint64_t bits = encode(type, value);
    // Infinity is written `inf`; what only rounds to it was meant to be a number.
    bool isWord = text.find_first_of("nN") != std::string::npos;
    if (isSaturated(type, value, bits))
      return invalid("`" + text + "` does not fit " + typeName + "; its largest number is " +
                     std::to_string(static_cast<int>(std::fabs(fromBits(type, bits)))));
    if (!isWord && std::isinf(fromBits(type, bits)))
      return invalid("`" + text + "` does not fit " + typeName + "; infinity is written `inf`");
    return bits;
  }
  bool isNegative = text.rfind('-', 0) == 0;
  int64_t value = 0;
  uint64_t large = 0;
  const char *begin = text.data(), *end = text.data() + text.size();
  auto parsed = isNegative ? std::from_chars(begin, end, value) : std::from_chars(begin, end, large);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end)
    return refuse();
  if (!isNegative)
    value = static_cast<int64_t>(large);
  if (!holdsInteger(type, value, /*isUnsigned=*/!isNegative))
    return refuse();
  return static_cast<uint64_t>(value);
}

} // namespace tile
