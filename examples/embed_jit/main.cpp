// A C++ program that compiles a Tile kernel while it runs: read the source, launch it on tensors of its own, check the
// result, and say what that took.
//
//   embed_jit examples/softmax.tile
//   embed_jit examples/softmax.tile missing build/release/bin/tilec    may measure configurations of `@autotune`
//
// It links libtilec alone, whose headers need neither LLVM nor CUDA. The exit code is 0 if the result is right, 1 if it
// is wrong, 2 for any other failure, and 77 if there is no GPU to try it on.

#include "runtime/driver/Device.h"
#include "runtime/jit/Jit.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kWrongResult = 1;
constexpr int kFailure = 2;
constexpr int kNoGpu = 77;

int report(const tile::Error &error) {
  std::fprintf(stderr, "embed_jit: %s\n", error.message.c_str());
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

int run(const std::string &file, const tile::JitOptions &options) {
  constexpr int64_t kRows = 1823, kColumns = 781;

  // A program that uses the CUDA run-time library has a context and a stream already: a cudaStream_t serves as it is.
  tile::Result<tile::Context> context = tile::Context::create(0);
  if (!context)
    return report(context.error());
  tile::Result<tile::Stream> stream = tile::Stream::create();
  if (!stream)
    return report(stream.error());

  // One for the whole program, and a kernel for as long as it is launched: both keep what was compiled.
  tile::Result<tile::Jit> jit = tile::Jit::create(options);
  if (!jit)
    return report(jit.error());
  tile::Result<tile::JitKernel> softmax = jit->kernel(file, "softmax");
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

  // One argument per parameter of `kernel softmax(x: tensor<f32>[M, N], out y: tensor<f32>[M, N])`. Element types bind
  // type parameters, extents the heuristics; the first launch of a kind compiles.
  std::vector<tile::Argument> arguments = {
      tile::Argument::tensor(input->get(), tile::DataType::F32, {kRows, kColumns}),
      tile::Argument::tensor(output->get(), tile::DataType::F32, {kRows, kColumns})};
  for (int i = 0; i < 2; ++i)
    if (tile::Status launched = softmax->launch(stream->get(), arguments); !launched)
      return report(launched.error());

  if (tile::Status status = output->download(y.data(), stream->get()); !status)
    return report(status.error());
  double error = largestError(x, y, kRows, kColumns);
  bool isRight = error < 1e-5;
  std::printf("softmax of %lld x %lld: largest relative error %.2g, %s\n", static_cast<long long>(kRows),
              static_cast<long long>(kColumns), error, isRight ? "right" : "wrong");
  tile::JitStatistics done = jit->statistics();
  std::printf("compiled %llu, from the cache %llu, known configurations %llu, searches %llu\n",
              static_cast<unsigned long long>(done.compiled), static_cast<unsigned long long>(done.fromCache),
              static_cast<unsigned long long>(done.known), static_cast<unsigned long long>(done.searches));
  return isRight ? 0 : kWrongResult;
}

} // namespace

int main(int argc, char **argv) {
  tile::JitOptions options;
  options.report = [](const std::string &text) { std::fprintf(stderr, "embed_jit: %s\n", text.c_str()); };
  std::string policy = argc > 2 ? argv[2] : "never";
  if (argc < 2 || argc > 4 || (policy != "never" && policy != "missing" && policy != "force")) {
    std::fprintf(stderr, "usage: embed_jit softmax.tile [never|missing|force [tilec]]\n");
    return kFailure;
  }
  // Measuring takes seconds, and other processes that use the GPU: nothing for the first request of a server.
  if (policy != "never")
    options.tune = policy == "force" ? tile::TunePolicy::Force : tile::TunePolicy::Missing;
  if (argc > 3)
    options.program = argv[3];
  return run(argv[1], options);
}
