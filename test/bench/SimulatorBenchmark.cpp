/// How many instructions of warps the simulator runs in a second of one core, with all checks and with none: of two
/// kernels as `tilec` compiles them, and of loops of one instruction each. Time is that of the processor, so that a
/// machine which others use gives usable numbers: repeat, and take the least. `simulator.py` does, and writes the
/// table in README.md.
///
/// The goals: 0.5 million with all checks, 1.5 million with none; on two cores, the product in less than 3 s and
/// softmax in less than 1 s.
#include "backend/simulator/Simulator.h"
#include "backend/simulator/ptx/Parser.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>

using namespace tile::sim;

/// Where the build put what `tilec` made of the kernels; empty in a build without `tilec`.
static std::string kernelFolder() {
  const char *given = std::getenv("TILE_BENCH_PTX");
  return given ? given : TILE_BENCH_PTX;
}

namespace {
/// A program, its launch, and the memory of its buffers. Inputs are small values of the type that the kernel takes.
struct Kernel {
  std::unique_ptr<const Program> program;
  Launch launch;
  std::vector<std::vector<uint8_t>> memory;
  std::string problem; ///< why it cannot run; empty if it can

  Kernel() = default;
  Kernel(const std::string &text, const std::string &name) {
    ptx::Parsed module = ptx::parse(text);
    if (!module) {
      problem = "line " + std::to_string(module.error().line) + ": " + module.error().message;
      return;
    }
    auto loaded = load(*module, name);
    if (auto *refusal = std::get_if<Refusal>(&loaded)) {
      problem = "line " + std::to_string(refusal->line) + ": " + refusal->message;
      return;
    }
    program = std::move(std::get<0>(loaded));
    if (program->requiredThreads[0])
      launch.block[0] = program->requiredThreads[0];
  }

  void passNumber(uint64_t value) {
    Argument argument;
    argument.scalar.resize(sizeof(value));
    std::memcpy(argument.scalar.data(), &value, sizeof(value));
    launch.arguments.push_back(std::move(argument));
  }
  /// Elements of 4 bytes that count from `first`, or of 2 where that is what fits: any finite values will do.
  void passBuffer(uint64_t bytes, bool isOutput) {
    std::vector<uint8_t> contents(bytes);
    for (uint64_t i = 1; i < bytes; i += 2)
      contents[i] = uint8_t(0x3e + i / 2 % 3); // between 0.1 and 3 as bf16 and as f32
    memory.push_back(std::move(contents));
    launch.buffers.push_back({"buffer", memory.back().data(), bytes, !isOutput, true});
    Argument argument;
    argument.isPointer = true;
    argument.buffer = unsigned(launch.buffers.size() - 1);
    launch.arguments.push_back(std::move(argument));
  }
};
} // namespace

/// The variant of `kernel` for aligned tensors, from the file of the same name.
static Kernel readKernel(const std::string &kernel) {
  Kernel result;
  std::string path = kernelFolder() + "/" + kernel + ".ptx";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (kernelFolder().empty() || !file) {
    result.problem = "no compiled kernel at `" + path + "`; expected a build with tilec, or TILE_BENCH_PTX";
    return result;
  }
  return Kernel(text.str(), kernel + "$fast");
}

static Kernel matmul() {
  Kernel kernel = readKernel("matmul");
  constexpr uint64_t kExtent = 256, kBytes = kExtent * kExtent * 2;
  kernel.launch.grid = {4, 1, 1};
  kernel.launch.dynamicShared = 1 << 16;
  for (unsigned parameter : {3, 2}) { // a and b: extents and a stride
    kernel.passBuffer(kBytes, false);
    for (unsigned i = 0; i < parameter; ++i)
      kernel.passNumber(kExtent);
  }
  kernel.passBuffer(kBytes, true);
  kernel.passNumber(kExtent);
  return kernel;
}

static Kernel softmax() {
  Kernel kernel = readKernel("softmax");
  constexpr uint64_t kRows = 64, kColumns = 1024;
  kernel.launch.grid = {kRows, 1, 1};
  kernel.launch.dynamicShared = 1 << 12;
  kernel.passBuffer(kRows * kColumns * 4, false);
  for (uint64_t number : {kRows, kColumns, kColumns})
    kernel.passNumber(number);
  kernel.passBuffer(kRows * kColumns * 4, true);
  kernel.passNumber(kColumns);
  return kernel;
}

