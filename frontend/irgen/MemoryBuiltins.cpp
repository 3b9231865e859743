/// Builtins that touch memory: accesses through raw pointers, atomics, `inside`, and views made of a pointer.
#include "frontend/irgen/Builtins.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;

/// `pointer` as SSA, or none if reported.
static std::optional<Operand> pointerOperand(Evaluator &evaluator, const Builtin &self, const Operand &operand) {
  if (operand.value.isTile() && operand.value.type().element.isPointer)
    return operand;
  if (!operand.value.isError()) {
    DiagnosticBuilder diagnostic =
        evaluator.report(Code::E0206, operand.range,
                         "pointer of " + quote(self.name) + " is " + operand.value.describe() +
                             "; expected ptr<…> or a tile of pointers");
    if (operand.value.isView())
      diagnostic.help(self.name == "store"
                          ? "a tensor is written by indexing it: " + quote(evaluator.text(operand.range) + "[…] = …")
                          : "a tensor is read by indexing it: " + quote(evaluator.text(operand.range) + "[…]"));
  }
  return std::nullopt;
}

/// `store(y[i :+ B], v)`: whether the pointer is an access of a tensor, which is reported with the plain form; else the
/// arguments are evaluated.
static bool reportAccessForPointer(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  const ast::Expr *first = arguments.arguments.empty() ? nullptr : arguments.arguments.front().syntax;
  auto *access = ast::dynCast<ast::Index>(first);
  auto *tensor = access ? ast::dynCast<ast::Name>(access->base) : nullptr;
  if (!tensor || !evaluator.evaluateBase(*tensor).value.isView()) {
    evaluator.evaluateArguments(arguments);
    return false;
  }
  DiagnosticBuilder diagnostic = evaluator.report(Code::E0206, first->range,
                                                  "pointer of " + quote(self.name) + " is an access of the tensor " +
                                                      quote(tensor->text) + "; expected ptr<…> or a tile of pointers");
  bool isStore = self.name == "store";
  std::string plain = evaluator.text(first->range);
  if (arguments.arguments.size() == (isStore ? 2 : 1))
    diagnostic.replace(arguments.range,
                       isStore ? plain + " = " + evaluator.text(arguments.arguments[1].syntax->range) : plain,
                       "write ");
  else
    diagnostic.help("an access needs no mask, for it has bounds: " + quote(isStore ? plain + " = …" : plain));
  return true;
}

/// A mask or value in the shape of the pointers; scalars are repeated. Null if reported.
static mlir::Value inShape(Evaluator &evaluator, const Operand &operand, Scalar scalar, const std::vector<Dim> &shape,
                           const std::string &what) {
  Value value = evaluator.coerceScalar(operand, scalar, what);
  if (value.isError())
    return {};
  Operand target{Value(mlir::Value(), Type::tile({scalar}, shape)), operand.range};
  std::optional<std::vector<Dim>> common =
      evaluator.broadcastShapes({value, operand.range}, target, operand.range, what + " and the pointer");
  if (!common)
    return {};
  if (common->size() != shape.size()) {
    evaluator.report(Code::E0201, operand.range,
                     what + " is " + operand.value.describe() + "; expected a scalar, as the pointer is one");
    return {};
  }
  return evaluator.broadcast(value.ssa(), value.type(), shape, evaluator.at(operand.range));
}

namespace {
/// What is written, and where: the value and the mask in the shape of the place. No value if reported.
struct Written {
  mlir::Value value, mask;
  explicit operator bool() const { return bool(value); }
};
} // namespace

static Written inShape(Evaluator &evaluator, const Operand &value, const std::optional<Operand> &mask, Scalar scalar,
                       const std::vector<Dim> &shape) {
  Written written{inShape(evaluator, value, scalar, shape, "the value"), {}};
  if (written && mask && !(written.mask = inShape(evaluator, *mask, Scalar::Bool, shape, "the mask")))
    return {};
  return written;
}

/// The access that a builtin takes in place of a value; it has no options. None if reported.
static std::optional<Evaluator::Access> plainAccess(Evaluator &evaluator, const ast::Expr &place, const Builtin &self) {
  std::optional<Evaluator::Access> access = evaluator.evaluateAccess(place, quote(self.name));
  if (!access || access->syntax->options.empty())
    return access;
  evaluator.report(Code::E0900, access->syntax->options.front().range,
                   "options of this access are not supported by this version");
  return std::nullopt;
}

