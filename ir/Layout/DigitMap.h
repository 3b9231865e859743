//===- DigitMap.h - linear maps between mixed-radix indices -----*- C++ -*-===//
//
// The algebra under every layout. An index is a word of bits and a list of odd digits, `index = (odd digits, bits)`.
// A `DigitMap` sends such an index to another: the bits go through a matrix over F2 (one column per input bit, stored
// as a word), and each odd digit of the result is an odd digit of the input of the same radix, or 0.
// Composition, pseudo-inverse, rank and kernel work on the columns, never on the elements.
//
// Limits: at most 64 bits on either side; an odd digit never mixes with bits or with another odd digit.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_IR_LAYOUT_DIGITMAP_H
#define TILE_IR_LAYOUT_DIGITMAP_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tile {

/// The exponent of the largest power of two that divides `value`, which is not 0.
int exponentOfTwo(int64_t value);

/// A set of vectors over F2 in echelon form, each with the combination of inserted vectors that it is.
class SpanBasis {
public:
  SpanBasis() = default;
  /// The span of `vectors`; `express` answers with masks of positions in it.
  explicit SpanBasis(const std::vector<uint64_t> &vectors);

  /// Inserts the next vector. Returns false when it was in the span already; it then never takes part in `express`.
  bool insert(uint64_t vector);
  bool contains(uint64_t vector) const { return reduce(vector) == 0; }
  /// The inserted vectors (bit i = the i-th inserted) whose sum is `vector`; earlier ones are preferred.
  std::optional<uint64_t> express(uint64_t vector) const;
  /// What is left of `vector` modulo the span.
  uint64_t reduce(uint64_t vector) const;
  int rank() const { return static_cast<int>(rows.size()); }
  /// Sums of inserted vectors that are zero, as masks; a basis of all such sums.
  std::vector<uint64_t> relations() const { return zeroSums; }
  /// The echelon form itself: vectors with distinct leading bits.
  std::vector<uint64_t> vectors() const;

private:
  struct Row {
    uint64_t vector;
    uint64_t combination;
  };
  Row reduceRow(Row row) const;

  std::vector<Row> rows; // distinct highest bits, highest first
  std::vector<uint64_t> zeroSums;
  int inserted = 0;
};

/// A basis of the intersection of two spans.
std::vector<uint64_t> intersectSpans(const std::vector<uint64_t> &a, const std::vector<uint64_t> &b);

/// The sum of the columns selected by the bits of `index`; bits past the last column contribute nothing.
uint64_t applyColumns(const std::vector<uint64_t> &columns, uint64_t index);

/// A mixed-radix index: `odd` digits above `bits`.
struct DigitIndex {
  uint64_t bits = 0;
  std::vector<int> odd;
  bool operator==(const DigitIndex &other) const { return bits == other.bits && odd == other.odd; }
};

/// See the head of the file.
struct DigitMap {
  int outBits = 0;
  std::vector<uint64_t> columns; // one per input bit
  std::vector<int> inOdd;        // radices
  std::vector<int> outOdd;       // radices
  std::vector<int> source;       // per output odd digit: the position in `inOdd`, or -1 for the constant 0

  int inBits() const { return static_cast<int>(columns.size()); }
  DigitIndex apply(const DigitIndex &index) const;
  bool isInjective() const;
  bool isSurjective() const;
  /// A map G with F∘G∘F = F: a right inverse where F is surjective, a left inverse where it is injective. Of several
  /// inputs it names the one that uses the earliest bits.
  DigitMap pseudoInverse() const;

  bool operator==(const DigitMap &other) const;
  bool operator!=(const DigitMap &other) const { return !(*this == other); }
};

/// `outer(inner(x))`. The digits between them must agree.
DigitMap compose(const DigitMap &outer, const DigitMap &inner);
/// The map that changes nothing.
DigitMap identityMap(int bits, const std::vector<int> &odd);

} // namespace tile

#endif // TILE_IR_LAYOUT_DIGITMAP_H
