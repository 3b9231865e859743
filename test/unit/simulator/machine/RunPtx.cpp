#include "test/unit/simulator/machine/RunPtx.h"

#include "backend/simulator/ptx/Parser.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>

namespace tile::sim::test {

std::string KernelRun::text() const {
  std::string result = ".version 8.6\n.target " + target + "\n.address_size 64\n" + module + "\n.visible .entry k(";
  for (size_t i = 0; i < tensors.size(); ++i)
    result += (i ? ", " : "") + std::string(".param .u64 p") + std::to_string(i);
  result += ") {\n.reg .pred %p<16>;\n.reg .b16 %h<32>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n.reg .f32 %f<32>;\n" +
            declarations + "\n";
  for (size_t i = 0; i < tensors.size(); ++i)
    result += "ld.param.u64 %d" + std::to_string(50 + i) + ", [p" + std::to_string(i) + "];\n";
  return result + body + "\nret;\n}\n";
}

std::variant<RunResult, Refusal> KernelRun::attempt() {
  ptx::Parsed parsed = ptx::parse(text());
  if (!parsed)
    return Refusal{"does not parse: " + parsed.error().message, parsed.error().line};
  auto program = load(*parsed, "k");
  if (auto *refused = std::get_if<Refusal>(&program))
    return *refused;
  origins = std::get<0>(program)->origins;
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.dynamicShared = dynamicShared;
  for (size_t i = 0; i < tensors.size(); ++i) {
    launch.buffers.push_back(
        {"p" + std::to_string(i), tensors[i].data(), tensors[i].size(), traits[i].defined, traits[i].writable});
    Argument argument;
    argument.isPointer = true;
    argument.buffer = unsigned(i);
    launch.arguments.push_back(argument);
  }
  return sim::run(*std::get<0>(program), launch, options);
}

/// `global load`, `global_sectors` and the count, for each class of instructions and each count of it.
static void recordCounters(const std::string &path, const RunResult &result) {
  std::map<std::string, Counters> classes;
  for (const CountedInstruction &instruction : result.counted)
    classes[nameOf(instruction.kind)].add(instruction.counters);
  std::ofstream file(path);
  for (const auto &[name, counters] : classes)
    for (const CounterField &field : kCounterFields)
      if (uint64_t value = counters.*field.value)
        file << name << '\t' << field.key << '\t' << value << '\n';
}

/// With TILE_SIM_RECORD=FOLDER, runs without findings are kept there for test/gpu/replay.py: the text, a line about the
/// launch, and the bytes of each tensor before and after; what was counted, for test/gpu/counters.py. Of runs that
/// differ in their seed alone, one.
static void record(const KernelRun &run, const RunResult &result, const std::vector<std::vector<uint8_t>> &before,
                   const std::vector<std::vector<uint8_t>> &after) {
  const char *folder = std::getenv("TILE_SIM_RECORD");
  if (!folder || run.notComparable)
    return;
  static unsigned number = 0;
  static std::set<std::pair<std::string, std::vector<std::vector<uint8_t>>>> kept;
  if (!kept.emplace(run.text(), before).second)
    return;
  const testing::TestInfo &test = *testing::UnitTest::GetInstance()->current_test_info();
  std::string stem =
      std::string(folder) + "/" +
      (run.name.empty() ? std::string(test.test_suite_name()) + "." + test.name() + "-" + std::to_string(number++)
                        : run.name);
  std::ofstream(stem + ".ptx") << run.text();
  std::ofstream launch(stem + ".launch");
  for (uint32_t extent : run.grid)
    launch << extent << " ";
  for (uint32_t extent : run.block)
    launch << extent << " ";
  launch << run.dynamicShared;
  for (const std::vector<uint8_t> &tensor : before)
    launch << " " << tensor.size();
  std::ofstream bytes(stem + ".bytes", std::ios::binary);
  for (const std::vector<std::vector<uint8_t>> *tensors : {&before, &after})
    for (const std::vector<uint8_t> &tensor : *tensors)
      bytes.write(reinterpret_cast<const char *>(tensor.data()), std::streamsize(tensor.size()));
  if (!result.counted.empty())
    recordCounters(stem + ".counters", result);
}

RunResult KernelRun::run() {
  // Results must hold for every interleaving: each run of the tests tries another one.
  static const uint64_t seed = std::random_device()();
  if (!options.seed)
    options.seed = seed;
  std::vector<std::vector<uint8_t>> before = tensors;
  auto outcome = attempt();
  if (auto *refused = std::get_if<Refusal>(&outcome)) {
    ADD_FAILURE() << "line " << refused->line << ": " << refused->message << "\n" << text();
    return {};
  }
  if (std::get<0>(outcome).findings.empty())
    record(*this, std::get<0>(outcome), before, tensors);
  return std::get<0>(outcome);
}

Refusal KernelRun::refusal() {
  auto outcome = attempt();
  if (auto *refused = std::get_if<Refusal>(&outcome))
    return *refused;
  ADD_FAILURE() << "not refused:\n" << text();
  return {};
}

std::string summary(const RunResult &result) {
  std::string text;
  for (const Finding &finding : result.findings)
    text += (text.empty() ? "" : "; ") + keyOf(finding.fault) + ": " + finding.message;
  return text;
}

bool has(const RunResult &result, Fault fault) {
  for (const Finding &finding : result.findings)
    if (finding.fault == fault)
      return true;
  return false;
}

} // namespace tile::sim::test
