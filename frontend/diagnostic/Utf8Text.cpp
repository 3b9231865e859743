#include "frontend/diagnostic/Utf8Text.h"

#include "frontend/diagnostic/DisplayLine.h"

#include <cstdio>

namespace tile {

uint32_t byteOrderMarkLength(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.substr(0, kMark.size()) == kMark ? kMark.size() : 0;
}

/// Whether the bytes are no text at all: with a zero among them, or one of four that belongs to no character. Nothing
/// that could be said of a part of them would help.
static bool isBinary(std::string_view text) {
  size_t bad = 0;
  for (size_t i = 0; i < text.size();) {
    Utf8Unit unit = decodeUtf8(text.substr(i));
    if (unit.isValid && unit.codePoint == 0)
      return true;
    bad += !unit.isValid;
    i += unit.length;
  }
  return bad * 4 > text.size();
}

BadBytes reportBadBytes(const SourceManager &sources, FileId file, DiagnosticEngine &engine, uint32_t begin) {
  std::string_view text = sources.text(file);
  BadBytes bad;
  bad.isBinary = isBinary(text);
  for (uint32_t i = begin; i < text.size();) {
    Utf8Unit unit = decodeUtf8(text.substr(i));
    if (unit.isValid && unit.codePoint != 0) {
      i += unit.length;
      continue;
    }
    uint32_t first = i;
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(text[first]));
    // One report for a run of such bytes.
    while (i < text.size() && (text[i] == 0 || !decodeUtf8(text.substr(i)).isValid))
      ++i;
    engine.report(Code::E0002, {file, first, i}, std::string("found the byte ") + byte + "; expected UTF-8 text")
        .help(bad.isBinary ? "the file looks like a binary or UTF-16 one; save it as UTF-8" : "save the file as UTF-8");
    bad.begins.push_back(first);
    if (bad.isBinary)
      break;
  }
  return bad;
}

} // namespace tile
