// What all kernels share: options, the store, the GPUs. JitKernel.cpp launches.

#include "runtime/jit/JitKernel.h"

#include <filesystem>
#include <system_error>

namespace tile {

static DatabaseOptions databaseOptions(const JitOptions &options, StoreReport report) {
  bool writes = options.tune != TunePolicy::Never;
  std::string path = options.database;
  if (path.empty() && !options.cacheFolder.empty())
    path = databaseIn(options.cacheFolder);
  return {path, writes ? DatabaseAccess::ReadWrite : DatabaseAccess::ReadOnly, std::move(report)};
}

JitShared::JitShared(JitOptions given)
    : options(std::move(given)),
      cache({options.cacheFolder, std::nullopt, [this](const std::string &text) { report(text); }}),
      database(databaseOptions(options, [this](const std::string &text) { report(text); })) {}

void JitShared::report(const std::string &text) {
  std::lock_guard<std::mutex> lock(reporting);
  if (options.report)
    options.report(text);
}

Result<JitGpu> JitShared::gpu(int ordinal) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = gpus.find(ordinal); known != gpus.end())
    return known->second;
  Result<DeviceProperties> device = readDevice(ordinal);
  if (!device)
    return device.error();
  Result<int> version = driverVersion();
  if (!version)
    return version.error();
  return gpus.emplace(ordinal, JitGpu{std::move(*device), *version}).first->second;
}

Result<Jit> Jit::create(JitOptions options) {
  std::error_code ignored; // what cannot be looked at is no folder
  for (const std::string &folder : options.includeFolders)
    if (!std::filesystem::is_directory(folder, ignored))
      return Error{ErrorCode::NotFound, "`" + folder + "` is no folder to include from; expected one that exists"};
  if (options.tune == TunePolicy::Never && !options.database.empty() &&
      !std::filesystem::is_regular_file(options.database, ignored))
    return Error{ErrorCode::NotFound, "there is no database `" + options.database +
                                          "`; expected one that `tilec tune` or `tilec cache import` wrote"};
  return Jit(std::make_shared<JitShared>(std::move(options)));
}

Result<JitKernel> Jit::kernel(const std::string &file, const std::string &name,
                              const std::map<std::string, std::string> &values) const {
  Result<std::shared_ptr<JitKernel::State>> state = JitKernel::State::open(shared, file, name, values);
  if (!state)
    return state.error();
  return JitKernel(std::move(*state));
}

JitStatistics Jit::statistics() const { return {shared->compiled, shared->fromCache, shared->known, shared->searches}; }

} // namespace tile
