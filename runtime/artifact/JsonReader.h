// JSON of untrusted origin, read field by field: keeps the first error and the path where it happened.
//
// After an error every read gives a default, so that a schema is written down without a test after each line. Nothing
// throws, and depth is bounded before parsing. Internal: this header brings the JSON library with it.

#ifndef TILE_RUNTIME_ARTIFACT_JSONREADER_H
#define TILE_RUNTIME_ARTIFACT_JSONREADER_H

#include "runtime/Result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tile {

using Json = nlohmann::ordered_json;

/// An integer that fits 64 bits; a point or an exponent makes a real.
bool isInteger(const Json &json);

/// The real that a number with a point or a string spells: `2.5`, `"2.0"`, `"-inf"`, `"nan"`.
std::optional<double> readReal(const Json &json);

/// The path of a field of the object at `path`, which is empty for the root.
std::string at(const std::string &path, const char *name);

class JsonReader {
public:
  /// Messages begin with `subject`; a text that is no JSON says that `owner` is damaged.
  explicit JsonReader(std::string subject = "manifest", std::string owner = "artifact")
      : subject(std::move(subject)), owner(std::move(owner)) {}

  bool failed() const { return !status.ok(); }
  /// The first failure.
  const Error &error() const { return status.error(); }
  void fail(const std::string &message);

  /// The object that `text` is; null after a failure.
  Json parse(std::string_view text);

  /// The field, or null where it is absent (a failure if `required`) or of another type.
  const Json *field(const Json &object, const char *name, const std::string &path, Json::value_t type,
                    bool required = false);
  std::string string(const Json &object, const char *name, const std::string &path, bool required = false);
  int64_t integer(const Json &object, const char *name, const std::string &path, int64_t otherwise,
                  bool required = false);
  /// Any number.
  double real(const Json &object, const char *name, const std::string &path, double otherwise, bool required = false);
  bool boolean(const Json &object, const char *name, const std::string &path, bool otherwise);

  /// The position of the string field `name` among `choices`.
  int choice(const Json &object, const char *name, const std::string &path, std::initializer_list<const char *> choices,
             int otherwise);

  /// Calls `read(element, path of the element)` for each element of an array, until a failure.
  template <typename Read>
  void each(const Json &object, const char *name, const std::string &path, bool required, Read read) {
    const Json *array = field(object, name, path, Json::value_t::array, required);
    for (size_t i = 0; array && i < array->size() && !failed(); ++i)
      read((*array)[i], at(path, name) + "[" + std::to_string(i) + "]");
  }

private:
  std::string subject, owner;
  Status status;
};

} // namespace tile

#endif // TILE_RUNTIME_ARTIFACT_JSONREADER_H
