// .npy files: NumPy's own (fixtures/*.npy hold arange(6) as 2 × 3), round trips of every type and order, damage.

#include "runtime/npy/Npy.h"
#include "runtime/artifact/File.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace tile {
namespace {

template <typename T> std::vector<T> elements(const NpyArray &array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

NpyArray read(const std::string &name) {
  Result<NpyArray> array = readNpy(std::string(TILE_TEST_FIXTURES "/") + name);
  EXPECT_TRUE(array.ok()) << (array.ok() ? "" : array.error().message);
  return array.ok() ? *array : NpyArray();
}

std::string errorOf(std::string_view bytes) {
  Result<NpyArray> array = parseNpy(bytes);
  return array.ok() ? "" : array.error().message;
}

/// A version 1 file with the header `dict`.
std::string fileWith(const std::string &dict, const std::string &content = "") {
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(dict.size()) + '\0' + dict + content;
}

const std::vector<float> kCounting = {0, 1, 2, 3, 4, 5};

TEST(Npy, ReadsRowMajorOfNumpy) {
  NpyArray array = read("rowmajor.npy");
  EXPECT_EQ(array.type, DataType::F32);
  EXPECT_EQ(array.extents, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(elements<float>(array), kCounting);
}

TEST(Npy, ReadsFortranOrderOfNumpyAsStrides) {
  NpyArray array = read("fortran.npy");
  EXPECT_EQ(array.strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(elements<float>(array), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(elements<float>(copyRowMajor(array.view())), kCounting);
}

TEST(Npy, ReadsBigEndianAndVersion2) {
  EXPECT_EQ(elements<float>(read("bigendian.npy")), kCounting);
  EXPECT_EQ(elements<float>(read("version2.npy")), kCounting);
}

TEST(Npy, ReadsBf16OfMlDtypesAsU16) {
  NpyArray array = read("bf16.npy");
  EXPECT_EQ(array.type, DataType::U16);
  EXPECT_EQ(elements<uint16_t>(array), (std::vector<uint16_t>{0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0}));
}

TEST(Npy, WritesWhatNumpyWrites) {
  for (const char *name : {"rowmajor.npy", "fortran.npy"})
    EXPECT_EQ(formatNpy(read(name).view()), *readFile(std::string(TILE_TEST_FIXTURES "/") + name)) << name;
}

TEST(Npy, EveryTypeComesBackOrAsItsUnsignedWidth) {
  for (int i = 0; i <= static_cast<int>(DataType::F8E5M2); ++i) {
    DataType type = static_cast<DataType>(i), expected = type;
    if (type == DataType::BF16)
      expected = DataType::U16;
    if (type == DataType::F8E4M3 || type == DataType::F8E5M2)
      expected = DataType::U8;
    std::vector<char> bytes(static_cast<size_t>(5 * getBytes(type)));
    for (size_t k = 0; k < bytes.size(); ++k)
      bytes[k] = static_cast<char>(k * 37);
    Result<NpyArray> array = parseNpy(formatNpy({bytes.data(), type, {5}, {1}}));
    ASSERT_TRUE(array.ok()) << getName(type) << ": " << array.error().message;
    EXPECT_EQ(array->type, expected) << getName(type);
    EXPECT_EQ(array->data, bytes) << getName(type);
  }
}

TEST(Npy, ScalarAndEmptyArraysComeBack) {
  float value = 2.5;
  Result<NpyArray> scalar = parseNpy(formatNpy({&value, DataType::F32, {}, {}}));
  ASSERT_TRUE(scalar.ok());
  EXPECT_TRUE(scalar->extents.empty());
  EXPECT_EQ(elements<float>(*scalar), std::vector<float>{2.5});
  Result<NpyArray> empty = parseNpy(formatNpy({&value, DataType::F32, {4, 0, 2}, {0, 2, 1}}));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->extents, (std::vector<int64_t>{4, 0, 2}));
  EXPECT_TRUE(empty->data.empty());
}

TEST(Npy, StridedViewsAreGathered) {
  // Every second column, and a row repeated by stride 0.
  std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(elements<float>(*parseNpy(formatNpy({values.data(), DataType::F32, {2, 2}, {4, 2}}))),
            (std::vector<float>{0, 2, 4, 6}));
  EXPECT_EQ(elements<float>(*parseNpy(formatNpy({values.data(), DataType::F32, {2, 3}, {0, 1}}))),
            (std::vector<float>{0, 1, 2, 0, 1, 2}));
}

TEST(Npy, EveryPermutationOfThreeAxesComesBack) {
  std::vector<int16_t> values(24);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int16_t>(i);
  std::vector<int64_t> extents = {2, 3, 4}, strides = rowMajorStrides(extents);
  std::vector<size_t> order = {0, 1, 2};
  do {
    ArrayView view{values.data(), DataType::I16, {}, {}};
    for (size_t axis : order) {
      view.extents.push_back(extents[axis]);
      view.strides.push_back(strides[axis]);
    }
    Result<NpyArray> array = parseNpy(formatNpy(view));
    ASSERT_TRUE(array.ok());
    EXPECT_EQ(array->extents, view.extents);
    EXPECT_EQ(copyRowMajor(array->view()).data, copyRowMajor(view).data);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Npy, FilesRoundTripAndNameThemselvesInErrors) {
  std::string path = testing::TempDir() + "tile_npy_test.npy";
  ASSERT_TRUE(writeNpy(path, read("fortran.npy").view()).ok());
  EXPECT_EQ(readNpy(path)->data, read("fortran.npy").data);
  ASSERT_TRUE(writeFile(path, "text").ok());
  EXPECT_EQ(readNpy(path).error().message, "`" + path + "`: file is no .npy file");
}

TEST(Npy, RefusalsSayWhatIsWrong) {
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\7\0\0\0", 10)), ".npy format version is 7; expected 1 to 3");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\1\0\x50\0", 10)), "file ends within its header");
  EXPECT_EQ(errorOf(fileWith("[]")), "header is no dictionary");
  EXPECT_EQ(errorOf(fileWith("{'descr' '<f4'}")), "header is damaged before `'<f4'}`");
  EXPECT_EQ(errorOf(fileWith("{'descr': [('a', '<f4')]}")), "element type is a record; expected a plain type");
  EXPECT_EQ(errorOf(fileWith("{'descr': None, 'fortran_order': False, 'shape': ()}")), "`descr` is no string");
  EXPECT_EQ(errorOf(fileWith("{'descr': '|f4', 'fortran_order': False, 'shape': ()}")),
            "element type is `|f4`, whose bytes have no order; expected `<` or `>` before it");
  EXPECT_EQ(errorOf(fileWith("{'shape': (2,), 'shape': (3,)}")), "header has `shape` twice");
  EXPECT_EQ(errorOf(fileWith("{'descr': '|u1', 'fortran_order': False, 'shape': ()} 1", "x")),
            "header is damaged before `1`");
  EXPECT_EQ(errorOf(fileWith("{'fortran_order': 1}")), "`fortran_order` is neither True nor False");
  EXPECT_EQ(errorOf(fileWith("{'shape': (x,)}")), "`shape` is no tuple of extents");
  EXPECT_EQ(errorOf(fileWith("{'shape': (99999999999999999999,)}")), "`shape` is no tuple of extents");
  EXPECT_EQ(errorOf(fileWith("{'shape': (8)}")), "`shape` is no tuple of extents");
  EXPECT_EQ(errorOf(fileWith("{'colour': 1}")), "header has the unknown key `colour`");
  EXPECT_EQ(errorOf(fileWith("{'descr': '<f4', 'shape': ()}")), "header lacks `fortran_order`");
  EXPECT_EQ(errorOf(fileWith("{'descr': '<c8', 'fortran_order': False, 'shape': ()}")),
            "element type is `<c8`; expected one of b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 V1 V2");
  EXPECT_EQ(errorOf(fileWith("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", "12345")),
            "file has 5 bytes of elements; expected 24: shape (2, 3) of 4 bytes each");
  EXPECT_EQ(errorOf(fileWith("{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", "123")),
            "file has 3 bytes of elements; expected 2: shape (2,) of 1 byte each");
  EXPECT_EQ(errorOf(fileWith("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 9, 0)}")),
            "file has 0 bytes of elements; expected shape (4611686018427387904, 9, 0) of 4 bytes each");
}

TEST(Npy, RandomDamageNeverReadsOutside) {
  std::string file = *readFile(TILE_TEST_FIXTURES "/rowmajor.npy");
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = file.substr(0, random() % 4 ? file.size() : random() % file.size());
    for (unsigned edits = random() % 4; edits > 0 && !damaged.empty(); --edits)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    damaged.shrink_to_fit();
    if (Result<NpyArray> array = parseNpy(damaged); array.ok())
      (void)copyRowMajor(array->view());
  }
}

} // namespace
} // namespace tile
