/// What a kernel's `@check` and `@instances` decorators ask for: the cases that `tilec check` runs. Read from the
/// syntax tree, since the values decide how the kernel is compiled.
///
///   @instances(T = [f16, bf16], has(w) = [true, false])   every combination is a case of every shape, but that of a
///                                     parameter with a heuristic, which a launch takes from there
///   @check(shapes = [{M: 1, N: 7}, {M: 129, N: 1000, eps: 1e-5, w: none, T: f64}],
///          inputs = special,                 // or per parameter: inputs = {x: special, i: range(0, N)}
///          exact = true,                     // bit for bit; otherwise the derived tolerance
///          rtol = 1e-3, reason = "…",        // instead of the derived tolerance, for a reason
///          fault = "row is sorted",          // the interpreter must report this
///          sizes = {p: N * 2})               // elements behind a raw pointer
///
/// Numbers are host expressions over extents, scalars and compile-time parameters.
#ifndef RUNTIME_EXECUTE_CHECKPLAN_H
#define RUNTIME_EXECUTE_CHECKPLAN_H

#include "runtime/execute/InputRules.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tile {

/// A name with what a decorator gives it.
struct CheckField {
  std::string name; ///< a dim, a compile-time parameter, a scalar; `has(w)` in an instance
  const ast::Expr *value = nullptr;
  std::string text; ///< of `value`
};

/// One launch to compare with the spec.
struct CheckCase {
  std::vector<CheckField> instance;                     ///< of `@instances`, without what the shape gives anew
  std::optional<std::vector<CheckField>> configuration; ///< of `@autotune`, beside these; none: the first
  std::vector<CheckField> shape;                        ///< `none` for an optional parameter that is absent
  InputRules inputs;
  std::map<std::string, const ast::Expr *> sizes;
  bool exact = false;
  std::optional<double> rtol, atol;
  std::string reason;
  std::string fault;
  size_t check = 0;  ///< of several `@check`s of the kernel, its number from 1; else 0
  SourceRange range; ///< of the shape

  bool givesField(const std::string &name) const;

  /// `<T = bf16, has(w) = true>`, with what a configuration sets; empty without either
  std::string describeInstance() const;
  /// `{M: 7, N: 127}`
  std::string describeShape() const;
};

/// The cases of `kernel`, those of each `@check` in order; none and `false` after reporting a decorator at fault. A
/// kernel without `@check` has no cases. What `options` give is not varied over the instances, and of shapes that give
/// another value for it, none is left; `exclusions` say of which `@check` that are all, or of the kernel once.
bool readCheckCases(Session &session, const ast::KernelItem &kernel, const IrgenOptions &options,
                    std::vector<CheckCase> &cases, std::vector<Diagnostic> &exclusions);

} // namespace tile

#endif
