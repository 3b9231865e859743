// The JSON form. Offsets are bytes; lines and columns are from 1, columns in code points. Absent parts are left out.
#include "frontend/diagnostic/DisplayLine.h"
#include "frontend/diagnostic/Render.h"

#include <ostream>
#include <utility>

using namespace tile;

static void writeString(std::ostream &out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  out << '"';
  while (!text.empty()) {
    Utf8Unit unit = decodeUtf8(text);
    if (!unit.isValid)
      out << "\\ufffd";
    else if (unit.codePoint == '"' || unit.codePoint == '\\')
      out << '\\' << text[0];
    else if (unit.codePoint < 0x20)
      out << "\\u00" << hex[unit.codePoint >> 4] << hex[unit.codePoint & 15];
    else
      out << text.substr(0, unit.length);
    text.remove_prefix(unit.length);
  }
  out << '"';
}

static void writePlace(std::ostream &out, LineColumn place, uint32_t offset) {
  out << "{\"line\": " << place.line << ", \"column\": " << place.column << ", \"offset\": " << offset << '}';
}

/// The fields of a label, without braces.
static void writeLabel(std::ostream &out, const SourceManager &sources, const Label &label) {
  out << "\"file\": ";
  writeString(out, sources.name(label.range.file));
  out << ", \"begin\": ";
  writePlace(out, sources.begin(label.range), label.range.begin);
  out << ", \"end\": ";
  writePlace(out, sources.end(label.range), label.range.end);
  if (!label.text.empty()) {
    out << ", \"label\": ";
    writeString(out, label.text);
  }
}

/// `, "name": [...]`, or nothing where `texts` is empty.
static void writeTexts(std::ostream &out, std::string_view name, const std::vector<std::string> &texts) {
  const char *separator = "";
  if (!texts.empty())
    out << ", \"" << name << "\": [";
  for (const std::string &text : texts) {
    out << std::exchange(separator, ", ");
    writeString(out, text);
  }
  if (!texts.empty())
    out << ']';
}

static void writeDiagnostic(std::ostream &out, const SourceManager &sources, const Diagnostic &diagnostic) {
  out << "{\"code\": \"" << codeInfo(diagnostic.code).name << "\", \"severity\": \""
      << (diagnostic.severity() == Severity::Error ? "error" : "warning") << "\", \"message\": ";
  writeString(out, diagnostic.message);
  if (diagnostic.primary.range.isValid()) {
    out << ", ";
    writeLabel(out, sources, diagnostic.primary);
  }
  const char *separator = ", \"secondary\": [";
  for (const Label &label : diagnostic.secondary) {
    if (!label.range.isValid())
      continue;
    out << separator << '{';
    writeLabel(out, sources, label);
    out << '}';
    separator = ", ";
  }
  if (separator == std::string_view(", "))
    out << ']';
  writeTexts(out, "notes", diagnostic.notes);
  writeTexts(out, "variants", diagnostic.variants);
  if (!diagnostic.help.empty()) {
    out << ", \"help\": ";
    writeString(out, diagnostic.help);
  }
  if (diagnostic.fix) {
    out << ", \"fix\": {";
    writeLabel(out, sources, {diagnostic.fix->range, {}});
    out << ", \"text\": ";
    writeString(out, diagnostic.fix->text);
    out << '}';
  }
  out << '}';
}

void tile::renderJson(std::ostream &out, const SourceManager &sources, const DiagnosticEngine &engine) {
  out << '[';
  const char *separator = "\n";
  for (const Diagnostic *diagnostic : engine.sorted()) {
    out << separator;
    writeDiagnostic(out, sources, *diagnostic);
    separator = ",\n";
  }
  out << "\n]\n";
}
