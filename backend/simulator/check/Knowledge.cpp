#include "backend/simulator/check/Knowledge.h"

#include <algorithm>

using namespace tile::sim::check;

static void raise(std::vector<uint32_t> &target, const std::vector<uint32_t> &other) {
  target.resize(std::max(target.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i)
    target[i] = std::max(target[i], other[i]);
}

static std::shared_ptr<const CtaKnowledge> joinColumns(const std::shared_ptr<const CtaKnowledge> &left,
                                                       const std::shared_ptr<const CtaKnowledge> &right) {
  if (left == right)
    return left;
  auto joined = std::make_shared<CtaKnowledge>(*left);
  raise(joined->known, right->known);
  raise(joined->proxied, right->proxied);
  return joined;
}

const CtaKnowledge *GridKnowledge::of(uint32_t cta) const {
  auto found = std::lower_bound(entries.begin(), entries.end(), cta,
                                [](const Entry &entry, uint32_t wanted) { return entry.first < wanted; });
  return found == entries.end() || found->first != cta ? nullptr : found->second.get();
}

bool GridKnowledge::knows(uint32_t cta, uint16_t column, uint32_t epoch) const {
  const CtaKnowledge *columns = of(cta);
  return columns && column < columns->known.size() && columns->known[column] >= epoch;
}

GridKnowledgeRef GridKnowledge::with(const GridKnowledgeRef &base, uint32_t cta, CtaKnowledge columns) {
  auto single = std::make_shared<GridKnowledge>();
  single->entries.emplace_back(cta, std::make_shared<const CtaKnowledge>(std::move(columns)));
  return join(base, single);
}

GridKnowledgeRef GridKnowledge::join(const GridKnowledgeRef &left, const GridKnowledgeRef &right) {
  if (!left || !right || left == right)
    return left ? left : right;
  auto joined = std::make_shared<GridKnowledge>();
  auto a = left->entries.begin(), b = right->entries.begin();
  while (a != left->entries.end() || b != right->entries.end()) {
    if (b == right->entries.end() || (a != left->entries.end() && a->first < b->first)) {
      joined->entries.push_back(*a++);
    } else if (a == left->entries.end() || b->first < a->first) {
      joined->entries.push_back(*b++);
    } else {
      joined->entries.emplace_back(a->first, joinColumns(a->second, b->second));
      ++a, ++b;
    }
  }
  return joined;
}
