#include "runtime/search/Space.h"

#include "frontend/irgen/Autotune.h"
#include "ir/Tile/Knobs.h"
#include "runtime/execute/Configurations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace tile {

IrgenOptions withConfiguration(IrgenOptions options, const Configuration &configuration) {
  for (const auto &[name, value] : configuration.values)
    options.values[name] = value;
  options.isConfigured = true;
  return options;
}

std::string findChoiceProblem(const Configuration &configuration, llvm::ArrayRef<Configuration> listed) {
  return llvm::is_contained(listed, configuration)
             ? ""
             : "`" + configuration.describe() + "` is none of the configurations of the kernel";
}

std::vector<Configuration> configurationsOf(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                                            const IrgenOptions &options) {
  std::vector<Configuration> listed;
  for (ListedConfiguration &each : listConfigurations(session, module, kernel, options))
    listed.push_back({std::move(each.values)});
  return listed;
}

void noteConfiguration(Session &session, const ast::Module &module, const ast::KernelItem &kernel, IrgenOptions options,
                       llvm::ArrayRef<Configuration> listed) {
  constexpr size_t kMostTried = 64;
  options.kernel = kernel.name.text;
  auto compile = [&](const Configuration &configuration, DiagnosticEngine &engine) {
    return bool(generate(module, session.sources, engine, session.context, withConfiguration(options, configuration)));
  };
  DiagnosticEngine failed;
  if (listed.size() < 2 || compile(listed.front(), failed))
    return;
  auto other = llvm::find_if(listed.take_front(kMostTried).drop_front(), [&](const Configuration &each) {
    DiagnosticEngine engine;
    return compile(each, engine);
  });
  if (other == listed.take_front(kMostTried).end())
    return;
  for (Diagnostic &diagnostic : session.engine.take()) {
    bool isOfFirst = llvm::any_of(failed.sorted(), [&](const Diagnostic *each) {
      return each->code == diagnostic.code && each->primary.range == diagnostic.primary.range &&
             each->message == diagnostic.message;
    });
    if (isOfFirst && diagnostic.severity() == Severity::Error)
      diagnostic.notes.push_back("this is the first configuration of `@autotune`, `" + listed.front().describe() +
                                 "`; with `" + other->describe() + "` the kernel can be compiled");
    session.engine.add(std::move(diagnostic));
  }
}

namespace {

class SpaceReader {
public:
  SpaceReader(Session &session, const ast::Module &module, const ast::KernelItem &kernel, IrgenOptions given)
      : session(session), module(module), kernel(kernel), options(std::move(given)), autotune(readAutotune(kernel)) {
    options.kernel = kernel.name.text;
    options.forOneLaunch = true;
  }

  std::optional<Space> read() {
    Space space;
    space.isDeclared = autotune.decorator;
    std::vector<Configuration> found{Configuration()};
    std::vector<Settings> settings{Settings()};
    uint64_t count = autotune.countPoints();
    bool hasPoints = count > 0 && count <= Autotune::kMostPoints; // else compiling the kernel says why not
    if (hasPoints && !readPoints(found, settings))
      return std::nullopt;
    space.hash = hashOf(found);
    std::optional<std::vector<Configuration>> takenOut = takeRefused(found, settings);
    if (!takenOut) {
      (void)generate(module, session.sources, session.engine, session.context, options);
      return std::nullopt;
    }
    const std::vector<Configuration> &refused = *takenOut;
    if (!readSizes(space, found.front()) || (hasPoints && !prune(space, found, settings, !refused.empty())))
      return std::nullopt;
    if (!hasPoints)
      space.all = std::move(found);
    space.refused = refused.size();
    llvm::append_range(space.pruned, refused);
    if (!generate(module, session.sources, session.engine, session.context,
                  withConfiguration(options, space.all.front()))) {
      noteConfiguration(session, module, kernel, options, space.all);
      return std::nullopt;
    }
    if (auto *top = ast::dynCast<ast::IntLiteral>(autotune.top))
      space.top = static_cast<unsigned>(std::min<uint64_t>(top->value, Autotune::kMostPoints));
    return space;
  }

private:
  /// Gives each configuration with its settings.
  bool readPoints(std::vector<Configuration> &found, std::vector<Settings> &settings) {
    found.clear();
    settings.clear();
    for (ListedConfiguration &one : listConfigurations(session, module, kernel, options)) {
      if (!leavesNothingOpen(one))
        return false;
      found.push_back({std::move(one.values)});
      settings.push_back(std::move(one.settings));
    }
    return true;
  }

