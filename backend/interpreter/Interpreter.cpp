/// Runs a compiled kernel over its grid: threads take programs by turns, each with values and findings of its own.
#include "backend/interpreter/Bounds.h"
#include "backend/interpreter/Compiler.h"
#include "backend/interpreter/Transfer.h"

#include <numeric>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace tile;
using namespace tile::interpreter;

char InterpretError::ID = 0;

void InterpretError::log(raw_ostream &os) const { os << location << ": " << message; }

namespace {
/// The order in which programs start: `number * factor + shift` modulo their count, a permutation.
struct StartOrder {
  uint64_t count, factor = 1, shift = 0;

  StartOrder(uint64_t count, uint64_t seed) : count(count) {
    if (seed == 0 || count < 2)
      return;
    factor = seed % count;
    while (std::gcd(factor, count) != 1)
      factor = (factor + 1) % count;
    shift = seed / count % count;
  }
  int64_t operator()(uint64_t turn) const {
    return static_cast<int64_t>((static_cast<unsigned __int128>(turn) * factor + shift) % count);
  }
};

/// Cache-line aligned bytes for the values of one thread; not cleared, since every value is written before it is read.
class ValueMemory {
public:
  explicit ValueMemory(int64_t bytes)
      : storage(static_cast<char *>(std::aligned_alloc(kLine, llvm::alignTo(bytes + 1, kLine))), &std::free) {}
  /// Null where there is no memory left.
  char *get() const { return storage.get(); }

private:
  static constexpr int64_t kLine = 64;
  std::unique_ptr<char, decltype(&std::free)> storage;
};
} // namespace

