#include "runtime/compile/ContractJson.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace tile {

/// A whole double would be printed without its point and read back as an integer, so it goes as the text that the
/// reader takes for a real.
static llvm::json::Value toJson(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  if (value == std::trunc(value))
    return llvm::formatv("{0:f1}", value).str();
  return value;
}

llvm::json::Value toJson(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, llvm::json::Value>(attribute)
      .Case([](DictionaryAttr dictionary) {
        llvm::json::Object object;
        for (NamedAttribute entry : dictionary)
          object[entry.getName().getValue()] = toJson(entry.getValue());
        return object;
      })
      .Case([](ArrayAttr array) {
        llvm::json::Array values;
        for (Attribute element : array)
          values.push_back(toJson(element));
        return values;
      })
      .Case([](StringAttr string) { return llvm::json::Value(llvm::json::fixUTF8(string.getValue())); })
      .Case([](BoolAttr flag) { return flag.getValue(); })
      .Case([](IntegerAttr integer) { return integer.getValue().getSExtValue(); })
      .Case([](FloatAttr number) { return toJson(number.getValueAsDouble()); })
      .Default([](Attribute other) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        other.print(stream);
        return llvm::json::Value(text);
      });
}

} // namespace tile
