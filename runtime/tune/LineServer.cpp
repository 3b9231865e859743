// The one place where the JSON library may throw: on a field that is missing or of another type.

#include "runtime/tune/LineServer.h"

#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

namespace tile {

using Json = nlohmann::json;

std::string dumpLine(const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string readLine(const std::string &line, const std::function<void(const Json &)> &read) {
  Json value = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object())
    return "no object of JSON";
  try {
    read(value);
  } catch (const Json::exception &fault) {
    return fault.what();
  }
  return "";
}

std::string unreadable(const std::string &who, const std::string &line) {
  constexpr size_t kShown = 80;
  return "the " + who + " answered `" + line.substr(0, kShown) + (line.size() > kShown ? "…" : "") +
         "`; expected an object of JSON with what was asked for";
}

static bool writeLine(FILE *out, const Json &value) {
  std::string line = dumpLine(value) + "\n";
  return std::fwrite(line.data(), 1, line.size(), out) == line.size() && std::fflush(out) == 0;
}

static Json answerTo(const std::string &text, const std::function<Json(const Json &)> &answer) {
  Json reply;
  std::string fault = readLine(text, [&](const Json &request) { reply = answer(request); });
  return fault.empty() ? reply : Json{{"error", "found a request that cannot be read: " + fault}};
}

int serveLines(const std::function<Json(const Json &)> &answer) {
  int channel = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  FILE *out = channel < 0 ? nullptr : fdopen(channel, "w");
  if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    return 1;
  bool isRead = writeLine(out, {{"ready", true}});
  for (std::string line; isRead && std::getline(std::cin, line);)
    isRead = writeLine(out, answerTo(line, answer));
  std::fclose(out);
  return isRead ? 0 : 1;
}

} // namespace tile
