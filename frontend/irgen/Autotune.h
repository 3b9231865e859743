/// What `@autotune` of a kernel says, as syntax: its configurations, and what tells one launch from another. A
/// compilation takes the first configuration that `where` leaves, a search looks at all.
#ifndef FRONTEND_IRGEN_AUTOTUNE_H
#define FRONTEND_IRGEN_AUTOTUNE_H

#include "frontend/ast/Item.h"
#include "frontend/diagnostic/Diagnostic.h"

#include <string>
#include <string_view>
#include <vector>

namespace tile {

inline constexpr std::string_view kAutotuneArguments[] = {"bucket", "configs", "key", "prune", "space", "top"};

/// One configuration: names with what the decorator gives them, in its order.
struct AutotunePoint {
  struct Setting {
    const ast::Identifier *name;
    const ast::Expr *value;
  };
  std::vector<Setting> settings;
  SourceRange range; ///< of the configuration, or of the space that it is a point of
};

/// What stands for a dim in the key, so that launches share what is found: `next_pow2(M)`.
struct AutotuneBucket {
  const ast::Expr *value;
  std::string dim; ///< the only one in `value`; empty if it has none or several, which is reported
};

/// What tells one launch from another.
struct AutotuneKey {
  const ast::Expr *value; ///< null: a dim, since nothing is listed
  std::string dim;
};

struct Autotune {
  const ast::Decorator *decorator = nullptr; ///< null: the kernel has none
  const ast::Argument *configs = nullptr;    ///< `configs = [{…}, …]`
  const ast::Argument *space = nullptr;      ///< `space = {…}`
  std::vector<AutotuneKey> key;              ///< what `key` lists; without it, every dim
  std::vector<AutotuneBucket> buckets;
  const ast::Expr *prune = nullptr, *top = nullptr;

  /// Of a space the product of its lists, as far as 64 bits go.
  uint64_t countPoints() const;
  /// The `i`th of them. Of a space the first has the first value of every name; the last name varies fastest.
  AutotunePoint point(uint64_t i) const;
  /// The configurations of `configs`, or the space.
  std::vector<const ast::Record *> records() const;
  /// Each name of them with each value that is listed for it, as often as it is.
  std::vector<AutotunePoint::Setting> listedSettings() const;

  static constexpr uint64_t kMostPoints = 10000;
};

/// What is no list or record where one has to stand is left out; it is reported when the kernel is compiled.
Autotune readAutotune(const ast::KernelItem &kernel);

/// `value` as `-D` takes it; numbers that are the same have one text.
std::string settingText(const ast::Expr &value, const SourceManager &sources);

/// Reports what is wrong with the `@autotune` of `kernel` for every launch.
void checkAutotune(const ast::KernelItem &kernel, const SourceManager &sources, DiagnosticEngine &engine);

/// Reports the compile-time parameters that it sets and nothing uses.
void checkAutotuneUses(const ast::KernelItem &kernel, const SourceManager &sources, DiagnosticEngine &engine);

} // namespace tile

#endif
