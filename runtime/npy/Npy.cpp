// The .npy format: magic, version, length of the header, the header as a Python dict, elements.
//
// The dict is read by a scanner that knows the three keys every writer gives; sizes are checked before memory is taken.

#include "runtime/npy/Npy.h"

#include "runtime/artifact/File.h"

#include <algorithm>
#include <cstring>

namespace tile {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

Error invalid(const std::string &message) { return {ErrorCode::InvalidArtifact, message}; }

struct Header {
  std::string type;
  bool fortran = false;
  std::vector<int64_t> extents;
};

/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`, keys in any order.
class HeaderScanner {
public:
  explicit HeaderScanner(std::string_view text) : rest(text) {}

  Result<Header> scan() {
    Header header;
    bool hasType = false, hasOrder = false, hasShape = false;
    if (!take("{"))
      return invalid("header is no dictionary");
    while (!take("}")) {
      std::string key;
      if (!takeString(key) || !take(":"))
        return damaged();
      if ((key == "descr" && hasType) || (key == "fortran_order" && hasOrder) || (key == "shape" && hasShape))
        return invalid("header has `" + key + "` twice");
      if (key == "descr") {
        if (startsWith("[") || startsWith("("))
          return invalid("element type is a record; expected a plain type");
        if (!takeString(header.type))
          return invalid("`descr` is no string");
        hasType = true;
      } else if (key == "fortran_order") {
        header.fortran = take("True");
        if (!header.fortran && !take("False"))
          return invalid("`fortran_order` is neither True nor False");
        hasOrder = true;
      } else if (key == "shape") {
        if (!takeShape(header.extents))
          return invalid("`shape` is no tuple of extents");
        hasShape = true;
      } else {
        return invalid("header has the unknown key `" + key + "`");
      }
      if (!take(",") && !startsWith("}"))
        return damaged();
    }
    skipSpace();
    if (!rest.empty())
      return damaged();
    if (!hasType || !hasOrder || !hasShape)
      return invalid("header lacks `" + std::string(!hasType ? "descr" : !hasOrder ? "fortran_order" : "shape") + "`");
    return header;
  }

private:
  std::string_view rest;

  Error damaged() const { return invalid("header is damaged before `" + std::string(rest.substr(0, 20)) + "`"); }

  void skipSpace() { rest.remove_prefix(std::min(rest.find_first_not_of(" \n\t"), rest.size())); }

  bool startsWith(std::string_view token) {
    skipSpace();
    return rest.substr(0, token.size()) == token;
  }

  bool take(std::string_view token) {
    if (!startsWith(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  bool takeString(std::string &text) {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return false;
    text = std::string(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return true;
  }

  bool takeShape(std::vector<int64_t> &extents) {
    if (!take("("))
      return false;
    bool hasComma = false;
    while (!take(")")) {
      skipSpace();
      int64_t extent = 0;
      size_t digits = 0;
      for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9'; ++digits)
        if (__builtin_mul_overflow(extent, 10, &extent) || __builtin_add_overflow(extent, rest[digits] - '0', &extent))
          return false;
      rest.remove_prefix(digits);
      hasComma = digits > 0 && take(",");
      if (digits == 0 || (!hasComma && !startsWith(")")))
        return false;
      extents.push_back(extent);
    }
    return extents.size() != 1 || hasComma; // `(8)` is a number
  }
};

/// NumPy's spelling of each type, little endian. The first row of a spelling is the one that reading gives.
struct Spelling {
  const char *numpy;
  DataType type;
};
constexpr Spelling kSpellings[] = {
    {"b1", DataType::Bool}, {"i1", DataType::I8},     {"i2", DataType::I16},    {"i4", DataType::I32},
    {"i8", DataType::I64},  {"u1", DataType::U8},     {"u2", DataType::U16},    {"u4", DataType::U32},
    {"u8", DataType::U64},  {"f2", DataType::F16},    {"f4", DataType::F32},    {"f8", DataType::F64},
    {"u2", DataType::BF16}, {"u1", DataType::F8E4M3}, {"u1", DataType::F8E5M2}, {"i8", DataType::Index},
    {"V2", DataType::U16},  {"V1", DataType::U8},
};

std::vector<int64_t> fortranStrides(const std::vector<int64_t> &extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    strides[i] = stride;
    stride *= std::max<int64_t>(extents[i], 1);
  }
  return strides;
}

/// True if the elements of `view` lie densely in the order of `strides`. The stride of an extent of 1 does not count.
bool liesAs(const ArrayView &view, const std::vector<int64_t> &strides) {
  for (size_t i = 0; i < strides.size(); ++i)
    if (view.extents[i] > 1 && view.strides[i] != strides[i])
      return false;
  return true;
}

int64_t countElements(const std::vector<int64_t> &extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= extent;
  return count;
}

std::string printShape(const std::vector<int64_t> &extents) {
  std::string text = "(";
  for (int64_t extent : extents)
    text += std::to_string(extent) + ", ";
  // A tuple of one keeps its comma.
  if (extents.size() > 1)
    text.resize(text.size() - 2);
  else if (extents.size() == 1)
    text.pop_back();
  return text + ")";
}

} // namespace

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(extents[i], 1);
  }
  return strides;
}

NpyArray copyRowMajor(const ArrayView &view) {
  NpyArray copy{view.type, view.extents, rowMajorStrides(view.extents), {}};
  int64_t size = getBytes(view.type);
  int64_t count = countElements(view.extents);
  copy.data.resize(static_cast<size_t>(count * size));
  const char *source = static_cast<const char *>(view.data);
  if (count == 0)
    return copy;
  if (liesAs(view, copy.strides)) {
    std::memcpy(copy.data.data(), source, copy.data.size());
    return copy;
  }
  // Walks the indices as an odometer, the innermost axis fastest.
  std::vector<int64_t> index(view.extents.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(copy.data.data() + i * size, source + offset * size, static_cast<size_t>(size));
    for (size_t axis = index.size(); axis-- > 0;) {
      offset += view.strides[axis];
      if (++index[axis] < view.extents[axis])
        break;
      offset -= view.strides[axis] * view.extents[axis];
      index[axis] = 0;
    }
  }
  return copy;
}

Result<NpyArray> parseNpy(std::string_view bytes) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic)
    return invalid("file is no .npy file");
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  size_t version = byte(6);
  if (version < 1 || version > 3)
    return invalid(".npy format version is " + std::to_string(version) + "; expected 1 to 3");
  size_t begin = version == 1 ? 10 : 12;
  if (bytes.size() < begin)
    return invalid("file ends within its header");
  size_t length = byte(8) | byte(9) << 8;
  if (version > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() - begin < length)
    return invalid("file ends within its header");
  Result<Header> header = HeaderScanner(bytes.substr(begin, length)).scan();
  if (!header)
    return header.error();

  NpyArray array;
  bool isBigEndian = header->type.substr(0, 1) == ">";
  bool hasOrder = !header->type.empty() && std::strchr("<>|=", header->type[0]);
  std::string_view spelling = std::string_view(header->type).substr(hasOrder ? 1 : 0);
  const Spelling *found = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                       [&](const Spelling &each) { return each.numpy == spelling; });
  if (found == std::end(kSpellings))
    return invalid("element type is `" + header->type + "`; expected one of b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 V1 V2");
  array.type = found->type;
  // A `V` is bytes of whatever order, which is that of the machine.
  if (header->type[0] == '|' && getBytes(array.type) > 1 && spelling[0] != 'V')
    return invalid("element type is `" + header->type + "`, whose bytes have no order; expected `<` or `>` before it");
  array.extents = header->extents;
  std::string_view elements = bytes.substr(begin + length);
  int64_t size = getBytes(array.type), bound = size;
  bool isEmpty = false, tooLarge = false;
  for (int64_t extent : array.extents) {
    isEmpty |= extent == 0;
    // Zeros count as ones here, so that strides fit too.
    tooLarge |= __builtin_mul_overflow(bound, std::max<int64_t>(extent, 1), &bound);
  }
  int64_t total = isEmpty ? 0 : bound;
  if (tooLarge || static_cast<uint64_t>(total) != elements.size())
    return invalid("file has " + std::to_string(elements.size()) + " bytes of elements; expected " +
                   (tooLarge ? "" : std::to_string(total) + ": ") + "shape " + printShape(array.extents) + " of " +
                   std::to_string(size) + (size == 1 ? " byte each" : " bytes each"));
  array.strides = header->fortran ? fortranStrides(array.extents) : rowMajorStrides(array.extents);
  array.data.assign(elements.begin(), elements.begin() + total);
  if (isBigEndian)
    for (int64_t i = 0; i < total; i += size)
      std::reverse(array.data.begin() + i, array.data.begin() + i + size);
  return array;
}

std::string formatNpy(const ArrayView &view) {
  bool isFortran = !liesAs(view, rowMajorStrides(view.extents)) && liesAs(view, fortranStrides(view.extents));
  const Spelling *spelling = std::find_if(std::begin(kSpellings), std::end(kSpellings),
                                          [&](const Spelling &each) { return each.type == view.type; });
  std::string dict = std::string("{'descr': '") + (getBytes(view.type) == 1 ? "|" : "<") + spelling->numpy +
                     "', 'fortran_order': " + (isFortran ? "True" : "False") +
                     ", 'shape': " + printShape(view.extents) + ", }";
  // Elements begin at a multiple of 64 bytes; the header ends in a newline.
  dict.append(63 - (10 + dict.size()) % 64, ' ');
  dict += '\n';
  std::string file(kMagic);
  file += '\1';
  file += '\0';
  file += static_cast<char>(dict.size() & 0xFF);
  file += static_cast<char>(dict.size() >> 8);
  file += dict;
  if (isFortran) {
    file.append(static_cast<const char *>(view.data),
                static_cast<size_t>(countElements(view.extents) * getBytes(view.type)));
  } else {
    NpyArray copy = copyRowMajor(view);
    file.append(copy.data.data(), copy.data.size());
  }
  return file;
}

Result<NpyArray> readNpy(const std::string &path) {
  Result<std::string> bytes = readFile(path);
  if (!bytes)
    return bytes.error();
  Result<NpyArray> array = parseNpy(*bytes);
  if (!array)
    return Error{array.error().code, "`" + path + "`: " + array.error().message};
  return array;
}

Status writeNpy(const std::string &path, const ArrayView &view) { return writeFile(path, formatNpy(view)); }

} // namespace tile
