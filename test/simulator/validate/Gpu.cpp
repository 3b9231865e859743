#include "test/simulator/validate/Gpu.h"

#include "cuda.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace tile::sim::validate {

[[noreturn]] static void fail(const char *what, const char *why) {
  std::fprintf(stderr, "%s: %s\n", what, why ? why : "unknown");
  std::exit(3);
}

static void *open() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library)
    fail("libcuda.so.1", dlerror());
  return library;
}

template <class Function> static Function *entry(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    fail(name, dlerror());
  return reinterpret_cast<Function *>(found);
}

// The names by which the library exports what cuda.h declares.
struct Gpu::Driver {
  void *library = open();
  decltype(&::cuGetErrorString) errorString = entry<decltype(::cuGetErrorString)>(library, "cuGetErrorString");
  decltype(&::cuInit) init = entry<decltype(::cuInit)>(library, "cuInit");
  decltype(&::cuDevicePrimaryCtxRetain) retain =
      entry<decltype(::cuDevicePrimaryCtxRetain)>(library, "cuDevicePrimaryCtxRetain");
  decltype(&::cuCtxSetCurrent) setCurrent = entry<decltype(::cuCtxSetCurrent)>(library, "cuCtxSetCurrent");
  decltype(&::cuModuleLoadData) load = entry<decltype(::cuModuleLoadData)>(library, "cuModuleLoadData");
  decltype(&::cuModuleUnload) unload = entry<decltype(::cuModuleUnload)>(library, "cuModuleUnload");
  decltype(&::cuModuleGetFunction) function = entry<decltype(::cuModuleGetFunction)>(library, "cuModuleGetFunction");
  decltype(&::cuMemAlloc) allocate = entry<decltype(::cuMemAlloc)>(library, "cuMemAlloc_v2");
  decltype(&::cuMemFree) free = entry<decltype(::cuMemFree)>(library, "cuMemFree_v2");
  decltype(&::cuMemcpyHtoD) toDevice = entry<decltype(::cuMemcpyHtoD)>(library, "cuMemcpyHtoD_v2");
  decltype(&::cuMemcpyDtoH) toHost = entry<decltype(::cuMemcpyDtoH)>(library, "cuMemcpyDtoH_v2");
  decltype(&::cuLaunchKernel) launch = entry<decltype(::cuLaunchKernel)>(library, "cuLaunchKernel");
  decltype(&::cuCtxSynchronize) synchronize = entry<decltype(::cuCtxSynchronize)>(library, "cuCtxSynchronize");

  void check(CUresult status, const std::string &what) const {
    const char *text = nullptr;
    if (status == CUDA_SUCCESS)
      return;
    errorString(status, &text);
    fail(what.c_str(), text);
  }
};

const Gpu::Driver &Gpu::theDriver() {
  static const Driver driver;
  return driver;
}

Gpu::Gpu() : driver(theDriver()) {
  CUcontext context;
  driver.check(driver.init(0), "cuInit");
  driver.check(driver.retain(&context, 0), "cuDevicePrimaryCtxRetain");
  driver.check(driver.setCurrent(context), "cuCtxSetCurrent");
}

Bytes Gpu::run(const Kernel &kernel, const std::string &code) {
  CUmodule module;
  CUfunction function;
  driver.check(driver.load(&module, code.c_str()), kernel.name + ": loading");
  driver.check(driver.function(&function, module, "k"), kernel.name);
  std::vector<Bytes> tensors = kernel.inputs;
  tensors.push_back(kernel.output);
  std::vector<CUdeviceptr> pointers(tensors.size());
  std::vector<void *> arguments;
  for (size_t i = 0; i < tensors.size(); ++i) {
    driver.check(driver.allocate(&pointers[i], tensors[i].size()), kernel.name);
    driver.check(driver.toDevice(pointers[i], tensors[i].data(), tensors[i].size()), kernel.name);
    arguments.push_back(&pointers[i]);
  }
  auto [x, y, z] = kernel.grid;
  auto [u, v, w] = kernel.block;
  driver.check(driver.launch(function, x, y, z, u, v, w, 0, nullptr, arguments.data(), nullptr), kernel.name);
  driver.check(driver.synchronize(), kernel.name);
  driver.check(driver.toHost(tensors.back().data(), pointers.back(), tensors.back().size()), kernel.name);
  for (CUdeviceptr pointer : pointers)
    driver.free(pointer);
  driver.unload(module);
  return tensors.back();
}

} // namespace tile::sim::validate
