// Diagnostics: what is wrong, where, what the rule is and what to write instead. The engine collects them; TextRenderer
// and JsonRenderer print them. Every code is a row of Codes.def.
#ifndef FRONTEND_DIAGNOSTIC_DIAGNOSTIC_H
#define FRONTEND_DIAGNOSTIC_DIAGNOSTIC_H

#include "frontend/diagnostic/Source.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

enum class Severity { Error, Warning };

/// A stable diagnostic code; printed as `E0123` or `W0001`.
enum class Code : uint16_t {
#define TILE_DIAGNOSTIC(code, title, explanation) code,
#include "frontend/diagnostic/Codes.def"
};

/// A row of Codes.def.
struct CodeInfo {
  Code code;
  std::string_view name;        // `E0123`
  std::string_view title;       // one line
  std::string_view explanation; // the rule, a wrong and a right snippet
  Severity severity() const { return name.front() == 'W' ? Severity::Warning : Severity::Error; }
};

const CodeInfo &codeInfo(Code code);
/// Every code, in the order of Codes.def.
const std::vector<CodeInfo> &allCodes();
/// The row named `name` (`E0123`, any case), or null.
const CodeInfo *findCode(std::string_view name);

/// Source with a remark on it; the text may be empty.
struct Label {
  SourceRange range;
  std::string text;
};

/// An edit that a tool may make: `text` instead of what is at `range`.
struct Fix {
  SourceRange range;
  std::string text;
};

/// Texts are lower case, have no final period, and put source text in backticks.
struct Diagnostic {
  Code code;
  std::string message;
  Label primary;                // underlined with `^`
  std::vector<Label> secondary; // underlined with `-`
  std::vector<std::string> notes;
  std::vector<std::string> variants; // of the kernel, that this is about; empty where it is about all code
  std::string help;                  // what to write instead, or empty
  std::optional<Fix> fix;            // the same as an edit, where it is one

  Severity severity() const { return codeInfo(code).severity(); }
};

/// Fills a Diagnostic that the engine already holds; valid until the next report.
class DiagnosticBuilder {
public:
  explicit DiagnosticBuilder(Diagnostic &diagnostic) : diagnostic(diagnostic) {}
  /// Text under the primary range.
  DiagnosticBuilder &label(std::string text) {
    diagnostic.primary.text = std::move(text);
    return *this;
  }
  DiagnosticBuilder &secondary(SourceRange range, std::string text) {
    diagnostic.secondary.push_back({range, std::move(text)});
    return *this;
  }
  DiagnosticBuilder &note(std::string text) {
    diagnostic.notes.push_back(std::move(text));
    return *this;
  }
  DiagnosticBuilder &help(std::string text) {
    diagnostic.help = std::move(text);
    return *this;
  }
  /// Helps with an edit: `lead`, the text that replaces what is at `range`, in backticks, and `trail`. Says nothing
  /// where that stands in another file, which the reader may not even have.
  DiagnosticBuilder &replace(SourceRange range, std::string_view text, std::string lead, std::string_view trail = "");

private:
  Diagnostic &diagnostic;
};

/// Collects the diagnostics of a run.
class DiagnosticEngine {
public:
  /// Errors beyond `errorLimit` are counted but not kept.
  explicit DiagnosticEngine(unsigned errorLimit = 50) : errorLimit(errorLimit) {}

  /// Adds a diagnostic; its severity is the code's. An exact repetition of an earlier one (code, range, message) is
  /// dropped: a function instantiated twice reports a fault once.
  /// One of several variants of a kernel is dropped, too, but adds to the variants of the first.
  DiagnosticBuilder report(Code code, SourceRange range, std::string message, std::vector<std::string> variants = {});

  bool hasErrors() const { return errors != 0; }
  unsigned errorCount() const { return errors; }
  unsigned warningCount() const { return warnings; }
  /// Errors past the limit.
  unsigned droppedCount() const { return dropped; }
  bool limitReached() const { return dropped != 0; }

  /// Adds one that another engine collected, or this one before; dropped like any other if it is a repetition.
  void add(Diagnostic diagnostic);
  /// Gives away what was collected so far, in the order of report, and forgets it.
  std::vector<Diagnostic> take();

  /// Forgets the warnings that `isUnwanted`.
  void dropWarnings(const std::function<bool(const Diagnostic &)> &isUnwanted);

  /// By file and position; equal positions in order of report.
  std::vector<const Diagnostic *> sorted() const;
  void clear();

private:
  Diagnostic &keep(Diagnostic diagnostic);

  std::deque<Diagnostic> diagnostics;
  Diagnostic discarded{};
  unsigned errorLimit;
  unsigned errors = 0;
  unsigned warnings = 0;
  unsigned dropped = 0;
};

/// Of `candidates` the one closest to `name` by edit distance (a swap of neighbours counts one), or empty if none is
/// close enough to be a likely slip: at most a third of the length, at least one. Of several, the first of those that
/// begin alike for longest.
std::string_view closestName(std::string_view name, const std::vector<std::string_view> &candidates);

} // namespace tile

#endif // FRONTEND_DIAGNOSTIC_DIAGNOSTIC_H
