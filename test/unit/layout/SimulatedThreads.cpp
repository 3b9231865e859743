#include "test/unit/layout/SimulatedThreads.h"

#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

namespace tile {

constexpr int64_t kNothing = -1;

SimulatedThreads::SimulatedThreads(const Layout &layout)
    : numWarps(layout.numWarps()), numLanes(layout.numLanes()), numRegisters(layout.numRegisters()),
      registers(size_t(numWarps * numLanes * numRegisters), kNothing) {}

SimulatedThreads SimulatedThreads::holding(const Layout &layout) {
  SimulatedThreads result(layout);
  forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    result.thread(warp, lane)[reg] = position(layout.shape(), layout.coords(reg, lane, warp));
  });
  return result;
}

namespace {
/// The terms of one thread, evaluated once.
struct ThreadPart {
  int64_t bits = 0, odd = 0;
  ThreadPart(const std::vector<CoordTerm> &terms, int64_t lane, int64_t warp) {
    for (const CoordTerm &term : terms) {
      int64_t index = term.hw == HwDim::Lane ? lane : term.hw == HwDim::Warp ? warp : 0;
      int64_t value = index / term.divisor % term.modulus * term.scale;
      if (term.modulus % 2 == 0)
        bits ^= value;
      else
        odd += value;
    }
  }
  int64_t with(int64_t start) const { return (bits ^ start) + odd; }
};
} // namespace

int64_t evaluateTerms(const std::vector<CoordTerm> &terms, int64_t lane, int64_t warp, int64_t start) {
  return ThreadPart(terms, lane, warp).with(start);
}

SimulatedThreads SimulatedThreads::run(const ConversionPlan &plan, const Layout &dst) const {
  switch (plan.kind) {
  case ConversionKind::Identity:
    return *this;
  case ConversionKind::RegisterPermute:
    return runPermute(plan.registers, dst);
  case ConversionKind::Shuffle:
    return runShuffle(plan.shuffle, dst);
  case ConversionKind::SharedMemory:
    return runExchange(plan.exchange, dst);
  }
  ADD_FAILURE() << "a plan of no known kind";
  return *this;
}

SimulatedThreads SimulatedThreads::runPermute(const std::vector<int64_t> &sources, const Layout &dst) const {
  SimulatedThreads result(dst);
  for (int64_t warp = 0; warp < numWarps; ++warp)
    for (int64_t lane = 0; lane < numLanes; ++lane) {
      std::vector<int64_t> own = copyOf(warp, lane);
      for (size_t reg = 0; reg < sources.size(); ++reg)
        result.thread(warp, lane)[reg] = own.at(size_t(sources[reg]));
    }
  return result;
}

/// One stage of selects on the registers of one thread.
static void select(std::vector<int64_t> &thread, const SelectStage &stage, uint64_t lane, uint64_t warp) {
  bool odd = false;
  for (uint64_t bits : {lane & stage.laneMask, warp & stage.warpMask})
    for (; bits != 0; bits &= bits - 1)
      odd = !odd;
  if (!odd)
    return;
  std::vector<int64_t> old = thread;
  for (size_t reg = 0; reg < thread.size(); ++reg)
    thread[reg] = old.at(reg ^ size_t(stage.registerXor));
}

SimulatedThreads SimulatedThreads::runShuffle(const ShuffleProgram &program, const Layout &dst) const {
  SimulatedThreads result(dst);
  for (int64_t warp = 0; warp < numWarps; ++warp) {
    std::vector<std::vector<int64_t>> sent;
    for (int64_t lane = 0; lane < numLanes; ++lane) {
      std::vector<int64_t> own = copyOf(warp, lane), working;
      for (int64_t input : program.inputs)
        working.push_back(own.at(size_t(input)));
      for (const SelectStage &stage : program.before)
        select(working, stage, uint64_t(lane), uint64_t(warp));
      sent.push_back(std::move(working));
    }
    for (int64_t lane = 0; lane < numLanes; ++lane) {
      std::vector<int64_t> received(size_t(program.numReceived), kNothing);
      for (const ShuffleRound &round : program.rounds) {
        uint64_t from = program.sourceLane(round, uint64_t(lane), uint64_t(warp));
        if (round.local && from != uint64_t(lane))
          ADD_FAILURE() << "a local round reads lane " << from << " in lane " << lane;
        for (size_t i = 0; i < round.sources.size(); ++i)
          received.at(size_t(round.results[i])) = sent.at(from).at(size_t(round.sources[i]));
      }
      for (const SelectStage &stage : program.after)
        select(received, stage, uint64_t(lane), uint64_t(warp));
      for (size_t reg = 0; reg < program.outputs.size(); ++reg)
        result.thread(warp, lane)[reg] = received.at(size_t(program.outputs[reg]));
    }
  }
  return result;
}