/// What a loop repeats. `%d1` is the thread's own 16 bytes of global memory, `%r1` of
/// shared memory, and every register that is read has been written.
struct LoopedInstruction {
  const char *name;
  const char *text;
};
/// A product with itself of the matrix that a descriptor leads to, with its fence, commit and wait.
#define TILE_WGMMA(DESCRIPTOR)                                                                                         \
  "wgmma.fence.sync.aligned;\nwgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%a0, %a1, %a2, %a3, %a4, %a5, "    \
  "%a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, "     \
  "%a25, %a26, %a27, %a28, %a29, %a30, %a31}, " DESCRIPTOR ", " DESCRIPTOR                                             \
  ", %p4, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;"
static constexpr LoopedInstruction kClasses[] = {
    {"integer", "add.s32 %r8, %r8, %r2;"},
    {"wide", "add.s64 %d8, %d8, %d1;"},
    {"multiply", "mad.lo.s32 %r8, %r8, %r2, %r9;"},
    {"float", "fma.rn.f32 %f8, %f1, %f2, %f8;"},
    {"half", "fma.rn.bf16x2 %r8, %r3, %r3, %r3;"},
    {"compare", "setp.lt.s32 %p2, %r8, %r2;"},
    {"select", "selp.b32 %r8, %r2, %r9, %p1;"},
    {"convert", "cvt.rn.bf16x2.f32 %r8, %f1, %f2;"},
    {"approximate", "ex2.approx.ftz.f32 %f8, %f1;"},
    {"move", "mov.b32 %r8, %r2;"},
    {"shuffle", "shfl.sync.bfly.b32 %r8, %r2, 1, 31, -1;"},
    {"load-global", "ld.global.b32 %r8, [%d1];"},
    {"load-global-vector", "ld.global.v4.b32 {%r8, %r9, %r10, %r11}, [%d1];"},
    {"store-global", "st.global.b32 [%d2], %r2;"},
    {"store-global-vector", "st.global.v4.b32 [%d2], {%r2, %r2, %r2, %r2};"},
    {"load-shared", "ld.shared.b32 %r8, [%r1];"},
    {"load-shared-vector", "ld.shared.v4.b32 {%r8, %r9, %r10, %r11}, [%r1];"},
    {"store-shared", "st.shared.b32 [%r1], %r2;"},
    {"store-shared-vector", "st.shared.v4.b32 [%r1], {%r2, %r2, %r2, %r2};"},
    {"store-shared-half", "st.shared.b16 [%r1], %h1;"},
    {"ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r1];"},
    {"mma", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f8, %f9, %f10, %f11}, {%r3, %r3, %r3, %r3}, {%r3, "
            "%r3}, {%f8, %f9, %f10, %f11};"},
    {"wgmma", TILE_WGMMA("%d4")},
    {"wgmma-far", TILE_WGMMA("%d5")},
    {"atomic-shared", "atom.shared.add.u32 %r8, [%r4], 1;"},
    {"copy", "cp.async.cg.shared.global [%r1], [%d1], 16;\ncp.async.wait_all;"},
    {"barrier", "bar.sync 0;"},
    {"branch", "@%p1 bra L#;\nL#:"},
};

constexpr unsigned kCopies = 32, kTurns = 64;

