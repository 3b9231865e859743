#include "runtime/tune/Trial.h"

#include <algorithm>
#include <cstddef>

namespace tile {

static constexpr struct {
  TrialOutcome outcome;
  const char *name;
} kOutcomes[] = {
    {TrialOutcome::Rejected, "rejected"},
    {TrialOutcome::CompileFailed, "compile failed"},
    {TrialOutcome::CompileTimeout, "compile timeout"},
    {TrialOutcome::Refused, "refused"},
    {TrialOutcome::Faulted, "faulted"},
    {TrialOutcome::Hung, "hung"},
    {TrialOutcome::Wrong, "wrong"},
    {TrialOutcome::Slower, "slower"},
    {TrialOutcome::Measured, "measured"},
    {TrialOutcome::NotTried, "not tried"},
};

const char *nameOf(TrialOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)].name; }

std::optional<TrialOutcome> findOutcome(std::string_view name) {
  for (const auto &row : kOutcomes)
    if (row.name == name)
      return row.outcome;
  return std::nullopt;
}

std::string Configuration::describe() const {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + value;
  return text.empty() ? "the defaults" : text;
}

double quantileOf(std::vector<double> samples, double quantile) {
  if (samples.empty())
    return 0;
  std::sort(samples.begin(), samples.end());
  double place = quantile * static_cast<double>(samples.size() - 1);
  size_t below = static_cast<size_t>(place), above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (samples[above] - samples[below]) * (place - static_cast<double>(below));
}

double Trial::p10Us() const { return quantileOf(samplesUs, 0.1); }
double Trial::medianUs() const { return quantileOf(samplesUs, 0.5); }
double Trial::p90Us() const { return quantileOf(samplesUs, 0.9); }

} // namespace tile
