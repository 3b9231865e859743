// NumPy's .npy files: one array with its element type, shape and order.
//
// Reads format versions 1 to 3, either byte order, row-major and Fortran order; writes version 1, little endian. NumPy
// has no bf16 or f8: those are written as unsigned integers of their width (`x.view(ml_dtypes.bfloat16)` brings them
// back), and come back as such, as does what ml_dtypes itself writes (`V2`, `V1`). The caller knows the wanted type.

#ifndef TILE_RUNTIME_NPY_NPY_H
#define TILE_RUNTIME_NPY_NPY_H

#include "runtime/Result.h"
#include "runtime/artifact/DataType.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// Elements somewhere in memory: `data` points at the element with all indices 0, strides count elements.
struct ArrayView {
  const void *data = nullptr;
  DataType type = DataType::F32;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;
};

/// An array with its own storage, dense, in the order that its strides say.
struct NpyArray {
  DataType type = DataType::F32;
  std::vector<int64_t> extents;
  std::vector<int64_t> strides;
  std::vector<char> data;

  ArrayView view() const { return {data.data(), type, extents, strides}; }
};

/// The row-major strides of `extents`.
std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &extents);

/// A dense row-major copy of any view.
NpyArray copyRowMajor(const ArrayView &view);

/// Fails on bytes that are no .npy file and on types the language does not have.
Result<NpyArray> parseNpy(std::string_view bytes);

/// The file for `view`: in Fortran order if that is how it lies, dense; otherwise row-major.
std::string formatNpy(const ArrayView &view);

/// The same from and to a file; messages begin with its name.
Result<NpyArray> readNpy(const std::string &path);
Status writeNpy(const std::string &path, const ArrayView &view);

} // namespace tile

#endif // TILE_RUNTIME_NPY_NPY_H
