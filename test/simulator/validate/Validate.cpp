// Holds the simulator against a GPU, class by class.
//
//   tile-sim-validate [--class NAME] [--only TEXT] [--write FOLDER] [--gpu [--cubins FOLDER] [--keep FOLDER]] [--json
//   FILE] [--list] tile-sim-validate --classes
//
// Without --gpu it runs the simulator alone: the record in test/gpu/results has a hash of what it gave when it was
// compared, of all but approximate instructions, whose last bits are the host's. --write keeps the kernels' PTX,
// --cubins takes what ptxas made of it; else the driver compiles. --keep keeps the GPU's output of kernels that differ.
// --only takes kernels whose name has TEXT.
#include "backend/simulator/numerics/Approximate.h"
#include "test/simulator/validate/Compare.h"
#include "test/simulator/validate/Gpu.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace tile::sim::validate {
namespace {

struct Options {
  std::string only, wanted, write, cubins, keep, json;
  bool gpu = false, list = false, classes = false;
};

/// What an instruction gave, over all kernels that have it.
struct Row {
  Difference difference;
  std::string bound;
};

struct Summary {
  size_t kernels = 0;
  uint64_t hash = 0xcbf29ce484222325; ///< FNV-1a of the simulator's exact results
  std::map<std::string, Row> rows;
};

std::string fileOf(const Kernel &kernel, std::string_view folder, std::string_view className, const char *extension) {
  std::string name = std::string(className) + "-" + kernel.name;
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-')
      c = '_';
  return std::string(folder) + "/" + name + extension;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void add(Row &row, const Difference &difference) {
  row.difference.elements += difference.elements;
  row.difference.differing += difference.differing;
  row.difference.beyond += difference.beyond;
  row.difference.largest = std::max(row.difference.largest, difference.largest);
  for (const std::string &one : difference.some)
    if (row.difference.some.size() < 4)
      row.difference.some.push_back(one);
}

void visit(const Options &options, std::string_view className, const Kernel &kernel, std::optional<Gpu> &gpu,
           Summary &summary) {
  if (kernel.name.find(options.only) == std::string::npos)
    return;
  ++summary.kernels;
  if (options.list) {
    std::printf("%s\n", kernel.name.c_str());
    return;
  }
  if (!options.write.empty()) {
    std::ofstream(fileOf(kernel, options.write, className, ".ptx")) << kernel.text();
    return;
  }
  Bytes simulated = simulate(kernel), real;
  if (gpu) {
    std::string code = options.cubins.empty() ? "" : readFile(fileOf(kernel, options.cubins, className, ".cubin"));
    real = gpu->run(kernel, code.empty() ? kernel.text() : code);
  }
  bool differs = false;
  for (const Result &result : kernel.results) {
    Row &row = summary.rows[result.instruction];
    row.bound = result.bound;
    if (result.bound.empty())
      for (size_t i = 0; i < result.count * result.elementBytes; ++i)
        summary.hash = (summary.hash ^ simulated[result.offset + i]) * 0x100000001b3;
    Difference difference;
    difference.elements = result.count;
    if (gpu)
      difference = compare(kernel, result, simulated, real);
    add(row, difference);
    differs |= difference.differing && result.bound.empty();
  }
  if (differs && !options.keep.empty())
    std::ofstream(fileOf(kernel, options.keep, className, ".real"), std::ios::binary)
        .write(reinterpret_cast<const char *>(real.data()), std::streamsize(real.size()));
}

/// The names and texts here have nothing that JSON escapes.
std::string toJson(std::string_view className, const Summary &summary, bool compared) {
  char buffer[256];
  size_t elements = 0;
  std::string rows;
  for (const auto &[instruction, row] : summary.rows) {
    const Difference &found = row.difference;
    elements += found.elements;
    if (!compared || (!found.differing && row.bound.empty()))
      continue;
    std::snprintf(buffer, sizeof(buffer), "\"elements\": %zu, \"differing\": %zu", found.elements, found.differing);
    rows += std::string(rows.empty() ? "" : ",") + "\n   {\"instruction\": \"" + instruction + "\", " + buffer;
    if (!row.bound.empty()) {
      std::snprintf(buffer, sizeof(buffer), ", \"beyond\": %zu, \"of_bound\": %.3f", found.beyond,
                    std::min(found.largest, 1e9));
      rows += buffer;
    }
    rows += ", \"some\": [";
    for (size_t i = 0; i < found.some.size(); ++i)
      rows += (i ? ", \"" : "\"") + found.some[i] + "\"";
    rows += "]}";
  }
  std::snprintf(buffer, sizeof(buffer),
                "\"kernels\": %zu, \"instructions\": %zu, \"elements\": %zu, \"hash\": \"%016" PRIx64 "\"",
                summary.kernels, summary.rows.size(), elements, summary.hash);
  return " {\"class\": \"" + std::string(className) + "\", " + buffer + ", \"differences\": [" + rows + "]}";
}

int usage() {
  std::fprintf(stderr,
               "usage: tile-sim-validate [--class NAME] [--only TEXT] [--write FOLDER] [--gpu [--cubins FOLDER]] "
               "[--json FILE] [--list]\n");
  return 2;
}

int validate(int count, char **arguments) {
  Options options;
  const std::pair<const char *, std::string *> texts[] = {{"--class", &options.wanted}, {"--only", &options.only},
                                                          {"--write", &options.write},  {"--cubins", &options.cubins},
                                                          {"--keep", &options.keep},    {"--json", &options.json}};
  const std::pair<const char *, bool *> flags[] = {
      {"--gpu", &options.gpu}, {"--list", &options.list}, {"--classes", &options.classes}};
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    bool known = false;
    for (auto [name, flag] : flags)
      if (argument == name)
        *flag = known = true;
    for (auto [name, text] : texts)
      if (argument == name && i + 1 < count) {
        *text = arguments[++i];
        known = true;
        break;
      }
    if (!known)
      return usage();
  }
  if (options.classes) {
    for (const SweepClass &one : kClasses)
      std::printf("%s\n", std::string(one.name).c_str());
    return 0;
  }
  std::optional<Gpu> gpu;
  if (options.gpu)
    gpu.emplace();
  std::string json;
  for (const SweepClass &one : kClasses) {
    if (!options.wanted.empty() && options.wanted != one.name)
      continue;
    Summary summary;
    one.give([&](const Kernel &kernel) { visit(options, one.name, kernel, gpu, summary); });
    json += (json.empty() ? "" : ",\n") + toJson(one.name, summary, options.gpu);
  }
  json = "[\n" + json + "\n]\n";
  if (options.json.empty() && !options.list && options.write.empty())
    std::printf("%s", json.c_str());
  else if (!options.json.empty())
    std::ofstream(options.json) << json;
  return json.size() < 8 ? usage() : 0;
}

} // namespace
} // namespace tile::sim::validate

int main(int count, char **arguments) { return tile::sim::validate::validate(count, arguments); }
