#include "runtime/execute/CheckPlan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <deque>
#include <set>

using namespace llvm;

namespace tile {

static std::string join(const std::vector<CheckField> &fields, const char *between) {
  std::string text;
  for (const CheckField &field : fields)
    text += (text.empty() ? "" : ", ") + field.name + between + field.text;
  return text;
}

std::string CheckCase::describeInstance() const {
  std::string first = join(instance, " = "), second = configuration ? join(*configuration, " = ") : "";
  std::string both = first + (first.empty() || second.empty() ? "" : ", ") + second;
  return both.empty() ? "" : "<" + both + ">";
}

std::string CheckCase::describeShape() const { return "{" + join(shape, ": ") + "}"; }

bool CheckCase::givesField(const std::string &name) const {
  return any_of(shape, [&](const CheckField &field) { return field.name == name; });
}

/// Whether two texts of a value are the same, numbers by what they are.
static bool isSameValue(StringRef left, StringRef right) {
  int64_t first = 0, second = 0;
  bool areNumbers = !left.trim().getAsInteger(0, first) && !right.trim().getAsInteger(0, second);
  return areNumbers ? first == second : left.trim() == right.trim();
}

namespace {
/// What `-D` gives for a field of a shape.
struct Demand {
  std::string name, value; ///< `has(w)` for an optional parameter
  std::string found;       ///< what the shape gives
  bool isMet;
};
} // namespace

static std::optional<Demand> demandOn(const CheckField &field, const IrgenOptions &options) {
  if (auto given = options.values.find(field.name); given != options.values.end())
    return Demand{given->first, given->second, field.text, isSameValue(given->second, field.text)};
  auto present = options.values.find("has(" + field.name + ")");
  if (present == options.values.end())
    return std::nullopt;
  std::string found = field.text == "none" ? "false" : "true";
  return Demand{present->first, present->second, found, present->second == found};
}

/// Whether `one` gives another value for something that `options` give.
static bool isExcluded(const CheckCase &one, const IrgenOptions &options) {
  return any_of(one.shape, [&](const CheckField &field) {
    std::optional<Demand> demand = demandOn(field, options);
    return demand && !demand->isMet;
  });
}

/// Why every one of `cases`, those of `whose`, is excluded: a value that none of them has, or else values that none has
/// together.
static Diagnostic describeExclusion(const std::string &whose, SourceRange place, ArrayRef<CheckCase> cases,
                                    const IrgenOptions &options) {
  struct Found {
    std::string given;
    bool isMet = false;
    SetVector<StringRef> values;
  };
  std::map<std::string, Found> demands;
  SetVector<StringRef> shapes;
  std::deque<std::string> texts; // what the sets refer to
  for (const CheckCase &one : cases) {
    shapes.insert(texts.emplace_back(one.describeShape()));
    for (const CheckField &field : one.shape)
      if (std::optional<Demand> demand = demandOn(field, options)) {
        Found &found = demands[demand->name];
        found.given = "`-D " + demand->name + "=" + demand->value + "`";
        found.isMet |= demand->isMet;
        found.values.insert(texts.emplace_back(demand->found));
      }
  }
  std::string what = "no shape of " + whose + " has ", together;
  for (const auto &[name, found] : demands) {
    if (!found.isMet)
      return {Code::E0606, what + found.given + "; expected one of " + llvm::join(found.values, ", "),
              {place, ""}, {},
              {},          {},
              "",          {}};
    together += (together.empty() ? "" : " and ") + found.given;
  }
  return {Code::E0606, what + together + " together; expected one of " + llvm::join(shapes, ", "),
          {place, ""}, {},
          {},          {},
          "",          {}};
}

namespace {

class PlanReader {
public:
  PlanReader(Session &session, const ast::KernelItem &kernel) : session(session), kernel(kernel) {}

  bool readCheck(const ast::Decorator &decorator, const std::vector<std::vector<CheckField>> &instances,
                 std::vector<CheckCase> &cases);

private:
  std::string textOf(const ast::Expr &expr) const { return std::string(session.sources.text(expr.range)); }
  bool refuse(SourceRange range, std::string message) {
    session.engine.report(Code::E0606, range, std::move(message));
    return false;
  }
  bool readShape(const ast::Expr &shape, CheckCase &one);
  bool readOption(const ast::Argument &argument, CheckCase &one, const ast::List *&shapes);
  bool readSizes(const ast::Record &sizes, CheckCase &one);
  bool readNumber(const ast::Expr &value, std::optional<double> &number);

