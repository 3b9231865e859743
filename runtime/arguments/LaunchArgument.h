// Host arguments as a launch takes them: what memory they have there, and whether the kernel reads and writes it.

#ifndef TILE_RUNTIME_ARGUMENTS_LAUNCHARGUMENT_H
#define TILE_RUNTIME_ARGUMENTS_LAUNCHARGUMENT_H

#include "runtime/arguments/HostArgument.h"
#include "runtime/artifact/Manifest.h"
#include "runtime/launch/Argument.h"

#include <vector>

namespace tile {

/// Whether the kernel may write what `parameter` points to; of a raw pointer nobody knows.
bool mayWrite(const Parameter &parameter);

/// Whether the kernel may read what is in `argument` before it has written it: not in an output, nor what `empty` made.
bool isDefined(const HostArgument &argument, const Parameter &parameter);

/// Whether a .npy file, which has no bf16 and no 8-bit floats, holds elements of `type` as integers of type `found`.
bool isKeptAsBits(DataType type, DataType found);

/// All arguments, one per parameter, with their memory at `bases`. A u16 array becomes bf16 and a u8 array an 8-bit
/// float where the parameter is: a .npy file has no other way to hold them. Fails on a number where a tensor belongs
/// and on one that is no value of its type.
Result<std::vector<Argument>> toLaunchArguments(const KernelContract &contract, std::vector<HostArgument> &arguments,
                                                const std::vector<const void *> &bases);

} // namespace tile

#endif // TILE_RUNTIME_ARGUMENTS_LAUNCHARGUMENT_H
