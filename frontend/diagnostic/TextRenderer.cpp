// The text form. A line with labels is followed by a row of underlines; the rightmost label's text stands after its
// underline, the others hang below their beginnings, right to left:
//
//   12 |     a @ b
//      |     - ^ - tile<f32>[128]
//      |     tile<f32>[64]
//
// A range over several lines is underlined on its first and on its last line; lines between are left out.
#include "frontend/diagnostic/DisplayLine.h"
#include "frontend/diagnostic/Render.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>

using namespace tile;

namespace {

/// Longest piece of a source line that is printed, in columns.
constexpr uint32_t kWindow = 160;
/// Columns kept before the first label of a line that is cut.
constexpr uint32_t kContext = 40;

/// An underline on one line, in display columns.
struct Mark {
  uint32_t begin;
  uint32_t end;
  char symbol;
  std::string text;
};

/// Bytes of one line that a label covers.
struct Segment {
  uint32_t begin;
  uint32_t end;
  bool isPrimary;
  std::string text;
};

/// Lines of one file that carry labels.
using LineSegments = std::map<uint32_t, std::vector<Segment>>;

class TextRenderer {
public:
  TextRenderer(std::ostream &out, const SourceManager &sources) : out(out), sources(sources) {}
  void render(const Diagnostic &diagnostic);

private:
  void addLabel(const Label &label, bool isPrimary);
  void renderFile(FileId file, const LineSegments &lines);
  void renderLine(std::string_view line, const std::vector<Segment> &segments);
  void renderMarks(std::vector<Mark> marks);
  void remark(std::string_view kind, std::string_view text);
  std::ostream &gutter() { return out << std::string(gutterWidth, ' ') << " |"; }

  std::ostream &out;
  const SourceManager &sources;
  std::map<uint32_t, LineSegments> files;
  size_t gutterWidth = 1;
};

} // namespace

void TextRenderer::addLabel(const Label &label, bool isPrimary) {
  FileId file = label.range.file;
  LineSegments &lines = files[file.index];
  uint32_t first = sources.begin(label.range).line;
  // A range that ends with a line's end does not reach the next line.
  uint32_t lastByte = std::max(label.range.begin, label.range.end > 0 ? label.range.end - 1 : 0);
  uint32_t last = sources.lineColumn(file, lastByte).line;
  uint32_t firstBegin = sources.lineBegin(file, first);
  if (first == last) {
    lines[first].push_back({label.range.begin - firstBegin, label.range.end - firstBegin, isPrimary, label.text});
    return;
  }
  auto lineEnd = static_cast<uint32_t>(sources.line(file, first).size());
  lines[first].push_back({label.range.begin - firstBegin, lineEnd, isPrimary, {}});
  size_t indent = sources.line(file, last).find_first_not_of(" \t");
  lines[last].push_back({static_cast<uint32_t>(indent == std::string_view::npos ? 0 : indent),
                         label.range.end - sources.lineBegin(file, last), isPrimary, label.text});
}

void TextRenderer::renderMarks(std::vector<Mark> marks) {
  // Inner underlines are painted over outer ones; among equal ones the primary is last.
  std::sort(marks.begin(), marks.end(), [](const Mark &a, const Mark &b) {
    return std::tuple(b.end - b.begin, b.symbol, a.begin) < std::tuple(a.end - a.begin, a.symbol, b.begin);
  });
  std::string row;
  for (const Mark &mark : marks) {
    row.resize(std::max<size_t>(row.size(), mark.end), ' ');
    std::fill(row.begin() + mark.begin, row.begin() + mark.end, mark.symbol);
  }

  // The text of the label that begins last may follow its underline if nothing is underlined after it.
  std::vector<Mark> hanging;
  for (const Mark &mark : marks)
    if (!mark.text.empty())
      hanging.push_back(mark);
  std::sort(hanging.begin(), hanging.end(), [](const Mark &a, const Mark &b) {
    return std::tuple(a.begin, b.symbol, a.text) < std::tuple(b.begin, a.symbol, b.text);
  });
  if (!hanging.empty() && hanging.back().end == row.size()) {
    row += " " + hanging.back().text;
    hanging.pop_back();
  }
  gutter() << ' ' << row << '\n';

  for (; !hanging.empty(); hanging.pop_back()) {
    std::string line;
    for (size_t i = 0; i + 1 < hanging.size(); ++i) {
      if (hanging[i].begin >= hanging.back().begin)
        continue;
      line.resize(hanging[i].begin, ' ');
      line += '|';
    }
    line.resize(hanging.back().begin, ' ');
    gutter() << ' ' << line << hanging.back().text << '\n';
  }
}

