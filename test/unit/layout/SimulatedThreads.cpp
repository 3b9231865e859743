#include "test/unit/layout/SimulatedThreads.h"

#include "test/unit/layout/SmallLayouts.h"

#include <gtest/gtest.h>

namespace tile {

SimulatedThreads SimulatedThreads::holding(const Layout &layout) {
  SimulatedThreads result;
  std::vector<int64_t> thread(layout.numRegisters());
  result.registers.assign(layout.numWarps(), std::vector<std::vector<int64_t>>(layout.numLanes(), thread));
  forEachRegister(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    result.registers[warp][lane][reg] = position(layout.shape(), layout.coords(reg, lane, warp));
  });
  return result;
}

int64_t evaluateTerms(const std::vector<CoordTerm> &terms, int64_t lane, int64_t warp, int64_t start) {
  int64_t bits = start, odd = 0;
  for (const CoordTerm &term : terms) {
    int64_t index = term.hw == HwDim::Lane ? lane : term.hw == HwDim::Warp ? warp : 0;
    int64_t value = index / term.divisor % term.modulus * term.scale;
    if (term.modulus % 2 == 0)
      bits ^= value;
    else
      odd += value;
  }
  return bits + odd;
}

SimulatedThreads SimulatedThreads::run(const ConversionPlan &plan, const Layout &src, const Layout &dst) const {
  switch (plan.kind) {
  case ConversionKind::Identity:
    return *this;
  case ConversionKind::RegisterPermute: {
    SimulatedThreads result = *this;
    for (size_t warp = 0; warp < registers.size(); ++warp)
      for (size_t lane = 0; lane < registers[warp].size(); ++lane) {
        result.registers[warp][lane].clear();
        for (int64_t from : plan.registers)
          result.registers[warp][lane].push_back(registers[warp][lane].at(from));
      }
    return result;
  }
  case ConversionKind::Shuffle:
    return runShuffle(plan.shuffle);
  case ConversionKind::SharedMemory:
    return runExchange(plan.exchange, src, dst);
  }
  ADD_FAILURE() << "a plan of no known kind";
  return *this;
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

SimulatedThreads SimulatedThreads::runShuffle(const ShuffleProgram &program) const {
  SimulatedThreads result;
  for (size_t warp = 0; warp < registers.size(); ++warp) {
    std::vector<std::vector<int64_t>> sent, received;
    for (size_t lane = 0; lane < registers[warp].size(); ++lane) {
      sent.emplace_back();
      for (int64_t input : program.inputs)
        sent[lane].push_back(registers[warp][lane].at(input));
      for (const SelectStage &stage : program.before)
        select(sent[lane], stage, lane, warp);
    }
    result.registers.emplace_back();
    for (size_t lane = 0; lane < sent.size(); ++lane) {
      std::vector<int64_t> thread(program.numReceived, -1);
      for (const ShuffleRound &round : program.rounds) {
        uint64_t from = program.sourceLane(round, lane, warp);
        if (round.local)
          EXPECT_EQ(from, lane) << "not a local round";
        for (size_t i = 0; i < round.sources.size(); ++i)
          thread.at(round.results[i]) = sent.at(from).at(round.sources[i]);
      }
      for (const SelectStage &stage : program.after)
        select(thread, stage, lane, warp);
      result.registers[warp].emplace_back();
      for (int64_t output : program.outputs)
        result.registers[warp][lane].push_back(thread.at(output));
    }
  }
  return result;
}

SimulatedThreads SimulatedThreads::runExchange(const SharedExchange &exchange, const Layout &src,
                                               const Layout &dst) const {
  constexpr int64_t kNothing = -1;
  std::vector<int64_t> memory(exchange.layout.size(HwDim::Offset), kNothing);
  auto address = [](const SharedAccess &access, size_t i, int64_t lane, int64_t warp) {
    int64_t first = evaluateTerms(access.threadTerms, lane, warp, access.offsets[i]);
    EXPECT_EQ(first % access.vector, 0) << "a misaligned vector";
    EXPECT_EQ(access.registers[i].size(), size_t(access.vector));
    if (access.disjoint)
      EXPECT_EQ(first, evaluateTerms(access.threadTerms, lane, warp) + access.offsets[i]);
    return first;
  };

  for (size_t warp = 0; warp < registers.size(); ++warp)
    for (size_t lane = 0; lane < registers[warp].size(); ++lane)
      for (size_t i = 0; i < exchange.store.offsets.size(); ++i)
        for (int element = 0; element < exchange.store.vector; ++element)
          memory.at(address(exchange.store, i, lane, warp) + element) =
              registers[warp][lane].at(exchange.store.registers[i][element]);

  SimulatedThreads result;
  result.registers.assign(dst.numWarps(), std::vector<std::vector<int64_t>>(
                                              dst.numLanes(), std::vector<int64_t>(dst.numRegisters(), kNothing)));
  for (size_t warp = 0; warp < result.registers.size(); ++warp)
    for (size_t lane = 0; lane < result.registers[warp].size(); ++lane) {
      std::vector<int64_t> &thread = result.registers[warp][lane];
      for (size_t i = 0; i < exchange.load.offsets.size(); ++i)
        for (int element = 0; element < exchange.load.vector; ++element)
          thread.at(exchange.load.registers[i][element]) = memory.at(address(exchange.load, i, lane, warp) + element);
      for (size_t reg = 0; reg < thread.size(); ++reg)
        thread[reg] = thread.at(exchange.load.representative[reg]);
    }
  return result;
}

} // namespace tile
