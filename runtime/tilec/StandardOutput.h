/// `std::cout` and LLVM's `errs()` as this program uses them: what could not be written is known at its end, with the
/// reason. The C library's stream forgets the reason when it drops what does not fit, and LLVM's ends the process.
#ifndef RUNTIME_TILEC_STANDARDOUTPUT_H
#define RUNTIME_TILEC_STANDARDOUTPUT_H

#include <string>

namespace tile {

/// Has `std::cout` write to standard output without the C library between, to the end of the process.
void captureStandardOutput();

/// Writes what is buffered. Gives why not all was written, else an empty string.
std::string finishStandardOutput();

/// Whether all that was to go to standard error is there.
bool finishStandardError();

} // namespace tile

#endif
