// PTX texts for tests: what surrounds a body, and the folders of recorded modules.
#ifndef TILE_TEST_UNIT_SIMULATOR_PTX_PARSEPTX_H
#define TILE_TEST_UNIT_SIMULATOR_PTX_PARSEPTX_H

#include "backend/simulator/ptx/Parser.h"

#include <string>
#include <string_view>
#include <vector>

namespace tile::sim::test {

/// `text` behind the head of a module, whose three lines come first: `text` begins in line 4.
std::string moduleOf(std::string_view text);
/// The module with one kernel `k` of no parameters; `body` begins in line 5.
std::string kernelOf(std::string_view body);

/// The module that `text` says; a failure of the test, and an empty module, if it says none.
ptx::Module parsed(std::string_view text);
/// The only function of `kernelOf(body)`.
ptx::Function body(std::string_view body);

struct RecordedPtx {
  std::string path, text;
};
/// All modules in test/simulator/foreign and in emitted/, and those in the folder that TILE_PTX_CORPUS names.
std::vector<RecordedPtx> recordedPtx();

} // namespace tile::sim::test

#endif // TILE_TEST_UNIT_SIMULATOR_PTX_PARSEPTX_H
