#include "frontend/irgen/Autotune.h"

#include "frontend/ast/Children.h"
#include "frontend/irgen/Kernel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

using namespace tile;
using ast::dynCast;

//===-- Reading

/// The dim that `value` computes with; empty if there are none or several.
static std::string onlyDim(const ast::KernelItem &kernel, const ast::Expr &value) {
  std::vector<std::string> dims = dimNames(kernel);
  std::set<std::string> used;
  for (const ast::Name *name : irgen::namesIn(value))
    if (llvm::is_contained(dims, name->text))
      used.insert(name->text);
  return used.size() == 1 ? *used.begin() : "";
}

Autotune tile::readAutotune(const ast::KernelItem &kernel) {
  Autotune autotune;
  auto all = [](const ast::Argument &argument) {
    std::vector<const ast::Expr *> expressions;
    if (auto *list = dynCast<ast::List>(argument.value))
      for (const ast::ExprPtr &element : list->elements)
        expressions.push_back(element.get());
    else
      expressions.push_back(argument.value.get());
    return expressions;
  };
  for (const ast::Decorator &decorator : kernel.decorators) {
    if (decorator.name.text != "autotune")
      continue;
    if (!autotune.decorator)
      autotune.decorator = &decorator;
    for (const ast::Argument &argument : decorator.arguments) {
      std::string name = argument.name ? argument.name->text : "";
      // Of one that is given twice, which is reported, the first.
      if (name == "configs" || name == "space") {
        const ast::Argument *&place = name == "configs" ? autotune.configs : autotune.space;
        place = place ? place : &argument;
      } else if (name == "key") {
        autotune.key.clear();
        for (const ast::Expr *value : all(argument))
          autotune.key.push_back({value, ""});
      } else if (name == "bucket") {
        for (const ast::Expr *value : all(argument))
          autotune.buckets.push_back({value, onlyDim(kernel, *value)});
      } else if (name == "prune") {
        autotune.prune = argument.value.get();
      } else if (name == "top") {
        autotune.top = argument.value.get();
      }
    }
  }
  if (autotune.key.empty())
    for (const std::string &dim : dimNames(kernel))
      autotune.key.push_back({nullptr, dim});
  return autotune;
}

static const ast::List *configsOf(const Autotune &autotune) {
  return autotune.configs ? dynCast<ast::List>(autotune.configs->value) : nullptr;
}

static const ast::Record *spaceOf(const Autotune &autotune) {
  return autotune.space ? dynCast<ast::Record>(autotune.space->value) : nullptr;
}

/// How many values a field of a space lists; one that is no list is the only value.
static uint64_t countValues(const ast::Record::Field &field) {
  auto *list = dynCast<ast::List>(field.value);
  return list ? list->elements.size() : 1;
}

uint64_t Autotune::countPoints() const {
  if (const ast::List *list = configsOf(*this))
    return list->elements.size();
  const ast::Record *record = spaceOf(*this);
  uint64_t count = record ? 1 : 0;
  for (size_t i = 0; record && i < record->fields.size(); ++i)
    count = llvm::SaturatingMultiply(count, countValues(record->fields[i]));
  return count;
}

AutotunePoint Autotune::point(uint64_t i) const {
  AutotunePoint point;
  if (const ast::List *list = configsOf(*this)) {
    point.range = list->elements[i]->range;
    if (auto *record = dynCast<ast::Record>(list->elements[i]))
      for (const ast::Record::Field &field : record->fields)
        point.settings.push_back({&field.name, field.value.get()});
    return point;
  }
  const ast::Record &record = *spaceOf(*this);
  point.range = record.range;
  for (const ast::Record::Field &field : record.fields)
    point.settings.push_back({&field.name, field.value.get()});
  for (size_t axis = record.fields.size(); axis-- > 0;) {
    uint64_t count = countValues(record.fields[axis]);
    if (auto *list = dynCast<ast::List>(record.fields[axis].value))
      point.settings[axis].value = list->elements[i % count].get();
    i /= count;
  }
  return point;
}

std::vector<const ast::Record *> Autotune::records() const {
  std::vector<const ast::Record *> records;
  if (const ast::Record *record = spaceOf(*this))
    records.push_back(record);
  if (const ast::List *list = configsOf(*this))
    for (const ast::ExprPtr &element : list->elements)
      if (auto *record = dynCast<ast::Record>(element))
        records.push_back(record);
  return records;
}

std::vector<AutotunePoint::Setting> Autotune::listedSettings() const {
  std::vector<AutotunePoint::Setting> settings;
  for (const ast::Record *record : records())
    for (const ast::Record::Field &field : record->fields) {
      auto *list = record == spaceOf(*this) ? dynCast<ast::List>(field.value) : nullptr;
      if (!list)
        settings.push_back({&field.name, field.value.get()});
      else
        for (const ast::ExprPtr &value : list->elements)
          settings.push_back({&field.name, value.get()});
    }
  return settings;
}

