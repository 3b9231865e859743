// Reading and writing whole files through stdio, with the system's reason for a failure.

#include "runtime/artifact/File.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace tile {
namespace {

Error fileError(const std::string &path, const char *what) {
  return {ErrorCode::File, std::string("cannot ") + what + " `" + path + "`: " + std::strerror(errno)};
}

struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

} // namespace

Result<std::string> readFile(const std::string &path, uint64_t limit) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return fileError(path, "open");
  std::string content;
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof(buffer), file.get())) {
    content.append(buffer, count);
    if (content.size() > limit)
      return Error{ErrorCode::File,
                   "`" + path + "` has more than " + std::to_string(limit) + " bytes; expected at most as many"};
  }
  if (std::ferror(file.get()))
    return fileError(path, "read");
  return content;
}

/// Whether `path` is there and is no ordinary file: a device or a pipe, which must be written and never replaced.
static bool isSpecial(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Status writeFile(const std::string &path, std::string_view content) {
  bool inPlace = isSpecial(path);
  std::string temporary = inPlace ? path : path + ".tmp" + std::to_string(getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file)
    return fileError(path, "write");
  bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  written = std::fclose(file.release()) == 0 && written;
  if (written && (inPlace || std::rename(temporary.c_str(), path.c_str()) == 0))
    return {};
  Error error = fileError(path, "write");
  if (!inPlace)
    std::remove(temporary.c_str());
  return error;
}

} // namespace tile
