/// The one JSON document that a command with a report as JSON prints, also where it fails.
#ifndef RUNTIME_TILEC_JSONREPORT_H
#define RUNTIME_TILEC_JSONREPORT_H

#include "runtime/compile/Session.h"

#include "llvm/Support/JSON.h"

namespace tile {

/// Prints `report` to stdout, with what `session` has to report as its `diagnostics`, in the form of
/// `--diagnostics=json`, after those that it has.
void printJsonReport(Session &session, llvm::json::Object report);

/// The object that `text` is, which this program made.
llvm::json::Object parseObject(const std::string &text);

} // namespace tile

#endif