std::string tile::settingText(const ast::Expr &value, const SourceManager &sources) {
  auto *number = dynCast<ast::IntLiteral>(&value);
  return number ? std::to_string(number->value) : std::string(sources.text(value.range));
}

//===-- Checking

namespace {

/// Every name that a kernel uses, for whatever: a parameter is hidden by nothing.
struct UsedNames {
  std::set<std::string> names;
  ast::ChildVisitor children{[this](const ast::Expr &expr, ast::ChildRole) { visit(expr); },
                             [this](const ast::Block &block) { visit(block); }};

  void visit(const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block.statements)
      forEachChild(*stmt, children);
  }
  void visit(const ast::Expr &expr) {
    if (auto *name = dynCast<ast::Name>(&expr))
      names.insert(name->text);
    forEachChild(expr, children);
  }
  void visit(const ast::ExprPtr &expr) {
    if (expr)
      visit(*expr);
  }

  explicit UsedNames(const ast::KernelItem &kernel) {
    for (const ast::GenericParameter &generic : kernel.generics) {
      visit(generic.type);
      visit(generic.defaultValue);
    }
    for (const ast::Parameter &parameter : kernel.parameters) {
      visit(parameter.type);
      visit(parameter.defaultValue);
    }
    for (const auto *clause : {&kernel.grid, &kernel.where, &kernel.specialize})
      for (const ast::ExprPtr &expr : *clause)
        visit(expr);
    for (const ast::Decorator &decorator : kernel.decorators)
      if (decorator.name.text == "heuristic")
        for (const ast::Argument &argument : decorator.arguments)
          visit(argument.value);
    visit(kernel.body);
  }
};

class AutotuneChecker {
public:
  AutotuneChecker(const ast::KernelItem &kernel, const SourceManager &sources, DiagnosticEngine &engine)
      : kernel(kernel), sources(sources), engine(engine), autotune(readAutotune(kernel)) {}

  void check() {
    if (!autotune.decorator)
      return;
    // A name that is none is reported, and may be meant for what is missing.
    bool areNamesKnown = llvm::all_of(autotune.decorator->arguments, [](const ast::Argument &argument) {
      return argument.name && llvm::is_contained(kAutotuneArguments, argument.name->text);
    });
    if (autotune.configs && autotune.space)
      engine
          .report(Code::E0412, autotune.space->range,
                  "`@autotune` has both `configs` and `space`; expected one of them")
          .secondary(autotune.configs->range, "`configs` stands here");
    else if (!autotune.configs && !autotune.space && areNamesKnown)
      engine.report(Code::E0412, autotune.decorator->range,
                    "`@autotune` has neither `configs` nor `space`; expected one of them");
    if (checkForms())
      checkListedOnce();
    for (const AutotuneBucket &bucket : autotune.buckets)
      if (bucket.dim.empty())
        engine
            .report(Code::E0412, bucket.value->range,
                    "`bucket` has `" + textOf(*bucket.value) +
                        "`; expected an expression of one dim, such as `next_pow2(" + firstDim() + ")`")
            .note("in the key it stands for that dim");
    checkKey();
    if (auto *number = dynCast<ast::IntLiteral>(autotune.top); autotune.top && (!number || number->value < 1))
      engine.report(Code::E0412, autotune.top->range,
                    "`top` is `" + textOf(*autotune.top) +
                        "`; expected how many configurations are measured, a number of at least 1");
  }

  void checkUses() {
    UsedNames used(kernel);
    std::set<std::string> seen;
    // Every point of a space sets the same names.
    uint64_t points = autotune.countPoints();
    for (uint64_t i = 0, count = autotune.space ? std::min<uint64_t>(points, 1) : points; i < count; ++i)
      for (auto [name, value] : autotune.point(i).settings) {
        bool isParameter = false; // what is no parameter either is reported as unknown
        for (const ast::GenericParameter &generic : kernel.generics)
          isParameter |= generic.name.text == name->text;
        if (isParameter && !used.names.count(name->text) && seen.insert(name->text).second)
          engine.report(Code::E0412, name->range,
                        "`@autotune` sets `" + name->text + "`, which nothing in kernel `" + kernel.name.text +
                            "` uses; all its values give the same code");
      }
  }

private:
  /// Whether lists and records stand where they have to.
  bool checkForms() {
    const ast::List *list = configsOf(autotune);
    bool isValid = true;
    if (autotune.configs && !list)
      isValid = refuse(autotune.configs->value->range,
                       "`configs` is no list; expected records such as `[{BM: 64, warps: 4}, {BM: 128, warps: 8}]`");
    for (size_t i = 0; list && i < list->elements.size(); ++i)
      if (!dynCast<ast::Record>(list->elements[i]))
        isValid = refuse(list->elements[i]->range,
                         "a configuration is `" + textOf(*list->elements[i]) + "`; expected `{NAME: value, …}`");
    if (autotune.space && !spaceOf(autotune))
      isValid = refuse(autotune.space->value->range,
                       "`space` is no record; expected one of lists such as `{BM: [64, 128], warps: [4, 8]}`");
    if (uint64_t count = autotune.countPoints(); count > Autotune::kMostPoints) {
      engine
          .report(Code::E0412, (autotune.space ? autotune.space : autotune.configs)->value->range,
                  "`@autotune` has " + std::to_string(count) + " configurations; expected at most " +
                      std::to_string(Autotune::kMostPoints))
          .help("list fewer values: `prune` leaves configurations out, but each of them is looked at");
      isValid = false;
    }
    return isValid;
  }

