/// Reads `constants` of the contract (runtime/launch/README.md).
#include "ir/Tile/ContractText.h"

#include "ir/Tile/Knobs.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tile {

/// Calls `visit` with name and value of each compile-time parameter.
static void forEachParameter(DictionaryAttr contract, llvm::function_ref<void(StringRef, Attribute)> visit) {
  auto constants = contract ? contract.getAs<ArrayAttr>("constants") : ArrayAttr();
  if (!constants)
    return;
  for (auto constant : constants.getAsRange<DictionaryAttr>())
    if (auto name = constant.getAs<StringAttr>("name"); name && !findKnob(name.getValue()))
      visit(name, constant.get("value"));
}

static std::string textOf(Attribute value) {
  if (auto text = dyn_cast_or_null<StringAttr>(value))
    return text.str();
  if (auto flag = dyn_cast_or_null<BoolAttr>(value))
    return flag.getValue() ? "true" : "false";
  if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
    return std::to_string(integer.getInt());
  if (auto real = dyn_cast_or_null<FloatAttr>(value)) {
    llvm::SmallString<32> digits;
    real.getValue().toString(digits);
    return digits.str().str();
  }
  return "?";
}

std::vector<std::pair<std::string, std::string>> parameterTexts(DictionaryAttr contract) {
  std::vector<std::pair<std::string, std::string>> texts;
  forEachParameter(contract, [&](StringRef name, Attribute value) { texts.emplace_back(name.str(), textOf(value)); });
  return texts;
}

std::string kernelTitle(DictionaryAttr contract, StringRef symbol) {
  auto name = contract ? contract.getAs<StringAttr>("name") : StringAttr();
  std::string text;
  forEachParameter(contract, [&](StringRef name, Attribute value) {
    text += (text.empty() ? " (" : ", ") + name.str() + " = " + textOf(value);
  });
  return ("kernel `" + (name ? name.getValue() : symbol) + "`").str() + text + (text.empty() ? "" : ")");
}

std::string sizesText(DictionaryAttr contract, llvm::function_ref<bool(int64_t)> isMeant) {
  std::string text;
  forEachParameter(contract, [&](StringRef name, Attribute value) {
    auto integer = dyn_cast_or_null<IntegerAttr>(value);
    if (integer && !isa<BoolAttr>(value) && isMeant(integer.getInt()))
      text += (text.empty() ? "`" : " or `") + name.str() + "` (" + textOf(value) + ")";
  });
  return text;
}

} // namespace tile
