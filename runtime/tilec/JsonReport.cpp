#include "runtime/tilec/JsonReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <iostream>
#include <sstream>

namespace tile {

void printJsonReport(Session &session, llvm::json::Object report) {
  std::ostringstream text;
  session.render(text, DiagnosticFormat::Json);
  llvm::Expected<llvm::json::Value> diagnostics = llvm::json::parse(text.str());
  if (llvm::json::Array *earlier = report.getArray("diagnostics"); earlier && diagnostics && diagnostics->getAsArray())
    llvm::append_range(*earlier, *diagnostics->getAsArray());
  else if (diagnostics)
    report["diagnostics"] = std::move(*diagnostics);
  else // the text is our own
    llvm::consumeError(diagnostics.takeError());
  std::cout << llvm::formatv("{0:2}", llvm::json::Value(std::move(report))).str() << "\n";
}

llvm::json::Object parseObject(const std::string &text) {
  return std::move(*llvm::cantFail(llvm::json::parse(text)).getAsObject());
}

} // namespace tile
