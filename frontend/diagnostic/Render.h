// Diagnostics as text for people and as JSON for tools.
#ifndef FRONTEND_DIAGNOSTIC_RENDER_H
#define FRONTEND_DIAGNOSTIC_RENDER_H

#include "frontend/diagnostic/Diagnostic.h"

#include <iosfwd>

namespace tile {

/// Prints one diagnostic: a headline, the source with carets and labels, notes and the hint. Ends with an empty line.
void renderText(std::ostream &out, const SourceManager &sources, const Diagnostic &diagnostic);

/// Prints all of them in order, then, if errors were dropped, how many.
void renderText(std::ostream &out, const SourceManager &sources, const DiagnosticEngine &engine);

/// Prints a JSON array with one object a diagnostic, one a line.
void renderJson(std::ostream &out, const SourceManager &sources, const DiagnosticEngine &engine);

/// Prints the title and the explanation of a code: `tilec explain`.
void renderExplanation(std::ostream &out, const CodeInfo &info);

} // namespace tile

#endif // FRONTEND_DIAGNOSTIC_RENDER_H
