#include "backend/simulator/machine/Grid.h"

#include "backend/simulator/counters/CtaCounters.h"
#include "backend/simulator/machine/CtaChecks.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace tile::sim {

/// Two CTAs, two seeds, two schedules.
static uint64_t seedOf(uint64_t seed, uint64_t cta) { return Random(seed ^ Random(cta).next()).next(); }

unsigned hostThreadsOf(const RunOptions &options) {
  return options.hostThreads ? options.hostThreads : std::max(1u, std::thread::hardware_concurrency());
}

Grid::Grid(const Program &program, const Launch &launch, const RunOptions &options)
    : program(program), launch(launch), options(options) {
  auto mark = [&](uint64_t size, bool defined) -> uint8_t * {
    if (!options.checks.undefined)
      return nullptr;
    storage.emplace_back(size, defined);
    return storage.back().data();
  };
  for (const Buffer &buffer : launch.buffers) {
    uint32_t number = memory.buffers.size();
    memory.buffers.push_back({buffer.name, ptx::Space::Global, genericAddress(number + 1, 0), buffer.size, buffer.bytes,
                              mark(buffer.size, buffer.defined), buffer.writable, number});
  }
  std::vector<uint8_t> constants(program.constantBytes);
  for (const PlacedVariable &variable : program.variables) {
    if (variable.space == ptx::Space::Constant) {
      std::copy(variable.initial.begin(), variable.initial.end(),
                constants.begin() + (variable.address & (kWindowBytes - 1)));
      continue;
    }
    if (variable.space != ptx::Space::Global)
      continue;
    uint64_t number = memory.variables.size();
    storage.emplace_back(variable.bytes); // zero where it has no initialiser (PTX ISA 9.0, 5.4.4)
    std::copy(variable.initial.begin(), variable.initial.end(), storage.back().begin());
    uint8_t *bytes = storage.back().data();
    memory.variables.push_back({variable.name, ptx::Space::Global, genericAddress(kVariableWindow + number, 0),
                                variable.bytes, bytes, mark(variable.bytes, true), true,
                                uint32_t(memory.buffers.size() + number)});
  }
  uint8_t *defined = mark(constants.size(), true);
  storage.push_back(std::move(constants));
  memory.constant = {"constant memory",
                     ptx::Space::Constant,
                     genericAddress(kConstantWindow, 0),
                     program.constantBytes,
                     storage.back().data(),
                     defined,
                     false};

  std::vector<uint8_t> parameters(program.parameterBytes);
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const Argument &argument = launch.arguments[i];
    uint8_t *target = parameters.data() + program.parameterOffsets[i];
    if (argument.isPointer) {
      uint64_t address = genericAddress(argument.buffer + 1, argument.offset);
      std::memcpy(target, &address, sizeof(address));
    } else {
      std::copy(argument.scalar.begin(), argument.scalar.end(), target);
    }
  }
  defined = mark(parameters.size(), true);
  storage.push_back(std::move(parameters));
  memory.parameters = {
      "the parameters", ptx::Space::Parameter, 0, program.parameterBytes, storage.back().data(), defined, false};
  if (options.checks.races)
    checks = std::make_unique<GridChecks>(memory, options.equalWrites);
  if (options.counters)
    counterPlan = std::make_unique<CounterPlan>(program);
}

Grid::~Grid() = default;

Region *Grid::regionAt(uint64_t address) {
  uint64_t window = windowOf(address);
  if (window == kConstantWindow)
    return &memory.constant;
  if (window - 1 < memory.buffers.size())
    return &memory.buffers[window - 1];
  return window - kVariableWindow < memory.variables.size() ? &memory.variables[window - kVariableWindow] : nullptr;
}

std::array<uint32_t, 3> Grid::indexOf(uint64_t number) const {
  uint64_t width = launch.grid[0], height = launch.grid[1];
  return {uint32_t(number % width), uint32_t(number / width % height), uint32_t(number / width / height)};
}

std::unique_ptr<Cta> Grid::makeCta(uint64_t number) {
  return std::make_unique<Cta>(*this, indexOf(number), seedOf(options.seed, number));
}

void Grid::collect(const Cta &cta) {
  std::lock_guard<std::mutex> lock(collecting);
  for (size_t pc = 0; pc < program.ops.size(); ++pc) {
    InstructionCount &count = result.counts[program.ops[pc].origin];
    count.warps += cta.allIssues()[pc].warps;
    count.lanes += cta.allIssues()[pc].lanes;
  }
  result.longWays.requests += cta.longRequests;
  result.longWays.cells += cta.checks ? cta.checks->longWays() : 0;
  if (cta.counters)
    for (size_t pc = 0; pc < program.ops.size(); ++pc)
      result.counted[program.ops[pc].origin].counters.add(cta.counters->all()[pc]);
}

void Grid::print(const std::string &text) {
  std::lock_guard<std::mutex> lock(printing);
  if (options.print)
    options.print(text);
}

/// Every CTA to its end, as many at a time as there are host threads.
void Grid::runApart() {
  uint64_t count = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  std::atomic<uint64_t> next{0};
  auto work = [&] {
    for (uint64_t number; !stopped && (number = next++) < count;) {
      std::unique_ptr<Cta> cta = makeCta(number);
      while (!stopped && cta->step()) {
      }
      collect(*cta);
    }
  };
  std::vector<std::thread> helpers;
  for (uint64_t i = 1; i < std::min<uint64_t>(hostThreadsOf(options), count); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

/// A slice of one resident CTA after another; a CTA that ends makes room for one that has not started.
void Grid::runTogether() {
  uint64_t count = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2], next = 0;
  Random random(options.seed);
  std::vector<std::unique_ptr<Cta>> resident;
  while (!stopped && (next < count || !resident.empty())) {
    while (next < count && resident.size() < kResidentCtas)
      resident.push_back(makeCta(next++));
    uint64_t chosen = random.below(resident.size());
    if (resident[chosen]->step())
      continue;
    collect(*resident[chosen]);
    resident[chosen] = std::move(resident.back());
    resident.pop_back();
  }
}

RunResult Grid::run() {
  result.counts.resize(program.origins.size());
  if (counterPlan)
    result.counted = counterPlan->instructions();
  if (program.communicates)
    runTogether();
  else
    runApart();
  result.findings = findings.sorted();
  result.finished = !stopped;
  return std::move(result);
}

} // namespace tile::sim
