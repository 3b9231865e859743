/// What `inputs` of `@check` and `@bench` says: how the elements of each parameter are chosen.
///
///   inputs = special                                // of every parameter
///   inputs = {x: special, label: range(0, N)}       // of those that it names; the others are `normal`
#ifndef RUNTIME_EXECUTE_INPUTRULES_H
#define RUNTIME_EXECUTE_INPUTRULES_H

#include "runtime/arguments/Fill.h"
#include "runtime/compile/Session.h"

#include <map>
#include <string>
#include <vector>

namespace tile {

/// A filling by name, or evenly from [low, high). The bounds are host expressions over extents, scalars and
/// compile-time parameters.
struct InputRule {
  std::string filling = "normal";
  const ast::Expr *low = nullptr, *high = nullptr; ///< both set for a range
};

struct InputRules {
  InputRule rest;                         ///< of parameters that have none of their own
  std::map<std::string, InputRule> named; ///< by parameter

  const InputRule &of(const std::string &parameter) const;
  /// Every bound of a range.
  std::vector<const ast::Expr *> bounds() const;
};

/// Reads `value`, what `inputs` of a decorator of `kernel` is. False after reporting.
bool readInputRules(Session &session, const ast::KernelItem &kernel, const ast::Expr &value, InputRules &rules);

/// Whether `record`, of a decorator, gives each name once. False after reporting.
bool checkNoneTwice(Session &session, const ast::Record &record);

/// The parameter of `kernel` that a decorator names; null after reporting.
const ast::Parameter *findNamedParameter(Session &session, const ast::KernelItem &kernel, const ast::Identifier &name);

/// Whether the range of `parameter`, whose bounds are `low` and `high` in this shape, has a value. False after
/// reporting.
bool checkRange(Session &session, const InputRule &rule, const std::string &parameter, const std::string &low,
                const std::string &high);

} // namespace tile

#endif
