/// The configurations of a space in the order in which they are worth a measurement: what the model expects to be
/// fastest first, then what it rejects, and what has the code of another.
#ifndef RUNTIME_SEARCH_RANKING_H
#define RUNTIME_SEARCH_RANKING_H

#include "runtime/artifact/Manifest.h"
#include "runtime/search/Model.h"
#include "runtime/search/Space.h"
#include "runtime/tune/Trial.h"

#include "llvm/Support/raw_ostream.h"

#include <functional>

namespace tile {

/// What `num_sms()` is for a launch of `options`: that of its GPU, else that of the usual product of `target`.
int64_t numSmsOf(const IrgenOptions &options, const Target &target);

struct RankedConfiguration {
  Configuration configuration;
  size_t place = 0; ///< in the space; the first is the default
  Estimate estimate;
  /// The place of the first one that has the same code, for which alone this one is rejected.
  std::optional<size_t> sameAs = std::nullopt;
};

/// Why a launch does not take the code of a configuration, which has this contract; empty if it does.
using Refusal = std::function<std::string(const KernelContract &contract)>;

/// `options` are those that the space was read with. A configuration that does not become tile IR is rejected with what
/// the compiler says, and what `refusal` refuses with that. None after reporting a knob that nothing in the kernel
/// uses.
std::optional<std::vector<RankedConfiguration>> rankConfigurations(Session &session, const ast::Module &module,
                                                                   const ast::KernelItem &kernel,
                                                                   const IrgenOptions &options, const Space &space,
                                                                   const Target &target, const Refusal &refusal = {});

/// The estimate for `configuration` alone.
Estimate estimateConfiguration(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               const IrgenOptions &options, const Configuration &configuration, const Target &target,
                               const Refusal &refusal = {});

/// What the model says of `one`, as a trial that is to be made; but its rank, which the others decide.
Trial untriedTrial(const RankedConfiguration &one);

/// A line for each, the best first: the time expected and what takes it, what the program takes of a multiprocessor.
/// One after the first `top`, unless that are all, says that a search measures those, and the default.
void printRanking(const std::vector<RankedConfiguration> &ranking, size_t top, llvm::raw_ostream &out);

} // namespace tile

#endif
