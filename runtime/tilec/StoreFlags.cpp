#include "runtime/tilec/StoreFlags.h"

#include "runtime/driver/Device.h"
#include "runtime/execute/LaunchArguments.h"
#include "runtime/tilec/Options.h"

namespace tile {

static TextOption folderOption{
    {"cache-dir", "FOLDER", "the folder; default TILE_CACHE_DIR, else XDG_CACHE_HOME/tile, else ~/.cache/tile"},
    {Command::Cache, Command::Tune, Command::Run, Command::Compile}};

const std::string &storeFolder() { return folderOption.get(); }

static DatabaseOptions databaseOptions(const std::string &choices, StoreReport report) {
  if (!choices.empty())
    return {choices, DatabaseAccess::ReadOnly, std::move(report)};
  return {storeFolder().empty() ? "" : databaseIn(storeFolder()), DatabaseAccess::ReadWrite, std::move(report)};
}

Kept::Kept(Session &session, const std::string &choices)
    : session(session), cache({storeFolder(), std::nullopt, reporter()}),
      database(databaseOptions(choices, reporter())) {}

void Kept::warn(const std::string &message) { session.report(Code::W0604, message); }

StoreReport Kept::reporter() {
  return [this](const std::string &message) { warn(message); };
}

std::optional<GpuName> gpuOfTune(Session &session) {
  std::optional<DeviceProperties> device = take(session, readDevice(0));
  std::optional<int> version = device ? take(session, driverVersion()) : std::nullopt;
  if (!version)
    return std::nullopt;
  return gpuName(device->name, *version);
}

} // namespace tile
