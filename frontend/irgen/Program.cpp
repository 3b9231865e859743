#include "frontend/irgen/Program.h"

#include "frontend/parse/Parse.h"
#include "frontend/std/Std.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace tile;
using namespace tile::irgen;

const ast::Item *LoadedModule::find(llvm::StringRef name, const LoadedModule *&owner) const {
  owner = this;
  if (const ast::Item *item = items.lookup(name))
    return item;
  owner = standard;
  return standard ? standard->items.lookup(name) : nullptr;
}

/// What the item declares, or null: imports, specs and assertions name nothing.
static const ast::Identifier *declaredName(const ast::Item &item) {
  if (auto *constant = ast::dynCast<ast::ConstItem>(&item))
    return &constant->name;
  if (auto *function = ast::dynCast<ast::FnDecl>(&item))
    return &function->name;
  if (auto *kernel = ast::dynCast<ast::KernelItem>(&item))
    return &kernel->name;
  if (auto *structure = ast::dynCast<ast::StructItem>(&item))
    return &structure->name;
  return nullptr;
}

const LoadedModule *Program::index(const ast::Module &syntax) {
  std::string name(sources.name(syntax.file));
  auto &slot = modules[name];
  slot = std::make_unique<LoadedModule>();
  LoadedModule &module = *slot;
  module.syntax = &syntax;
  module.name = name;
  module.scope = std::make_shared<Scope>(nullptr, &module);
  loading.push_back(name);
  for (const ast::ItemPtr &item : syntax.items) {
    if (item->kind != ast::ItemKind::Kernel && !item->decorators.empty())
      engine
          .report(Code::E0405, item->decorators.front().range,
                  "`@" + item->decorators.front().name.text + "` does not stand before a kernel")
          .secondary(item->range, "decorators are for kernels");
    if (auto *structure = ast::dynCast<ast::StructItem>(item.get()))
      engine.report(Code::E0900, structure->range, "`struct` is not supported by this version")
          .help("pass the fields as parameters, or a tuple");
    if (auto *imported = ast::dynCast<ast::ImportItem>(item.get())) {
      const LoadedModule *target = import(*imported, module);
      if (!imported->isQuoted)
        module.standard = target;
      if (imported->alias && target)
        module.imports[imported->alias->text] = target;
      continue;
    }
    const ast::Identifier *declared = declaredName(*item);
    if (!declared)
      continue;
    auto [it, isNew] = module.items.try_emplace(declared->text, item.get());
    if (!isNew)
      engine.report(Code::E0103, declared->range, "`" + declared->text + "` is declared twice")
          .secondary(declaredName(*it->second)->range, "first declared here");
  }
  loading.pop_back();
  return &module;
}

const LoadedModule *Program::load(const ast::Module &root) { return index(root); }

const LoadedModule *Program::standardLibrary() {
  if (standard)
    return standard;
  FileId file = sources.addOnce(std::string(kStandardLibrary), std::string(standardLibraryText()));
  ParseResult result = parse(sources, file, engine);
  parsed.push_back(std::move(result.module));
  return standard = index(*parsed.back());
}

const ast::Expr *Program::parseExpression(const std::string &lead, const std::string &text) {
  FileId file = sources.addOnce(std::string(kCommandLine), lead + text);
  ParseResult result = parseValue(sources, file, static_cast<uint32_t>(lead.size()), engine);
  parsed.push_back(std::move(result.module));
  if (result.hasErrors || parsed.back()->items.size() != 1)
    return nullptr;
  auto *item = ast::dynCast<ast::ConstItem>(parsed.back()->items.front().get());
  return item ? item->value.get() : nullptr;
}

const LoadedModule *Program::import(const ast::ImportItem &item, const LoadedModule &importer) {
  if (!item.isQuoted) {
    if (item.path == "std")
      return standardLibrary();
    engine.report(Code::E0500, item.pathRange, "unknown library `" + item.path + "`; expected `std`")
        .help("a file is imported by its quoted path: `import \"" + item.path + ".tile\" as " + item.path + "`");
    return nullptr;
  }
  if (!item.alias)
    engine.report(Code::E0502, item.range, "an imported file has no name; expected `as` and a name")
        .help("write `import \"" + item.path + "\" as m` and use its items as `m.item`");
  llvm::SmallString<128> beside(llvm::sys::path::parent_path(importer.name));
  llvm::sys::path::append(beside, item.path);
  std::vector<std::string> candidates = {std::string(beside)};
  for (const std::string &directory : includeDirectories) {
    llvm::SmallString<128> candidate(directory);
    llvm::sys::path::append(candidate, item.path);
    candidates.push_back(std::string(candidate));
  }
  for (const std::string &candidate : candidates)
    if (modules.count(candidate) || llvm::sys::fs::exists(candidate))
      return loadFile(candidate, item);
  DiagnosticBuilder diagnostic = engine.report(Code::E0501, item.pathRange, "no file `" + item.path + "`");
  for (const std::string &candidate : candidates)
    diagnostic.note("looked for " + candidate);
  return nullptr;
}

const LoadedModule *Program::loadFile(const std::string &path, const ast::ImportItem &item) {
  if (auto begin = llvm::find(loading, path); begin != loading.end()) {
    std::string cycle;
    for (auto it = begin; it != loading.end(); ++it)
      cycle += *it + " -> ";
    engine.report(Code::E0503, item.pathRange, "imports form a cycle: " + cycle + path);
    return nullptr;
  }
  if (auto known = modules.find(path); known != modules.end())
    return known->second.get();
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    engine.report(Code::E0501, item.pathRange, "cannot read `" + path + "`: " + buffer.getError().message());
    return nullptr;
  }
  FileId file = sources.addOnce(path, (*buffer)->getBuffer().str());
  ParseResult result = parse(sources, file, engine);
  parsed.push_back(std::move(result.module));
  return index(*parsed.back());
}
