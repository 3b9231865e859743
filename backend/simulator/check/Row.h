/// \file
/// Clock rows: for each column the latest epoch that is known. A column is a thread of the CTA or a queue of
/// asynchronous operations. Threads that came together share one row, which nobody changes while it is shared, so that
/// a barrier costs one row and a pointer for each thread. Rows belong to one CTA, that is to one thread of the host:
/// references are counted without atomics.
#ifndef BACKEND_SIMULATOR_CHECK_ROW_H
#define BACKEND_SIMULATOR_CHECK_ROW_H

#include <cstdint>
#include <memory>
#include <vector>

namespace tile::sim::check {

class RowPool;

struct Row {
  RowPool *pool = nullptr;
  uint32_t references = 0;
  uint64_t visit = 0; ///< the last walk over distinct rows that met this one
  std::vector<uint32_t> epochs;
};

/// A reference to a row, or none.
class RowRef {
public:
  RowRef() = default;
  explicit RowRef(Row *row) : row(row) { ++row->references; }
  RowRef(const RowRef &other) : row(other.row) {
    if (row)
      ++row->references;
  }
  RowRef(RowRef &&other) noexcept : row(other.row) { other.row = nullptr; }
  RowRef &operator=(RowRef other) noexcept {
    std::swap(row, other.row);
    return *this;
  }
  ~RowRef() { drop(); }

  explicit operator bool() const { return row; }
  bool operator==(const RowRef &other) const { return row == other.row; }
  Row *get() const { return row; }
  const uint32_t *epochs() const { return row->epochs.data(); }

private:
  void drop();
  Row *row = nullptr;
};

/// Makes rows and takes them back; all have the same width.
class RowPool {
public:
  explicit RowPool(size_t columns) : columns(columns) {}
  RowPool(const RowPool &) = delete;
  RowPool &operator=(const RowPool &) = delete;

  RowRef zero();
  RowRef copy(const RowRef &row);
  /// More columns for every row; nothing is known of them. Moves the epochs of all rows.
  void widen(size_t columns);
  size_t width() const { return columns; }

  /// `row`, alone with its reference, so that it may be written.
  uint32_t *writable(RowRef &row);
  /// Raises `row` to what `other` knows too. Shares `other` if that is all there is to know.
  void join(RowRef &row, const RowRef &other);
  /// For walks over distinct rows: whether `row` is met for the first time since `startVisit`.
  void startVisit() { ++visit; }
  bool firstVisit(const RowRef &row) {
    bool first = row.get()->visit != visit;
    row.get()->visit = visit;
    return first;
  }

private:
  friend class RowRef;
  RowRef make();

  size_t columns;
  uint64_t visit = 0;
  std::vector<std::unique_ptr<Row>> all;
  std::vector<Row *> unused;
};

inline void RowRef::drop() {
  if (row && --row->references == 0)
    row->pool->unused.push_back(row);
}

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_ROW_H
