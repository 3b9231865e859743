// The manifest's schema, JSON to values. Input is untrusted, and every index that leaves here is in range.
//
// A kernel is read in two passes: first what gives names (parameters, constants, dims), then what uses them.

#include "runtime/artifact/Manifest.h"

#include "runtime/artifact/JsonReader.h"

#include <algorithm>

namespace tile {
namespace {

class ManifestReader : public JsonReader {
public:
  Manifest readManifest(const Json &json);
  KernelContract readKernel(const Json &json, const std::string &path, bool needsVariants);

private:
  std::optional<Expression> expression(const Json &tokens, const std::string &path, const KernelContract &kernel,
                                       bool inDim = false);
  int parameter(const Json &object, const char *name, const std::string &path, const KernelContract &kernel);
  int axis(const Json &object, const std::string &path, const Parameter &parameter);

  Parameter readParameter(const Json &json, const std::string &path);
  void readConstant(const Json &json, const std::string &path, KernelContract &kernel);
  void readDim(const Json &json, const std::string &path, KernelContract &kernel);
  void readExpressions(const Json &json, const std::string &path, KernelContract &kernel);
  AbiSlot readAbiSlot(const Json &json, const std::string &path, const KernelContract &kernel);
  Variant readVariant(const Json &json, const std::string &path);
  Tuning readTuning(const Json &json, const std::string &path, const KernelContract &kernel);
};

std::optional<Expression> ManifestReader::expression(const Json &tokens, const std::string &path,
                                                     const KernelContract &kernel, bool inDim) {
  if (failed())
    return std::nullopt;
  if (!tokens.is_array()) {
    fail("`" + path + "` is " + tokens.type_name() + "; expected array");
    return std::nullopt;
  }
  std::vector<Expression::Token> list;
  for (const Json &token : tokens) {
    if (std::optional<double> real = readReal(token))
      list.push_back(*real);
    else if (token.is_string())
      list.push_back(token.get<std::string>());
    else if (isInteger(token))
      list.push_back(token.get<int64_t>());
    else {
      fail("`" + path + "` holds " + token.type_name() + "; expected numbers and names");
      return std::nullopt;
    }
  }
  auto resolve = [&](std::string_view name) {
    // `extent` means something only where a dim is computed from it.
    for (size_t i = 0; i < kernel.names.size(); ++i)
      if (kernel.names[i] == name && (inDim || static_cast<int>(i) != KernelContract::kExtentSlot))
        return static_cast<int>(i);
    return -1;
  };
  Result<Expression> result = Expression::create(list, resolve);
  if (result.ok())
    return *result;
  fail("`" + path + "`: " + result.error().message);
  return std::nullopt;
}

int ManifestReader::parameter(const Json &object, const char *name, const std::string &path,
                              const KernelContract &kernel) {
  std::string text = string(object, name, path, /*required=*/true);
  int index = kernel.findParameter(text);
  if (index < 0)
    fail("`" + at(path, name) + "` names `" + text + "`; expected a parameter");
  return std::max(index, 0);
}

int ManifestReader::axis(const Json &object, const std::string &path, const Parameter &parameter) {
  int64_t axis = integer(object, "axis", path, 0, /*required=*/true);
  if (parameter.kind != Parameter::Kind::Tensor || axis < 0 || axis >= static_cast<int64_t>(parameter.extents.size())) {
    fail("`" + at(path, "axis") + "` is " + std::to_string(axis) + "; `" + parameter.name + "` has rank " +
         std::to_string(parameter.extents.size()));
    return 0;
  }
  return static_cast<int>(axis);
}

Parameter ManifestReader::readParameter(const Json &json, const std::string &path) {
  Parameter parameter;
  parameter.name = string(json, "name", path, /*required=*/true);
  if (!failed() && parameter.name.empty())
    fail("`" + at(path, "name") + "` is empty");
  parameter.kind = static_cast<Parameter::Kind>(choice(json, "kind", path, {"tensor", "scalar", "pointer"}, 0));
  std::string type = string(json, "dtype", path, /*required=*/true);
  std::optional<DataType> found = findDataType(type);
  if (!found || (*found == DataType::Index && parameter.kind != Parameter::Kind::Scalar))
    fail("`" + at(path, "dtype") + "` is `" + type + "`; expected one of " + listDataTypes());
  parameter.type = found.value_or(DataType::F32);
  parameter.role = static_cast<Parameter::Role>(choice(json, "role", path, {"in", "out", "inout"}, 0));
  parameter.optional = boolean(json, "optional", path, false);
  parameter.present = boolean(json, "present", path, true);
  parameter.strided = boolean(json, "strided", path, false);
  if (!parameter.present && !parameter.optional)
    fail("`" + path + "` is absent but not optional");
  if (parameter.kind == Parameter::Kind::Tensor) {
    const Json *extents = field(json, "extents", path, Json::value_t::array, /*required=*/true);
    size_t rank = extents ? extents->size() : 0;
    if (rank > kMaxRank)
      fail("`" + at(path, "extents") + "` has " + std::to_string(rank) + " axes; expected at most " +
           std::to_string(kMaxRank));
    else
      parameter.extents.resize(rank); // Filled by `readExpressions`, when all names are known.
  }
  return parameter;
}

void ManifestReader::readConstant(const Json &json, const std::string &path, KernelContract &kernel) {
  static constexpr std::initializer_list<const char *> kTypes = {"int", "bool", "float", "type", "fn"};
  static constexpr std::initializer_list<const char *> kSources = {"given",    "default",  "heuristic",
                                                                   "autotune", "argument", "compiler"};
  Constant constant;
  constant.name = string(json, "name", path, /*required=*/true);
  constant.type = kTypes.begin()[choice(json, "type", path, kTypes, 0)];
  constant.source = kSources.begin()[choice(json, "source", path, kSources, 0)];
  auto found = json.is_object() ? json.find("value") : json.end();
  if (failed() || found == json.end())
    return fail("`" + at(path, "value") + "` is missing");
  const Json &value = *found;
  bool isName = constant.type == "type" || constant.type == "fn";
  if (isName && value.is_string()) {
    constant.text = value.get<std::string>();
  } else if (constant.type == "int" && isInteger(value)) {
    constant.value = value.get<int64_t>();
  } else if (constant.type == "bool" && value.is_boolean()) {
    constant.value = int64_t(value.get<bool>());
    constant.text = value.get<bool>() ? "true" : "false";
  } else if (constant.type == "float" && (isInteger(value) || readReal(value))) {
    constant.value = Value::ofReal(isInteger(value) ? value.get<double>() : *readReal(value));
  } else {
    return fail("`" + at(path, "value") + "` is " + value.type_name() + "; expected a value of type `" + constant.type +
                "`");
  }
  if (constant.text.empty() && !isName)
    constant.text = constant.value.print();
  if (!isName) {
    constant.slot = static_cast<int>(kernel.names.size());
    kernel.names.push_back(constant.name);
  }
  kernel.constants.push_back(std::move(constant));
}

void ManifestReader::readDim(const Json &json, const std::string &path, KernelContract &kernel) {
  Dim dim;
  dim.name = string(json, "name", path, /*required=*/true);
  if (const Json *value = field(json, "value", path, Json::value_t::number_integer))
    dim.value = value->get<int64_t>();
  if (failed())
    return;
  bool isBound = json.contains("parameter");
  if (!isBound && !dim.value)
    return fail("`" + at(path, "parameter") + "` is missing");
  if (isBound) {
    dim.parameter = parameter(json, "parameter", path, kernel);
    if (failed())
      return;
    dim.axis = axis(json, path, kernel.parameters[dim.parameter]);
    if (!failed() && !kernel.parameters[dim.parameter].present)
      return fail("`" + path + "` is bound by the absent parameter `" + kernel.parameters[dim.parameter].name + "`");
    if (auto it = json.find("expr"); it != json.end())
      dim.expression = expression(*it, at(path, "expr"), kernel, /*inDim=*/true);
  }
  // A compile-time parameter that stands as an extent is a constant and a dim: one name, one slot.
  auto same = std::find(kernel.names.begin(), kernel.names.end(), dim.name);
  dim.slot = static_cast<int>(same - kernel.names.begin());
  if (same == kernel.names.end())
    kernel.names.push_back(dim.name);
  else if (!dim.value)
    return fail("`" + at(path, "name") + "` is `" + dim.name + "`, which is another value already");
  for (const Constant &constant : kernel.constants)
    if (constant.slot == dim.slot && constant.value != Value(*dim.value))
      return fail("`" + at(path, "value") + "` is " + std::to_string(*dim.value) + "; the constant `" + dim.name +
                  "` is " + constant.text);
  kernel.dims.push_back(std::move(dim));
}

AbiSlot ManifestReader::readAbiSlot(const Json &json, const std::string &path, const KernelContract &kernel) {
  static constexpr const char *kKinds[] = {"pointer", "dim", "stride", "scalar"};
  AbiSlot slot;
  int kind = -1;
  for (int i = 0; i < 4 && json.is_object(); ++i)
    if (json.contains(kKinds[i]))
      kind = i;
  if (kind < 0) {
    fail("`" + path + "` names no argument; expected one of pointer dim stride scalar");
    return slot;
  }
  slot.kind = static_cast<AbiSlot::Kind>(kind);
  if (slot.kind == AbiSlot::Kind::Dim) {
    std::string name = string(json, "dim", path, /*required=*/true);
    auto dim = std::find_if(kernel.dims.begin(), kernel.dims.end(), [&](const Dim &each) { return each.name == name; });
    if (dim == kernel.dims.end())
      fail("`" + at(path, "dim") + "` names `" + name + "`; expected a dim");
    else
      slot.index = static_cast<int>(dim - kernel.dims.begin());
    return slot;
  }
  slot.index = parameter(json, kKinds[kind], path, kernel);
  if (failed())
    return slot;
  const Parameter &parameter = kernel.parameters[slot.index];
  bool isScalar = parameter.kind == Parameter::Kind::Scalar;
  if (!parameter.present || isScalar != (slot.kind == AbiSlot::Kind::Scalar))
    fail("`" + at(path, kKinds[kind]) + "` names `" + parameter.name + "`, which is " +
         (!parameter.present ? "absent"
          : isScalar         ? "a scalar"
                             : "no scalar"));
  if (slot.kind == AbiSlot::Kind::Stride)
    slot.axis = axis(json, path, parameter);
  return slot;
}

Variant ManifestReader::readVariant(const Json &json, const std::string &path) {
  Variant variant;
  variant.name = string(json, "name", path, /*required=*/true);
  variant.symbol = string(json, "symbol", path, /*required=*/true);
  each(json, "requires", path, /*required=*/false, [&](const Json &each, const std::string &where) {
    std::string words;
    for (const VariantRequirement &requirement : kVariantRequirements) {
      words += std::string(" ") + requirement.word;
      if (each != requirement.word)
        continue;
      variant.*requirement.member = true;
      return;
    }
    fail("`" + where + "` is " + each.dump() + "; expected one of" + words);
  });
  variant.warps = integer(json, "warps", path, 4);
  variant.sharedBytes = integer(json, "shared_bytes", path, 0);
  variant.registers = integer(json, "registers", path, 0);
  variant.spillBytes = integer(json, "spill_bytes", path, 0);
  variant.linearGrid = choice(json, "grid", path, {"axes", "linear"}, 0) == 1;
  if (const Json *cluster = field(json, "cluster", path, Json::value_t::array)) {
    bool valid = cluster->size() == 3;
    for (size_t i = 0; valid && i < 3; ++i) {
      valid = isInteger((*cluster)[i]) && (*cluster)[i] >= 1 && (*cluster)[i] <= 16;
      variant.cluster[i] = valid ? (*cluster)[i].get<int64_t>() : 1;
    }
    if (!valid)
      fail("`" + at(path, "cluster") + "` is " + cluster->dump() + "; expected three integers from 1 to 16");
  }
  if (variant.warps < 1 || variant.warps > 32)
    fail("`" + at(path, "warps") + "` is " + std::to_string(variant.warps) + "; expected 1 to 32");
  if (variant.sharedBytes < 0 || variant.sharedBytes > (1 << 20))
    fail("`" + at(path, "shared_bytes") + "` is " + std::to_string(variant.sharedBytes) + "; expected 0 to 1048576");
  return variant;
}

Tuning ManifestReader::readTuning(const Json &json, const std::string &path, const KernelContract &kernel) {
  static constexpr std::initializer_list<const char *> kStates = {"default", "model", "measured"};
  Tuning tuning;
  tuning.state = kStates.begin()[choice(json, "state", path, kStates, 0)];
  tuning.why = string(json, "why", path);
  each(json, "key", path, /*required=*/false, [&](const Json &tokens, const std::string &where) {
    if (auto result = expression(tokens, where, kernel))
      tuning.key.push_back(*result);
  });
  each(json, "chosen", path, /*required=*/false, [&](const Json &entry, const std::string &where) {
    ChosenFor chosen;
    chosen.gpu = string(entry, "gpu", where, /*required=*/true);
    chosen.variant = string(entry, "variant", where, /*required=*/true);
    chosen.why = string(entry, "why", where);
    each(entry, "key", where, /*required=*/true, [&](const Json &value, const std::string &place) {
      if (!isInteger(value))
        return fail("`" + place + "` is " + value.dump() + "; expected an integer");
      chosen.key.push_back(value.get<int64_t>());
    });
    if (!failed() && chosen.key.size() != tuning.key.size())
      fail("`" + at(where, "key") + "` has " + std::to_string(chosen.key.size()) + " values; expected " +
           std::to_string(tuning.key.size()) + ", one per expression of `" + at(path, "key") + "`");
    tuning.chosen.push_back(std::move(chosen));
  });
  return tuning;
}

/// The second half of a kernel: everything that may mention any name of it.
void ManifestReader::readExpressions(const Json &json, const std::string &path, KernelContract &kernel) {
  size_t index = 0;
  each(json, "parameters", path, /*required=*/true, [&](const Json &entry, const std::string &where) {
    Parameter &parameter = kernel.parameters[index++];
    size_t axis = 0;
    if (parameter.kind != Parameter::Kind::Tensor || !parameter.present)
      return;
    each(entry, "extents", where, /*required=*/true, [&](const Json &tokens, const std::string &place) {
      bool isAny = tokens.is_array() && tokens.size() == 1 && tokens[0] == "_";
      if (!isAny)
        parameter.extents[axis] = expression(tokens, place, kernel);
      ++axis;
    });
  });
  index = 0;
  each(json, "constants", path, /*required=*/false, [&](const Json &entry, const std::string &where) {
    Constant &constant = kernel.constants[index++];
    if (auto it = entry.find("expr"); it != entry.end() && constant.slot >= 0)
      constant.heuristic = expression(*it, at(where, "expr"), kernel);
  });
  each(json, "where", path, /*required=*/false, [&](const Json &entry, const std::string &where) {
    const Json *tokens = field(entry, "expr", where, Json::value_t::array, /*required=*/true);
    std::string text = string(entry, "text", where, /*required=*/true);
    if (auto result = failed() ? std::nullopt : expression(*tokens, at(where, "expr"), kernel))
      kernel.where.push_back({*result, text});
  });
  each(json, "grid", path, /*required=*/true, [&](const Json &tokens, const std::string &where) {
    if (auto result = expression(tokens, where, kernel))
      kernel.grid.push_back(*result);
  });
  if (!failed() && kernel.grid.empty())
    fail("`" + at(path, "grid") + "` is empty; expected at least one axis");
}

KernelContract ManifestReader::readKernel(const Json &json, const std::string &path, bool needsVariants) {
  KernelContract kernel;
  kernel.names = {"num_sms", "extent"};
  kernel.name = string(json, "name", path, /*required=*/true);
  kernel.doc = string(json, "doc", path);
  auto addName = [&](std::string name) {
    kernel.names.push_back(std::move(name));
    return static_cast<int>(kernel.names.size() - 1);
  };
  each(json, "parameters", path, /*required=*/true, [&](const Json &entry, const std::string &where) {
    Parameter parameter = readParameter(entry, where);
    if (kernel.findParameter(parameter.name) >= 0)
      fail("`" + at(where, "name") + "` is `" + parameter.name + "`, which an earlier parameter has");
    parameter.hasSlot = addName("has(" + parameter.name + ")");
    parameter.bitsSlot = addName("bits(" + parameter.name + ")");
    if (parameter.kind == Parameter::Kind::Scalar)
      parameter.valueSlot = addName(parameter.name);
    kernel.parameters.push_back(std::move(parameter));
  });
  auto noteConstant = [&](const Json &entry, const std::string &where) { readConstant(entry, where, kernel); };
  each(json, "constants", path, /*required=*/false, noteConstant);
  each(json, "dims", path, /*required=*/true,
       [&](const Json &entry, const std::string &where) { readDim(entry, where, kernel); });
  if (failed())
    return kernel;
  readExpressions(json, path, kernel);
  each(json, "alias", path, /*required=*/false, [&](const Json &pair, const std::string &where) {
    int first = -1, second = -1;
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string()) {
      first = kernel.findParameter(pair[0].get<std::string>());
      second = kernel.findParameter(pair[1].get<std::string>());
    }
    if (first < 0 || second < 0)
      fail("`" + where + "` is " + pair.dump() + "; expected two parameters");
    kernel.alias.emplace_back(first, second);
  });
  each(json, "abi", path, /*required=*/true,
       [&](const Json &entry, const std::string &where) { kernel.abi.push_back(readAbiSlot(entry, where, kernel)); });
  if (const Json *decorators = field(json, "decorators", path, Json::value_t::array))
    kernel.decorators = decorators->dump();
  if (const Json *tuning = field(json, "tuning", path, Json::value_t::object))
    kernel.tuning = readTuning(*tuning, at(path, "tuning"), kernel);
  each(json, "variants", path, needsVariants,
       [&](const Json &entry, const std::string &where) { kernel.variants.push_back(readVariant(entry, where)); });
  for (const Variant &variant : kernel.variants)
    if (!failed() && !variant.linearGrid && kernel.grid.size() > 3)
      fail("`" + at(path, "grid") + "` has " + std::to_string(kernel.grid.size()) +
           " axes; expected at most 3, or variants with a linear grid");
  if (!failed() && (needsVariants || !kernel.variants.empty()) &&
      (kernel.variants.empty() || !kernel.variants.back().requiresNothing()))
    fail("`" + at(path, "variants") + "` does not end in a variant that requires nothing");
  return kernel;
}

Manifest ManifestReader::readManifest(const Json &json) {
  Manifest manifest;
  int64_t schema = integer(json, "schema", "", 0, /*required=*/true);
  if (!failed() && schema != kManifestSchema)
    fail("schema is " + std::to_string(schema) + "; expected " + std::to_string(kManifestSchema) +
         " (recompile the kernel, or use the libtile of its compiler)");
  manifest.target = string(json, "target", "", /*required=*/true);
  if (const Json *compiler = field(json, "compiler", "", Json::value_t::object))
    for (const auto &[name, version] : compiler->items())
      manifest.compiler.emplace_back(name, version.is_string() ? version.get<std::string>() : version.dump());
  each(json, "flags", "", /*required=*/false, [&](const Json &flag, const std::string &where) {
    if (!flag.is_string())
      return fail("`" + where + "` is " + flag.type_name() + "; expected string");
    manifest.flags.push_back(flag.get<std::string>());
  });
  if (const Json *source = field(json, "source", "", Json::value_t::object)) {
    manifest.sourceFile = string(*source, "file", "source");
    manifest.sourceHash = string(*source, "hash", "source");
  }
  each(json, "kernels", "", /*required=*/true, [&](const Json &entry, const std::string &where) {
    manifest.kernels.push_back(readKernel(entry, where, /*needsVariants=*/true));
  });
  return manifest;
}

} // namespace

int KernelContract::findParameter(std::string_view name) const {
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name)
      return static_cast<int>(i);
  return -1;
}

std::string KernelContract::describeInstance() const {
  std::string text;
  for (const Constant &constant : constants)
    text += (text.empty() ? "" : ", ") + constant.name + " = " + constant.text;
  return text;
}

Result<Manifest> readManifest(std::string_view json) {
  ManifestReader reader;
  Json parsed = reader.parse(json);
  Manifest manifest = reader.failed() ? Manifest() : reader.readManifest(parsed);
  if (reader.failed())
    return reader.error();
  return manifest;
}

Result<KernelContract> readKernelContract(std::string_view json) {
  ManifestReader reader;
  Json parsed = reader.parse(json);
  KernelContract kernel = reader.failed() ? KernelContract() : reader.readKernel(parsed, "", /*needsVariants=*/false);
  if (reader.failed())
    return reader.error();
  return kernel;
}

} // namespace tile
