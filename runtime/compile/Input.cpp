#include "runtime/compile/Input.h"

#include "llvm/Support/Path.h"

namespace tile {

static constexpr struct {
  llvm::StringLiteral extension;
  InputKind kind;
  llvm::StringLiteral words;
} kKinds[] = {
    {".tile", InputKind::Tile, "Tile source"}, {".mlir", InputKind::Mlir, "MLIR"},
    {".ll", InputKind::Llvm, "LLVM IR"},       {".ptx", InputKind::Ptx, "PTX"},
    {".cubin", InputKind::Cubin, "a cubin"},
};

llvm::StringRef describe(InputKind kind) {
  for (const auto &row : kKinds)
    if (row.kind == kind)
      return row.words;
  return "";
}

std::optional<InputKind> kindOf(Session &session, FileId file) {
  std::string name(session.sources.name(file));
  // ELF's first bytes, the same on every machine.
  if (llvm::StringRef(session.sources.text(file))
          .starts_with("\x7f"
                       "ELF"))
    return InputKind::Cubin;
  llvm::StringRef extension = llvm::sys::path::extension(name);
  if (extension.empty() || name == Session::kStandardInput)
    return InputKind::Tile;
  for (const auto &row : kKinds)
    if (row.extension == extension && row.kind != InputKind::Cubin)
      return row.kind;
  session.report(Code::E0602, extension == ".cubin" ? "`" + name + "` is no cubin: it does not begin as ELF does"
                                                    : "`" + name + "` ends in `" + extension.str() +
                                                          "`; expected .tile, .mlir, .ll, .ptx or .cubin");
  return std::nullopt;
}

} // namespace tile
