#include "runtime/compile/Session.h"

#include "backend/pipeline/Compile.h"
#include "frontend/diagnostic/Render.h"
#include "frontend/diagnostic/Utf8Text.h"
#include "frontend/parse/Parse.h"
#include "ir/TileGPU/Variants.h"
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
/// Makes a diagnostic of each remark: what was seen, then why, and what helps. MLIR's own form names fields and
/// categories.
class RemarkSentences : public remark::detail::RemarkEmittingPolicyBase {
public:
  void reportRemark(const remark::detail::Remark &remark) override {
    std::string what = remark.getRemarkName().str(), why, advice;
    for (const remark::detail::Remark::Arg &part : remark.getArgs())
      if (part.key == "Remark")
        what = part.val;
      else if (part.key == "Suggestion")
        advice = part.val;
      else
        why += (why.empty() ? ": " : "; ") + part.val;
    InFlightDiagnostic diagnostic = emitRemark(remark.getLocation()) << what << why;
    if (const tgpu::Variant *variant = tgpu::findVariant(remark.getFunction()))
      diagnostic.getUnderlyingDiagnostic()->getMetadata().emplace_back(variant->name);
    if (!advice.empty())
      diagnostic.attachNote() << "help: " << advice;
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

/// Far beyond what is written or generated, and well within the 32 bits of a place in a file.
static constexpr uint64_t kLargestInput = 1 << 28;

static std::string nameOf(const std::string &path) { return path == "-" ? std::string(Session::kStandardInput) : path; }

/// What `path` has; none after reporting that it cannot be read.
static std::optional<std::string> readContent(Session &session, const std::string &path) {
  Result<std::string> text = readFile(path == "-" ? "/dev/stdin" : path, kLargestInput);
  if (text)
    return std::move(*text);
  session.report(Code::E0602, text.error().message);
  return std::nullopt;
}

std::optional<FileId> Session::read(const std::string &path) {
  std::optional<std::string> text = readContent(*this, path);
  return text ? std::optional(sources.add(nameOf(path), std::move(*text))) : std::nullopt;
}

std::optional<FileId> Session::readText(const std::string &path) {
  std::optional<std::string> text = readContent(*this, path);
  if (!text)
    return std::nullopt;
  text->erase(0, byteOrderMarkLength(*text));
  FileId file = sources.add(nameOf(path), std::move(*text));
  return reportBadBytes(sources, file, engine).begins.empty() ? std::optional(file) : std::nullopt;
}

std::unique_ptr<ast::Module> Session::parse(FileId file) {
  ParseResult result = tile::parse(sources, file, engine);
  return result.hasErrors ? nullptr : std::move(result.module);
}

/// Locations of MLIR are points. How long the expression is that begins with `text`, as far as that can be seen without
/// its syntax: a name with what stands in brackets behind it, on one line.
static size_t wordLength(llvm::StringRef text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  text = text.take_until([](char c) { return c == '\n'; });
  size_t name = text.size() - text.drop_while(isWord).size(), length = name, depth = 0;
  for (; length < text.size(); ++length) {
    depth += text[length] == '(' || text[length] == '[';
    if (depth == 0)
      break;
    depth -= text[length] == ')' || text[length] == ']';
  }
  return depth == 0 ? length : name;
}

SourceRange Session::rangeOf(Location location, std::vector<SourceRange> &calls) const {
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SourceRange callee = rangeOf(call.getCallee(), calls);
    if (SourceRange caller = rangeOf(call.getCaller(), calls); caller.isValid())
      calls.push_back(caller);
    return callee;
  }
  if (auto named = dyn_cast<NameLoc>(location)) {
    SourceRange range = rangeOf(named.getChildLoc(), calls);
    llvm::StringRef name = named.getName();
    if (range.isValid() && llvm::StringRef(sources.text(range.file)).substr(range.begin).starts_with(name))
      range.end = range.begin + name.size();
    return range;
  }
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
    if (end <= begin)
      end = begin + std::max<uint32_t>(wordLength(llvm::StringRef(sources.text(file)).substr(begin)), 1);
    return {file, begin, end};
  }
  return {};
}

SourceRange Session::place(Location location) const {
  std::vector<SourceRange> calls;
  return rangeOf(location, calls);
}

