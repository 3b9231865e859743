#include "runtime/tilec/StandardOutput.h"

#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <streambuf>
#include <unistd.h>

namespace tile {

namespace {
/// Bytes on their way to standard output. After a write that fails, nothing more is written.
class StandardOutput : public std::streambuf {
public:
  StandardOutput() { setp(buffer, buffer + sizeof(buffer)); }
  int failure() const { return error; }

protected:
  int sync() override {
    for (const char *next = pbase(); next < pptr() && !error;) {
      ssize_t written = ::write(STDOUT_FILENO, next, pptr() - next);
      if (written >= 0)
        next += written;
      else if (errno != EINTR)
        error = errno;
    }
    setp(buffer, buffer + sizeof(buffer));
    return error ? -1 : 0;
  }
  int_type overflow(int_type next) override {
    if (sync() != 0)
      return traits_type::eof();
    return traits_type::eq_int_type(next, traits_type::eof()) ? traits_type::not_eof(next)
                                                              : sputc(traits_type::to_char_type(next));
  }

private:
  char buffer[1 << 16];
  int error = 0;
};
} // namespace

static StandardOutput &standardOutput() {
  static auto *output = new StandardOutput; // outlives `std::cout`, which flushes when it ends
  return *output;
}

void captureStandardOutput() { std::cout.rdbuf(&standardOutput()); }

std::string finishStandardOutput() {
  std::cout.flush();
  int error = standardOutput().failure();
  return error ? std::strerror(error) : "";
}

bool finishStandardError() {
  llvm::errs().flush();
  bool isWritten = !llvm::errs().has_error() && std::cerr.good();
  llvm::errs().clear_error(); // else LLVM calls it a fatal error
  return isWritten;
}

} // namespace tile
