#include "runtime/search/ServedShapes.h"

#include "runtime/search/Shapes.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace llvm;

namespace tile {

namespace {
/// What a launch of a shape needs an instance to be compiled for.
struct Need {
  std::string name;     ///< `has(w)`, or a compile-time parameter that arguments bind
  std::string value;    ///< as source text
  std::string fallback; ///< of an instance that says nothing of it; empty: whatever it is
  std::string what;     ///< `w` is none

  bool isMetBy(const TunedInstance &instance) const {
    auto listed = instance.values.find(name);
    const std::string &own = listed == instance.values.end() ? fallback : listed->second;
    return own.empty() || own == value;
  }
};
} // namespace

/// The compile-time parameters of `kernel` that an argument binds: element types and extents by themselves.
static std::vector<const ast::GenericParameter *> boundParameters(const ast::KernelItem &kernel) {
  std::set<std::string> names;
  auto add = [&](const ast::ExprPtr &expr) {
    if (auto *name = ast::dynCast<ast::Name>(expr))
      names.insert(name->text);
  };
  for (const ast::Parameter &parameter : kernel.parameters) {
    auto *strided = ast::dynCast<ast::StridedType>(parameter.type);
    auto *type = ast::dynCast<ast::GenericApply>(strided ? strided->tensor : parameter.type);
    if (!type || !type->shape)
      continue;
    for (const ast::Argument &argument : type->arguments)
      add(argument.value);
    for (const ast::ExprPtr &extent : *type->shape)
      add(extent);
  }
  std::vector<const ast::GenericParameter *> bound;
  for (const ast::GenericParameter &generic : kernel.generics)
    if (names.count(generic.name.text))
      bound.push_back(&generic);
  return bound;
}

static std::vector<Need> needsOf(const Session &session, const ast::KernelItem &kernel, const LaunchShape &shape) {
  std::vector<Need> needs;
  for (const ast::Parameter &parameter : kernel.parameters) {
    const std::string &name = parameter.name.text;
    auto given = shape.values.find(name);
    bool isNone = given != shape.values.end() && given->second == "none";
    if (parameter.isOptional)
      needs.push_back(
          {"has(" + name + ")", isNone ? "false" : "true", "true", "`" + name + "` is " + (isNone ? "none" : "given")});
  }
  for (const ast::GenericParameter *generic : boundParameters(kernel)) {
    const std::string &name = generic->name.text;
    auto given = shape.values.find(name);
    if (given != shape.values.end() && !hasHeuristic(kernel, name))
      needs.push_back({name, given->second,
                       generic->defaultValue ? std::string(session.sources.text(generic->defaultValue->range)) : "",
                       "`" + name + "` is `" + given->second + "`"});
  }
  return needs;
}

void warnOfUnserved(Session &session, const ast::KernelItem &kernel, const IrgenOptions &options,
                    const std::vector<TunedInstance> &instances) {
  const std::vector<std::string> dims = dimNames(kernel);
  if (!dims.empty() && all_of(dims, [&](const std::string &dim) { return options.values.count(dim) != 0; }))
    return;
  std::set<std::string> said;
  for (const LaunchShape &shape : benchShapes(session, kernel, options.values)) {
    std::vector<Need> needs = needsOf(session, kernel, shape);
    erase_if(needs, [&](const Need &need) { return options.values.count(need.name) != 0; });
    bool isServed = any_of(instances, [&](const TunedInstance &each) {
      return all_of(needs, [&](const Need &need) { return need.isMetBy(each); });
    });
    auto lacking = find_if(needs, [&](const Need &need) {
      return none_of(instances, [&](const TunedInstance &each) { return need.isMetBy(each); });
    });
    if (isServed || lacking == needs.end() || !said.insert(lacking->what).second)
      continue;
    std::string given = lacking->name + "=" + lacking->value;
    session.engine
        .report(Code::W0608, shape.range,
                "no instance of kernel `" + kernel.name.text + "` serves this shape of `@bench`, of which " +
                    lacking->what)
        .help("list `" + lacking->name + " = [" + lacking->value + ", …]` in `@instances`, or give `-D " +
              (StringRef(given).contains('(') ? "'" + given + "'" : given) + "`");
  }
}

} // namespace tile
