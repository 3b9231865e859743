// Runs the kernels of test/e2e/large_offsets.tile where addresses need 64 bits.
//
//   large_tensors large_offsets.cubin
//
// Each kernel adds one to the last rows of a tensor of zeros, and only to them: an i8 tensor of more than 2^31
// elements, with these rows on either side of that, and an f32 tensor of more than 2^32 bytes likewise. An offset that
// loses its high bits writes elsewhere, so every element is looked at. The launcher must have taken the variant without
// a bound on offsets.

#include "runtime/driver/Device.h"
#include "runtime/launch/Module.h"
#include "test/gpu/Take.h"

#include <chrono>
#include <memory>
#include <numeric>
#include <vector>

using namespace tile;

namespace {

constexpr int64_t kColumns = 1000;
/// Rows that the kernels change: the last ones, half of them on either side of the limit.
constexpr int64_t kRows = 8;

void launch(const Module &module, const char *name, const std::vector<Argument> &arguments, const Stream &stream) {
  Kernel kernel = take(module.kernel(name));
  Prepared prepared = take(kernel.prepare(arguments));
  if (prepared.binding().variant->name != "generic")
    fail(std::string(name) + " took the variant " + prepared.binding().variant->name + "; expected generic");
  take(prepared.launch(stream.get()));
  take(stream.synchronize());
}

/// Runs every kernel on a tensor of T whose last rows lie around element `limit`.
template <typename T> void run(const Module &module, DataType type, int64_t limit, const Stream &stream) {
  auto begin = std::chrono::steady_clock::now();
  int64_t rows = limit / kColumns + kRows / 2, first = rows - kRows, count = rows * kColumns, start = first * kColumns;
  DeviceMemory memory = take(DeviceMemory::allocate(count * sizeof(T)));
  take(memory.fill(0, stream.get()));
  std::vector<int64_t> places(count - start);
  std::iota(places.begin(), places.end(), start);
  DeviceMemory at = take(DeviceMemory::allocate(places.size() * sizeof(int64_t)));
  take(at.upload(places.data(), stream.get()));

  Argument vector = Argument::tensor(memory.get(), type, {count});
  launch(module, "tail", {vector, Argument::scalar(start)}, stream);
  launch(module, "last_rows", {Argument::tensor(memory.get(), type, {rows, kColumns}), Argument::scalar(first)},
         stream);
  launch(module, "picked", {vector, Argument::tensor(at.get(), DataType::I64, {static_cast<int64_t>(places.size())})},
         stream);
  // A pointer has no element type by which an instance could be chosen: that kernel is for f32.
  bool hasPointer = type == DataType::F32;
  if (hasPointer)
    launch(module, "behind",
           {Argument::pointer(memory.get()), Argument::scalar(start), Argument::scalar(count - start)}, stream);
  int launches = hasPointer ? 4 : 3;

  std::unique_ptr<T[]> host(new T[count]); // not cleared: all of it is written
  take(memory.download(host.get(), stream.get()));
  for (int64_t i = 0; i < count; ++i)
    if (int expected = i < start ? 0 : launches; host[i] != static_cast<T>(expected))
      fail("element " + std::to_string(i) + " of " + std::to_string(count) + " " + getName(type) + " is " +
           std::to_string(host[i]) + "; expected " + std::to_string(expected));
  std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf("%s: %lld elements, %.1f s\n", getName(type), static_cast<long long>(count), elapsed.count());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    fail("expected the cubin of large_offsets.tile");
  Context context = take(Context::create(0));
  Stream stream = take(Stream::create());
  Module module = take(Module::loadFile(argv[1]));
  run<int8_t>(module, DataType::I8, int64_t(1) << 31, stream);
  run<float>(module, DataType::F32, int64_t(1) << 30, stream);
}