/// `load(p, mask = m, other = v)`.
static Value callLoad(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  if (reportAccessForPointer(evaluator, self, arguments))
    return {};
  BuiltinArguments bound(evaluator, self, arguments, {"pointer", "mask", "other"}, 1, 1);
  if (!bound.isValid())
    return {};
  std::optional<Operand> pointer = pointerOperand(evaluator, self, bound.operand("pointer"));
  if (!pointer)
    return {};
  Type type = pointer->value.type();
  Scalar scalar = type.element.scalar;
  mlir::Value mask, other;
  if (bound.get("mask") && !(mask = inShape(evaluator, bound.operand("mask"), Scalar::Bool, type.shape, "the mask")))
    return {};
  if (bound.get("other") && !(other = inShape(evaluator, bound.operand("other"), scalar, type.shape, "`other`")))
    return {};
  Type result = Type::tile({scalar}, type.shape);
  auto op = LoadPtrOp::create(evaluator.builder, evaluator.at(arguments.range), evaluator.mlirType(result),
                              pointer->value.ssa(), mask, other);
  return Value(op.getResult(), result);
}

/// `store(p, value, mask = m)`.
static Value callStore(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  if (reportAccessForPointer(evaluator, self, arguments))
    return {};
  BuiltinArguments bound(evaluator, self, arguments, {"pointer", "value", "mask"}, 2, 2);
  if (!bound.isValid())
    return {};
  std::optional<Operand> pointer = pointerOperand(evaluator, self, bound.operand("pointer"));
  if (!pointer)
    return {};
  Type type = pointer->value.type();
  std::optional<Operand> mask;
  if (bound.get("mask"))
    mask = bound.operand("mask");
  Written written = inShape(evaluator, bound.operand("value"), mask, type.element.scalar, type.shape);
  if (!written)
    return {};
  StorePtrOp::create(evaluator.builder, evaluator.at(arguments.range), written.value, pointer->value.ssa(),
                     written.mask);
  return Value::unit();
}

/// Whether there are atomics on `scalar`; reported otherwise.
static bool hasAtomics(Evaluator &evaluator, const Builtin &self, Scalar scalar, SourceRange range) {
  if (!isFloat8(scalar))
    return true;
  evaluator.report(Code::E0203, range,
                   quote(self.name) + " is not defined for " + std::string(nameOf(scalar)) +
                       "; expected integers or floats of at least 16 bits");
  return false;
}

/// `atomic_add(a[…], v, mask = m)`, `atomic_add(p, v, mask = m)`: gives what was there.
static Value callAtomicAdd(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"place", "value", "mask"}, 2, 2);
  if (!bound.isValid())
    return {};
  const ast::Expr &place = *bound.get("place")->syntax;
  Operand operand = evaluator.operand(*bound.get("value")->syntax);
  std::optional<Operand> mask;
  if (auto *given = bound.get("mask"))
    mask = evaluator.operand(*given->syntax);
  if (operand.value.isError() || (mask && mask->value.isError()))
    return {};
  mlir::Location location = evaluator.at(arguments.range);
  if (!ast::dynCast<ast::Index>(&place)) {
    std::optional<Operand> pointer = pointerOperand(evaluator, self, evaluator.operand(place));
    if (!pointer)
      return {};
    Type type = pointer->value.type();
    if (!hasAtomics(evaluator, self, type.element.scalar, place.range))
      return {};
    Written written = inShape(evaluator, operand, mask, type.element.scalar, type.shape);
    if (!written)
      return {};
    auto op = AtomicPtrOp::create(evaluator.builder, location, written.value.getType(), AtomicKind::Add, written.value,
                                  pointer->value.ssa(), written.mask);
    return Value(op.getResult(), Type::tile({type.element.scalar}, type.shape));
  }
  std::optional<Evaluator::Access> access = plainAccess(evaluator, place, self);
  if (!access)
    return {};
  if (!access->viewType.isWritable || !access->viewType.isReadable)
    return evaluator.fail(Code::E0214, place.range,
                          quote(evaluator.text(place.range)) +
                              " is not of an `inout` tensor; `atomic_add` reads and writes it");
  Scalar scalar = access->viewType.element.scalar;
  if (!hasAtomics(evaluator, self, scalar, place.range))
    return {};
  Written written = inShape(evaluator, operand, mask, scalar, access->shape);
  if (!written)
    return {};
  auto op = AtomicOp::create(evaluator.builder, location, written.value.getType(), AtomicKind::Add, written.value,
                             access->view, access->indices, access->sizes, access->isUnchecked, written.mask);
  return Value(op.getResult(), Type::tile({scalar}, access->shape));
}

