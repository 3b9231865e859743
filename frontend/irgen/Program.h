/// The files of a compilation: the root, what it imports, and the standard library.
#ifndef FRONTEND_IRGEN_PROGRAM_H
#define FRONTEND_IRGEN_PROGRAM_H

#include "frontend/diagnostic/Diagnostic.h"
#include "frontend/irgen/Scope.h"

#include "llvm/ADT/StringSet.h"

namespace tile::irgen {

/// A file and the items it declares.
struct LoadedModule {
  const ast::Module *syntax = nullptr;
  std::string name;
  std::shared_ptr<Scope> scope; // of the file; its parent is none
  llvm::StringMap<const ast::Item *> items;
  llvm::StringMap<const LoadedModule *> imports; // by alias
  const LoadedModule *standard = nullptr;        // set by `import std`
  /// Values of consts, computed on first use; present without a value while being computed.
  mutable llvm::StringMap<std::optional<Value>> constants;

  /// The item of that name, here or in the imported standard library; `owner` is where it was found.
  const ast::Item *find(llvm::StringRef name, const LoadedModule *&owner) const;
};

class Program {
public:
  Program(SourceManager &sources, DiagnosticEngine &engine, std::vector<std::string> includeDirectories)
      : sources(sources), engine(engine), includeDirectories(std::move(includeDirectories)) {}

  /// Indexes `root` and loads what it imports. Faults are reported; the module is usable all the same.
  const LoadedModule *load(const ast::Module &root);
  /// The standard library, whether imported or not.
  const LoadedModule *standardLibrary();
  /// Parses `text`, which the command line gives, as an expression; messages show it after `lead`, as in `-D N=4`. Null
  /// if reported.
  const ast::Expr *parseExpression(const std::string &lead, const std::string &text);

private:
  const LoadedModule *index(const ast::Module &syntax);
  const LoadedModule *import(const ast::ImportItem &item, const LoadedModule &importer);
  const LoadedModule *loadFile(const std::string &path, const ast::ImportItem &item);

  SourceManager &sources;
  DiagnosticEngine &engine;
  std::vector<std::string> includeDirectories;
  std::vector<std::unique_ptr<ast::Module>> parsed;
  std::map<std::string, std::unique_ptr<LoadedModule>> modules; // by path
  std::vector<std::string> loading;                             // the chain of imports being followed
  const LoadedModule *standard = nullptr;
};

} // namespace tile::irgen

#endif
