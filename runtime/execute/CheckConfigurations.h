/// The cases of `tilec check` in every configuration that a search would look at.
#ifndef RUNTIME_EXECUTE_CHECKCONFIGURATIONS_H
#define RUNTIME_EXECUTE_CHECKCONFIGURATIONS_H

#include "runtime/execute/CheckPlan.h"

namespace tile {

/// The most configurations that inAllConfigurations has of one of `cases`; 0 where it has none but the first.
size_t mostConfigurations(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                          const IrgenOptions &options, const std::vector<CheckCase> &cases);

/// Each of `cases` once for each of them that `where` of compile-time values and `prune` leave in its shape, with
/// `num_sms()` of `options`; those of one configuration stand together. A case that cannot say so, or whose
/// configurations `where` refuses, stays as it is, in the first.
std::vector<CheckCase> inAllConfigurations(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                                           const IrgenOptions &options, std::vector<CheckCase> cases);

} // namespace tile

#endif
