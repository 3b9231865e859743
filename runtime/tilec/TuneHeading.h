/// Which launch a search or a ranking is of, as it was asked for, and as what it is known where these differ.
#ifndef RUNTIME_TILEC_TUNEHEADING_H
#define RUNTIME_TILEC_TUNEHEADING_H

#include "runtime/search/Tune.h"

#include "llvm/Support/JSON.h"

namespace tile {

/// `swiglu for M=300 K=4096 T=f16 (as M=512 by its key), variant=fast`; `key` is that of `launch`, after bindSignature.
std::string headingOf(const TuneLaunch &launch, const TuneKey &key);

/// What the launch was asked for, by name: whole numbers as such, all else as text.
llvm::json::Object toJson(const TuneLaunch &launch);

} // namespace tile

#endif
