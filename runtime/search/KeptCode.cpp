#include "runtime/search/KeptCode.h"

#include "runtime/search/Keys.h"

namespace tile {

std::optional<KeptCode> codeOf(Session &session, FileId file, mlir::ModuleOp module, const ast::KernelItem &kernel,
                               const BuildOptions &options, Cache &cache) {
  KeptCode code;
  code.key = hashParts(cubinParts(session, kernel, options));
  if (std::optional<std::string> known = options.reports ? std::nullopt : cache.get(code.key)) {
    code.cubin = std::move(*known);
    return code;
  }
  std::optional<Artifact> artifact = build(session, file, module, options);
  if (!artifact)
    return std::nullopt;
  code.cubin = std::move(artifact->cubin);
  code.isBuilt = true;
  if (!session.hasErrors())
    cache.put(code.key, code.cubin, cubinFacts(kernel, options));
  return code;
}

} // namespace tile
