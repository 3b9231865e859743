// The manifest inside a cubin: one more ELF section, `.tile.manifest`, behind everything that is there already.
//
// The appender moves nothing: the new section names, the manifest and the new section headers follow the old last byte,
// and only three fields of the file header and one section header change. Tools and the driver depend on where a
// cubin's sections lie (llvm-objcopy, which lays them out anew, makes files that nvdisasm refuses). The old section
// names and headers stay behind as unused bytes, a few hundred of them.

#ifndef TILE_RUNTIME_ARTIFACT_CUBIN_H
#define TILE_RUNTIME_ARTIFACT_CUBIN_H

#include "runtime/Result.h"

#include <string>
#include <string_view>

namespace tile {

/// The name of the section.
constexpr std::string_view kManifestSection = ".tile.manifest";

/// `cubin` with `manifest` in it; an earlier manifest is replaced. Fails if `cubin` is no cubin.
Result<std::string> appendManifest(std::string_view cubin, std::string_view manifest);

/// The manifest's bytes, a part of `cubin`. Fails if `cubin` is no cubin or has no manifest.
Result<std::string_view> findManifest(std::string_view cubin);

} // namespace tile

#endif // TILE_RUNTIME_ARTIFACT_CUBIN_H
