#include "frontend/diagnostic/DisplayLine.h"

#include <algorithm>

using namespace tile;

static constexpr uint32_t kTabStop = 4;
static constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

Utf8Unit tile::decodeUtf8(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  if (lead < 0x80)
    return {1, lead, true};
  uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length)
    return {1, lead, false};
  uint32_t codePoint = lead & (0xFF >> (length + 1));
  for (uint32_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80)
      return {1, lead, false};
    codePoint = codePoint << 6 | (byte(i) & 0x3F);
  }
  static constexpr uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isSurrogate = codePoint >= 0xD800 && codePoint <= 0xDFFF;
  if (codePoint < smallest[length] || codePoint > 0x10FFFF || isSurrogate)
    return {1, lead, false};
  return {length, codePoint, true};
}

/// Columns a terminal gives a character: East Asian wide and emoji blocks 2, combining marks 0.
static uint32_t displayWidth(uint32_t c) {
  struct Block {
    uint32_t first, last, width;
  };
  static constexpr Block blocks[] = {
      {0x0300, 0x036F, 0}, {0x1100, 0x115F, 2}, {0x200B, 0x200F, 0},   {0x20D0, 0x20FF, 0},   {0x2E80, 0xA4CF, 2},
      {0xAC00, 0xD7A3, 2}, {0xF900, 0xFAFF, 2}, {0xFE00, 0xFE0F, 0},   {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},
      {0xFFE0, 0xFFE6, 2}, {0xFEFF, 0xFEFF, 0}, {0x1F300, 0x1F64F, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2},
  };
  for (const Block &block : blocks)
    if (c >= block.first && c <= block.last)
      return block.width;
  return 1;
}

DisplayLine::DisplayLine(std::string_view line) {
  uint32_t column = 0;
  for (size_t i = 0; i < line.size();) {
    Utf8Unit unit = decodeUtf8(line.substr(i));
    columns.insert(columns.end(), unit.length, column);
    uint32_t width = 1;
    std::string text(line.substr(i, unit.length));
    if (line[i] == '\t') {
      width = kTabStop - column % kTabStop;
      text = std::string(width, ' ');
    } else if (!unit.isValid || unit.codePoint < 0x20 || (unit.codePoint >= 0x7F && unit.codePoint < 0xA0)) {
      text = kReplacement;
    } else {
      width = displayWidth(unit.codePoint);
    }
    cells.push_back({column, std::move(text)});
    column += width;
    i += unit.length;
  }
  columns.push_back(column);
}

uint32_t DisplayLine::column(uint32_t offset) const { return columns[std::min<size_t>(offset, columns.size() - 1)]; }

std::string DisplayLine::text(uint32_t begin, uint32_t end) const {
  std::string result;
  auto atOrAfter = [](const Cell &cell, uint32_t column) { return cell.column < column; };
  for (auto cell = std::lower_bound(cells.begin(), cells.end(), begin, atOrAfter);
       cell != cells.end() && cell->column < end; ++cell)
    result += cell->text;
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}
