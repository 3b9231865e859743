#include "runtime/tune/CompileJob.h"

#include "runtime/tune/LineServer.h"

#include <nlohmann/json.hpp>

namespace tile {

using Json = nlohmann::json;

static std::string toLine(const CompileJob &job) {
  Json line{{"file", job.file},
            {"source_hash", job.sourceHash},
            {"kernel", job.kernel},
            {"values", job.values},
            {"scalars", job.scalars},
            {"target", job.target},
            {"assemble_for", job.assembleFor},
            {"include", job.includeFolders},
            {"fuses", job.fuses},
            {"compiler", job.compiler},
            {"ptxas", job.ptxas},
            {"output", job.output}};
  if (job.numSms)
    line["num_sms"] = *job.numSms;
  return dumpLine(line);
}

static CompileJob readJob(const Json &line) {
  CompileJob job;
  job.file = line.value("file", "");
  job.sourceHash = line.value("source_hash", "");
  job.kernel = line.value("kernel", "");
  job.values = line.value("values", job.values);
  job.scalars = line.value("scalars", job.scalars);
  if (line.contains("num_sms"))
    job.numSms = line.value("num_sms", int64_t(0));
  job.target = line.value("target", "");
  job.assembleFor = line.value("assemble_for", "");
  job.includeFolders = line.value("include", job.includeFolders);
  job.fuses = line.value("fuses", true);
  job.compiler = line.value("compiler", "");
  job.ptxas = line.value("ptxas", "");
  job.output = line.value("output", "");
  return job;
}

static Json toJson(const CompileResult &result) {
  if (result.failure == TrialOutcome::NotTried)
    return {{"error", result.reason}, {"diagnostics", result.diagnostics}, {"not_tried", true}};
  if (result.failure)
    return {{"error", result.reason}, {"diagnostics", result.diagnostics}};
  return {{"variant", result.variant},
          {"registers", result.registers},
          {"spill_bytes", result.spillBytes},
          {"shared_bytes", result.sharedBytes},
          {"warps", result.warps},
          {"programs_per_sm", result.programsPerSm},
          {"diagnostics", result.diagnostics},
          {"milliseconds", result.milliseconds}};
}

static CompileResult failed(TrialOutcome outcome, std::string reason) {
  CompileResult result;
  result.failure = outcome;
  result.reason = std::move(reason);
  return result;
}

static CompileResult readAnswer(const std::string &text) {
  CompileResult result;
  std::string fault = readLine(text, [&](const Json &line) {
    result.diagnostics = line.value("diagnostics", "");
    if (line.contains("error")) {
      result.failure = line.value("not_tried", false) ? TrialOutcome::NotTried : TrialOutcome::CompileFailed;
      result.reason = line.value("error", "");
      return;
    }
    result.variant = line.at("variant").get<std::string>();
    result.registers = line.value("registers", int64_t(0));
    result.spillBytes = line.value("spill_bytes", int64_t(0));
    result.sharedBytes = line.value("shared_bytes", int64_t(0));
    result.warps = line.value("warps", int64_t(0));
    result.programsPerSm = line.value("programs_per_sm", int64_t(0));
    result.milliseconds = line.value("milliseconds", 0.0);
  });
  return fault.empty() ? result : failed(TrialOutcome::CompileFailed, unreadable("worker", text));
}

static CompileResult resultOf(const RequestResult &request) {
  CompileResult result;
  switch (request.end) {
  case RequestResult::End::Answered:
    result = readAnswer(request.text);
    break;
  case RequestResult::End::Crashed:
    result = failed(TrialOutcome::CompileFailed, request.text);
    break;
  case RequestResult::End::TimedOut:
    result = failed(TrialOutcome::CompileTimeout, request.text);
    break;
  case RequestResult::End::Killed:
  case RequestResult::End::NotRun:
    result = failed(TrialOutcome::NotTried, request.text);
    break;
  }
  if (result.milliseconds == 0)
    result.milliseconds = request.milliseconds;
  return result;
}

void CompileResult::apply(Trial &trial) const {
  if (failure) {
    trial.outcome = *failure;
    trial.reason = reason;
    trial.machineFailed = failure == TrialOutcome::NotTried;
  }
  trial.compileMs = milliseconds;
  trial.variant = variant;
  trial.registers = registers;
  trial.spillBytes = spillBytes;
  trial.sharedBytes = sharedBytes;
  trial.warps = warps;
  trial.programsPerSm = programsPerSm;
}

std::vector<CompileResult> compileAll(const std::vector<CompileJob> &jobs, const PoolOptions &options,
                                      const std::function<void(size_t, const CompileResult &)> &onDone) {
  std::vector<std::string> requests;
  for (const CompileJob &job : jobs)
    requests.push_back(toLine(job));
  std::vector<CompileResult> results(jobs.size());
  auto take = [&](size_t i, const RequestResult &request) {
    results[i] = resultOf(request);
    if (onDone)
      onDone(i, results[i]);
  };
  std::vector<RequestResult> all = runRequests(requests, options, take);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].end == RequestResult::End::NotRun)
      results[i] = resultOf(all[i]);
  return results;
}

int serveCompileJobs(const std::function<CompileResult(const CompileJob &)> &compile) {
  return serveLines([&](const Json &line) { return toJson(compile(readJob(line))); });
}

} // namespace tile
