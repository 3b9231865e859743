// A folder for the code of one search, in the system's folder for temporary files. It goes with its search, and where
// the process was killed, with the next search of the same user.
//
// A file in it, which its process has locked, tells the folders of living processes from the others: the system gives a
// lock back however a process ends, and hosts and containers that share the folder see it. A folder without the file is
// one whose process ended before it made it.

#ifndef TILE_RUNTIME_TUNE_SCRATCHFOLDER_H
#define TILE_RUNTIME_TUNE_SCRATCHFOLDER_H

#include "runtime/Result.h"

#include <memory>
#include <string>

namespace tile {

class ScratchFolder {
public:
  /// Makes one in TMPDIR, else `/tmp`, and removes those there that ended processes have left. Fails with the system's
  /// text.
  static Result<std::unique_ptr<ScratchFolder>> make();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  /// Removes it with its files.
  ~ScratchFolder();

  const std::string &path() const { return folder; }

private:
  ScratchFolder(std::string folder, int lock) : folder(std::move(folder)), lock(lock) {}

  std::string folder;
  int lock; ///< A descriptor; -1: the file system has no locks.
};

} // namespace tile

#endif // TILE_RUNTIME_TUNE_SCRATCHFOLDER_H