void TextRenderer::renderLine(std::string_view line, const std::vector<Segment> &segments) {
  DisplayLine display(line);
  uint32_t first = UINT32_MAX;
  std::vector<Mark> marks;
  for (const Segment &segment : segments) {
    uint32_t begin = display.column(segment.begin);
    uint32_t end = std::max(display.column(segment.end), begin + 1);
    marks.push_back({begin, end, segment.isPrimary ? '^' : '-', segment.text});
    first = std::min(first, begin);
  }

  uint32_t from = 0;
  uint32_t to = display.width();
  if (to > kWindow) {
    from = std::min(first > kContext ? first - kContext : 0, to - kWindow);
    to = std::min(to, from + kWindow);
  }
  std::string_view cut = "…";
  out << (from > 0 ? cut : "") << display.text(from, to) << (to < display.width() ? cut : "") << '\n';

  uint32_t shift = from > 0 ? from - 1 : 0; // the ellipsis takes a column
  for (Mark &mark : marks) {
    mark.begin = std::min(mark.begin, to) - shift;
    mark.end = std::max(std::min(mark.end, to) - shift, mark.begin + 1);
  }
  renderMarks(std::move(marks));
}

void TextRenderer::renderFile(FileId file, const LineSegments &lines) {
  gutter() << '\n';
  uint32_t previous = 0;
  auto source = [&](uint32_t line) -> std::ostream & {
    std::string number = std::to_string(line);
    return out << std::string(gutterWidth - number.size(), ' ') << number << " | ";
  };
  for (const auto &[line, segments] : lines) {
    if (previous && line == previous + 2) {
      DisplayLine between(sources.line(file, previous + 1));
      source(previous + 1) << between.text(0, kWindow) << '\n';
    } else if (previous && line > previous + 2) {
      out << "...\n";
    }
    source(line);
    renderLine(sources.line(file, line), segments);
    previous = line;
  }
}

void TextRenderer::remark(std::string_view kind, std::string_view text) {
  std::string margin(gutterWidth + 1, ' ');
  out << margin << "= " << kind << ": ";
  std::string indent(margin.size() + 4 + kind.size(), ' ');
  for (char c : text) {
    out << c;
    if (c == '\n')
      out << indent;
  }
  out << '\n';
}

void TextRenderer::render(const Diagnostic &diagnostic) {
  const CodeInfo &info = codeInfo(diagnostic.code);
  out << (info.severity() == Severity::Error ? "error[" : "warning[") << info.name << "]: " << diagnostic.message
      << '\n';

  FileId main = diagnostic.primary.range.file;
  if (main.isValid())
    addLabel(diagnostic.primary, /*isPrimary=*/true);
  for (const Label &label : diagnostic.secondary)
    if (label.range.isValid())
      addLabel(label, /*isPrimary=*/false);
  for (const auto &[file, lines] : files)
    gutterWidth = std::max(gutterWidth, std::to_string(lines.rbegin()->first).size());

  auto place = [&](std::string_view arrow, FileId file, LineColumn at) {
    out << std::string(gutterWidth, ' ') << arrow << ' ' << sources.name(file) << ':' << at.line << ':' << at.column
        << '\n';
  };
  if (main.isValid()) {
    place("-->", main, sources.begin(diagnostic.primary.range));
    renderFile(main, files[main.index]);
  }
  for (const Label &label : diagnostic.secondary) {
    auto found = files.find(label.range.file.index);
    if (!label.range.isValid() || label.range.file == main || found == files.end())
      continue;
    place(":::", label.range.file, sources.begin(label.range));
    renderFile(label.range.file, found->second);
    files.erase(found);
  }
  for (const std::string &note : diagnostic.notes)
    remark("note", note);
  if (!diagnostic.variants.empty()) {
    std::string names;
    for (const std::string &name : diagnostic.variants)
      names += (names.empty() ? "`" : " and `") + name + "`";
    remark("note", (diagnostic.variants.size() > 1 ? "in the variants " : "in the variant ") + names);
  }
  if (!diagnostic.help.empty())
    remark("help", diagnostic.help);
  out << '\n';
}

void tile::renderText(std::ostream &out, const SourceManager &sources, const Diagnostic &diagnostic) {
  TextRenderer(out, sources).render(diagnostic);
}

void tile::renderText(std::ostream &out, const SourceManager &sources, const DiagnosticEngine &engine) {
  for (const Diagnostic *diagnostic : engine.sorted())
    renderText(out, sources, *diagnostic);
  if (engine.droppedCount())
    out << "error: " << engine.droppedCount() << " more error" << (engine.droppedCount() == 1 ? "" : "s")
        << " not shown\n";
}

void tile::renderExplanation(std::ostream &out, const CodeInfo &info) {
  out << info.name << ": " << info.title << "\n\n" << info.explanation;
}
