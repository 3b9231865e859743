// A C++ program that runs a compiled Tile kernel: load the cubin, launch it on a stream of ours, check the result.
//
//   tilec examples/softmax.tile -D BLOCK=1024 -o softmax.cubin
//   embed softmax.cubin
//
// It links libtile alone: no compiler, no CUDA toolkit, and no driver until one is used. The exit code is 0 if the
// result is right, 1 if it is wrong, 2 for any other failure, and 77 if there is no GPU to try it on.

#include "runtime/driver/Device.h"
#include "runtime/launch/Module.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

constexpr int kWrongResult = 1;
constexpr int kFailure = 2;
constexpr int kNoGpu = 77;

int report(const tile::Error &error) {
  std::fprintf(stderr, "embed: %s\n", error.message.c_str());
  return error.code == tile::ErrorCode::NoDriver ? kNoGpu : kFailure;
}

/// The largest difference of `y` from the softmax of each row of `x`, relative to the value expected.
double largestError(const std::vector<float> &x, const std::vector<float> &y, int64_t rows, int64_t columns) {
  double worst = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const float *in = x.data() + row * columns, *out = y.data() + row * columns;
    double largest = *std::max_element(in, in + columns), sum = 0;
    for (int64_t i = 0; i < columns; ++i)
      sum += std::exp(in[i] - largest);
    for (int64_t i = 0; i < columns; ++i) {
      double expected = std::exp(in[i] - largest) / sum;
      double error = std::abs(out[i] - expected) / expected;
      worst = error <= worst ? worst : error; // NaN, too, is an error that stays.
    }
  }
  return worst;
}

int run(const char *path) {
  constexpr int64_t kRows = 1823, kColumns = 781;

  // A program that uses the CUDA run-time library has a context and a stream already: a cudaStream_t serves as it is.
  tile::Result<tile::Context> context = tile::Context::create(0);
  if (!context)
    return report(context.error());
  tile::Result<tile::Stream> stream = tile::Stream::create();
  if (!stream)
    return report(stream.error());

  tile::Result<tile::Module> module = tile::Module::loadFile(path);
  if (!module)
    return report(module.error());
  tile::Result<tile::Kernel> softmax = module->kernel("softmax");
  if (!softmax)
    return report(softmax.error());

  std::vector<float> x(kRows * kColumns), y(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(std::sin(static_cast<double>(i)) * 4);
  tile::Result<tile::DeviceMemory> input = tile::DeviceMemory::allocate(x.size() * sizeof(float));
  if (!input)
    return report(input.error());
  tile::Result<tile::DeviceMemory> output = tile::DeviceMemory::allocate(y.size() * sizeof(float));
  if (!output)
    return report(output.error());
  if (tile::Status status = input->upload(x.data(), stream->get()); !status)
    return report(status.error());

  // One argument per parameter of `kernel softmax(x: tensor<f32>[M, N], out y: tensor<f32>[M, N])`. The launch checks
  // types, extents, strides and overlap, and takes the variant that they allow.
  tile::Status launched =
      softmax->launch(stream->get(), {tile::Argument::tensor(input->get(), tile::DataType::F32, {kRows, kColumns}),
                                      tile::Argument::tensor(output->get(), tile::DataType::F32, {kRows, kColumns})});
  if (!launched)
    return report(launched.error());

  if (tile::Status status = output->download(y.data(), stream->get()); !status)
    return report(status.error());
  double error = largestError(x, y, kRows, kColumns);
  bool isRight = error < 1e-5;
  std::printf("softmax of %lld x %lld: largest relative error %.2g, %s\n", static_cast<long long>(kRows),
              static_cast<long long>(kColumns), error, isRight ? "right" : "wrong");
  return isRight ? 0 : kWrongResult;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: embed softmax.cubin\n");
    return kFailure;
  }
  return run(argv[1]);
}