/// `inside(a[…])`: which lanes are in bounds.
static Value callInside(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"access"}, 1, 1);
  if (!bound.isValid())
    return {};
  std::optional<Evaluator::Access> access = plainAccess(evaluator, *bound.get("access")->syntax, self);
  if (!access)
    return {};
  Type result = Type::tile({Scalar::Bool}, access->shape);
  auto op = InsideOp::create(evaluator.builder, evaluator.at(arguments.range), evaluator.mlirType(result), access->view,
                             access->indices, access->sizes, access->isUnchecked);
  return Value(op.getResult(), result);
}

/// `tensor<T>(p, [m, k], [ld, 1])`: a view of what a pointer points to.
static Value callTensor(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"pointer", "extents", "strides"}, 3, 3);
  if (!bound.isValid())
    return {};
  std::optional<Operand> pointer = pointerOperand(evaluator, self, bound.operand("pointer"));
  if (!pointer)
    return {};
  if (!pointer->value.type().shape.empty())
    return evaluator.fail(Code::E0206, pointer->range,
                          "pointer of `tensor` is " + pointer->value.describe() + "; expected one pointer");
  Type type = Type::of(Type::Kind::View);
  type.element = {pointer->value.type().element.scalar};
  type.isWritable = true;
  if (!arguments.generics.empty()) {
    std::optional<Scalar> scalar = evaluator.evaluateScalarType(arguments.generics.front().operand);
    if (!scalar)
      return {};
    if (*scalar != type.element.scalar)
      return evaluator.fail(Code::E0206, pointer->range,
                            "pointer of `tensor` is " + pointer->value.describe() + "; expected ptr<" +
                                std::string(nameOf(*scalar)) + ">");
  }
  llvm::SmallVector<mlir::OpFoldResult> lists[2];
  for (auto [i, name] : {std::pair(0, "extents"), std::pair(1, "strides")}) {
    Operand list = bound.operand(name);
    const TupleValue *tuple = list.value.asTuple();
    if (!tuple)
      return evaluator.fail(Code::E0206, list.range,
                            "the " + std::string(name) + " are " + list.value.describe() +
                                "; expected a list `[a, b]`");
    for (const Value &element : tuple->elements) {
      if (auto *constant = element.as<IntConstant>()) {
        lists[i].push_back(evaluator.builder.getIndexAttr(static_cast<int64_t>(constant->value)));
        if (i == 0)
          type.extents.push_back(Dim{static_cast<int64_t>(constant->value), constant->symbol});
        continue;
      }
      mlir::Value number = evaluator.toIndex({element, list.range}, "one of the " + std::string(name));
      if (!number)
        return {};
      lists[i].push_back(number);
      if (i == 0)
        type.extents.push_back(std::nullopt);
    }
  }
  if (lists[0].size() != lists[1].size())
    return evaluator.fail(Code::E0211, arguments.range,
                          "`tensor` has " + std::to_string(lists[0].size()) + " extents and " +
                              std::to_string(lists[1].size()) + " strides; expected one stride an extent");
  type.isStrided = !lists[1].empty() && mlir::getConstantIntValue(lists[1].back()) != 1;
  auto op = MakeViewOp::create(evaluator.builder, evaluator.at(arguments.range), evaluator.mlirType(type),
                               pointer->value.ssa(), lists[0], lists[1]);
  return Value(op.getResult(), type);
}

llvm::ArrayRef<Builtin> irgen::memoryBuiltins() {
  static const Builtin rows[] = {
      builtinRow("atomic_add", callAtomicAdd, /*takesSyntax=*/true),
      builtinRow("inside", callInside, /*takesSyntax=*/true),
      builtinRow("load", callLoad, /*takesSyntax=*/true),
      builtinRow("store", callStore, /*takesSyntax=*/true),
      builtinRow("tensor", callTensor),
  };
  return rows;
}
