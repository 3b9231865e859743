// Kernels of a text or of an example, for the tests of a search.
#ifndef TEST_UNIT_RUNTIME_SEARCH_SEARCHING_H
#define TEST_UNIT_RUNTIME_SEARCH_SEARCHING_H

#include "runtime/search/Ranking.h"

#include <sstream>

namespace tile::test {

struct Searched {
  /// Of the only kernel of a text; with `values` and `scalars` as arguments give them.
  explicit Searched(const std::string &text, std::map<std::string, std::string> values = {},
                    std::map<std::string, std::string> scalars = {})
      : Searched() {
    open(session.sources.add("t.tile", text), std::move(values));
    options.scalarTexts = std::move(scalars);
  }
  /// Of `examples/<name>.tile`.
  static std::unique_ptr<Searched> example(const std::string &name, std::map<std::string, std::string> values) {
    std::unique_ptr<Searched> searched(new Searched());
    searched->open(*searched->session.read(TILE_EXAMPLES_DIR "/" + name + ".tile"), std::move(values));
    return searched;
  }

  std::optional<Space> space() { return readSpace(session, *module, *kernel, options); }

  Estimate estimate(const Configuration &configuration = {}, std::optional<int64_t> numSms = std::nullopt) {
    options.numSms = numSms;
    return estimateConfiguration(session, *module, *kernel, options, configuration, *findTarget("sm_90a"));
  }

  std::optional<std::vector<RankedConfiguration>> rank(const Space &space) {
    return rankConfigurations(session, *module, *kernel, options, space, *findTarget("sm_90a"));
  }

  std::string errors() {
    std::ostringstream out;
    session.render(out, DiagnosticFormat::Text);
    return out.str();
  }

  Session session;
  std::unique_ptr<ast::Module> module;
  const ast::KernelItem *kernel = nullptr;
  IrgenOptions options;

private:
  Searched() = default;
  void open(FileId file, std::map<std::string, std::string> values) {
    module = session.parse(file);
    for (const ast::ItemPtr &item : module->items)
      if (auto *found = ast::dynCast<ast::KernelItem>(item))
        kernel = found;
    options.values = std::move(values);
  }
};

} // namespace tile::test

#endif
