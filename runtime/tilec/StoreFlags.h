/// Where compiled code and tuned choices are kept, for the commands that use them.
#ifndef RUNTIME_TILEC_STOREFLAGS_H
#define RUNTIME_TILEC_STOREFLAGS_H

#include "runtime/compile/Session.h"
#include "runtime/search/Keys.h"
#include "runtime/store/Cache.h"
#include "runtime/store/Database.h"

namespace tile {

/// `--cache-dir`, or empty.
const std::string &storeFolder();

/// Both, in one folder. All that they have to say becomes a warning of `session`.
struct Kept {
  Session &session;
  Cache cache;
  Database database;

  /// With `choices`, a file, in place of the folder's database, which is only read.
  explicit Kept(Session &session, const std::string &choices = "");

  void warn(const std::string &message);
  StoreReport reporter();
};

/// The GPU at hand; none after reporting that there is none.
std::optional<GpuName> gpuOfTune(Session &session);

} // namespace tile

#endif