/// Whether `mark` is in the metadata of `diagnostic`.
static bool hasMark(mlir::Diagnostic &diagnostic, llvm::StringRef mark) {
  return llvm::any_of(diagnostic.getMetadata(), [&](const DiagnosticArgument &argument) {
    return argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::String && argument.getAsString() == mark;
  });
}

/// Where a pass's diagnostic stands among the codes.
static Code codeOf(mlir::Diagnostic &diagnostic) {
  auto has = [&](llvm::StringRef mark) { return hasMark(diagnostic, mark); };
  if (has(kCompilerFault))
    return Code::E0999;
  if (has(kOptionFault))
    return Code::E0602;
  if (has(kLongCompilation))
    return Code::W0603;
  if (has(kMissedOptimization))
    return Code::W0602;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    return Code::E0601;
  case DiagnosticSeverity::Warning:
    return Code::W0601;
  case DiagnosticSeverity::Note:
  case DiagnosticSeverity::Remark:
    break;
  }
  return Code::W0602;
}

/// The variants that a pass's diagnostic is about, in the order of the launcher.
static std::vector<std::string> variantsOf(mlir::Diagnostic &diagnostic) {
  std::vector<std::string> variants;
  for (const tgpu::Variant &variant : tgpu::allVariants())
    if (hasMark(diagnostic, variant.name))
      variants.push_back(variant.name.str());
  return variants;
}

bool Session::isShown(const Diagnostic &diagnostic) const {
  auto isMeant = [&](const std::string &name) {
    return shownVariant.empty() ? !tgpu::findVariant(name)->promisesNothing() : name == shownVariant;
  };
  return diagnostic.code != Code::W0602 || diagnostic.variants.empty() || llvm::any_of(diagnostic.variants, isMeant);
}

DiagnosticBuilder Session::reportAt(Code code, Location location, std::string message, SourceRange &range,
                                    std::vector<std::string> variants) {
  std::vector<SourceRange> calls;
  range = rangeOf(location, calls);
  // What is wrong within the standard library is wrong with the call of it: the innermost, which comes last.
  auto isOfUser = [&](const SourceRange &call) { return sources.name(call.file) != kStandardLibrary; };
  auto user = range.isValid() && !isOfUser(range) ? llvm::find_if(llvm::reverse(calls), isOfUser) : calls.rend();
  if (user != calls.rend()) {
    DiagnosticBuilder builder = engine.report(code, *user, std::move(message), std::move(variants));
    builder.secondary(std::exchange(range, *user), "in the standard library");
    return builder;
  }
  DiagnosticBuilder builder = engine.report(code, range, std::move(message), std::move(variants));
  for (const SourceRange &call : calls)
    builder.secondary(call, "called here");
  return builder;
}

DiagnosticBuilder Session::report(Code code, Location location, std::string message) {
  SourceRange range;
  return reportAt(code, location, std::move(message), range);
}

LogicalResult Session::take(mlir::Diagnostic &diagnostic) {
  SourceRange range;
  DiagnosticBuilder builder =
      reportAt(codeOf(diagnostic), diagnostic.getLocation(), diagnostic.str(), range, variantsOf(diagnostic));
  // MLIR may name places in the source that it was made from, which is not read here.
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>(); place && !range.isValid())
    builder.note("its place is line " + std::to_string(place.getLine()) + " of `" + place.getFilename().str() +
                 "`, says the input");
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    std::vector<SourceRange> ignored;
    SourceRange place = rangeOf(note.getLocation(), ignored);
    std::string text = note.str();
    if (llvm::StringRef advice = text; advice.consume_front("help: "))
      builder.help(advice.str());
    else if (place.isValid() && !(place == range))
      builder.secondary(place, std::move(text));
    else
      builder.note(std::move(text));
  }
  return success();
}

void Session::render(std::ostream &out, DiagnosticFormat format) {
  engine.dropWarnings([&](const Diagnostic &diagnostic) { return !isShown(diagnostic); });
  if (format == DiagnosticFormat::Json)
    renderJson(out, sources, engine);
  else
    renderText(out, sources, engine);
}

void Session::print(std::ostream &out, DiagnosticFormat format) {
  render(out, format);
  engine.clear();
}

} // namespace tile