/// Calls `fn` with every offset and register that a thread accesses in `round`.
template <typename Fn>
static void forEachAccess(const SharedAccess &access, int64_t round, int64_t lane, int64_t warp, Fn fn) {
  ThreadPart part(access.threadTerms, lane, warp);
  for (size_t i = 0; i < access.offsets.size(); ++i) {
    if (access.rounds[i] != round)
      continue;
    int64_t first = part.with(access.offsets[i]);
    if (first % access.vector != 0 || access.registers[i].size() != size_t(access.vector))
      ADD_FAILURE() << "a misaligned vector";
    if (access.disjoint && first != part.with(0) + access.offsets[i])
      ADD_FAILURE() << "parts that are not disjoint";
    for (int element = 0; element < access.vector; ++element)
      fn(size_t(first + element), size_t(access.registers[i][size_t(element)]));
  }
}

/// What a lane stores by stmatrix, of 16-bit elements. (PTX ISA, stmatrix)
template <typename Fn>
static void forEachOfMatrices(const MatrixAccess &access, int64_t round, int64_t lane, int64_t warp, Fn fn) {
  for (size_t i = 0; i < access.offsets.size(); ++i)
    for (int matrix = 0; access.rounds[i] == round && matrix < access.matrices; ++matrix)
      for (int element = 0; element < 2; ++element) {
        int64_t row = evaluateTerms(access.threadTerms, matrix * 8 + lane / 4, warp, access.offsets[i]);
        ASSERT_EQ(row % 8, 0) << "rows are aligned";
        fn(size_t(row + lane % 4 * 2 + element), size_t(access.registers[i].at(size_t(matrix * 2 + element))));
      }
}

SimulatedThreads SimulatedThreads::runExchange(const SharedExchange &exchange, const Layout &dst) const {
  int64_t bufferElements = exchange.layout.numElements() / exchange.numRounds;
  SimulatedThreads result(dst);
  for (int64_t round = 0; round < exchange.numRounds; ++round) {
    std::vector<int64_t> memory(size_t(bufferElements), kNothing);
    for (int64_t warp = 0; warp < numWarps; ++warp)
      for (int64_t lane = 0; lane < numLanes; ++lane) {
        const int64_t *own = thread(warp, lane);
        if (exchange.matrices)
          forEachOfMatrices(*exchange.matrices, round, lane, warp,
                            [&](size_t offset, size_t reg) { memory.at(offset) = own[reg]; });
        else
          forEachAccess(exchange.store, round, lane, warp,
                        [&](size_t offset, size_t reg) { memory.at(offset) = own[reg]; });
      }
    for (int64_t warp = 0; warp < numWarps; ++warp)
      for (int64_t lane = 0; lane < numLanes; ++lane) {
        int64_t *own = result.thread(warp, lane);
        forEachAccess(exchange.load, round, lane, warp,
                      [&](size_t offset, size_t reg) { own[reg] = memory.at(offset); });
      }
  }
  for (int64_t warp = 0; warp < numWarps; ++warp)
    for (int64_t lane = 0; lane < numLanes; ++lane)
      for (int64_t reg = 0; reg < result.numRegisters; ++reg)
        result.thread(warp, lane)[reg] = result.thread(warp, lane)[exchange.load.representative.at(size_t(reg))];
  return result;
}

} // namespace tile
