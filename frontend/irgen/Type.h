/// Static types: what irgen knows of a value beyond its MLIR type, namely signedness, where extents come from and how a
/// tensor may be used.
#ifndef FRONTEND_IRGEN_TYPE_H
#define FRONTEND_IRGEN_TYPE_H

#include "frontend/irgen/Scalar.h"
#include "frontend/irgen/Symbolic.h"

#include <string>
#include <vector>

namespace tile::irgen {

/// A compile-time extent.
struct Dim {
  int64_t value = 0;
  Symbolic symbol;

  static Dim literal(int64_t value) { return {value, Symbolic(value)}; }
  /// Written as 1, not a parameter that happens to be 1: only such an extent broadcasts.
  bool isOne() const { return symbol.asConstant() == 1; }
};

struct Element {
  Scalar scalar = Scalar::F32;
  bool isPointer = false; // the address of a `scalar`

  bool operator==(const Element &other) const { return scalar == other.scalar && isPointer == other.isPointer; }
};

struct Type {
  enum class Kind {
    Error, // of a value that was reported; fits everywhere
    Tile,  // rank 0 is a scalar
    View,
    Tuple, // `()` is the type of nothing
    Int,   // the rest are kinds of compile-time values
    Float,
    String,
    Type,
    Fn,
  };
  Kind kind = Kind::Error;
  Element element;                         // Tile, View
  std::vector<Dim> shape;                  // Tile
  std::vector<std::optional<Dim>> extents; // View; none: known at run time only
  bool isStrided = false;                  // View, from here on
  bool isConstant = false;
  bool isReadable = true;
  bool isWritable = false;
  std::vector<Type> members; // Tuple

  static Type error() { return {}; }
  static Type unit() { return tuple({}); }
  static Type scalar(Scalar scalar) { return tile({scalar}, {}); }
  static Type tile(Element element, std::vector<Dim> shape);
  static Type tuple(std::vector<Type> members);
  static Type of(Kind kind);

  bool isError() const { return kind == Kind::Error; }
  bool isTile() const { return kind == Kind::Tile; }
  bool isScalar() const { return isTile() && shape.empty(); }
  bool isScalar(Scalar scalar) const { return isScalar() && element == Element{scalar}; }
  bool isView() const { return kind == Kind::View; }
  bool isUnit() const { return kind == Kind::Tuple && members.empty(); }
  std::vector<int64_t> sizes() const;

  /// As in source, extents by value: `tile<f32>[128, 64]`.
  std::string text() const;
};

std::string nameOf(Element element);

/// The MLIR type of a Tile or View.
mlir::Type mlirTypeOf(Element element, mlir::MLIRContext *context);
mlir::Type mlirTypeOf(const Type &type, mlir::MLIRContext *context);

/// Same kind, element and extents by value; where extents come from is not compared.
bool isSameType(const Type &lhs, const Type &rhs);

} // namespace tile::irgen

#endif
