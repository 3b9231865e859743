// From a binding to the driver's launch call.
//
// A prepared launch holds the array of argument pointers and one launch configuration per variant that the strides
// allow. Launching again writes the new addresses into the cells, picks the first variant that the bases allow, and
// calls the driver: no allocation, no look-up.

#include "runtime/driver/Driver.h"
#include "runtime/launch/LoadedModule.h"
#include "runtime/launch/Memory.h"
#include "runtime/launch/Module.h"

namespace tile {

namespace {

/// One variant, ready to launch on any stream.
struct Launch {
  const Variant *variant;
  CUfunction function = nullptr;
  CUlaunchConfig config{};
  CUlaunchAttribute cluster{};
};

/// Ordinary host memory, passed by mistake, would fault in the kernel and take the context with it.
Status checkReachable(const LoadedModule &module, const Parameter &parameter, const Argument &tensor) {
  if (module.device.readsHostPages || footprint(tensor).isEmpty())
    return {};
  unsigned type = 0;
  CUresult result = module.api.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, tensor.address);
  if (result == CUDA_ERROR_INVALID_VALUE)
    return Error{ErrorCode::InvalidArgument,
                 "`" + parameter.name + "` is memory that the GPU cannot reach; expected memory from CUDA"};
  return result == CUDA_SUCCESS ? Status() : driverError(module.api, "cuPointerGetAttribute", result);
}

} // namespace

struct Prepared::State {
  std::shared_ptr<LoadedModule> module;
  Binding binding;
  std::vector<Argument> arguments;
  std::vector<void *> cellPointers;
  std::vector<Launch> launches; ///< Of the variants that strides and extents allow, the preferred first.

  Status addLaunch(const Variant &variant);
  Status rebase(const std::vector<const void *> &bases);
};

Status Prepared::State::addLaunch(const Variant &variant) {
  Launch launch;
  launch.variant = &variant;
  Result<CUfunction> function = module->function(variant);
  if (!function)
    return function.error();
  launch.function = *function;
  unsigned grid[3];
  if (Status status = layOutGrid(variant, binding.grid, grid); !status)
    return status;
  launch.config.gridDimX = grid[0];
  launch.config.gridDimY = grid[1];
  launch.config.gridDimZ = grid[2];
  launch.config.blockDimX = static_cast<unsigned>(variant.warps * 32);
  launch.config.blockDimY = launch.config.blockDimZ = 1;
  launch.config.sharedMemBytes = static_cast<unsigned>(variant.sharedBytes);
  launch.cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  launch.cluster.value.clusterDim.x = static_cast<unsigned>(variant.cluster[0]);
  launch.cluster.value.clusterDim.y = static_cast<unsigned>(variant.cluster[1]);
  launch.cluster.value.clusterDim.z = static_cast<unsigned>(variant.cluster[2]);
  launch.config.numAttrs = variant.cluster[0] * variant.cluster[1] * variant.cluster[2] > 1 ? 1 : 0;
  launches.push_back(launch);
  return {};
}

/// Moves all tensors and pointers to `bases`, or changes nothing.
Status Prepared::State::rebase(const std::vector<const void *> &bases) {
  const KernelContract &kernel = *binding.kernel;
  if (bases.size() != arguments.size())
    return Error{ErrorCode::InvalidArgument, "kernel `" + kernel.name + "` is given " + std::to_string(bases.size()) +
                                                 " bases; expected " + std::to_string(arguments.size())};
  auto exchange = [&](size_t i, uint64_t address) {
    bool hasBase = arguments[i].kind == Argument::Kind::Tensor || arguments[i].kind == Argument::Kind::Pointer;
    return hasBase ? std::exchange(arguments[i].address, address) : 0;
  };
  // The cells still hold the old addresses, should a check fail.
  Status status;
  size_t moved = 0;
  for (; status && moved < bases.size(); ++moved) {
    exchange(moved, reinterpret_cast<uint64_t>(bases[moved]));
    if (arguments[moved].kind == Argument::Kind::Tensor)
      status = checkAddress(kernel.parameters[moved], arguments[moved]);
  }
  if (status)
    status = checkOverlap(kernel, arguments);
  for (size_t i = 0; i < kernel.abi.size(); ++i) {
    const AbiSlot &slot = kernel.abi[i];
    if (slot.kind != AbiSlot::Kind::Pointer)
      continue;
    if (status)
      binding.cells[i] = arguments[slot.index].address;
    else
      arguments[slot.index].address = binding.cells[i];
  }
  return status;
}

Prepared::Prepared(std::unique_ptr<State> state) : state(std::move(state)) {}
Prepared::Prepared(Prepared &&) = default;
Prepared &Prepared::operator=(Prepared &&) = default;
Prepared::~Prepared() = default;

const Binding &Prepared::binding() const { return state->binding; }

Status Prepared::launch(CUstream_st *stream) {
  for (Launch &launch : state->launches) {
    if (findBaseObstacle(*launch.variant, state->arguments))
      continue;
    state->binding.variant = launch.variant;
    launch.config.hStream = stream;
    launch.config.attrs = &launch.cluster;
    TILE_DRIVER_CALL(state->module->api, cuLaunchKernelEx, &launch.config, launch.function, state->cellPointers.data(),
                     nullptr);
    return {};
  }
  return {}; // An empty grid has no launches; otherwise the last one allows every base.
}

Status Prepared::launch(CUstream_st *stream, const std::vector<const void *> &bases) {
  if (Status status = state->rebase(bases); !status)
    return status;
  return launch(stream);
}

Result<Prepared> Kernel::prepare(const std::vector<Argument> &arguments,
                                 const std::vector<std::pair<std::string, int64_t>> &given) const {
  BindOptions options;
  options.numSms = module->device.numSms;
  options.device = module->device.ordinal;
  options.given = given;
  options.gpu = module->device.name;
  Result<Binding> binding = bindInstance(contracts, arguments, options);
  if (!binding)
    return binding.error();
  auto state = std::make_unique<Prepared::State>();
  state->module = module;
  state->binding = std::move(*binding);
  state->arguments = arguments;
  const KernelContract &kernel = *state->binding.kernel;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].kind == Argument::Kind::Tensor)
      if (Status status = checkReachable(*module, kernel.parameters[i], arguments[i]); !status)
        return status.error();
  for (uint64_t &cell : state->binding.cells)
    state->cellPointers.push_back(&cell);
  if (!state->binding.isEmpty())
    for (const Variant &variant : kernel.variants)
      if (!findObstacle(variant, kernel, arguments))
        if (Status status = state->addLaunch(variant); !status)
          return status.error();
  return Prepared(std::move(state));
}

Status Kernel::launch(CUstream_st *stream, const std::vector<Argument> &arguments) const {
  Result<Prepared> prepared = prepare(arguments);
  if (!prepared)
    return prepared.error();
  return prepared->launch(stream);
}

} // namespace tile
