/// Global memory as a kernel sees it: the buffers of the launch, and what is known of each of their elements.
///
/// A pointer is a 64-bit value whose low 48 bits are the host address and whose high bits are the number of its buffer
/// plus one, so that arithmetic cannot lead from one buffer into another. A pointer read from memory has no number and
/// is looked up by its address.
#ifndef BACKEND_INTERPRETER_MEMORY_H
#define BACKEND_INTERPRETER_MEMORY_H

#include "backend/interpreter/Bounds.h"
#include "backend/interpreter/ElementLoops.h"
#include "backend/interpreter/Findings.h"

#include <atomic>
#include <memory>

namespace tile::interpreter {

constexpr int kAddressBits = 48;
constexpr uint64_t kAddressMask = (uint64_t(1) << kAddressBits) - 1;

/// `pointer` moved by `bytes`; it keeps its buffer.
inline uint64_t advance(uint64_t pointer, int64_t bytes) {
  return (pointer & ~kAddressMask) | ((pointer + static_cast<uint64_t>(bytes)) & kAddressMask);
}

/// `pointer` moved by `count` elements of `size` bytes. Where that is more than an address can hold it stays at the end
/// that it reached, where no buffer is, rather than come back to its own from the other side.
inline uint64_t advanceElements(uint64_t pointer, int64_t count, int64_t size) {
  uint64_t address = pointer & kAddressMask;
  if (address == 0 || address == kAddressMask)
    return pointer;
  __int128 moved = __int128(count) * size + static_cast<int64_t>(address);
  moved = std::clamp<__int128>(moved, 0, kAddressMask);
  return (pointer & ~kAddressMask) | static_cast<uint64_t>(moved);
}

enum class AccessKind : uint8_t { Read, Write, Atomic };

/// A place in a buffer; none if `buffer` is negative.
struct Place {
  int buffer = -1;
  /// In bytes as the kernel counts them; may be outside the buffer.
  int64_t offset = 0;
};

class Memory {
public:
  /// `bounded`: floats are kept as `Bounded`, beside the buffers.
  Memory(llvm::ArrayRef<Buffer> buffers, const InterpretOptions &options, bool bounded);

  /// The pointer for a host address that is an argument or was read from memory; an address at the end of a buffer
  /// belongs to it, for an empty one has no other.
  uint64_t pointerTo(uint64_t address) const;
  /// What is stored in memory for `pointer`.
  static uint64_t addressOf(uint64_t pointer) { return pointer & kAddressMask; }
  Place placeOf(uint64_t pointer) const;

  /// Whether `bytes` of elements from `place` on are all in its buffer, and may be accessed as what they are.
  bool contains(Place place, Element element, int64_t bytes) const {
    return place.buffer >= 0 && place.offset >= 0 && place.offset <= regions[place.buffer].bytes - bytes &&
           (!bounded || fits(place, element));
  }
  /// Where the interpreter keeps the element at a place that is inside.
  char *dataAt(Place place) const {
    const Region &region = regions[place.buffer];
    return region.data + place.offset * region.scale;
  }
  /// Which elements of a buffer hold a value; empty if that is not tracked.
  std::vector<bool> writtenElements(int buffer) const;
  /// What a buffer of floats holds if floats are bounded.
  BoundedElements boundedElements(int buffer) const;

  /// Reports what is wrong with an access of `count` elements of `size` bytes, `stride` bytes apart from `place` on,
  /// all inside. Returns false if it must not happen.
  bool allow(AccessKind kind, Place place, int64_t count, int64_t size, int64_t stride, const Program &program,
             const Site &site, Findings &findings);

  /// Reports an access of an element that no buffer contains.
  void reportOutside(AccessKind kind, uint64_t pointer, Element element, const Program &program, const Site &site,
                     Findings &findings) const;

  /// `place` in elements of its buffer, rounded down.
  int64_t elementAt(Place place) const;

  /// Reports the elements that programs wrote in conflict; to be called once, after all programs.
  void reportConflicts(const std::array<int64_t, 3> &grid, Findings &findings) const;

private:
  struct Region {
    char *data;
    uint64_t address;
    int64_t bytes;
    int64_t elementBytes;
    /// Bytes in `data` per byte of the buffer.
    int64_t scale = 1;
    /// The elements of a buffer of floats if these are bounded.
    std::vector<Bounded> bounds;
    /// Per element, who wrote it; null if conflicts are not tracked.
    std::unique_ptr<std::atomic<uint64_t>[]> writers;
    /// The first site that found another writer.
    std::atomic<const Site *> conflict{nullptr};
    /// Per element, whether it holds a value; null if reads are not tracked.
    std::unique_ptr<std::atomic<bool>[]> written;
  };

  bool fits(Place place, Element element) const;

  llvm::ArrayRef<Buffer> buffers;
  std::unique_ptr<Region[]> regions;
  /// Buffer numbers by address.
  std::vector<int> byAddress;
  bool trackConflicts, trackReads, bounded;
};

} // namespace tile::interpreter

#endif
