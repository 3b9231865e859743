#include "runtime/search/Shapes.h"

#include "frontend/ast/Children.h"
#include "ir/Tile/Knobs.h"
#include "runtime/compile/Build.h"
#include "runtime/execute/Execute.h"
#include "runtime/execute/InputRules.h"
#include "runtime/search/Space.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tile {

/// Reads `line`, which begins at `begin` of `file`. False after reporting.
static bool readLine(Session &session, FileId file, uint32_t begin, StringRef line, LaunchShape &shape) {
  StringRef text = line.take_until([](char c) { return c == '#'; });
  SmallVector<StringRef> words;
  SplitString(text, words);
  shape.text = join(words, " ");
  auto indent = static_cast<uint32_t>(text.size() - text.ltrim().size());
  shape.range = {file, begin + indent, begin + indent + static_cast<uint32_t>(text.trim().size())};
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    auto at = static_cast<uint32_t>(begin + (word.data() - line.data()));
    SourceRange range{file, at, at + static_cast<uint32_t>(word.size())};
    if (name.empty() || value.empty() || value.contains('=')) {
      session.engine.report(Code::E0603, range, "found `" + word.str() + "`; expected `NAME=VALUE`, without spaces");
      return false;
    }
    shape.places[name.str()] = {{file, at, at + static_cast<uint32_t>(name.size())},
                                {file, range.end - static_cast<uint32_t>(value.size()), range.end}};
    if (!shape.values.try_emplace(name.str(), value.str()).second) {
      session.engine.report(Code::E0603, range, "`" + name.str() + "` is given twice; expected one value");
      return false;
    }
  }
  return true;
}

/// What `inputs` of `decorator`, a `@bench`, is; null if it has none.
static const ast::Expr *inputsOf(const ast::Decorator &decorator) {
  for (const ast::Argument &argument : decorator.arguments)
    if (decorator.name.text == "bench" && argument.name && argument.name->text == "inputs")
      return argument.value.get();
  return nullptr;
}

std::optional<std::vector<LaunchShape>> readShapeFile(Session &session, const ast::KernelItem &item,
                                                      const std::string &path) {
  std::optional<FileId> file = session.readText(path);
  if (!file)
    return std::nullopt;
  session.dataFiles.push_back(*file);
  const ast::Expr *inputs = nullptr;
  for (const ast::Decorator &decorator : item.decorators)
    inputs = inputs ? inputs : inputsOf(decorator);
  std::vector<LaunchShape> shapes;
  std::string_view all = session.sources.text(*file);
  for (size_t begin = 0; begin < all.size();) {
    size_t end = std::min(all.find('\n', begin), all.size());
    StringRef line = StringRef(all.data() + begin, end - begin);
    LaunchShape shape;
    if (!line.take_until([](char c) { return c == '#'; }).trim().empty()) {
      if (!readLine(session, *file, static_cast<uint32_t>(begin), line.rtrim('\r'), shape))
        return std::nullopt;
      shape.inputs = inputs;
      shapes.push_back(std::move(shape));
    }
    begin = end + 1;
  }
  if (shapes.empty()) {
    session.report(Code::E0603, "`" + path + "` has no shape; expected lines such as `M=4096 N=4096`");
    return std::nullopt;
  }
  return shapes;
}

LaunchShape::Place LaunchShape::placeOf(const std::string &name) const {
  auto place = places.find(name);
  return place == places.end() ? Place{range, range} : place->second;
}

/// What a shape gives `name`, as source text, where `-D` gives `given`; none: it says nothing of it.
static std::optional<std::string> valueIn(const std::map<std::string, std::string> &given, const std::string &name,
                                          std::optional<std::string> written) {
  if (auto value = given.find(name); value != given.end())
    return value->second;
  auto isThere = given.find("has(" + name + ")");
  if (isThere != given.end() && (isThere->second == "false" || written == "none"))
    return isThere->second == "false" ? std::optional<std::string>("none") : std::nullopt;
  return written;
}

