// A source line as a terminal shows it: tabs expanded, wide characters counted twice, bytes that are no text replaced.
#ifndef FRONTEND_DIAGNOSTIC_DISPLAYLINE_H
#define FRONTEND_DIAGNOSTIC_DISPLAYLINE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// One UTF-8 sequence at the start of `text`, or a byte that begins none.
struct Utf8Unit {
  uint32_t length = 1;
  uint32_t codePoint = 0;
  bool isValid = false;
};
/// `text` is not empty. Overlong forms, surrogates and values past U+10FFFF are not valid.
Utf8Unit decodeUtf8(std::string_view text);

class DisplayLine {
public:
  explicit DisplayLine(std::string_view line);

  /// Display column, from 0, where byte `offset` of the line stands; an offset past the end stands after the last.
  uint32_t column(uint32_t offset) const;
  uint32_t width() const { return columns.back(); }
  /// Columns [begin, end), end trimmed of blanks.
  std::string text(uint32_t begin, uint32_t end) const;

private:
  struct Cell {
    uint32_t column;
    std::string text;
  };
  std::vector<Cell> cells;
  std::vector<uint32_t> columns; // of each byte, and of the end
};

} // namespace tile

#endif // FRONTEND_DIAGNOSTIC_DISPLAYLINE_H
