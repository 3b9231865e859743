#include "runtime/jit/JitKernel.h"

#include "runtime/launch/Memory.h"

#include <algorithm>

namespace tile {

/// Shapes that are remembered. A program whose shapes never end forgets them all and finds its code by contract again.
static constexpr size_t kMostShapes = 4096;

/// What of `arguments` may make a difference to which code is taken.
static void writeShape(std::string &shape, const std::vector<Argument> &arguments, int device, bool withScalars) {
  shape.clear();
  auto add = [&](const auto &value) { shape.append(reinterpret_cast<const char *>(&value), sizeof(value)); };
  add(device);
  for (const Argument &argument : arguments) {
    add(argument.kind);
    if (argument.kind == Argument::Kind::Tensor) {
      add(argument.type);
      add(argument.rank);
      int rank = std::clamp(argument.rank, 0, kMaxRank);
      shape.append(reinterpret_cast<const char *>(argument.extents), rank * sizeof(int64_t));
      shape.append(reinterpret_cast<const char *>(argument.strides), rank * sizeof(int64_t));
    } else if (withScalars) {
      add(argument.isUnsigned);
      add(argument.integer);
      add(argument.real);
    }
  }
}

static BindOptions bindOptions(const JitGpu &gpu) {
  BindOptions options;
  options.numSms = gpu.device.numSms;
  options.device = gpu.device.ordinal;
  options.gpu = gpu.device.name;
  return options;
}

/// By variant and sizes, what measuring tells apart; empty for a kernel that is not tuned. The variant is the one that
/// extents and strides allow: where memory lies is not known when a choice is looked for.
static std::string launchClass(const Binding &binding, const std::vector<Argument> &arguments) {
  const KernelContract &contract = *binding.kernel;
  if (contract.tuning.state.empty())
    return "";
  auto fits = [&](const Variant &variant) { return !findObstacle(variant, contract, arguments); };
  auto variant = std::find_if(contract.variants.begin(), contract.variants.end(), fits);
  std::string text = variant == contract.variants.end() ? "-" : variant->name;
  for (const Expression &size : contract.tuning.key)
    text += " " + size.evaluate(binding.values).print();
  return text;
}

Result<std::shared_ptr<JitKernel::State>> JitKernel::State::open(std::shared_ptr<JitShared> shared,
                                                                 const std::string &file, const std::string &name,
                                                                 const std::map<std::string, std::string> &values) {
  auto state = std::make_shared<State>();
  state->shared = std::move(shared);
  state->file = file;
  state->name = name;
  state->values = values;
  if (Status status = state->reload(); !status)
    return status.error();
  return state;
}

Status JitKernel::State::reload() {
  Result<std::unique_ptr<SourceKernel>> source = SourceKernel::open(*shared, file, name, values);
  if (!source)
    return source.error();
  auto next = std::make_shared<JitGeneration>();
  next->source = std::move(*source);
  std::lock_guard<std::shared_mutex> lock(mutex);
  current = std::move(next);
  return {};
}

std::shared_ptr<JitGeneration> JitKernel::State::generation() {
  std::shared_lock<std::shared_mutex> lock(mutex);
  return current;
}

Result<std::shared_ptr<JitInstance>> JitKernel::State::find(const std::vector<Argument> &arguments) {
  Result<int> device = currentDevice();
  if (!device)
    return device.error();
  std::shared_ptr<JitGeneration> from = generation();
  thread_local std::string shape;
  writeShape(shape, arguments, *device, from->source->readsScalars());
  {
    std::shared_lock<std::shared_mutex> lock(from->mutex);
    if (auto known = from->launches.find(shape); known != from->launches.end())
      return known->second;
  }
  Result<JitGpu> gpu = shared->gpu(*device);
  if (!gpu)
    return gpu.error();
  if (std::shared_ptr<JitInstance> serving = findServing(*from, shape, arguments, *gpu))
    return serving;
  std::lock_guard<std::mutex> lock(from->compiling);
  if (std::shared_ptr<JitInstance> serving =
          findServing(*from, shape, arguments, *gpu)) // who held the lock compiled it
    return serving;
  return compile(*from, shape, arguments, *gpu);
}

std::shared_ptr<JitInstance> JitKernel::State::findServing(JitGeneration &from, const std::string &shape,
                                                           const std::vector<Argument> &arguments, const JitGpu &gpu) {
  std::lock_guard<std::shared_mutex> lock(from.mutex);
  if (auto known = from.launches.find(shape); known != from.launches.end())
    return known->second;
  if (!from.source->isToldByContract())
    return nullptr;
  for (const std::shared_ptr<JitInstance> &instance : from.instances) {
    if (instance->device != gpu.device.ordinal)
      continue;
    Result<Binding> binding = bindInstance(instance->kernel.instances(), arguments, bindOptions(gpu));
    if (!binding)
      continue;
    std::string wanted = launchClass(*binding, arguments);
    if (!wanted.empty() &&
        std::find(instance->chosenFor.begin(), instance->chosenFor.end(), wanted) == instance->chosenFor.end())
      continue;
    if (from.launches.size() >= kMostShapes)
      from.launches.clear();
    from.launches.emplace(shape, instance);
    return instance;
  }
  return nullptr;
}

Result<std::shared_ptr<JitInstance>> JitKernel::State::compile(JitGeneration &into, const std::string &shape,
                                                               const std::vector<Argument> &arguments,
                                                               const JitGpu &gpu) {
  if (auto known = into.refused.find(shape); known != into.refused.end())
    return known->second;
  Result<JitCode> code = into.source->compile(arguments, gpu);
  if (!code) {
    if (code.error().code == ErrorCode::InvalidSource && into.refused.size() < kMostShapes)
      into.refused.emplace(shape, code.error());
    return code.error();
  }
  auto isSame = [&](const std::shared_ptr<JitInstance> &instance) {
    return instance->key == code->key && instance->device == gpu.device.ordinal;
  };
  auto same = std::find_if(into.instances.begin(), into.instances.end(), isSame);
  std::shared_ptr<JitInstance> instance = same == into.instances.end() ? nullptr : *same;
  if (!instance) {
    Result<Module> module = Module::load(code->cubin);
    if (!module)
      return module.error();
    Result<Kernel> kernel = module->kernel(into.source->name());
    if (!kernel)
      return kernel.error();
    instance = std::make_shared<JitInstance>(JitInstance{code->key, gpu.device.ordinal, std::move(*kernel), {}});
  }
  Result<Binding> binding = bindInstance(instance->kernel.instances(), arguments, bindOptions(gpu));
  std::lock_guard<std::shared_mutex> lock(into.mutex);
  if (same == into.instances.end())
    into.instances.push_back(instance);
  if (std::string wanted = binding ? launchClass(*binding, arguments) : ""; !wanted.empty())
    instance->chosenFor.push_back(wanted);
  if (into.launches.size() >= kMostShapes)
    into.launches.clear();
  into.launches.emplace(shape, instance);
  return instance;
}

Status JitKernel::launch(CUstream_st *stream, const std::vector<Argument> &arguments) const {
  Result<std::shared_ptr<JitInstance>> found = state->find(arguments);
  return found ? (*found)->kernel.launch(stream, arguments) : Status(found.error());
}

Result<Prepared> JitKernel::prepare(const std::vector<Argument> &arguments) const {
  Result<std::shared_ptr<JitInstance>> found = state->find(arguments);
  return found ? (*found)->kernel.prepare(arguments) : Result<Prepared>(found.error());
}

Status JitKernel::reload() const { return state->reload(); }

} // namespace tile