std::vector<LaunchShape> benchShapes(Session &session, const ast::KernelItem &item,
                                     const std::map<std::string, std::string> &given) {
  std::vector<LaunchShape> shapes;
  std::vector<std::string> beside = dimNames(item); // what `-D` may give that a shape does not
  for (const ast::Parameter &parameter : item.parameters)
    if (parameter.isOptional)
      beside.push_back(parameter.name.text);
  for (const ast::Decorator &decorator : item.decorators)
    for (const ast::Argument &argument : decorator.arguments) {
      auto *list = ast::dynCast<ast::List>(argument.value);
      if (decorator.name.text != "bench" || !argument.name || argument.name->text != "shapes" || !list)
        continue;
      for (const ast::ExprPtr &element : list->elements) {
        auto *record = ast::dynCast<ast::Record>(element);
        if (!record)
          continue;
        LaunchShape shape;
        shape.range = element->range;
        shape.assigns = ": ";
        shape.inputs = inputsOf(decorator);
        auto add = [&](const std::string &name, const std::optional<std::string> &value) {
          if (value && shape.values.try_emplace(name, *value).second)
            shape.text += (shape.text.empty() ? "" : " ") + name + "=" + *value;
        };
        for (const ast::Record::Field &field : record->fields) {
          std::string written(session.sources.text(field.value->range));
          std::optional<std::string> value = valueIn(given, field.name.text, written);
          add(field.name.text, value);
          if (value == written)
            shape.places[field.name.text] = {field.name.range, field.value->range};
        }
        for (const std::string &name : beside)
          add(name, valueIn(given, name, std::nullopt));
        if (none_of(shapes, [&](const LaunchShape &before) {
              return before.values == shape.values && before.inputs == shape.inputs;
            }))
          shapes.push_back(std::move(shape));
      }
    }
  return shapes;
}

std::map<std::string, std::string> compiledValues(const ast::KernelItem &item, const LaunchShape &shape) {
  std::map<std::string, std::string> values;
  std::vector<std::string> dims = dimNames(item);
  for (const auto &given : shape.values) {
    bool isParameter =
        any_of(item.parameters, [&](const auto &parameter) { return parameter.name.text == given.first; });
    if (!isParameter && !is_contained(dims, given.first))
      values.insert(given);
  }
  return values;
}

static void reportMissing(Session &session, const LaunchShape &shape, const std::vector<std::string_view> &names) {
  reportMissing(session.engine, Code::E0603, shape.range, names, shape.assigns);
}

/// The names of `dims` that the type of `parameter` has.
static void addDims(const ast::Parameter &parameter, const std::vector<std::string> &dims, SetVector<StringRef> &used) {
  std::function<void(const ast::Expr &, ast::ChildRole)> visit = [&](const ast::Expr &expr, ast::ChildRole) {
    if (auto *name = ast::dynCast<ast::Name>(&expr))
      if (auto dim = find(dims, name->text); dim != dims.end())
        used.insert(*dim);
    ast::forEachChild(expr, {visit, [](const ast::Block &) {}});
  };
  visit(*parameter.type, ast::ChildRole::Type);
}

static std::string describeBad(const LaunchShape &shape, const std::string &name, const Twine &expected) {
  return ("`" + name + "` of the shape is `" + shape.values.at(name) + "`; expected " + expected).str();
}

static constexpr StringLiteral kExtents = "an integer from 0 to 2^63 - 1";

bool checkScalars(Session &session, const ast::KernelItem &item, const LaunchShape &shape) {
  bool isValid = true;
  for (const ast::Parameter &parameter : item.parameters) {
    const std::string &name = parameter.name.text;
    auto given = shape.values.find(name);
    auto *scalar = ast::dynCast<ast::Name>(parameter.type);
    if (given == shape.values.end() || (given->second == "none" ? parameter.isOptional : scalar != nullptr))
      continue;
    isValid = false;
    std::string expected = scalar ? "a value of " + scalar->text : "no value, since it is no scalar";
    DiagnosticBuilder diagnostic =
        session.engine.report(Code::E0603, shape.placeOf(name).value,
                              describeBad(shape, name, (parameter.isOptional ? "`none` or " : "") + expected));
    if (!scalar)
      diagnostic.help("leave it out; its extents follow from the dims");
  }
  return isValid;
}

