// Keys, choices and trials for the tests of the database.
#ifndef TEST_UNIT_RUNTIME_STORE_TUNING_H
#define TEST_UNIT_RUNTIME_STORE_TUNING_H

#include "runtime/store/Database.h"

#include <tuple>

namespace tile {

inline TuneKey keyFor(const std::string &sizes) {
  return {"matmul", "k1", "s1", "NVIDIA H200", "580.1", "tile 0.1.0", "T=bf16 a:align16,rows16", sizes};
}

inline Configuration configurationOf(int bm, int warps) {
  return {{{"BM", std::to_string(bm)}, {"warps", std::to_string(warps)}}};
}

inline TunedChoice choiceOf(int bm, const std::string &date = "2026-11-30T08:15:57Z") {
  return {configurationOf(bm, 8), bm / 8.0, "3.1 % faster than the default", date};
}

/// One with every field.
inline Trial measuredTrial(int bm) {
  Trial trial;
  trial.configuration = configurationOf(bm, 4);
  trial.outcome = TrialOutcome::Measured;
  trial.modelRank = 3;
  trial.predictedUs = 12.5;
  trial.samplesUs = {10.25, 10, 11.125};
  trial.compileMs = 420;
  trial.variant = "fast";
  trial.registers = 168;
  trial.spillBytes = 8;
  trial.sharedBytes = 98304;
  trial.warps = 4;
  trial.programsPerSm = 2;
  return trial;
}

inline Trial rejectedTrial(int bm) {
  Trial trial;
  trial.configuration = configurationOf(bm, 32);
  trial.outcome = TrialOutcome::Rejected;
  trial.reason = "needs 400 KiB of \"shared\" memory";
  return trial;
}

inline bool isSame(const Trial &a, const Trial &b) {
  auto fields = [](const Trial &trial) {
    return std::tie(trial.configuration.values, trial.outcome, trial.reason, trial.modelRank, trial.predictedUs,
                    trial.samplesUs, trial.compileMs, trial.variant, trial.registers, trial.spillBytes,
                    trial.sharedBytes, trial.warps, trial.programsPerSm);
  };
  return fields(a) == fields(b);
}

} // namespace tile

#endif
