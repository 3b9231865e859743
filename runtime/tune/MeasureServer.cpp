// Steps as lines: `{"do": "load", "candidate": 3, "cubin": "…"}`, answered by what the step gives or by
// `{"error": "…", "is_lost": true}`, where a lost process takes no more steps.

#include "runtime/tune/LineServer.h"
#include "runtime/tune/Measurement.h"

#include <nlohmann/json.hpp>

namespace tile {

using Json = nlohmann::json;

static MeasureSetup readSetup(const Json &line) {
  MeasureSetup setup;
  setup.device = line.value("device", 0);
  setup.kernel = line.value("kernel", "");
  for (const Json &argument : line.value("arguments", Json::array()))
    setup.arguments.push_back({argument.value("name", ""), argument.value("text", "")});
  setup.seed = line.value("seed", uint64_t(0));
  setup.agreement.terms = line.value("terms", int64_t(1));
  setup.agreement.intermediate = line.value("intermediate", 0.0);
  setup.agreement.roundsToIntegers = line.value("rounds_to_integers", false);
  setup.agreement.accumulator = line.value("accumulator", 0.0);
  return setup;
}

static Json failed(const Error &error, const Measurement *measurement) {
  return {{"error", error.message}, {"is_lost", !measurement || !measurement->isUsable()}};
}

static Json answer(const Json &line, std::unique_ptr<Measurement> &measurement) {
  std::string step = line.value("do", "");
  if (step == "setup") {
    Result<std::unique_ptr<Measurement>> created = Measurement::create(readSetup(line));
    if (!created)
      return failed(created.error(), nullptr);
    measurement = std::move(*created);
    return Json::object();
  }
  if (!measurement)
    return {{"error", "found `" + step + "`; expected `setup` first"}, {"is_lost", true}};
  size_t candidate = line.value("candidate", size_t(0));
  auto number = [&](const Result<double> &us) -> Json {
    return us ? Json{{"us", *us}} : failed(us.error(), measurement.get());
  };
  auto done = [&](const Status &status) { return status ? Json::object() : failed(status.error(), measurement.get()); };
  if (step == "load")
    return done(measurement->load(candidate, line.value("cubin", "")));
  if (step == "run") {
    Json reply = done(measurement->run(candidate));
    LaunchedCode facts = measurement->facts(candidate);
    reply.update({{"variant", facts.variant},
                  {"registers", facts.registers},
                  {"spill_bytes", facts.spillBytes},
                  {"shared_bytes", facts.sharedBytes},
                  {"warps", facts.warps}});
    return reply;
  }
  if (step == "compare") {
    Result<Comparison> compared = measurement->compare(candidate);
    return compared ? Json{{"difference", compared->difference}, {"alike", compared->alike}}
                    : failed(compared.error(), measurement.get());
  }
  if (step == "estimate")
    return number(measurement->estimate(candidate));
  if (step == "time")
    return number(measurement->time(candidate));
  return {{"error", "found step `" + step + "`; expected setup, load, run, compare, estimate or time"}};
}

int serveMeasurements() {
  std::unique_ptr<Measurement> measurement;
  return serveLines([&](const Json &line) { return answer(line, measurement); });
}

} // namespace tile
