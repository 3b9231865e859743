/// What passes may take for granted of `tile.contract`: the fields that the compiler reads, their kinds, and which must
/// be there. The launcher's reader checks the rest (runtime/launch/README.md, Manifest).
#include "ir/Tile/ContractSchema.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace {

enum class Kind { String, Integer, Records, Expressions, NameLists };

struct Field {
  StringRef of; // the list whose records have it; empty: the contract
  StringRef name;
  Kind kind;
  /// When it must be there: "": never; "*": always; else `key` or `key=value` of the same record.
  StringRef required;
};

} // namespace

static constexpr Field kFields[] = {
    {"", "abi", Kind::Records, ""},
    {"", "alias", Kind::NameLists, ""},
    {"", "constants", Kind::Records, ""},
    {"", "dims", Kind::Records, ""},
    {"", "grid", Kind::Expressions, ""},
    {"", "name", Kind::String, ""},
    {"", "parameters", Kind::Records, ""},
    {"abi", "axis", Kind::Integer, "stride"},
    {"abi", "dim", Kind::String, ""},
    {"abi", "pointer", Kind::String, ""},
    {"abi", "scalar", Kind::String, ""},
    {"abi", "stride", Kind::String, ""},
    {"constants", "name", Kind::String, "*"},
    {"dims", "name", Kind::String, "*"},
    {"parameters", "extents", Kind::Expressions, "kind=tensor"},
    {"parameters", "kind", Kind::String, "*"},
    {"parameters", "name", Kind::String, "*"},
};

template <typename Element> static bool isListOf(Attribute value, llvm::function_ref<bool(Element)> holds) {
  auto list = dyn_cast<ArrayAttr>(value);
  return list && llvm::all_of(list, [&](Attribute each) {
           auto element = dyn_cast<Element>(each);
           return element && holds(element);
         });
}

static bool isOf(Kind kind, Attribute value) {
  switch (kind) {
  case Kind::String:
    return isa<StringAttr>(value);
  case Kind::Integer:
    return isa<IntegerAttr>(value);
  case Kind::Records:
    return isListOf<DictionaryAttr>(value, [](DictionaryAttr) { return true; });
  case Kind::Expressions:
    return isListOf<ArrayAttr>(value, [](ArrayAttr expression) {
      return llvm::all_of(expression, [](Attribute word) { return isa<FloatAttr, IntegerAttr, StringAttr>(word); });
    });
  case Kind::NameLists:
    return isListOf<ArrayAttr>(value, [](ArrayAttr names) {
      return llvm::all_of(names, [](Attribute name) { return isa<StringAttr>(name); });
    });
  }
  return false;
}

static StringRef describe(Kind kind) {
  switch (kind) {
  case Kind::String:
    return "a string";
  case Kind::Integer:
    return "an integer";
  case Kind::Records:
    return "a list of dictionaries";
  case Kind::Expressions:
    return "a list of lists of numbers and strings";
  case Kind::NameLists:
    return "a list of lists of strings";
  }
  return "";
}

static bool isRequired(const Field &field, DictionaryAttr record) {
  if (field.required.empty() || field.required == "*")
    return !field.required.empty();
  auto [key, value] = field.required.split('=');
  Attribute found = record.get(key);
  return found && (value.empty() || found == StringAttr::get(record.getContext(), value));
}

static LogicalResult verifyRecord(DictionaryAttr record, StringRef list, size_t position,
                                  llvm::function_ref<InFlightDiagnostic()> emitError) {
  for (const Field &field : kFields) {
    if (field.of != list)
      continue;
    Attribute value = record.get(field.name);
    if (value ? isOf(field.kind, value) : !isRequired(field, record))
      continue;
    InFlightDiagnostic diagnostic = emitError() << "`" << field.name << "`";
    if (!list.empty())
      diagnostic << " of `" << list << "[" << position << "]`";
    if (value)
      return diagnostic << " is " << value << "; expected " << describe(field.kind);
    return diagnostic << " is missing; expected " << describe(field.kind);
  }
  return success();
}

LogicalResult tile::verifyContract(DictionaryAttr contract, llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (failed(verifyRecord(contract, "", 0, emitError)))
    return failure();
  for (const Field &field : kFields)
    if (field.of.empty() && field.kind == Kind::Records)
      if (auto list = contract.getAs<ArrayAttr>(field.name))
        for (auto [position, record] : llvm::enumerate(list.getAsRange<DictionaryAttr>()))
          if (failed(verifyRecord(record, field.name, position, emitError)))
            return failure();
  return success();
}
