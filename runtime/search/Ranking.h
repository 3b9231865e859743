/// The configurations of a space in the order in which they are worth a measurement: what the model expects to be
/// fastest first, then what it rejects.
#ifndef RUNTIME_SEARCH_RANKING_H
#define RUNTIME_SEARCH_RANKING_H

#include "runtime/search/Model.h"
#include "runtime/search/Space.h"

#include "llvm/Support/raw_ostream.h"

namespace tile {

struct RankedConfiguration {
  Configuration configuration;
  size_t place = 0; ///< in the space; the first is the default
  Estimate estimate;
};

/// `options` are those that the space was read with. A configuration that does not become tile IR is rejected with what
/// the compiler says. None after reporting a knob that nothing in the kernel uses.
std::optional<std::vector<RankedConfiguration>> rankConfigurations(Session &session, const ast::Module &module,
                                                                   const ast::KernelItem &kernel,
                                                                   const IrgenOptions &options, const Space &space,
                                                                   const Target &target);

/// The estimate for `configuration` alone.
Estimate estimateConfiguration(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               const IrgenOptions &options, const Configuration &configuration, const Target &target);

/// A line for each, the best first: the time expected and what takes it, what the program takes of a multiprocessor.
void printRanking(const std::vector<RankedConfiguration> &ranking, llvm::raw_ostream &out);

} // namespace tile

#endif
