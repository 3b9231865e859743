// Modules and their kernels by name. Preparing and launching are in Prepared.cpp.

#include "runtime/launch/Module.h"

#include "runtime/artifact/File.h"
#include "runtime/launch/LoadedModule.h"

#include <algorithm>

namespace tile {

Result<Module> Module::load(std::string_view cubin) {
  Result<std::shared_ptr<LoadedModule>> loaded = LoadedModule::load(cubin);
  if (!loaded)
    return loaded.error();
  return Module(std::move(*loaded));
}

Result<Module> Module::loadFile(const std::string &path) {
  Result<std::string> cubin = readFile(path);
  if (!cubin)
    return cubin.error();
  Result<Module> module = load(*cubin);
  if (!module)
    return Error{module.error().code, "`" + path + "`: " + module.error().message};
  return module;
}

const Manifest &Module::manifest() const { return loaded->manifest; }

Result<Kernel> Module::kernel(std::string_view name) const {
  std::vector<const KernelContract *> instances;
  std::vector<std::string> names;
  for (const KernelContract &contract : loaded->manifest.kernels) {
    if (contract.name == name)
      instances.push_back(&contract);
    if (std::find(names.begin(), names.end(), contract.name) == names.end())
      names.push_back(contract.name);
  }
  if (!instances.empty())
    return Kernel(loaded, std::move(instances));
  std::string list;
  for (const std::string &each : names)
    list += (list.empty() ? "" : ", ") + each;
  return Error{ErrorCode::NotFound,
               "cubin has no kernel `" + std::string(name) + "`; it has " + (list.empty() ? "none" : list)};
}

} // namespace tile
