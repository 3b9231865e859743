#include "frontend/diagnostic/Source.h"

#include <algorithm>

using namespace tile;

FileId SourceManager::add(std::string name, std::string text) {
  if (text.size() >= UINT32_MAX)
    text.resize(UINT32_MAX - 1);
  File file{std::move(name), std::move(text), {0}};
  for (size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n' || (file.text[i] == '\r' && (i + 1 == file.text.size() || file.text[i + 1] != '\n')))
      file.lines.push_back(static_cast<uint32_t>(i + 1));
  files.push_back(std::move(file));
  return FileId{static_cast<uint32_t>(files.size() - 1)};
}

FileId SourceManager::addOnce(std::string name, std::string text) {
  auto known = std::find_if(files.begin(), files.end(),
                            [&](const File &file) { return file.name == name && file.text == text; });
  return known == files.end() ? add(std::move(name), std::move(text))
                              : FileId{static_cast<uint32_t>(known - files.begin())};
}

LineColumn SourceManager::lineColumn(FileId id, uint32_t offset) const {
  const File &file = files[id.index];
  auto next = std::upper_bound(file.lines.begin(), file.lines.end(), offset);
  uint32_t first = *(next - 1);
  LineColumn place{static_cast<uint32_t>(next - file.lines.begin()), 1};
  for (uint32_t i = first; i < offset && i < file.text.size(); ++i)
    if ((static_cast<unsigned char>(file.text[i]) & 0xC0) != 0x80) // not a UTF-8 continuation byte
      ++place.column;
  return place;
}

std::string_view SourceManager::line(FileId id, uint32_t line) const {
  const File &file = files[id.index];
  uint32_t first = file.lines[line - 1];
  uint32_t last = line < file.lines.size() ? file.lines[line] : static_cast<uint32_t>(file.text.size());
  std::string_view text = std::string_view(file.text).substr(first, last - first);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}
