// The values of numbers and strings.
#ifndef FRONTEND_PARSE_LITERALS_H
#define FRONTEND_PARSE_LITERALS_H

#include "frontend/parse/Tokens.h"

#include <optional>

namespace tile::syntax {

/// Value of an integer as written, or nothing after a report: a foreign suffix, a digit of another base, 2^64 or more.
std::optional<uint64_t> integerValue(const Source &source, SourceRange range);

/// Nearest double of a decimal; `spelling` becomes its digits without `_`. Nothing after a report: not finite.
std::optional<double> floatValue(const Source &source, SourceRange range, std::string &spelling);

/// Text of a string with its quotes; escapes that are none are reported and left out. A string without end (reported by
/// the lexer) is taken as it is.
std::string stringValue(const Source &source, SourceRange range);

} // namespace tile::syntax

#endif // FRONTEND_PARSE_LITERALS_H