/// Whether `shape` gives what the launch takes, and nothing else. False after reporting.
static bool checkNames(Session &session, const ast::KernelItem &item, const IrgenOptions &options,
                       const LaunchShape &shape) {
  const std::vector<std::string> dims = dimNames(item);
  SetVector<StringRef> needed;
  for (const ast::Parameter &parameter : item.parameters) {
    auto given = shape.values.find(parameter.name.text);
    if (parameter.isOptional && given != shape.values.end() && given->second == "none")
      continue;
    addDims(parameter, dims, needed);
    auto *type = ast::dynCast<ast::Name>(parameter.type); // a type parameter may have no elements
    if (type && findDataType(type->text) && !parameter.isOptional && !parameter.defaultValue)
      needed.insert(parameter.name.text);
  }
  std::vector<std::string_view> missing;
  copy_if(needed, std::back_inserter(missing),
          [&](StringRef name) { return !shape.values.count(name.str()) && !options.values.count(name.str()); });
  std::vector<std::string> unknown;
  for (const auto &given : shape.values)
    if (!isSettable({&item}, given.first) &&
        none_of(item.parameters, [&](const auto &each) { return each.name.text == given.first; }))
      unknown.push_back(given.first);
  for (const std::string &name : unknown)
    reportUnsettable({&item}, session.engine, shape.placeOf(name).name, name, name, missing);
  if (!missing.empty())
    reportMissing(session, shape, missing);
  return checkScalars(session, item, shape) && unknown.empty() && missing.empty();
}

namespace {
/// How the elements of the arguments of a shape are chosen, as `--arg` takes it: `normal`, `range(0,4096)`.
class ShapeFillings {
public:
  /// `options` are those of the launch. False after reporting what is wrong with `inputs`.
  bool read(Session &session, const ast::Module &module, const ast::KernelItem &item, const IrgenOptions &options,
            const LaunchShape &shape) {
    this->session = &session;
    if (!shape.inputs)
      return true;
    if (!readInputRules(session, item, *shape.inputs, rules))
      return false;
    const std::vector<const ast::Expr *> asked = rules.bounds();
    auto texts = evaluateFor(module, session.sources, session.engine, session.context, options, asked);
    for (size_t i = 0; texts && i < asked.size(); ++i)
      bounds[asked[i]] = (*texts)[i];
    return texts.has_value();
  }

  /// None after reporting a range without a value.
  std::optional<std::string> of(const std::string &parameter) const {
    const InputRule &rule = rules.of(parameter);
    if (!rule.high)
      return rule.filling;
    const std::string &low = bounds.at(rule.low), &high = bounds.at(rule.high);
    if (!checkRange(*session, rule, parameter, low, high))
      return std::nullopt;
    return "range(" + low + "," + high + ")";
  }

private:
  Session *session = nullptr;
  InputRules rules;
  std::map<const ast::Expr *, std::string> bounds; ///< what each is
};

/// Makes arguments of the contract that a shape gives, filled as `fillings` say.
class ShapeArguments {
public:
  ShapeArguments(Session &session, const KernelContract &contract, const LaunchShape &shape,
                 const ShapeFillings &fillings, int64_t numSms)
      : session(session), contract(contract), shape(shape), fillings(fillings), slots(contract.names.size()) {
    slots[KernelContract::kNumSmsSlot] = Value(numSms);
  }

  /// False after reporting a dim or a scalar that has no value.
  bool bind() {
    for (const Constant &constant : contract.constants)
      if (constant.slot >= 0)
        slots[constant.slot] = constant.value;
    for (const Dim &dim : contract.dims) {
      std::optional<Value> value = dim.value ? std::optional(Value(*dim.value)) : numberOf(dim.name, DataType::Index);
      if (!value)
        return false;
      slots[dim.slot] = *value;
    }
    for (const Parameter &parameter : contract.parameters) {
      slots[parameter.hasSlot] = Value(int64_t(parameter.present));
      slots[parameter.bitsSlot] = Value(int64_t(getBytes(parameter.type) * 8));
      if (parameter.valueSlot < 0 || !parameter.present)
        continue;
      std::optional<Value> value = numberOf(parameter.name, parameter.type);
      if (!value)
        return false;
      slots[parameter.valueSlot] = *value;
    }
    return true;
  }

