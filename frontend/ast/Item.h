// What stands at the top level of a file.
#ifndef FRONTEND_AST_ITEM_H
#define FRONTEND_AST_ITEM_H

#include "frontend/ast/Stmt.h"

namespace tile::ast {

enum class ItemKind { Import, Const, Struct, Fn, Kernel, Spec, StaticAssert };

struct Item {
  const ItemKind kind;
  SourceRange range; // without documentation
  std::string doc;   // text of the `///` lines above, one per line, without the slashes
  std::vector<Decorator> decorators;

  virtual ~Item() = default;

protected:
  Item(ItemKind kind, SourceRange range) : kind(kind), range(range) {}
};
using ItemPtr = std::unique_ptr<Item>;
template <ItemKind kind> using ItemNode = NodeOf<Item, ItemKind, kind>;

/// A compile-time parameter: `BM: int = 128`, `T: type = bf16`, `F: fn(f32) -> f32 = identity`.
struct GenericParameter {
  Identifier name;
  ExprPtr type;         // or null
  ExprPtr defaultValue; // or null
  SourceRange range;
};

/// A run-time parameter of a function or kernel.
struct Parameter {
  enum class Mode { In, Out, InOut, Scratch };
  Mode mode = Mode::In;
  bool isVolatile = false;
  Identifier name;
  ExprPtr type;            // null: generic
  bool isOptional = false; // `type?`
  ExprPtr defaultValue;    // or null; for Scratch the value it is filled with
  SourceRange range;
};

/// `import std`, `import "path.tile" as p`.
struct ImportItem : ItemNode<ItemKind::Import> {
  using NodeOf::NodeOf;
  std::string path;
  bool isQuoted = false; // a file, not a library
  SourceRange pathRange;
  std::optional<Identifier> alias;
};

/// `const NAME: type = value`.
struct ConstItem : ItemNode<ItemKind::Const> {
  using NodeOf::NodeOf;
  Identifier name;
  ExprPtr type; // or null
  ExprPtr value;
};

struct StructItem : ItemNode<ItemKind::Struct> {
  using NodeOf::NodeOf;
  struct Field {
    Identifier name;
    ExprPtr type;
    ExprPtr defaultValue; // or null
  };
  Identifier name;
  std::vector<GenericParameter> generics;
  std::vector<Field> fields;
};

/// `fn name<generics>(parameters) -> result { body }`.
struct FnDecl : ItemNode<ItemKind::Fn> {
  using NodeOf::NodeOf;
  Identifier name;
  std::vector<GenericParameter> generics;
  std::vector<Parameter> parameters;
  ExprPtr result; // null: inferred
  Block body;
};

struct KernelItem : ItemNode<ItemKind::Kernel> {
  using NodeOf::NodeOf;
  /// `alias(x, y)`: these parameters may share memory.
  struct Alias {
    std::vector<Identifier> names;
    SourceRange range;
  };
  Identifier name;
  std::vector<GenericParameter> generics;
  std::vector<Parameter> parameters;
  std::vector<ExprPtr> grid; // empty: no `grid`
  SourceRange gridRange;
  bool isResident = false;
  std::vector<ExprPtr> where;
  std::vector<ExprPtr> specialize;
  std::vector<Alias> aliases;
  Block body;
};

/// `spec name { }`: what kernel `name` means.
struct SpecItem : ItemNode<ItemKind::Spec> {
  using NodeOf::NodeOf;
  Identifier name;
  Block body;
};

/// `static_assert(condition, "message")` between items.
struct StaticAssertItem : ItemNode<ItemKind::StaticAssert> {
  using NodeOf::NodeOf;
  ExprPtr condition;
  ExprPtr message; // or null
};

/// A file.
struct Module {
  FileId file;
  std::vector<ItemPtr> items;
};

} // namespace tile::ast

#endif // FRONTEND_AST_ITEM_H
