/// The value of a result; an error ends the program, which has nothing else to do with it.
#ifndef TEST_GPU_TAKE_H
#define TEST_GPU_TAKE_H

#include "runtime/Result.h"

#include <cerrno> // program_invocation_short_name
#include <cstdio>
#include <cstdlib>
#include <string>

namespace tile {

[[noreturn]] inline void fail(const std::string &message) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, message.c_str());
  std::exit(1);
}

template <typename T> T take(Result<T> result) {
  if (!result)
    fail(result.error().message);
  return std::move(*result);
}

inline void take(Status status) {
  if (!status)
    fail(status.error().message);
}

} // namespace tile

#endif
