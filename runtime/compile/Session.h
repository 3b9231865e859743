/// One run of the compiler: the source files, the MLIR context, and one list of diagnostics for both halves. What a
/// pass reports at a location of a `.tile` file is shown as the frontend's own diagnostics are.
#ifndef RUNTIME_COMPILE_SESSION_H
#define RUNTIME_COMPILE_SESSION_H

#include "frontend/diagnostic/Diagnostic.h"
#include "frontend/irgen/Irgen.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <iosfwd>
#include <memory>
#include <optional>

namespace tile {

enum class DiagnosticFormat { Text, Json };

class Session {
public:
  /// With `remarks`, what the passes say of missed optimisations is reported too.
  explicit Session(bool remarks = false);
  Session(const Session &) = delete;

  /// What diagnostics call the file that `-` means.
  static constexpr std::string_view kStandardInput = "<stdin>";

  /// Adds the file, or standard input for `-`; none, after reporting, if it cannot be read.
  std::optional<FileId> read(const std::string &path);
  /// The same without a byte order mark; none, after reporting, of what is no text as well.
  std::optional<FileId> readText(const std::string &path);

  /// The syntax tree of a `.tile` file; null after errors.
  std::unique_ptr<ast::Module> parse(FileId file);

  /// Reports what has no place in a source file: a bad option, a file that cannot be written.
  void report(Code code, std::string message) { engine.report(code, {}, std::move(message)); }

  /// Reports at a place that a pass or the interpreter gives. What is returned takes what there is to add.
  DiagnosticBuilder report(Code code, mlir::Location location, std::string message);

  /// Where `location` stands in a file that was read; invalid if in none. Of a place inside a function that was
  /// expanded, the place in the function.
  SourceRange place(mlir::Location location) const;

  /// What missed optimisations are told of code that has variants: those of `variant`, which ran. Where none is named,
  /// those of a variant that promises something: advice for the other would make this one worse.
  void showRemarksOf(std::string variant) { shownVariant = std::move(variant); }

  bool hasErrors() const { return engine.hasErrors(); }

  /// Prints what was reported so far, in source order.
  void render(std::ostream &out, DiagnosticFormat format);
  /// Likewise, and forgets it.
  void print(std::ostream &out, DiagnosticFormat format);

  mlir::MLIRContext context;
  SourceManager sources;
  /// Files among `sources` that are no source of a kernel.
  std::vector<FileId> dataFiles;
  DiagnosticEngine engine;

private:
  mlir::LogicalResult take(mlir::Diagnostic &diagnostic);
  /// Where `location` is in a file read; invalid if in none. A place inside an expanded function comes with the calls.
  SourceRange rangeOf(mlir::Location location, std::vector<SourceRange> &calls) const;
  DiagnosticBuilder reportAt(Code code, mlir::Location location, std::string message, SourceRange &range,
                             std::vector<std::string> variants = {});
  bool isShown(const Diagnostic &diagnostic) const;

  std::optional<mlir::ScopedDiagnosticHandler> handler;
  std::string shownVariant;
};

} // namespace tile

#endif
