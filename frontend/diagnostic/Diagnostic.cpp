#include "frontend/diagnostic/Diagnostic.h"

#include <algorithm>
#include <tuple>

using namespace tile;

DiagnosticBuilder &DiagnosticBuilder::replace(SourceRange range, std::string_view text, std::string lead,
                                              std::string_view trail) {
  if (!(range.file == diagnostic.primary.range.file))
    return *this;
  diagnostic.fix = Fix{range, std::string(text)};
  return help(lead + "`" + std::string(text) + "`" + std::string(trail));
}

DiagnosticBuilder DiagnosticEngine::report(Code code, SourceRange range, std::string message,
                                           std::vector<std::string> variants) {
  return DiagnosticBuilder(keep({code, std::move(message), {range, {}}, {}, {}, std::move(variants), {}, {}}));
}

void DiagnosticEngine::add(Diagnostic diagnostic) { keep(std::move(diagnostic)); }

std::vector<Diagnostic> DiagnosticEngine::take() {
  std::vector<Diagnostic> taken(std::make_move_iterator(diagnostics.begin()),
                                std::make_move_iterator(diagnostics.end()));
  clear();
  return taken;
}

/// Where the diagnostic is kept; one to be thrown away if it is a repetition or past the limit.
Diagnostic &DiagnosticEngine::keep(Diagnostic diagnostic) {
  auto isSame = [&](const Diagnostic &other) {
    return other.code == diagnostic.code && other.primary.range == diagnostic.primary.range &&
           other.message == diagnostic.message;
  };
  bool isError = diagnostic.severity() == Severity::Error;
  auto same = std::find_if(diagnostics.begin(), diagnostics.end(), isSame);
  bool isRepeated = same != diagnostics.end();
  if (isRepeated)
    for (const std::string &variant : diagnostic.variants)
      if (std::find(same->variants.begin(), same->variants.end(), variant) == same->variants.end())
        same->variants.push_back(variant);
  if (isError && !isRepeated && errors >= errorLimit)
    ++dropped;
  if (isRepeated || (isError && errors >= errorLimit)) {
    return discarded = std::move(diagnostic);
  }
  ++(isError ? errors : warnings);
  diagnostics.push_back(std::move(diagnostic));
  return diagnostics.back();
}

void DiagnosticEngine::dropWarnings(const std::function<bool(const Diagnostic &)> &isUnwanted) {
  auto rest = std::remove_if(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic &diagnostic) {
    return diagnostic.severity() == Severity::Warning && isUnwanted(diagnostic);
  });
  warnings -= static_cast<unsigned>(diagnostics.end() - rest);
  diagnostics.erase(rest, diagnostics.end());
}

std::vector<const Diagnostic *> DiagnosticEngine::sorted() const {
  using Key = std::tuple<uint32_t, uint32_t, size_t>; // file, offset, order of report
  std::vector<Key> order;
  for (size_t i = 0; i < diagnostics.size(); ++i)
    order.emplace_back(diagnostics[i].primary.range.file.index, diagnostics[i].primary.range.begin, i);
  std::sort(order.begin(), order.end());
  std::vector<const Diagnostic *> result;
  for (const Key &key : order)
    result.push_back(&diagnostics[std::get<2>(key)]);
  return result;
}

void DiagnosticEngine::clear() { *this = DiagnosticEngine(errorLimit); }

/// How many characters both begin with.
static size_t commonStart(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

std::string_view tile::closestName(std::string_view name, const std::vector<std::string_view> &candidates) {
  size_t best = std::max<size_t>(1, name.size() / 3) + 1;
  std::string_view closest;
  for (std::string_view candidate : candidates) {
    // Rows i-2, i-1 and i of the Damerau-Levenshtein table.
    std::vector<size_t> older, previous(candidate.size() + 1), row(candidate.size() + 1);
    for (size_t j = 0; j < previous.size(); ++j)
      previous[j] = j;
    for (size_t i = 1; i <= name.size(); ++i) {
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        bool isEqual = name[i - 1] == candidate[j - 1];
        row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + !isEqual});
        if (i > 1 && j > 1 && name[i - 1] == candidate[j - 2] && name[i - 2] == candidate[j - 1])
          row[j] = std::min(row[j], older[j - 2] + 1);
      }
      older = previous;
      previous.swap(row);
    }
    if (previous.back() >= std::max(name.size(), candidate.size()))
      continue;
    bool isAlike = !closest.empty() && previous.back() == best;
    if (previous.back() < best || (isAlike && commonStart(name, candidate) > commonStart(name, closest))) {
      best = previous.back();
      closest = candidate;
    }
  }
  return closest;
}
