// Lines of JSON between this program's processes, and the loop of the side that answers. Internal to this folder.

#ifndef TILE_RUNTIME_TUNE_LINESERVER_H
#define TILE_RUNTIME_TUNE_LINESERVER_H

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace tile {

/// `value` in one line. Text that is not UTF-8, such as a file's name may be, loses what is not.
std::string dumpLine(const nlohmann::json &value);

/// Has `read` read the object that `line` is. Gives what is wrong with it, a field of another type among that, or
/// nothing.
std::string readLine(const std::string &line, const std::function<void(const nlohmann::json &)> &read);

/// What is said of an answer that cannot be read: its beginning is shown.
std::string unreadable(const std::string &who, const std::string &line);

/// Says that the process is ready, and answers the objects that come in standard input by `answer` until they end. A
/// request that is no object, or whose fields are of other types, is answered by an `error`. What anybody prints to
/// standard output goes to standard error: the answers have it for themselves. Gives the exit code.
int serveLines(const std::function<nlohmann::json(const nlohmann::json &)> &answer);

} // namespace tile

#endif // TILE_RUNTIME_TUNE_LINESERVER_H