int64_t tile::interpreter::memoryLimit(const InterpretOptions &options) {
  return options.maxValueBytes ? options.maxValueBytes : int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// Says why `invocation` does not fit `kernel`; empty if it does.
static std::string checkInvocation(const CompiledKernel &kernel, const Invocation &invocation) {
  if (invocation.arguments.size() != kernel.arguments.size())
    return llvm::formatv("kernel is given {0} arguments; expected {1}", invocation.arguments.size(),
                         kernel.arguments.size());
  if (invocation.buffers.size() >= (1u << (64 - kAddressBits)) - 1)
    return llvm::formatv("kernel is given {0} buffers; expected fewer than {1}", invocation.buffers.size(),
                         (1u << (64 - kAddressBits)) - 1);
  unsigned __int128 programs = 1;
  for (int64_t extent : invocation.grid) {
    if (extent < 0)
      return llvm::formatv("grid extent is {0}; expected at least 0", extent);
    // Three extents may be too much for 128 bits; past the bound only a 0 changes anything.
    programs = std::min<unsigned __int128>(programs, uint64_t(1) << 31) * static_cast<uint64_t>(extent);
  }
  if (programs >> 31)
    return "grid has 2^31 programs or more; expected fewer";
  return {};
}

/// Writes the constants and the arguments into the values of a thread.
static void prepare(Frame &frame, const CompiledKernel &code, func::FuncOp kernel, ArrayRef<uint64_t> arguments) {
  for (const auto &[offset, data] : code.constants)
    memcpy(frame.at(offset), data.data(), data.size());
  for (auto [array, type, word] : llvm::zip_equal(code.arguments, kernel.getArgumentTypes(), arguments)) {
    if (array.element == Element::Bounded) {
      *frame.at<Bounded>(array.offset) = {floatAt(&word, *storedElementFor(type)), 0};
      continue;
    }
    uint64_t bits = array.element == Element::I1 ? (word & 0xff) != 0
                    : isa<PtrType>(type)         ? frame.memory->pointerTo(word)
                                                 : word;
    memcpy(frame.at(array.offset), &bits, array.bytes());
  }
}

static llvm::Error tooLarge(func::FuncOp kernel, int64_t bytes, int64_t limit) {
  return llvm::make_error<InterpretError>(
      kernel.getLoc(),
      llvm::formatv("the tiles of one program take {0} bytes on the CPU; expected at most {1}, as this "
                    "machine has no more memory",
                    bytes, limit));
}

/// Runs `kernel` on `memory`, whose buffers are those of the invocation.
static llvm::Expected<InterpretReport> runOn(Memory &memory, func::FuncOp kernel, const Invocation &invocation,
                                             const InterpretOptions &options, bool bounded) {
  auto compiled = Compiler(kernel, options, bounded).compile();
  if (!compiled)
    return compiled.takeError();
  const CompiledKernel &code = **compiled;
  if (std::string reason = checkInvocation(code, invocation); !reason.empty())
    return llvm::make_error<InterpretError>(kernel.getLoc(), reason);

  const auto &grid = invocation.grid;
  int64_t programs = grid[0] * grid[1] * grid[2];
  int64_t wanted = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  int64_t limit = memoryLimit(options), fitting = limit / std::max<int64_t>(code.valueBytes, 1);
  int64_t count = std::min({std::max<int64_t>(programs, 1), wanted, fitting});
  std::vector<ValueMemory> values;
  for (int64_t number = 0; number < count; ++number)
    if (values.emplace_back(code.valueBytes); !values.back().get()) {
      values.pop_back();
      break;
    }
  if (values.empty())
    return tooLarge(kernel, code.valueBytes, limit);

  StartOrder order(programs, options.seed);
  std::atomic<int64_t> turns{0};
  std::atomic<bool> givenUp{false};
  int64_t maxLoopTurns = options.maxLoopTurns ? options.maxLoopTurns : std::numeric_limits<int64_t>::max();
  auto work = [&](Frame &frame) {
    frame.memory = &memory;
    frame.grid = grid;
    prepare(frame, code, kernel, invocation.arguments);
    for (int64_t turn; !givenUp && (turn = turns.fetch_add(1)) < programs;) {
      int64_t number = order(turn);
      frame.program = {{number % grid[0], number / grid[0] % grid[1], number / grid[0] / grid[1]}, number};
      frame.stopped = false;
      frame.turnsLeft = maxLoopTurns;
      code.body.run(frame);
      if (!frame.givenUp)
        continue;
      givenUp = true;
      frame.findings.add(FindingKind::LoopLimit, *frame.busiest, frame.program, -1, 0, [&] {
        return llvm::formatv("loop has made {0} of the {1} turns that the loops of a program may make; expected it to "
                             "end before",
                             frame.busiestTurns, maxLoopTurns)
            .str();
      });
    }
  };
  std::vector<Frame> frames(values.size());
  for (auto [frame, bytes] : llvm::zip_equal(frames, values))
    frame.values = bytes.get();
  std::vector<std::thread> threads;
  for (Frame &frame : MutableArrayRef(frames).drop_front())
    threads.emplace_back([&] { work(frame); });
  work(frames.front());
  for (std::thread &thread : threads)
    thread.join();

  InterpretReport report;
  report.programs = programs;
  Findings findings;
  for (const Frame &frame : frames) {
    findings.merge(frame.findings);
    report.bytesRead += frame.bytesRead;
    report.bytesWritten += frame.bytesWritten;
  }
  if (options.conflicts && programs > 0)
    memory.reportConflicts(grid, findings);
  report.findings = findings.sorted();
  for (int buffer = 0, end = invocation.buffers.size(); buffer < end; ++buffer)
    report.written.push_back(memory.writtenElements(buffer));
  return report;
}

llvm::Expected<InterpretReport> tile::interpret(func::FuncOp kernel, const Invocation &invocation,
                                                const InterpretOptions &options) {
  Memory memory(invocation.buffers, options, /*bounded=*/false);
  return runOn(memory, kernel, invocation, options, /*bounded=*/false);
}

llvm::Expected<BoundsReport> tile::interpretBounds(func::FuncOp kernel, const Invocation &invocation,
                                                   const InterpretOptions &options) {
  Memory memory(invocation.buffers, options, /*bounded=*/true);
  auto run = runOn(memory, kernel, invocation, options, /*bounded=*/true);
  if (!run)
    return run.takeError();
  BoundsReport report{std::move(*run), {}};
  for (int buffer = 0, end = invocation.buffers.size(); buffer < end; ++buffer)
    report.buffers.push_back(memory.boundedElements(buffer));
  return report;
}
