/// What a file has to be before it is read as text: UTF-8, without the byte 0.
#ifndef FRONTEND_DIAGNOSTIC_UTF8TEXT_H
#define FRONTEND_DIAGNOSTIC_UTF8TEXT_H

#include "frontend/diagnostic/Diagnostic.h"

namespace tile {

/// Of the mark that some editors begin a file with, which says nothing more about it; 0 without one.
uint32_t byteOrderMarkLength(std::string_view text);

struct BadBytes {
  std::vector<uint32_t> begins; ///< of each run of them that is reported
  bool isBinary = false;        ///< The file is no text at all, for which the first run stands.
};

/// Reports the bytes of `file`, from `begin`, that are no text.
BadBytes reportBadBytes(const SourceManager &sources, FileId file, DiagnosticEngine &engine, uint32_t begin = 0);

} // namespace tile

#endif
