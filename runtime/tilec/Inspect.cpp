/// `tilec inspect FILE`: the contract that a cubin carries, for people or, with --json, as it stands in the file.
#include "runtime/tilec/Flags.h"

#include "runtime/artifact/Cubin.h"
#include "runtime/artifact/File.h"
#include "runtime/artifact/Manifest.h"

#include <iostream>
#include <sstream>

namespace tile {

static Switch jsonOption{{"json", "", "print the manifest as it stands in the file"}, {Command::Inspect}};

/// `out y: tensor<f32>[M, N]?`
static std::string signatureOf(const Parameter &parameter, const KernelContract &kernel) {
  static const char *roles[] = {"", "out ", "inout "};
  std::string text = roles[static_cast<int>(parameter.role)] + parameter.name + ": ";
  std::string type = getName(parameter.type);
  switch (parameter.kind) {
  case Parameter::Kind::Scalar:
    text += type;
    break;
  case Parameter::Kind::Pointer:
    text += "ptr<" + type + ">";
    break;
  case Parameter::Kind::Tensor: {
    text += (parameter.strided ? "strided tensor<" : "tensor<") + type + ">[";
    const char *separator = "";
    for (const std::optional<Expression> &extent : parameter.extents) {
      text += separator + (extent ? extent->print(kernel.names) : "_");
      separator = ", ";
    }
    text += "]";
  }
  }
  if (parameter.optional)
    text += parameter.present ? "?" : "? (absent)";
  return text;
}

static std::string argumentOf(const AbiSlot &slot, const KernelContract &kernel) {
  switch (slot.kind) {
  case AbiSlot::Kind::Pointer:
    return kernel.parameters[slot.index].name;
  case AbiSlot::Kind::Dim:
    return kernel.dims[slot.index].name;
  case AbiSlot::Kind::Stride:
    return kernel.parameters[slot.index].name + ".stride(" + std::to_string(slot.axis) + ")";
  case AbiSlot::Kind::Scalar:
    return kernel.parameters[slot.index].name;
  }
  return "";
}

/// `(a, b)`
template <typename List, typename Print> static void printList(const List &list, Print print) {
  const char *separator = "(";
  for (const auto &each : list) {
    std::cout << separator << print(each);
    separator = ", ";
  }
  std::cout << (list.empty() ? "()" : ")");
}

static void printTuning(const KernelContract &kernel) {
  const Tuning &tuning = kernel.tuning;
  if (tuning.state.empty())
    return;
  std::cout << "  tuning: " << tuning.state << (tuning.why.empty() ? "" : ", " + tuning.why);
  if (!tuning.key.empty()) {
    std::cout << "; one choice for each ";
    printList(tuning.key, [&](const Expression &expression) { return expression.print(kernel.names); });
  }
  std::cout << "\n";
  for (const ChosenFor &chosen : tuning.chosen) {
    std::cout << "    chosen on " << chosen.gpu << ", " << chosen.variant << ", for ";
    printList(chosen.key, [](int64_t value) { return value; });
    std::cout << (chosen.why.empty() ? "" : ": " + chosen.why) << "\n";
  }
}

static void print(const KernelContract &kernel) {
  std::cout << "\nkernel " << kernel.name << "\n";
  std::istringstream doc(kernel.doc);
  for (std::string line; std::getline(doc, line);)
    std::cout << "  " << line << "\n";
  for (const Parameter &parameter : kernel.parameters)
    std::cout << "  " << signatureOf(parameter, kernel) << "\n";
  for (const Constant &constant : kernel.constants) {
    std::cout << "  " << constant.name << " = " << constant.text << " (" << constant.source;
    if (constant.heuristic)
      std::cout << (constant.source == "heuristic" ? " " : "; a launch asks for ")
                << constant.heuristic->print(kernel.names);
    std::cout << ")\n";
  }
  std::cout << "  grid [";
  const char *separator = "";
  for (const Expression &axis : kernel.grid) {
    std::cout << separator << axis.print(kernel.names);
    separator = ", ";
  }
  std::cout << "]\n";
  for (const Precondition &condition : kernel.where)
    std::cout << "  where " << condition.text << "\n";
  std::cout << "  arguments ";
  printList(kernel.abi, [&](const AbiSlot &slot) { return argumentOf(slot, kernel); });
  std::cout << "\n";
  printTuning(kernel);
  for (const Variant &variant : kernel.variants) {
    std::cout << "  variant " << variant.name << ": symbol " << variant.symbol << ", " << variant.warps
              << (variant.warps == 1 ? " warp, " : " warps, ") << variant.registers << " registers, "
              << variant.sharedBytes << " bytes of shared memory";
    if (variant.spillBytes)
      std::cout << ", " << variant.spillBytes << " bytes spilled";
    for (const VariantRequirement &requirement : kVariantRequirements)
      if (variant.*requirement.member)
        std::cout << "; needs " << requirement.meaning;
    std::cout << "\n";
  }
}

static int refuse(const std::string &input, const Error &error) {
  return refuse({{"`" + input + "`: " + error.message, ""}});
}

int inspectMain(const std::string &input) {
  Result<std::string> file = readFile(input);
  if (!file)
    return refuse({{file.error().message, ""}});
  Result<std::string_view> text = findManifest(*file);
  if (!text)
    return refuse(input, text.error());
  Result<Manifest> manifest = readManifest(*text);
  if (!manifest)
    return refuse(input, manifest.error());
  if (jsonOption.isOn()) {
    std::cout << *text << "\n";
    return 0;
  }
  std::cout << input << ": code for " << manifest->target << " from " << manifest->sourceFile << "\n";
  for (const auto &[component, version] : manifest->compiler)
    std::cout << "  " << component << " " << version << "\n";
  for (const KernelContract &kernel : manifest->kernels)
    print(kernel);
  return 0;
}

} // namespace tile
