/// What a spec assigns, read off its syntax: nothing else says that a slip in a name leaves an output open.
#ifndef FRONTEND_IRGEN_SPECNAMES_H
#define FRONTEND_IRGEN_SPECNAMES_H

#include "frontend/ast/Item.h"
#include "frontend/diagnostic/Diagnostic.h"

namespace tile::irgen {

/// Reports what `spec` assigns and neither it nor `kernel` declares.
void checkAssignedNames(DiagnosticEngine &engine, const ast::SpecItem &spec, const ast::KernelItem &kernel);

/// Reports `out` parameters of `kernel` that `spec` assigns nowhere, and a spec that assigns nothing: there would be
/// nothing to compare.
void checkAssignsOutputs(DiagnosticEngine &engine, const ast::SpecItem &spec, const ast::KernelItem &kernel);

} // namespace tile::irgen

#endif