  /// Whether every compile-time parameter has a value in `configuration`.
  bool leavesNothingOpen(const ListedConfiguration &configuration) {
    std::vector<Instance> instances = listInstances(kernel, [](const std::string &) { return false; });
    for (const ast::GenericParameter &generic : kernel.generics) {
      const std::string &name = generic.name.text;
      bool isSet = configuration.settings.count(name) != 0;
      bool isListed = llvm::any_of(instances.front(), [&](const auto &setting) { return setting.first == name; });
      if (isSet || isListed || generic.defaultValue || options.values.count(name) || hasHeuristic(kernel, name))
        continue;
      session.engine
          .report(Code::E0412, configuration.range,
                  "a configuration gives compile-time parameter `" + name + "` of kernel `" + kernel.name.text +
                      "` no value")
          .secondary(generic.range, "it has no default either")
          .help("add `" + name + ": …` to it");
      return false;
    }
    return true;
  }

  /// Takes out of both those that `where` refuses, and gives them; nothing if it refuses all, which compiling the
  /// kernel without one reports.
  std::optional<std::vector<Configuration>> takeRefused(std::vector<Configuration> &found,
                                                        std::vector<Settings> &settings) {
    std::vector<bool> isLeft =
        findLeftByWhere(module, session.sources, session.engine, session.context, options, settings);
    if (!llvm::is_contained(isLeft, true))
      return std::nullopt;
    std::vector<Configuration> left, refused;
    std::vector<Settings> settingsLeft;
    for (size_t i = 0; i < found.size(); ++i) {
      (isLeft[i] ? left : refused).push_back(std::move(found[i]));
      if (isLeft[i])
        settingsLeft.push_back(std::move(settings[i]));
    }
    found = std::move(left);
    settings = std::move(settingsLeft);
    return refused;
  }

  /// Takes apart those that `prune` leaves out; `where` has refused others, if `isPart`.
  bool prune(Space &space, std::vector<Configuration> &found, const std::vector<Settings> &settings, bool isPart) {
    std::optional<Pruned> pruned = findPruned(session, session.engine, module, options, autotune.prune, settings);
    if (!pruned)
      return false;
    if (autotune.prune)
      space.prune = autotune.prune->range;
    for (size_t i = 0; i < found.size(); ++i)
      (pruned->isOut[i] ? space.pruned : space.all).push_back(std::move(found[i]));
    // Who gives a part of a configuration knows why.
    bool isGiven = llvm::any_of(autotune.listedSettings(), [&](const AutotunePoint::Setting &setting) {
      return options.values.count(setting.name->text) != 0;
    });
    if (pruned->isTrueOfAll && !isGiven)
      session.engine
          .report(Code::W0606, space.prune,
                  std::string("`prune` is true of every configuration ") + (isPart ? "that `where` leaves " : "") +
                      "for " + describeLaunch(space) + ", so that none is left out")
          .help(helpForAll(settings));
    return true;
  }

  /// `` `M=100` (as `M=128` by its key) ``
  std::string describeLaunch(const Space &space) const {
    std::vector<std::string> asked, known;
    for (const std::string &dim : dimNames(kernel))
      if (auto value = options.values.find(dim); value != options.values.end())
        asked.push_back(dim + "=" + value->second);
    for (llvm::StringRef word : llvm::split(llvm::StringRef(space.sizes), ' ')) {
      auto [name, value] = word.rsplit('=');
      auto given = options.values.find(name.str());
      if (!word.empty() && (given == options.values.end() || given->second != value))
        known.push_back(word.str());
    }
    std::string text = asked.empty() ? "this launch" : "`" + llvm::join(asked, " ") + "`";
    return known.empty() ? text : text + " (as `" + llvm::join(known, " ") + "` by its key)";
  }

  /// What makes `prune`, which is true of all of `settings`, leave one of them.
  std::string helpForAll(const std::vector<Settings> &settings) const {
    auto textOf = [&](const ast::Expr &expr) { return std::string(session.sources.text(expr.range)); };
    std::vector<const ast::Expr *> terms;
    addTerms(*autotune.prune, terms);
    DiagnosticEngine engine; // a term may have no value where those before it are true
    auto texts = evaluateForEach(module, session.sources, engine, session.context, options, settings, terms);
    for (size_t i = 0; texts && i < terms.size(); ++i) {
      if (llvm::any_of(*texts, [&](const auto &values) { return values[i] != "true"; }))
        continue;
      auto *compared = ast::dynCast<ast::Binary>(terms[i]);
      auto *name =
          compared && compared->op == ast::BinaryOp::Greater ? ast::dynCast<ast::Name>(compared->lhs) : nullptr;
      if (std::optional<uint64_t> least = name ? leastOf(name->text, settings) : std::nullopt)
        return "write `" + name->text + " > max(" + std::to_string(*least) + ", " + textOf(*compared->rhs) +
               ")`, so that the smallest always stays";
      return "`" + textOf(*terms[i]) + "` is true of them all; loosen it, so that the smallest always stays";
    }
    return "loosen it, so that the smallest always stays";
  }

