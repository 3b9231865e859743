/// \file
/// Where a matrix that `wgmma` reads lies in shared memory. Its descriptor has a start, two strides and a swizzle; the
/// memory is made of blocks ("atoms") of 8 by 1, 2, 4 or 8 chunks of 16 bytes. (PTX ISA 9.0, 9.7.15.5.1.2)
///
/// The canonical layouts, in chunks, before swizzling; W is the width of the swizzle in chunks:
/// - K-major, W = 1:  row r, chunk c of K    at (r % 8) + (r / 8) stride + c leading
/// - K-major, W > 1:                         at (r % 8) W + (r / 8) stride + c
/// - MN-major, W = 1: chunk j of M or N, row k of K  at (k % 8) + (k / 8) leading + j stride
/// - MN-major, W > 1:                        at (k % 8) W + (k / 8) stride + (j % W) + (j / W) leading
///
/// Swizzling exchanges the chunks of a row of 128 bytes: bits 4 to 6 of an address, as many as the width has, are
/// xor-ed with bits 7 to 9, counted from where the pattern starts, which is the base offset.
#ifndef BACKEND_SIMULATOR_EXEC_MATRIXDESCRIPTOR_H
#define BACKEND_SIMULATOR_EXEC_MATRIXDESCRIPTOR_H

#include <cstdint>

namespace tile::sim {

constexpr unsigned kChunkBytes = 16;

class MatrixDescriptor {
public:
  explicit MatrixDescriptor(uint64_t bits)
      : start(decode(bits)), leading(decode(bits >> 16)), stride(decode(bits >> 32)), baseOffset(bits >> 49 & 7),
        width(kWidths[bits >> 62]) {}

  /// The address in shared memory of chunk `chunk` along K of a row of M or N, where K lies contiguously.
  uint32_t kMajor(unsigned row, unsigned chunk) const {
    uint32_t within = row % 8 * width * kChunkBytes + row / 8 * stride;
    return swizzled(start + within + chunk * (width == 1 ? leading : kChunkBytes));
  }
  /// Of chunk `chunk` along M or N, where these lie contiguously, for a place along K.
  uint32_t mnMajor(unsigned chunk, unsigned k) const {
    uint32_t within = k % 8 * width * kChunkBytes;
    if (width == 1)
      return start + within + k / 8 * leading + chunk * stride;
    return swizzled(start + within + k / 8 * stride + chunk % width * kChunkBytes + chunk / width * leading);
  }

private:
  static constexpr uint32_t kWidths[] = {1, 8, 4, 2};
  static uint32_t decode(uint64_t field) { return uint32_t(field & 0x3fff) << 4; }

  uint32_t swizzled(uint32_t address) const { return address ^ ((((address >> 7) - baseOffset) & (width - 1)) << 4); }

  uint32_t start, leading, stride; ///< bytes
  uint32_t baseOffset;             ///< rows of 128 bytes
  uint32_t width;                  ///< of the swizzle, in chunks; 1: none
};

} // namespace tile::sim

#endif // BACKEND_SIMULATOR_EXEC_MATRIXDESCRIPTOR_H
