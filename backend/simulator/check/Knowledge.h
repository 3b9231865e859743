/// \file
/// What a thread knows of all CTAs, in a form that threads of the host may share: it never changes once it is made.
/// Within its own CTA a thread's knowledge is a row (Row.h); this form is for what passes through memory, by release
/// and acquire, which is rare.
#ifndef BACKEND_SIMULATOR_CHECK_KNOWLEDGE_H
#define BACKEND_SIMULATOR_CHECK_KNOWLEDGE_H

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tile::sim::check {

/// The columns of one CTA; what lies beyond the end is not known.
struct CtaKnowledge {
  std::vector<uint32_t> known;   ///< latest epoch ordered before
  std::vector<uint32_t> proxied; ///< latest epoch whose writes the async proxy sees too
};

class GridKnowledge;
using GridKnowledgeRef = std::shared_ptr<const GridKnowledge>;

class GridKnowledge {
public:
  /// The columns of `cta`; null if nothing is known of it.
  const CtaKnowledge *of(uint32_t cta) const;
  bool knows(uint32_t cta, uint16_t column, uint32_t epoch) const;

  /// `base`, and of `cta` also `columns`.
  static GridKnowledgeRef with(const GridKnowledgeRef &base, uint32_t cta, CtaKnowledge columns);
  /// Both; either may be null.
  static GridKnowledgeRef join(const GridKnowledgeRef &left, const GridKnowledgeRef &right);

private:
  using Entry = std::pair<uint32_t, std::shared_ptr<const CtaKnowledge>>;
  std::vector<Entry> entries; ///< by CTA
};

} // namespace tile::sim::check

#endif // BACKEND_SIMULATOR_CHECK_KNOWLEDGE_H