  /// What tells launches apart is known before a configuration is, and has one bucket for a dim.
  void checkKey() {
    std::set<std::string> searched;
    for (auto [name, value] : autotune.listedSettings())
      searched.insert(name->text);
    std::map<std::string, SourceRange> listed;
    std::set<std::string> used;
    for (const AutotuneKey &each : autotune.key) {
      if (!each.value) {
        used.insert(each.dim);
        continue;
      }
      SourceRange range = each.value->range;
      if (auto [before, isNew] = listed.try_emplace(plainText(*each.value), range); !isNew)
        engine.report(Code::E0411, range, "`" + textOf(*each.value) + "` is listed twice in `key`; expected each once")
            .secondary(before->second, "listed here before");
      for (const ast::Name *name : irgen::namesIn(*each.value)) {
        used.insert(name->text);
        if (searched.count(name->text))
          engine
              .report(Code::E0412, name->range,
                      "`key` has `" + name->text + "`, which the search chooses; expected what launches differ in")
              .help("take it out of `key`");
      }
    }
    for (const AutotuneBucket &bucket : autotune.buckets)
      if (!bucket.dim.empty() && !used.count(bucket.dim))
        engine
            .report(Code::E0412, bucket.value->range,
                    "`bucket` has `" + textOf(*bucket.value) + "`, and `key` has no `" + bucket.dim +
                        "` that it could stand for")
            .help("add `" + bucket.dim + "` to `key`, or take the bucket out");
    std::map<std::string, SourceRange> buckets;
    for (const AutotuneBucket &bucket : autotune.buckets)
      if (auto [before, isNew] = buckets.try_emplace(bucket.dim, bucket.value->range); !isNew && !bucket.dim.empty())
        engine.report(Code::E0412, bucket.value->range, "`" + bucket.dim + "` has two buckets; expected one")
            .secondary(before->second, "the first one");
  }

  void checkListedOnce() {
    std::map<std::string, SourceRange> listed;
    auto check = [&](const std::string &text, SourceRange range, const std::string &what) {
      if (auto [before, isNew] = listed.try_emplace(text, range); !isNew)
        engine.report(Code::E0411, range, what + " is listed twice; expected each once")
            .secondary(before->second, "listed here before");
    };
    if (const ast::List *list = configsOf(autotune)) {
      for (uint64_t i = 0; i < list->elements.size(); ++i) {
        std::map<std::string, std::string> sorted;
        for (auto [name, value] : autotune.point(i).settings)
          sorted[name->text] = plainText(*value);
        std::string text;
        for (const auto &[name, value] : sorted)
          text += name + ":" + value + ",";
        check(text, list->elements[i]->range, "configuration `" + textOf(*list->elements[i]) + "`");
      }
      return;
    }
    const ast::Record *record = spaceOf(autotune);
    for (size_t axis = 0; record && axis < record->fields.size(); ++axis, listed.clear())
      if (auto *list = dynCast<ast::List>(record->fields[axis].value))
        for (const ast::ExprPtr &value : list->elements)
          check(plainText(*value), value->range, "`" + settingText(*value, sources) + "`");
  }

  std::string firstDim() const {
    std::vector<std::string> dims = dimNames(kernel);
    return dims.empty() ? "N" : dims.front();
  }
  /// Without spaces, numbers that are the same alike.
  std::string plainText(const ast::Expr &value) const {
    std::string text = settingText(value, sources);
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  }
  std::string textOf(const ast::Expr &expr) const { return std::string(sources.text(expr.range)); }
  bool refuse(SourceRange range, std::string message) {
    engine.report(Code::E0412, range, std::move(message));
    return false;
  }

  const ast::KernelItem &kernel;
  const SourceManager &sources;
  DiagnosticEngine &engine;
  Autotune autotune;
};

} // namespace

void tile::checkAutotune(const ast::KernelItem &kernel, const SourceManager &sources, DiagnosticEngine &engine) {
  AutotuneChecker(kernel, sources, engine).check();
}

void tile::checkAutotuneUses(const ast::KernelItem &kernel, const SourceManager &sources, DiagnosticEngine &engine) {
  AutotuneChecker(kernel, sources, engine).checkUses();
}
