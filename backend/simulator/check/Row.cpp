#include "backend/simulator/check/Row.h"

#include <algorithm>

using namespace tile::sim::check;

RowRef RowPool::make() {
  if (unused.empty()) {
    all.push_back(std::make_unique<Row>());
    all.back()->pool = this;
    all.back()->epochs.resize(columns);
    unused.reserve(all.size());
    return RowRef(all.back().get());
  }
  Row *row = unused.back();
  unused.pop_back();
  return RowRef(row);
}

RowRef RowPool::zero() {
  RowRef row = make();
  std::fill(row.get()->epochs.begin(), row.get()->epochs.end(), 0);
  return row;
}

RowRef RowPool::copy(const RowRef &row) {
  RowRef copied = make();
  std::copy(row.epochs(), row.epochs() + columns, copied.get()->epochs.begin());
  return copied;
}

void RowPool::widen(size_t newColumns) {
  columns = newColumns;
  for (const std::unique_ptr<Row> &row : all)
    row->epochs.resize(columns, 0);
}

uint32_t *RowPool::writable(RowRef &row) {
  if (!row)
    row = zero();
  else if (row.get()->references > 1)
    row = copy(row);
  return row.get()->epochs.data();
}

void RowPool::join(RowRef &row, const RowRef &other) {
  if (!other || row == other)
    return;
  if (!row) {
    row = other;
    return;
  }
  const uint32_t *left = row.epochs(), *right = other.epochs();
  uint32_t leftAhead = 0, rightAhead = 0;
  for (size_t i = 0; i < columns; ++i) {
    leftAhead |= left[i] > right[i];
    rightAhead |= right[i] > left[i];
  }
  if (!rightAhead)
    return;
  if (!leftAhead) {
    row = other;
    return;
  }
  uint32_t *target = writable(row);
  right = other.epochs();
  for (size_t i = 0; i < columns; ++i)
    target[i] = std::max(target[i], right[i]);
}