static Kernel loopOf(const LoopedInstruction &what) {
  std::string body;
  for (unsigned i = 0; i < kCopies; ++i) {
    std::string text = what.text;
    for (size_t at; (at = text.find('#')) != std::string::npos;)
      text.replace(at, 1, std::to_string(i));
    body += text + "\n";
  }
  Kernel kernel(R"(.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 16 .b8 memory[];
.visible .entry k$fast(.param .u64 from, .param .u64 to) .reqntid 128 {
.reg .pred %p<8>;
.reg .b16 %h<8>;
.reg .b32 %r<16>;
.reg .b64 %d<16>;
.reg .f32 %f<16>, %a<32>;
ld.param.u64 %d1, [from];
ld.param.u64 %d2, [to];
mov.u32 %r0, %tid.x;
mov.u32 %r4, memory;
mad.lo.s32 %r1, %r0, 16, %r4;
add.s32 %r4, %r4, 2048;
mul.wide.u32 %d3, %r0, 16;
add.s64 %d1, %d1, %d3;
add.s64 %d2, %d2, %d3;
mov.b32 %r2, 7;
mov.b32 %r3, 0x3f803f80;
mov.b16 %h1, 7;
mov.b32 %r8, 1;
mov.b32 %r9, 1;
mov.b64 %d8, 1;
mov.b32 %f1, 0f3f000000;
mov.b32 %f2, 0f3f000000;
mov.b32 %f8, 0f3f000000;
mov.b32 %f9, 0f3f000000;
mov.b32 %f10, 0f3f000000;
mov.b32 %f11, 0f3f000000;
setp.lt.u32 %p1, %r0, 16;
st.shared.v4.b32 [%r1], {%r3, %r3, %r3, %r3};
setp.eq.u32 %p3, %r0, 0;
setp.eq.u32 %p4, %r2, 0;
st.shared.v4.b32 [%r1+2048], {%r2, %r2, %r2, %r2};
mov.b64 %d4, 0x0000001000080040;
mov.b64 %d5, 0x00000010000800c0;
@%p3 st.shared.b32 [%r4], %r2;
fence.proxy.async;
bar.sync 0;
mov.b32 %r5, )" + std::to_string(kTurns) +
                    ";\nLOOP:\n" + body + R"(
add.s32 %r5, %r5, -1;
setp.ne.s32 %p7, %r5, 0;
@%p7 bra LOOP;
ret;
})",
                "k$fast");
  kernel.launch.dynamicShared = 1 << 12;
  for (bool isOutput : {false, true})
    kernel.passBuffer(128 * 16, isOutput);
  return kernel;
}

/// Runs it over and over; counts instructions of warps.
static void measure(benchmark::State &state, Kernel kernel, bool checks, unsigned hostThreads) {
  if (!kernel.problem.empty())
    return state.SkipWithError(kernel.problem.c_str());
  RunOptions options;
  options.seed = 1;
  options.hostThreads = hostThreads;
  options.checks = checks ? Checks() : kNoChecks;
  uint64_t instructions = 0;
  LongWays longWays;
  for (auto _ : state) {
    auto outcome = run(*kernel.program, kernel.launch, options);
    auto *result = std::get_if<RunResult>(&outcome);
    if (!result || !result->finished || !result->findings.empty()) {
      std::string problem = !result                    ? std::get_if<Refusal>(&outcome)->message
                            : result->findings.empty() ? "it did not finish"
                                                       : result->findings.front().message;
      return state.SkipWithError(problem.c_str());
    }
    for (const InstructionCount &count : result->counts)
      instructions += count.warps;
    longWays = result->longWays;
  }
  state.counters["long_cells"] = double(longWays.cells);
  state.counters["long_requests"] = double(longWays.requests);
  state.counters["instructions"] = double(instructions) / double(state.iterations());
  state.counters["rate"] = benchmark::Counter(double(instructions), benchmark::Counter::kIsRate);
}

static void add(const std::string &name, bool checks, unsigned hostThreads, std::function<Kernel()> make) {
  std::string full = name + (checks ? "/all" : "/none") + (hostThreads == 1 ? "" : "/two-cores");
  auto *added = benchmark::RegisterBenchmark(
      full.c_str(), [=](benchmark::State &state) { measure(state, make(), checks, hostThreads); });
  added->Unit(benchmark::kMillisecond);
  if (hostThreads > 1)
    added->UseRealTime();
}

int main(int argc, char **argv) {
  for (bool checks : {true, false}) {
    for (unsigned hostThreads : {1, 2}) {
      add("matmul", checks, hostThreads, matmul);
      add("softmax", checks, hostThreads, softmax);
    }
    for (const LoopedInstruction &what : kClasses)
      add(what.name, checks, 1, [&what] { return loopOf(what); });
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
