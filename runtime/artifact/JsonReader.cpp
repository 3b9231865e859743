// See the header. Messages begin with what is read: `manifest: `.

#include "runtime/artifact/JsonReader.h"

#include <charconv>
#include <limits>

namespace tile {
namespace {

constexpr int kMaxJsonDepth = 64;

/// True if brackets nest deeper than the parser's and printer's recursion should see.
bool isTooDeep(std::string_view json) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
    } else if (c == '"') {
      inString = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxJsonDepth)
        return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

} // namespace

bool isInteger(const Json &json) {
  return json.is_number_integer() &&
         !(json.is_number_unsigned() && json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()));
}

std::optional<double> readReal(const Json &json) {
  if (json.is_number_float())
    return json.get<double>();
  if (!json.is_string())
    return std::nullopt;
  std::string text = json.get<std::string>();
  // The conversion, which no locale changes, also takes `INF` and `infinity`, which can be names.
  bool isWord = text == "inf" || text == "-inf" || text == "nan";
  char first = text[text[0] == '-' ? 1 : 0];
  if (!isWord && (first < '0' || first > '9'))
    return std::nullopt;
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole ? std::optional(value) : std::nullopt;
}

std::string at(const std::string &path, const char *name) { return path.empty() ? name : path + "." + name; }

void JsonReader::fail(const std::string &message) {
  if (!failed())
    status = Error{ErrorCode::InvalidArtifact, subject + ": " + message};
}

Json JsonReader::parse(std::string_view text) {
  if (isTooDeep(text)) {
    fail("nests deeper than " + std::to_string(kMaxJsonDepth) + " levels");
    return {};
  }
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_object())
    return json;
  fail("is no JSON object; the " + owner + " is damaged");
  return {};
}

const Json *JsonReader::field(const Json &object, const char *name, const std::string &path, Json::value_t type,
                              bool required) {
  if (!object.is_object()) {
    fail("`" + path + "` is " + object.type_name() + "; expected object");
    return nullptr;
  }
  auto found = object.find(name);
  if (found == object.end()) {
    if (required)
      fail("`" + at(path, name) + "` is missing");
    return nullptr;
  }
  bool matches = type == Json::value_t::number_integer ? isInteger(*found) : found->type() == type;
  if (!matches) {
    const char *expected = type == Json::value_t::number_integer ? "64-bit integer" : Json(type).type_name();
    fail("`" + at(path, name) + "` is " + found->type_name() + "; expected " + expected);
    return nullptr;
  }
  return &*found;
}

std::string JsonReader::string(const Json &object, const char *name, const std::string &path, bool required) {
  const Json *json = field(object, name, path, Json::value_t::string, required);
  return json ? json->get<std::string>() : "";
}

int64_t JsonReader::integer(const Json &object, const char *name, const std::string &path, int64_t otherwise,
                            bool required) {
  const Json *json = field(object, name, path, Json::value_t::number_integer, required);
  return json ? json->get<int64_t>() : otherwise;
}

double JsonReader::real(const Json &object, const char *name, const std::string &path, double otherwise,
                        bool required) {
  // A number without a point is of another type.
  if (auto found = object.find(name); found != object.end() && found->is_number())
    return found->get<double>();
  field(object, name, path, Json::value_t::number_float, required);
  return otherwise;
}

bool JsonReader::boolean(const Json &object, const char *name, const std::string &path, bool otherwise) {
  const Json *json = field(object, name, path, Json::value_t::boolean);
  return json ? json->get<bool>() : otherwise;
}

int JsonReader::choice(const Json &object, const char *name, const std::string &path,
                       std::initializer_list<const char *> choices, int otherwise) {
  const Json *json = field(object, name, path, Json::value_t::string);
  if (!json)
    return otherwise;
  std::string text = json->get<std::string>(), list;
  for (const char *const *it = choices.begin(); it != choices.end(); ++it) {
    if (text == *it)
      return static_cast<int>(it - choices.begin());
    list += (list.empty() ? "" : " ") + std::string(*it);
  }
  fail("`" + at(path, name) + "` is `" + text + "`; expected one of " + list);
  return otherwise;
}

} // namespace tile
