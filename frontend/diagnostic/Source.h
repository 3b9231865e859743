// Source text and positions in it. A position is a file and a byte offset; lines and columns are computed on demand,
// so a node of the AST costs twelve bytes of location. Std only: the parser builds without LLVM.
#ifndef FRONTEND_DIAGNOSTIC_SOURCE_H
#define FRONTEND_DIAGNOSTIC_SOURCE_H

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// Index of a file in its SourceManager.
struct FileId {
  uint32_t index = UINT32_MAX;
  bool isValid() const { return index != UINT32_MAX; }
  bool operator==(FileId other) const { return index == other.index; }
  bool operator!=(FileId other) const { return index != other.index; }
};

/// The name of the standard library's text, which no file could have.
constexpr std::string_view kStandardLibrary = "<std>";

/// What `-D` and its like give: no name that a file could have.
constexpr std::string_view kCommandLine = "<command line>";

/// Bytes [begin, end) of a file. An empty range points between two bytes.
struct SourceRange {
  FileId file;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return file.isValid(); }
  bool operator==(const SourceRange &other) const {
    return file == other.file && begin == other.begin && end == other.end;
  }
  /// From the beginning of this range to the end of `last`, which is in the same file.
  SourceRange to(const SourceRange &last) const { return {file, begin, last.end}; }
};

/// A place as an editor shows it: both from 1; the column counts Unicode code points, a tab being one.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Owns the text of every file of a compilation. Files are never removed, so views into them stay valid.
class SourceManager {
public:
  /// Adds a file; `name` is what diagnostics print. Text beyond 4 GiB cannot be addressed and is cut.
  FileId add(std::string name, std::string text);
  /// The file of this name and text, which is added if there is none: what several compilations read, and report on, is
  /// one place.
  FileId addOnce(std::string name, std::string text);

  std::string_view name(FileId file) const { return files[file.index].name; }
  std::string_view text(FileId file) const { return files[file.index].text; }
  std::string_view text(const SourceRange &range) const {
    return text(range.file).substr(range.begin, range.end - range.begin);
  }
  size_t size() const { return files.size(); }

  LineColumn lineColumn(FileId file, uint32_t offset) const;
  LineColumn begin(const SourceRange &range) const { return lineColumn(range.file, range.begin); }
  LineColumn end(const SourceRange &range) const { return lineColumn(range.file, range.end); }

  /// Line `line` (from 1) of `file`, without its line end.
  std::string_view line(FileId file, uint32_t line) const;
  /// Byte offset of the first byte of line `line` (from 1).
  uint32_t lineBegin(FileId file, uint32_t line) const { return files[file.index].lines[line - 1]; }
  uint32_t lineCount(FileId file) const { return static_cast<uint32_t>(files[file.index].lines.size()); }

private:
  struct File {
    std::string name;
    std::string text;
    std::vector<uint32_t> lines; // offset of each line's first byte
  };
  std::deque<File> files;
};

} // namespace tile

#endif // FRONTEND_DIAGNOSTIC_SOURCE_H
