#include "backend/interpreter/Findings.h"

using namespace tile;
using namespace tile::interpreter;

llvm::StringRef tile::toString(FindingKind kind) {
  switch (kind) {
  case FindingKind::OutOfBounds:
    return "out-of-bounds";
  case FindingKind::ReadOnlyWrite:
    return "read-only-write";
  case FindingKind::SubviewOutOfBounds:
    return "subview-out-of-bounds";
  case FindingKind::WriteConflict:
    return "write-conflict";
  case FindingKind::UninitializedRead:
    return "uninitialized-read";
  case FindingKind::AssertFailed:
    return "assert-failed";
  case FindingKind::ArithmeticEdge:
    return "arithmetic-edge";
  case FindingKind::LoopLimit:
    return "loop-limit";
  }
  llvm_unreachable("all kinds are listed");
}

void Findings::add(FindingKind kind, const Site &site, const Program &program, int buffer, int64_t element,
                   llvm::function_ref<std::string()> message) {
  auto found = entries.find({site.order, kind});
  if (found != entries.end() && found->second.program <= program.number) {
    ++found->second.finding.count;
    return;
  }
  int64_t count = found == entries.end() ? 1 : found->second.finding.count + 1;
  Finding finding{kind, message(), site.location, program.position, buffer, element, count};
  entries.insert_or_assign({site.order, kind}, Entry{std::move(finding), program.number});
}

void Findings::merge(const Findings &other) {
  for (const auto &[key, theirs] : other.entries) {
    auto [ours, isNew] = entries.try_emplace(key, theirs);
    if (isNew)
      continue;
    int64_t count = ours->second.finding.count + theirs.finding.count;
    if (theirs.program < ours->second.program)
      ours->second = theirs;
    ours->second.finding.count = count;
  }
}

std::vector<Finding> Findings::sorted() const {
  std::vector<std::pair<std::tuple<int64_t, int64_t, FindingKind>, const Finding *>> order;
  for (const auto &[key, entry] : entries)
    order.push_back({{entry.program, key.first, key.second}, &entry.finding});
  llvm::sort(order);
  std::vector<Finding> result;
  for (const auto &[key, finding] : order)
    result.push_back(*finding);
  return result;
}
