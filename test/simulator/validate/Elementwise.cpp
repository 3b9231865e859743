#include "test/simulator/validate/Elementwise.h"

namespace tile::sim::validate {

constexpr unsigned kThreads = 128;

/// A register for values of `bytes` bytes.
static std::string registerOf(unsigned bytes, unsigned number) {
  return (bytes <= 2 ? "%h" : bytes == 4 ? "%r" : "%d") + std::to_string(number);
}

static std::string accessOf(unsigned bytes) { return bytes == 1 ? ".u8 " : ".b" + std::to_string(8 * bytes) + " "; }

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

Kernel elementwise(const ElementwiseOptions &options, std::vector<Values> columns) {
  Kernel kernel;
  kernel.name = options.name;
  kernel.operandBytes = options.operandBytes;
  size_t count = columns.at(0).size();
  count = (count + kThreads - 1) / kThreads * kThreads;
  kernel.grid = {uint32_t(count / kThreads), 1, 1};
  kernel.body = "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r2, %r1, 128, %r0;\n";
  static constexpr char kNames[] = "abc";
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].resize(count);
    unsigned bytes = options.operandBytes[i];
    kernel.inputs.push_back(pack(columns[i], bytes));
    kernel.body += "mad.wide.u32 %d0, %r2, " + std::to_string(bytes) + ", %d" + std::to_string(100 + i) +
                   ";\nld.global" + accessOf(bytes) + registerOf(bytes, 10 + i) + ", [%d0];\n";
  }
  unsigned bytes = options.resultBytes;
  kernel.body += "mad.wide.u32 %d1, %r2, " + std::to_string(bytes) + ", " + kernel.outputPointer() + ";\n";
  for (const FormText &form : options.forms) {
    std::string code = form.code;
    if (code.empty()) {
      code = form.name + " $d";
      for (size_t i = 0; i < columns.size(); ++i)
        code += std::string(", $") + kNames[i];
      code += ";";
    }
    size_t offset = kernel.addResult(form.name, count, bytes, form.bound);
    std::string place = "[%d1+" + std::to_string(offset) + "]";
    replaceAll(code, "$d", registerOf(bytes, 20));
    replaceAll(code, "[$o]", place);
    for (size_t i = 0; i < columns.size(); ++i)
      replaceAll(code, std::string("$") + kNames[i], registerOf(options.operandBytes[i], unsigned(10 + i)));
    kernel.body += code + "\nst.global" + accessOf(bytes) + place + ", " + registerOf(bytes, 20) + ";\n";
  }
  return kernel;
}

std::vector<std::string> combinations(const std::string &opcode,
                                      const std::vector<std::vector<std::string>> &modifiers) {
  std::vector<std::string> all = {opcode};
  for (const std::vector<std::string> &choices : modifiers) {
    std::vector<std::string> longer;
    for (const std::string &start : all)
      for (const std::string &choice : choices)
        longer.push_back(start + (choice.empty() ? "" : "." + choice));
    all = std::move(longer);
  }
  return all;
}

std::vector<FormText> plainForms(const std::vector<std::string> &names) {
  std::vector<FormText> forms;
  for (const std::string &name : names)
    forms.push_back({name});
  return forms;
}

} // namespace tile::sim::validate
