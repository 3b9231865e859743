#include "backend/ptx/Output.h"

#include "llvm/Support/raw_ostream.h"

llvm::Error tile::writeOutput(llvm::StringRef path, llvm::StringRef bytes) {
  std::error_code problem;
  llvm::raw_fd_ostream stream(path, problem);
  if (!problem) {
    stream << bytes;
    // A full disk shows here at the latest; the stream ends the process over an error that nobody has taken.
    stream.close();
    problem = stream.error();
    stream.clear_error();
  }
  if (!problem)
    return llvm::Error::success();
  return llvm::createStringError(problem, "cannot write `" + path + "`: " + problem.message());
}
