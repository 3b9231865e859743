// Whole files as strings.

#ifndef TILE_RUNTIME_ARTIFACT_FILE_H
#define TILE_RUNTIME_ARTIFACT_FILE_H

#include "runtime/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tile {

/// The whole file. Fails with the system's text, or where there are more than `limit` bytes: a device may have no end.
Result<std::string> readFile(const std::string &path, uint64_t limit = UINT64_MAX);

/// Writes the whole file under another name and renames it, so that no reader sees a part of it. A
/// device or a pipe is written in place.
Status writeFile(const std::string &path, std::string_view content);

} // namespace tile

#endif // TILE_RUNTIME_ARTIFACT_FILE_H