  Session &session;
  const ast::KernelItem &kernel;
};

bool PlanReader::readShape(const ast::Expr &shape, CheckCase &one) {
  const auto *record = shape.kind == ast::ExprKind::Record ? static_cast<const ast::Record *>(&shape) : nullptr;
  if (!record)
    return refuse(shape.range, "a shape of `@check` is a record such as `{M: 7, N: 127}`");
  if (!checkNoneTwice(session, *record))
    return false;
  one.range = shape.range;
  for (const ast::Record::Field &field : record->fields) {
    one.shape.push_back({field.name.text, field.value.get(), textOf(*field.value)});
    erase_if(one.instance, [&](const CheckField &given) {
      return given.name == field.name.text || given.name == "has(" + field.name.text + ")";
    });
  }
  return true;
}

bool PlanReader::readSizes(const ast::Record &sizes, CheckCase &one) {
  if (!checkNoneTwice(session, sizes))
    return false;
  for (const ast::Record::Field &field : sizes.fields) {
    const ast::Parameter *parameter = findNamedParameter(session, kernel, field.name);
    const auto *type = parameter ? ast::dynCast<ast::GenericApply>(parameter->type) : nullptr;
    const auto *base = type ? ast::dynCast<ast::Name>(type->base) : nullptr;
    if (base && base->text == "tensor")
      return refuse(field.name.range,
                    "`" + field.name.text + "` is a tensor, whose extents the shape gives; expected a raw pointer");
    if (!parameter)
      return false;
    one.sizes[field.name.text] = field.value.get();
  }
  return true;
}

bool PlanReader::readNumber(const ast::Expr &value, std::optional<double> &number) {
  std::string text = textOf(value);
  char *end = nullptr;
  number = std::strtod(text.c_str(), &end);
  if (*end || !std::isfinite(*number) || *number < 0)
    return refuse(value.range, "found `" + text + "`; expected a finite number of at least 0");
  return true;
}

bool PlanReader::readOption(const ast::Argument &argument, CheckCase &one, const ast::List *&shapes) {
  const ast::Expr &value = *argument.value;
  std::string name = argument.name ? argument.name->text : "";
  if (name == "shapes") {
    shapes = ast::dynCast<ast::List>(argument.value);
    if (shapes && shapes->elements.empty())
      return refuse(value.range, "the list of `shapes` is empty; expected records such as `{M: 7, N: 127}`");
    return shapes || refuse(value.range, "`shapes` is a list of records such as `[{M: 7, N: 127}]`");
  }
  if (name == "inputs")
    return readInputRules(session, kernel, value, one.inputs);
  if (name == "rtol")
    return readNumber(value, one.rtol);
  if (name == "atol")
    return readNumber(value, one.atol);
  if (name == "exact") {
    one.exact = textOf(value) == "true";
    return one.exact || textOf(value) == "false" ||
           refuse(value.range, "found `" + textOf(value) + "`; expected `true` or `false`");
  }
  if (name == "reason" || name == "fault") {
    const auto *text = ast::dynCast<ast::StringLiteral>(argument.value);
    if (!text)
      return refuse(value.range, "`" + name + "` is a string");
    (name == "reason" ? one.reason : one.fault) = text->value;
    return true;
  }
  if (name == "sizes" && value.kind == ast::ExprKind::Record)
    return readSizes(static_cast<const ast::Record &>(value), one);
  static constexpr std::string_view known[] = {"shapes", "inputs", "exact", "rtol", "atol", "reason", "fault", "sizes"};
  DiagnosticBuilder diagnostic = session.engine.report(
      Code::E0606, argument.name ? argument.name->range : value.range,
      "`@check` has no option `" + name + "`; known: " + llvm::join(std::begin(known), std::end(known), ", "));
  if (std::string_view closest = closestName(name, {std::begin(known), std::end(known)}); !closest.empty())
    diagnostic.replace(argument.name->range, closest, "did you mean ", "?");
  return false;
}

bool PlanReader::readCheck(const ast::Decorator &decorator, const std::vector<std::vector<CheckField>> &instances,
                           std::vector<CheckCase> &cases) {
  CheckCase base;
  const ast::List *shapes = nullptr;
  std::set<std::string> given;
  for (const ast::Argument &argument : decorator.arguments) {
    if (argument.name && !given.insert(argument.name->text).second)
      return refuse(argument.name->range, "`" + argument.name->text + "` is given twice; expected one value");
    if (!readOption(argument, base, shapes))
      return false;
  }
  if (!shapes)
    return refuse(decorator.range, "`@check` has no `shapes`");
  if ((base.rtol || base.atol) && base.reason.empty())
    return refuse(decorator.range,
                  "`@check` replaces the derived tolerance and does not say why; expected `reason = \"…\"`");
  std::set<std::pair<const ast::Expr *, std::string>> known;
  for (const auto &instance : instances)
    for (const ast::ExprPtr &shape : shapes->elements) {
      CheckCase one = base;
      one.instance = instance;
      if (!readShape(*shape, one))
        return false;
      // Instances that differ in what the shape gives are one.
      if (known.insert({shape.get(), one.describeInstance()}).second)
        cases.push_back(std::move(one));
    }
  return true;
}

} // namespace

bool readCheckCases(Session &session, const ast::KernelItem &kernel, const IrgenOptions &options,
                    std::vector<CheckCase> &cases, std::vector<Diagnostic> &exclusions) {
  PlanReader reader(session, kernel);
  std::vector<std::vector<CheckField>> instances;
  auto isFixed = [&](const std::string &name) { return options.values.count(name) || hasHeuristic(kernel, name); };
  for (const Instance &instance : listInstances(kernel, isFixed)) {
    instances.emplace_back();
    for (const auto &[name, value] : instance)
      instances.back().push_back({name, value, std::string(session.sources.text(value->range))});
  }
  auto isCheck = [](const ast::Decorator &decorator) { return decorator.name.text == "check"; };
  auto excluded = [&](const CheckCase &one) { return isExcluded(one, options); };
  std::string whose = "kernel `" + kernel.name.text + "`";
  size_t number = 0, count = count_if(kernel.decorators, isCheck);
  for (const ast::Decorator &decorator : kernel.decorators) {
    if (!isCheck(decorator))
      continue;
    size_t before = cases.size();
    if (!reader.readCheck(decorator, instances, cases))
      return false;
    ++number;
    MutableArrayRef<CheckCase> own = MutableArrayRef(cases).drop_front(before);
    for (CheckCase &one : own)
      one.check = count > 1 ? number : 0;
    if (count > 1 && !own.empty() && all_of(own, excluded))
      exclusions.push_back(
          describeExclusion("`@check` " + std::to_string(number) + " of " + whose, decorator.range, own, options));
  }
  if (!cases.empty() && all_of(cases, excluded))
    exclusions = {describeExclusion(whose, kernel.name.range, cases, options)};
  erase_if(cases, excluded);
  return true;
}

} // namespace tile