  static void addTerms(const ast::Expr &condition, std::vector<const ast::Expr *> &terms) {
    auto *either = ast::dynCast<ast::Binary>(&condition);
    if (!either || either->op != ast::BinaryOp::LogicalOr)
      return terms.push_back(&condition);
    addTerms(*either->lhs, terms);
    addTerms(*either->rhs, terms);
  }

  /// The least of the numbers that `settings` give `name`; none where one gives no number.
  static std::optional<uint64_t> leastOf(const std::string &name, const std::vector<Settings> &settings) {
    std::optional<uint64_t> least;
    for (const Settings &each : settings) {
      auto set = each.find(name);
      auto *number = set == each.end() ? nullptr : ast::dynCast<ast::IntLiteral>(set->second);
      if (!number)
        return std::nullopt;
      least = std::min(least.value_or(number->value), number->value);
    }
    return least;
  }

  /// The key of the launch.
  bool readSizes(Space &space, const Configuration &first) {
    IrgenOptions bucketed = withConfiguration(options, first);
    auto evaluate = [&](const std::vector<const ast::Expr *> &asked) {
      return evaluateFor(module, session.sources, session.engine, session.context, bucketed, asked);
    };
    std::vector<const ast::Expr *> buckets;
    for (const AutotuneBucket &bucket : autotune.buckets)
      buckets.push_back(bucket.value);
    auto sizes = evaluate(buckets);
    if (!sizes)
      return false;
    for (auto [bucket, size] : llvm::zip_equal(autotune.buckets, *sizes))
      if (!bucket.dim.empty())
        bucketed.values[bucket.dim] = size;
    std::vector<const ast::Expr *> listed;
    for (const AutotuneKey &each : autotune.key)
      if (each.value)
        listed.push_back(each.value);
    auto values = evaluate(listed);
    if (!values)
      return false;
    auto next = values->begin();
    for (const AutotuneKey &each : autotune.key) {
      std::string name = each.dim, value;
      if (each.value) {
        name = session.sources.text(each.value->range);
        value = *next++;
        if (int64_t number = 0;
            value != "true" && value != "false" && llvm::StringRef(value).getAsInteger(10, number)) {
          session.engine.report(Code::E0412, each.value->range,
                                "`" + name + "` of `key` is `" + value + "`; expected an integer or a bool");
          return false;
        }
        llvm::erase(name, ' ');
      } else if (auto known = bucketed.values.find(name); known != bucketed.values.end()) {
        value = known->second;
      } else {
        continue;
      }
      space.sizes += (space.sizes.empty() ? "" : " ") + name + "=" + value;
    }
    return true;
  }

  std::string hashOf(const std::vector<Configuration> &configurations) const {
    std::string text;
    auto add = [&](const std::string &name, const std::string &value) {
      text += name;
      text += '=';
      text += value;
      text += '\n';
    };
    for (const auto &[name, value] : options.values) {
      bool isCompiled = llvm::StringRef(name).starts_with("has(") || findKnob(name);
      for (const ast::GenericParameter &generic : kernel.generics)
        isCompiled |= generic.name.text == name;
      if (isCompiled)
        add(name, value);
    }
    for (const Configuration &configuration : configurations) {
      text += '\n';
      for (const auto &[name, value] : configuration.values)
        add(name, value);
    }
    auto hash = llvm::xxh3_128bits(llvm::ArrayRef(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
    return llvm::utohexstr(hash.high64, /*LowerCase=*/true, 16) + llvm::utohexstr(hash.low64, /*LowerCase=*/true, 16);
  }

  Session &session;
  const ast::Module &module;
  const ast::KernelItem &kernel;
  IrgenOptions options;
  Autotune autotune;
};

} // namespace

std::optional<Space> readSpace(Session &session, const ast::Module &module, const ast::KernelItem &kernel,
                               IrgenOptions options) {
  return SpaceReader(session, module, kernel, std::move(options)).read();
}

} // namespace tile
