#include "runtime/compile/Session.h"

#include "backend/pipeline/Pipeline.h"
#include "frontend/diagnostic/Render.h"
#include "frontend/parse/Parse.h"
#include "runtime/artifact/File.h"

#include "mlir/IR/Remarks.h"

#include <ostream>

using namespace mlir;

namespace tile {

static DialectRegistry createRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

namespace {
/// Makes a diagnostic of each remark: what was seen, then why. MLIR's own form names fields and categories.
class RemarkSentences : public remark::detail::RemarkEmittingPolicyBase {
public:
  void reportRemark(const remark::detail::Remark &remark) override {
    std::string what = remark.getRemarkName().str(), why;
    for (const remark::detail::Remark::Arg &part : remark.getArgs())
      if (part.key == "Remark")
        what = part.val;
      else
        why += (why.empty() ? ": " : "; ") + part.val;
    emitRemark(remark.getLocation()) << what << why;
  }
  void finalize() override {}
};
} // namespace

Session::Session(bool remarks) : context(createRegistry(), MLIRContext::Threading::DISABLED) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false); // IR is no part of what a user should have to read
  handler.emplace(&context, [this](mlir::Diagnostic &diagnostic) { return take(diagnostic); });
  if (!remarks)
    return;
  // `all` alone matches nothing: each kind has to be named.
  remark::RemarkCategories every;
  every.passed = every.missed = every.analysis = every.failed = ".*";
  // Fails only where remarks are enabled already.
  (void)remark::enableOptimizationRemarks(context, /*streamer=*/nullptr, std::make_unique<RemarkSentences>(), every);
}

std::optional<FileId> Session::read(const std::string &path) {
  bool isStandardInput = path == "-";
  Result<std::string> text = readFile(isStandardInput ? "/dev/stdin" : path);
  if (!text) {
    report(Code::E0602, text.error().message);
    return std::nullopt;
  }
  return sources.add(isStandardInput ? std::string(kStandardInput) : path, std::move(*text));
}

std::unique_ptr<ast::Module> Session::parse(FileId file) {
  ParseResult result = tile::parse(sources, file, engine);
  return result.hasErrors ? nullptr : std::move(result.module);
}

SourceRange Session::rangeOf(Location location, std::vector<SourceRange> &calls) const {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SourceRange callee = rangeOf(call.getCallee(), calls);
    if (SourceRange caller = rangeOf(call.getCaller(), calls); caller.isValid())
      calls.push_back(caller);
    return callee;
  }
  if (auto named = dyn_cast<NameLoc>(location))
    return rangeOf(named.getChildLoc(), calls);
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      if (SourceRange range = rangeOf(part, calls); range.isValid())
        return range;
    return {};
  }
  auto place = dyn_cast<FileLineColRange>(location);
  if (!place)
    return {};
  for (uint32_t i = 0; i < sources.size(); ++i) {
    FileId file{i};
    if (llvm::StringRef(sources.name(file)) != place.getFilename().getValue())
      continue;
    auto offset = [&](unsigned line, unsigned column) {
      line = std::clamp<unsigned>(line, 1, sources.lineCount(file));
      size_t length = sources.line(file, line).size();
      return sources.lineBegin(file, line) + static_cast<uint32_t>(std::min<size_t>(std::max(column, 1u) - 1, length));
    };
    uint32_t begin = offset(place.getStartLine(), place.getStartColumn());
    uint32_t end = offset(place.getEndLine(), place.getEndColumn());
    return {file, begin, std::max(end, begin + 1)};
  }
  return {};
}

SourceRange Session::place(Location location) const {
  std::vector<SourceRange> calls;
  return rangeOf(location, calls);
}

/// Where a pass's diagnostic stands among the codes.
static Code codeOf(DiagnosticSeverity severity) {
  return severity == DiagnosticSeverity::Error ? Code::E0601 : Code::W0602;
}

DiagnosticBuilder Session::reportAt(Code code, Location location, std::string message, SourceRange &range) {
  std::vector<SourceRange> calls;
  range = rangeOf(location, calls);
  DiagnosticBuilder builder = engine.report(code, range, std::move(message));
  for (const SourceRange &call : calls)
    builder.secondary(call, "called here");
  return builder;
}

void Session::report(Code code, Location location, std::string message) {
  SourceRange range;
  reportAt(code, location, std::move(message), range);
}

LogicalResult Session::take(mlir::Diagnostic &diagnostic) {
  SourceRange range;
  DiagnosticBuilder builder =
      reportAt(codeOf(diagnostic.getSeverity()), diagnostic.getLocation(), diagnostic.str(), range);
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::vector<SourceRange> ignored;
    SourceRange place = rangeOf(note.getLocation(), ignored);
    if (place.isValid() && !(place == range))
      builder.secondary(place, note.str());
    else
      builder.note(note.str());
  }
  return success();
}

void Session::print(std::ostream &out, DiagnosticFormat format) {
  if (format == DiagnosticFormat::Json)
    renderJson(out, sources, engine);
  else
    renderText(out, sources, engine);
  engine.clear();
}

} // namespace tile
