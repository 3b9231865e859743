// Generates tile IR from snippets for the tests of irgen.
#ifndef TEST_UNIT_FRONTEND_GENERATING_H
#define TEST_UNIT_FRONTEND_GENERATING_H

#include "frontend/diagnostic/Render.h"
#include "frontend/irgen/Irgen.h"
#include "frontend/parse/Parse.h"

#include "mlir/IR/MLIRContext.h"

#include <sstream>

namespace tile::test {

/// A text with the IR made of it, or the diagnostics.
struct Generated {
  enum class What { Kernels, Specs };
  explicit Generated(std::string text, IrgenOptions options = {}, std::string name = "t.tile",
                     What what = What::Kernels)
      : context(mlir::MLIRContext::Threading::DISABLED) {
    FileId file = sources.add(std::move(name), std::move(text));
    ParseResult parsed = parse(sources, file, engine);
    if (!parsed.hasErrors)
      module = what == What::Specs ? generateSpec(*parsed.module, sources, engine, context, options)
                                   : generate(*parsed.module, sources, engine, context, options);
  }

  std::string ir() {
    std::string text;
    llvm::raw_string_ostream out(text);
    if (module)
      module->print(out);
    return text;
  }
  std::string errors() const {
    std::ostringstream out;
    renderText(out, sources, engine);
    return out.str();
  }
  /// Whether the IR has every one of `pieces`, in this order.
  bool has(std::initializer_list<std::string_view> pieces) {
    std::string text = ir();
    size_t at = 0;
    for (std::string_view piece : pieces) {
      at = text.find(piece, at);
      if (at == std::string::npos)
        return false;
      at += piece.size();
    }
    return true;
  }
  size_t count(std::string_view piece) {
    std::string text = ir();
    size_t found = 0;
    for (size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1))
      ++found;
    return found;
  }

  SourceManager sources;
  DiagnosticEngine engine;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

inline IrgenOptions with(std::map<std::string, std::string> values) {
  IrgenOptions options;
  options.values = std::move(values);
  return options;
}

/// A kernel around `body` with `x`, `y` (f32, read and written) and `n` (i32, read) of extent N.
inline std::string kernelAround(const std::string &body) {
  return "kernel k<B: int = 64>(x: tensor<f32>[N], inout y: tensor<f32>[N], n: tensor<i32>[N]) grid [cdiv(N, B)] {\n" +
         body + "\n}\n";
}

} // namespace tile::test

#endif
