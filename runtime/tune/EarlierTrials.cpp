#include "runtime/tune/EarlierTrials.h"

#include "runtime/tune/Rounds.h"

namespace tile {

EarlierTrials::EarlierTrials(std::vector<Trial> found) {
  for (Trial &trial : found) {
    trial.isEarlier = true;
    std::string configuration = trial.configuration.describe();
    trials.emplace(std::move(configuration), std::move(trial));
  }
}

const Trial *EarlierTrials::find(const Configuration &configuration) const {
  auto found = trials.find(configuration.describe());
  return found == trials.end() ? nullptr : &found->second;
}

std::optional<std::vector<Trial>> EarlierTrials::findAll(const std::vector<Configuration> &configurations) const {
  std::vector<Trial> all;
  for (const Configuration &configuration : configurations) {
    const Trial *trial = find(configuration);
    if (!trial)
      return std::nullopt;
    all.push_back(*trial);
  }
  return all;
}

void EarlierTrials::addTo(std::vector<Trial> &now) const {
  for (Trial &trial : now) {
    const Trial *before = trial.outcome == TrialOutcome::NotTried ? find(trial.configuration) : nullptr;
    if (!before || before->outcome == TrialOutcome::NotTried || before->outcome == TrialOutcome::Rejected)
      continue;
    Trial merged = *before;
    merged.modelRank = trial.modelRank;
    merged.predictedUs = trial.predictedUs;
    trial = std::move(merged);
  }
}

bool isDone(const Trial &trial, double compileSeconds, bool wasStopped) {
  if (trial.outcome == TrialOutcome::CompileTimeout)
    return trial.compileMs >= compileSeconds * 1000;
  if (trial.outcome == TrialOutcome::Measured)
    return trial.samplesUs.size() >= kLeastRounds && !wasStopped;
  return trial.outcome != TrialOutcome::NotTried;
}

} // namespace tile
