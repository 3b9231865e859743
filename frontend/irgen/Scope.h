/// Names and what they stand for. A scope is one block, function or file; an inner name hides an outer one.
#ifndef FRONTEND_IRGEN_SCOPE_H
#define FRONTEND_IRGEN_SCOPE_H

#include "frontend/irgen/Value.h"

#include "llvm/ADT/StringMap.h"

namespace tile::irgen {

struct Binding {
  enum class Kind { Let, Var, LoopVariable, Parameter, CompileTimeParameter, Dim };
  Kind kind = Kind::Let;
  Value value;
  SourceRange range; // where it is declared
  /// Of a var: the type that every assignment must have.
  Type type;
  /// Declared in a `static if` branch that was not taken: the condition. Such a name has no value.
  std::optional<SourceRange> notTaken;
  /// A var of a function around this one, captured by value.
  bool isCaptured = false;
  /// Of a name that stands alone on the left of a `let` or `var`.
  const ast::LetStmt *declaration = nullptr;
};

class Scope {
public:
  explicit Scope(std::shared_ptr<Scope> parent = nullptr, const LoadedModule *module = nullptr)
      : parent(std::move(parent)), module(module) {}

  /// Adds a name, or replaces it in this very scope.
  Binding &declare(llvm::StringRef name, Binding binding) {
    auto &slot = names[name];
    slot = std::make_shared<Binding>(std::move(binding));
    return *slot;
  }
  /// The binding in the nearest scope that has one, or null; of a file, only what is no item.
  std::shared_ptr<Binding> find(llvm::StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->parent.get())
      if (auto it = scope->names.find(name); it != scope->names.end())
        return it->second;
    return nullptr;
  }
  std::shared_ptr<Binding> findHere(llvm::StringRef name) const { return names.lookup(name); }

  /// The file whose items are visible here.
  const LoadedModule *file() const {
    const Scope *scope = this;
    while (!scope->module && scope->parent)
      scope = scope->parent.get();
    return scope->module;
  }

  /// A scope with today's values of every name visible here, none of which can be assigned.
  std::shared_ptr<Scope> capture() const;

  /// Every name visible here, for suggestions.
  void collectNames(std::vector<std::string_view> &result) const {
    for (const Scope *scope = this; scope; scope = scope->parent.get())
      for (const auto &entry : scope->names)
        result.push_back(entry.getKey());
  }

private:
  std::shared_ptr<Scope> parent;
  const LoadedModule *module;
  llvm::StringMap<std::shared_ptr<Binding>> names;
};

inline std::shared_ptr<Scope> Scope::capture() const {
  auto result = std::make_shared<Scope>(nullptr, file());
  for (const Scope *scope = this; scope; scope = scope->parent.get())
    for (const auto &entry : scope->names)
      if (!result->names.count(entry.getKey())) {
        Binding copy = *entry.second;
        copy.isCaptured = copy.isCaptured || copy.kind == Binding::Kind::Var;
        result->declare(entry.getKey(), std::move(copy));
      }
  return result;
}

} // namespace tile::irgen

#endif
