#include "test/simulator/validate/Sweep.h"

#include "backend/simulator/Simulator.h"
#include "backend/simulator/ptx/Parser.h"

#include <cstdio>
#include <cstdlib>

namespace tile::sim::validate {

std::string Kernel::text() const {
  std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(";
  for (size_t i = 0; i <= inputs.size(); ++i)
    text += (i ? ", " : "") + std::string(".param .u64 p") + std::to_string(i);
  text += ") {\n.reg .pred %p<16>;\n.reg .b16 %h<32>;\n.reg .b32 %r<64>;\n.reg .b64 %d<120>;\n" + declarations + "\n";
  for (size_t i = 0; i <= inputs.size(); ++i)
    text += "ld.param.u64 %d" + std::to_string(100 + i) + ", [p" + std::to_string(i) + "];\n";
  return text + body + "\nret;\n}\n";
}

size_t Kernel::addResult(std::string instruction, size_t count, unsigned elementBytes, std::string bound) {
  size_t offset = (output.size() + 15) / 16 * 16;
  results.push_back({std::move(instruction), offset, count, elementBytes, std::move(bound)});
  output.resize(offset + count * elementBytes, 0x5a);
  return offset;
}

[[noreturn]] static void fail(const Kernel &kernel, unsigned line, const std::string &message) {
  std::fprintf(stderr, "%s, line %u: %s\n%s", kernel.name.c_str(), line, message.c_str(), kernel.text().c_str());
  std::exit(2);
}

Bytes simulate(const Kernel &kernel) {
  ptx::Parsed parsed = ptx::parse(kernel.text());
  if (!parsed)
    fail(kernel, parsed.error().line, parsed.error().message);
  auto program = load(*parsed, "k");
  if (auto *refused = std::get_if<Refusal>(&program))
    fail(kernel, refused->line, refused->message);
  std::vector<Bytes> tensors = kernel.inputs;
  tensors.push_back(kernel.output);
  Launch launch;
  launch.grid = kernel.grid;
  launch.block = kernel.block;
  for (size_t i = 0; i < tensors.size(); ++i) {
    launch.buffers.push_back({"p" + std::to_string(i), tensors[i].data(), tensors[i].size()});
    Argument argument;
    argument.isPointer = true;
    argument.buffer = unsigned(i);
    launch.arguments.push_back(argument);
  }
  RunOptions options;
  options.seed = 1;
  auto outcome = run(*std::get<0>(program), launch, options);
  if (auto *refused = std::get_if<Refusal>(&outcome))
    fail(kernel, refused->line, refused->message);
  for (const Finding &finding : std::get<0>(outcome).findings)
    fail(kernel, 0, finding.message);
  return tensors.back();
}

} // namespace tile::sim::validate
