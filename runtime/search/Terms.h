/// How many additions stand one after another in what a kernel computes: results of two orders of the same sums differ
/// by roundings of as many.
#ifndef RUNTIME_SEARCH_TERMS_H
#define RUNTIME_SEARCH_TERMS_H

#include "runtime/search/LaunchValues.h"

namespace tile {

/// The most of any value that `kernel`, tile IR, stores. A loop whose trips the launch does not decide has
/// `kUnknownTrips`; what goes through memory begins anew.
int64_t longestSum(mlir::func::FuncOp kernel, LaunchValues &values);

} // namespace tile

#endif
