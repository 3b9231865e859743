// Errors as values: what libtile gives back instead of throwing or exiting.
//
// An `Error` is a code for programs and a message for people: what was found, then what was expected. `Result<T>` is a
// value or an error, `Status` is nothing or an error. There is no implicit message composition: the place that knows
// the parameter, field or driver call writes the whole sentence.

#ifndef TILE_RUNTIME_RESULT_H
#define TILE_RUNTIME_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tile {

enum class ErrorCode {
  InvalidArgument, ///< An argument breaks the kernel's contract; the message names the parameter.
  InvalidArtifact, ///< Bytes that are no cubin, or a manifest that is damaged or of another schema.
  NotCompiled,     ///< The artifact has no instance for these element types or compile-time values.
  NotFound,        ///< A kernel, variant or file that does not exist.
  NoDriver,        ///< No CUDA driver or no GPU here.
  Driver,          ///< A driver call failed; the message holds the driver's own name and text.
  File,            ///< Reading or writing a file failed.
  InvalidSource,   ///< The compiler refuses the source; the message holds its diagnostics.
};

struct Error {
  ErrorCode code;
  std::string message;
};

/// Nothing, or an error.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error)), failed(true) {}

  bool ok() const { return !failed; }
  explicit operator bool() const { return ok(); }
  const Error &error() const {
    assert(failed && "a success has no error");
    return failure;
  }

private:
  Error failure{};
  bool failed = false;
};

/// A value, or an error. `operator*` and `->` need `ok()`.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : content(std::move(value)) {}
  Result(Error error) : content(std::move(error)) {}

  bool ok() const { return content.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() {
    assert(ok() && "an error has no value");
    return *std::get_if<0>(&content);
  }
  const T &operator*() const {
    assert(ok() && "an error has no value");
    return *std::get_if<0>(&content);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  const Error &error() const {
    assert(!ok() && "a value has no error");
    return *std::get_if<1>(&content);
  }

private:
  std::variant<T, Error> content;
};

} // namespace tile

#endif // TILE_RUNTIME_RESULT_H