  std::optional<std::string> argumentOf(const Parameter &parameter) const {
    if (!parameter.present)
      return parameter.name + "=none";
    if (parameter.kind == Parameter::Kind::Scalar)
      return parameter.name + "=" + shape.values.at(parameter.name);
    std::string extents;
    for (const std::optional<Expression> &extent : parameter.extents) {
      if (!extent)
        return refuse("an extent of `" + parameter.name + "` follows from no size");
      extents += (extents.empty() ? "" : ",") + extent->evaluate(slots).print();
    }
    if (parameter.kind == Parameter::Kind::Pointer)
      return refuse("nothing says how much memory `" + parameter.name + "` points to");
    std::optional<std::string> filling =
        parameter.role == Parameter::Role::Out ? std::string("empty") : fillings.of(parameter.name);
    if (!filling)
      return std::nullopt;
    return parameter.name + "=" + *filling + ":" + getName(parameter.type) + "[" + extents + "]";
  }

private:
  std::nullopt_t refuse(const std::string &what) const {
    session.engine.report(Code::E0603, shape.range, what)
        .help("give the arguments: `--arg NAME=rand:TYPE[SHAPE]` for each parameter");
    return std::nullopt;
  }

  /// What the shape gives a dim or scalar; none after reporting.
  std::optional<Value> numberOf(const std::string &name, DataType type) const {
    auto found = shape.values.find(name);
    if (found == shape.values.end()) {
      reportMissing(session, shape, {name});
      return std::nullopt;
    }
    HostArgument argument;
    argument.kind = HostArgument::Kind::Scalar;
    argument.scalarText = found->second;
    Result<uint64_t> bits = scalarBits(argument, type);
    if (!bits) {
      session.engine.report(Code::E0603, shape.placeOf(name).value,
                            type == DataType::Index ? describeBad(shape, name, kExtents)
                                                    : "`" + name + "` of the shape: " + bits.error().message);
      return std::nullopt;
    }
    return isFloat(type) ? Value::ofReal(fromBits(type, *bits)) : Value(static_cast<int64_t>(*bits));
  }

  Session &session;
  const KernelContract &contract;
  const LaunchShape &shape;
  const ShapeFillings &fillings;
  std::vector<Value> slots;
};
} // namespace

IrgenOptions withShape(IrgenOptions options, const ast::KernelItem &item, const LaunchShape &shape) {
  options.kernel = item.name.text;
  options.forOneLaunch = true;
  StringMap<const ast::Parameter *> parameters;
  for (const ast::Parameter &parameter : item.parameters) {
    parameters[parameter.name.text] = &parameter;
    if (parameter.isOptional)
      options.values.try_emplace("has(" + parameter.name.text + ")", "true");
  }
  for (const auto &[name, value] : shape.values) {
    if (!parameters.count(name))
      options.values[name] = value;
    else if (value == "none")
      options.values["has(" + name + ")"] = "false";
    else
      options.scalarTexts[name] = value;
  }
  return options;
}

/// Where `range` stands in `shape`, if it is in what the compiler read of it as if the command line had it.
static SourceRange placeIn(const LaunchShape &shape, const Session &session, SourceRange range) {
  if (!range.isValid() || session.sources.name(range.file) != kCommandLine)
    return range;
  StringRef text = session.sources.text(range.file);
  size_t equals = text.find('=');
  auto place = shape.places.find(text.take_front(equals).split(' ').second.str()); // `-D NAME=`, `--arg NAME=`
  if (place == shape.places.end())
    return range;
  const auto &[name, value] = place->second;
  auto begin = static_cast<uint32_t>(equals + 1);
  return range.begin < begin
             ? name
             : SourceRange{value.file, value.begin + range.begin - begin, value.begin + range.end - begin};
}

/// What the language takes for `name` of `item`, which a shape may set, in words; empty if it may be a type or a
/// function, which have names of their own.
static std::string expectedOf(const Session &session, const ast::KernelItem &item, StringRef name) {
  if (name.starts_with("has("))
    return "`true` or `false`";
  if (const Knob *knob = findKnob(name))
    return knob->expected.str();
  for (const ast::GenericParameter &generic : item.generics)
    if (generic.name.text == name) {
      auto *type = ast::dynCast<ast::Name>(generic.type);
      return !type || type->text == "type" ? "" : "a value of " + type->text;
    }
  return kExtents.str();
}

