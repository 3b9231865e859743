#include "frontend/irgen/Type.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

Type Type::of(Kind kind) {
  Type type;
  type.kind = kind;
  return type;
}

Type Type::tile(Element element, std::vector<Dim> shape) {
  Type type = of(Kind::Tile);
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

Type Type::tuple(std::vector<Type> members) {
  Type type = of(Kind::Tuple);
  type.members = std::move(members);
  return type;
}

std::vector<int64_t> Type::sizes() const {
  std::vector<int64_t> result;
  for (const Dim &dim : shape)
    result.push_back(dim.value);
  return result;
}

std::string irgen::nameOf(Element element) {
  std::string name(nameOf(element.scalar));
  return element.isPointer ? "ptr<" + name + ">" : name;
}

template <typename Range, typename Print> static std::string list(const Range &range, Print print) {
  std::string text;
  for (const auto &item : range)
    text += (text.empty() ? "" : ", ") + print(item);
  return text;
}

std::string Type::text() const {
  switch (kind) {
  case Kind::Error:
    return "<error>";
  case Kind::Tile:
    if (shape.empty())
      return nameOf(element);
    return "tile<" + nameOf(element) + ">[" + list(shape, [](const Dim &d) { return std::to_string(d.value); }) + "]";
  case Kind::View:
    return std::string(isStrided ? "strided " : "") + "tensor<" + nameOf(element) + ">[" +
           list(extents, [](const std::optional<Dim> &d) { return d ? std::to_string(d->value) : "_"; }) + "]";
  case Kind::Tuple:
    return "(" + list(members, [](const Type &member) { return member.text(); }) + (members.size() == 1 ? ",)" : ")");
  case Kind::Int:
    return "int";
  case Kind::Float:
    return "float";
  case Kind::String:
    return "string";
  case Kind::Type:
    return "type";
  case Kind::Fn:
    return "fn";
  }
  return "";
}

mlir::Type irgen::mlirTypeOf(Element element, mlir::MLIRContext *context) {
  mlir::Type scalar = mlirTypeOf(element.scalar, context);
  return element.isPointer ? PtrType::get(context, scalar) : scalar;
}

mlir::Type irgen::mlirTypeOf(const Type &type, mlir::MLIRContext *context) {
  mlir::Type element = mlirTypeOf(type.element, context);
  if (!type.isView())
    return tileOf(type.sizes(), element);
  llvm::SmallVector<int64_t> shape;
  for (const std::optional<Dim> &extent : type.extents)
    shape.push_back(extent ? extent->value : mlir::ShapedType::kDynamic);
  return ViewType::get(context, shape, element, type.isStrided, type.isConstant);
}

bool irgen::isSameType(const Type &lhs, const Type &rhs) {
  if (lhs.kind != rhs.kind)
    return false;
  switch (lhs.kind) {
  case Type::Kind::Tile:
    return lhs.element == rhs.element && lhs.sizes() == rhs.sizes();
  case Type::Kind::View: {
    auto isSame = [](const std::optional<Dim> &l, const std::optional<Dim> &r) {
      return l.has_value() == r.has_value() && (!l || l->value == r->value);
    };
    return lhs.element == rhs.element && lhs.isStrided == rhs.isStrided && lhs.isConstant == rhs.isConstant &&
           std::equal(lhs.extents.begin(), lhs.extents.end(), rhs.extents.begin(), rhs.extents.end(), isSame);
  }
  case Type::Kind::Tuple:
    return std::equal(lhs.members.begin(), lhs.members.end(), rhs.members.begin(), rhs.members.end(), isSameType);
  default:
    return true;
  }
}
