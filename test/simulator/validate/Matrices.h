/// \file
/// What the sweeps of matrix instructions share: numbers for matrices, and registers that a warp loads and stores.
#ifndef TEST_SIMULATOR_VALIDATE_MATRICES_H
#define TEST_SIMULATOR_VALIDATE_MATRICES_H

#include "test/simulator/validate/Inputs.h"

namespace tile::sim::validate {

/// Of a type of A, B, C or D by its name.
unsigned elementBytes(const std::string &type);
/// `count` elements. Of tf32 the bits that the unit ignores are set at random.
Bytes randomMatrix(Random &random, const std::string &type, size_t count, Kind kind);

/// `{prefix0, prefix1, …}`.
std::string registerList(const std::string &prefix, unsigned count);
/// Loads `count` registers a lane of warp %r2, lane %r3, from %d`pointer`: register by register, 32 lanes each.
std::string loadFragments(const std::string &prefix, unsigned count, unsigned wordBytes, unsigned pointer);
std::string storeFragments(const std::string &prefix, unsigned count, unsigned wordBytes, const std::string &pointer);

} // namespace tile::sim::validate

#endif // TEST_SIMULATOR_VALIDATE_MATRICES_H