/// A word that nothing is called, in place of a number: what is called alike is not what was meant.
static void describeUnknown(const Session &session, const ast::KernelItem &item, const LaunchShape &shape,
                            Diagnostic &diagnostic) {
  SourceRange found = diagnostic.primary.range;
  for (const auto &[name, place] : shape.places) {
    const SourceRange &value = place.value;
    if (diagnostic.code != Code::E0100 || !found.isValid() || found.file != value.file || found.begin < value.begin ||
        found.end > value.end)
      continue;
    std::string expected = expectedOf(session, item, name);
    if (expected.empty())
      return;
    diagnostic.code = Code::E0603;
    diagnostic.message = describeBad(shape, name, expected);
    diagnostic.help.clear();
    diagnostic.fix.reset();
    return;
  }
}

/// Runs `work`, and `change` on what that reports.
static void changeReports(Session &session, function_ref<void()> work, function_ref<void(Diagnostic &)> change) {
  std::vector<Diagnostic> before = session.engine.take();
  work();
  std::vector<Diagnostic> found = session.engine.take();
  for (Diagnostic &diagnostic : before)
    session.engine.add(std::move(diagnostic));
  for (Diagnostic &diagnostic : found) {
    change(diagnostic);
    session.engine.add(std::move(diagnostic));
  }
}

void reportAt(Session &session, SourceRange place, function_ref<void()> work) {
  changeReports(session, work, [&](Diagnostic &diagnostic) {
    bool isOfLaunch = diagnostic.code == Code::E0607 || !diagnostic.primary.range.isValid();
    if (isOfLaunch && diagnostic.severity() == Severity::Error && place.isValid())
      diagnostic.primary.range = place;
  });
}

/// What compiling the kernel for `shape` reports is reported at the shape.
static mlir::OwningOpRef<mlir::ModuleOp> loadFor(Session &session, const ast::Module &module,
                                                 const ast::KernelItem &item, const BuildOptions &build,
                                                 const LaunchShape &shape) {
  StepTimes times;
  mlir::OwningOpRef<mlir::ModuleOp> kernels;
  changeReports(
      session, [&] { kernels = loadKernels(session, module, build, times); },
      [&](Diagnostic &diagnostic) {
        diagnostic.primary.range = placeIn(shape, session, diagnostic.primary.range);
        for (Label &label : diagnostic.secondary)
          label.range = placeIn(shape, session, label.range);
        if (diagnostic.fix)
          diagnostic.fix->range = placeIn(shape, session, diagnostic.fix->range);
        describeUnknown(session, item, shape, diagnostic);
      });
  return kernels;
}

std::optional<std::vector<std::string>> argumentsOf(Session &session, const ast::Module &module,
                                                    const ast::KernelItem &item, const IrgenOptions &options,
                                                    const LaunchShape &shape) {
  if (!checkNames(session, item, options, shape))
    return std::nullopt;
  BuildOptions build;
  build.source = withShape(options, item, shape);
  mlir::OwningOpRef<mlir::ModuleOp> kernels = loadFor(session, module, item, build, shape);
  if (!kernels)
    noteConfiguration(session, module, item, build.source, configurationsOf(session, module, item, build.source));
  std::optional<LoadedKernel> kernel = kernels ? takeKernel(session, std::move(kernels)) : std::nullopt;
  if (!kernel)
    return std::nullopt;
  ShapeFillings fillings;
  if (!fillings.read(session, module, item, build.source, shape))
    return std::nullopt;
  ShapeArguments arguments(session, kernel->contract, shape, fillings, *options.numSms);
  if (!arguments.bind())
    return std::nullopt;
  std::vector<std::string> texts;
  for (const Parameter &parameter : kernel->contract.parameters) {
    std::optional<std::string> text = arguments.argumentOf(parameter);
    if (!text)
      return std::nullopt;
    texts.push_back(std::move(*text));
  }
  return texts;
}

} // namespace tile
