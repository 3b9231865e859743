/// Builtins that make tiles, change their shape or select and multiply them.
#include "frontend/irgen/Builtins.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
namespace arith = mlir::arith;

//===-- Creation

/// What stands before a creation call: `<f32>[BM, BN]`.
struct CreationType {
  std::optional<Scalar> scalar;
  std::vector<Dim> shape;
};

static std::optional<CreationType> creationType(Evaluator &evaluator, const Builtin &self,
                                                const CallArguments &arguments, bool needsShape) {
  CreationType type;
  if (arguments.generics.size() > 1) {
    evaluator.report(Code::E0215, arguments.callee,
                     quote(self.name) + " has " + std::to_string(arguments.generics.size()) +
                         " generic arguments; expected one element type");
    return std::nullopt;
  }
  if (!arguments.generics.empty()) {
    type.scalar = evaluator.evaluateScalarType(arguments.generics.front().operand);
    if (!type.scalar)
      return std::nullopt;
  }
  if (needsShape && !arguments.shape) {
    evaluator.report(Code::E0215, arguments.callee,
                     quote(self.name) + " has no shape; expected " + quote(std::string(self.name) + "<type>[extents]"));
    return std::nullopt;
  }
  if (arguments.shape)
    for (const Operand &extent : *arguments.shape) {
      std::optional<Dim> dim = evaluator.toDim(extent, "an extent of a tile");
      if (!dim)
        return std::nullopt;
      type.shape.push_back(*dim);
    }
  return type;
}

/// `zeros<f32>[BM, BN]`, `ones<f32>[BM]`.
static Value callFilled(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {}, 0, 0);
  std::optional<CreationType> type = creationType(evaluator, self, arguments, /*needsShape=*/true);
  if (!bound.isValid() || !type)
    return {};
  Scalar scalar = type->scalar.value_or(evaluator.defaultFloat());
  mlir::Value value =
      evaluator.constant(scalar, type->shape, WideInt(self.name == "ones"), evaluator.at(arguments.range));
  return Value(value, Type::tile({scalar}, type->shape));
}

/// `full<f32>[BM](-inf)`.
static Value callFull(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"value"}, 1, 1);
  std::optional<CreationType> type = creationType(evaluator, self, arguments, /*needsShape=*/true);
  if (!bound.isValid() || !type)
    return {};
  Operand operand = bound.operand("value");
  if (!operand.value.type().isScalar() || operand.value.type().element.isPointer)
    return evaluator.fail(Code::E0206, operand.range,
                          "operand of `full` is " + operand.value.describe() + "; expected a scalar");
  Value value = type->scalar ? evaluator.coerceScalar(operand, *type->scalar, "operand of `full`")
                             : evaluator.materialize(operand.value, operand.range);
  if (value.isError())
    return {};
  mlir::Value tile = evaluator.broadcast(value.ssa(), value.type(), type->shape, evaluator.at(arguments.range));
  return Value(tile, Type::tile(value.type().element, type->shape));
}

/// `iota<i32>[BM]`: 0, 1, …
static Value callIota(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {}, 0, 0);
  std::optional<CreationType> type = creationType(evaluator, self, arguments, /*needsShape=*/true);
  if (!bound.isValid() || !type)
    return {};
  Scalar scalar = type->scalar.value_or(Scalar::I32);
  if (!isInteger(scalar))
    return evaluator.fail(Code::E0203, arguments.callee,
                          "`iota` is not defined for " + std::string(nameOf(scalar)) + "; expected integers");
  if (type->shape.size() != 1)
    return evaluator.fail(Code::E0201, arguments.callee,
                          "`iota` has rank " + std::to_string(type->shape.size()) + "; expected 1");
  Type result = Type::tile({scalar}, type->shape);
  return Value(IotaOp::create(evaluator.builder, evaluator.at(arguments.range), evaluator.mlirType(result)), result);
}

/// `like(x, v)`: a tile of x's type, filled with v.
static Value callLike(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"x", "value"}, 2, 2);
  if (!bound.isValid())
    return {};
  Operand x = bound.operand("x"), operand = bound.operand("value");
  if (!x.value.isTile() || x.value.type().element.isPointer || !operand.value.type().isScalar())
    return evaluator.fail(Code::E0206, arguments.range,
                          "operands of `like` are " + x.value.describe() + " and " + operand.value.describe() +
                              "; expected a tile and a scalar");
  Type type = x.value.type();
  Value value = evaluator.coerceScalar(operand, type.element.scalar, "the value of `like`");
  if (value.isError())
    return {};
  return Value(evaluator.broadcast(value.ssa(), value.type(), type.shape, evaluator.at(arguments.range)), type);
}

//===-- Shape

/// The tile argument of a shape function.
static std::optional<Operand> shapeOperand(Evaluator &evaluator, const Builtin &self, const BuiltinArguments &bound) {
  Operand x = bound.operand("x");
  if (x.value.isTile() && !x.value.type().shape.empty())
    return x;
  evaluator.report(Code::E0206, x.range,
                   "operand of " + quote(self.name) + " is " + x.value.describe() + "; expected a tile");
  return std::nullopt;
}

/// A list of compile-time extents: `[A, B]`.
static std::optional<std::vector<Dim>> dimList(Evaluator &evaluator, const Operand &operand, const std::string &what,
                                               int64_t least = 1) {
  const TupleValue *tuple = operand.value.asTuple();
  if (!tuple) {
    evaluator.report(Code::E0206, operand.range,
                     what + " is " + operand.value.describe() + "; expected a list `[a, b]`");
    return std::nullopt;
  }
  std::vector<Dim> dims;
  for (const Value &element : tuple->elements) {
    std::optional<Dim> dim = evaluator.toDim({element, operand.range}, "an element of " + what, least);
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

/// `x.reshape(8, 8)`: whether the numbers of `parameter` stand there one by one, which is reported.
static bool reportLooseList(Evaluator &evaluator, const Builtin &self, const CallArguments &arguments,
                            std::string_view parameter) {
  const std::vector<CallArguments::Argument> &all = arguments.arguments;
  if (all.size() < 3)
    return false;
  std::string list;
  for (const CallArguments::Argument &argument : llvm::drop_begin(all)) {
    if (!argument.name.empty() || !argument.operand.value.as<IntConstant>())
      return false;
    list += (list.empty() ? "" : ", ") + evaluator.text(argument.operand.range);
  }
  SourceRange range = all[1].operand.range;
  range.end = all.back().operand.range.end;
  evaluator
      .report(Code::E0215, range,
              std::string(parameter) + " of " + quote(self.name) + " is " + counted(all.size() - 1, "number") +
                  "; expected a list")
      .replace(range, "[" + list + "]", "write ");
  return true;
}

static Value permuted(Evaluator &evaluator, const Operand &x, llvm::ArrayRef<int32_t> order, SourceRange range) {
  Type type = x.value.type(), result = type;
  for (auto [i, from] : llvm::enumerate(order))
    result.shape[i] = type.shape[from];
  return Value(
      PermuteOp::create(evaluator.builder, evaluator.at(range), evaluator.mlirType(result), x.value.ssa(), order),
      result);
}

/// `x.T` swaps the last two dims.
static Value callTranspose(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  const Operand &x = arguments.arguments.front().operand;
  size_t rank = x.value.isTile() ? x.value.type().shape.size() : 0;
  if (rank < 2)
    return evaluator.fail(Code::E0206, x.range,
                          "operand of `.T` is " + x.value.describe() + "; expected a tile of rank 2 or more");
  llvm::SmallVector<int32_t> order;
  for (size_t i = 0; i < rank; ++i)
    order.push_back(static_cast<int32_t>(i));
  std::swap(order[rank - 1], order[rank - 2]);
  return permuted(evaluator, x, order, arguments.range);
}

/// `x.permute([1, 0, 2])`.
static Value callPermute(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  if (reportLooseList(evaluator, self, arguments, "the order"))
    return {};
  BuiltinArguments bound(evaluator, self, arguments, {"x", "order"}, 2, 2);
  if (!bound.isValid())
    return {};
  std::optional<Operand> x = shapeOperand(evaluator, self, bound);
  std::optional<std::vector<Dim>> dims = dimList(evaluator, bound.operand("order"), "the order", /*least=*/0);
  if (!x || !dims)
    return {};
  size_t rank = x->value.type().shape.size();
  llvm::SmallVector<int32_t> order;
  std::vector<bool> seen(rank, false);
  for (const Dim &dim : *dims) {
    bool isNew = dim.value < static_cast<int64_t>(rank) && !seen[dim.value];
    if (!isNew)
      break;
    seen[dim.value] = true;
    order.push_back(static_cast<int32_t>(dim.value));
  }
  if (order.size() != rank || dims->size() != rank)
    return evaluator.fail(Code::E0216, bound.operand("order").range,
                          "the order is no permutation of the " + std::to_string(rank) + " dims of " +
                              x->value.describe());
  return permuted(evaluator, *x, order, arguments.range);
}

/// The one element of a tile, which rank 0 is: no op but a reduction leaves a scalar. Its combiner never runs.
static Value soleElement(Evaluator &evaluator, const Operand &x, SourceRange range) {
  mlir::OpBuilder &b = evaluator.builder;
  mlir::Location location = evaluator.at(range);
  Scalar scalar = x.value.type().element.scalar, wide = arithmeticType(scalar);
  mlir::Value line = ReshapeOp::create(b, location, evaluator.mlirType(Type::tile({wide}, {Dim::literal(1)})),
                                       evaluator.convert(x.value.ssa(), scalar, wide, location));
  mlir::Type element = mlirTypeOf(wide, evaluator.context());
  auto op = ReduceOp::create(b, location, element, line, /*axis=*/0);
  {
    mlir::OpBuilder::InsertionGuard guard(b);
    mlir::Block *block = b.createBlock(&op.getCombiner(), {}, {element, element}, {location, location});
    YieldOp::create(b, location, block->getArgument(0));
  }
  return Value(evaluator.convert(op.getResult(0), wide, scalar, location, Emitter::Overflow::Infinite),
               Type::scalar(scalar));
}

/// `x.reshape([A, B])`.
static Value callReshape(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  if (reportLooseList(evaluator, self, arguments, "the shape"))
    return {};
  BuiltinArguments bound(evaluator, self, arguments, {"x", "shape"}, 2, 2);
  if (!bound.isValid())
    return {};
  std::optional<Operand> x = shapeOperand(evaluator, self, bound);
  std::optional<std::vector<Dim>> shape = dimList(evaluator, bound.operand("shape"), "the shape");
  if (!x || !shape)
    return {};
  auto product = [](const std::vector<Dim> &dims) {
    Dim total = Dim::literal(1);
    for (const Dim &dim : dims)
      total = {total.value * dim.value, total.symbol * dim.symbol};
    return total;
  };
  Dim from = product(x->value.type().shape), to = product(*shape);
  // A spec runs for the extents of one shape, and neither shape here is taken for the other.
  bool fits =
      evaluator.isSpec ? from.value == to.value : evaluator.Emitter::compare(from, to) == Emitter::Agreement::Same;
  if (!fits) {
    evaluator.reportExtents(Code::E0201, from, to, arguments.range, *x, *x,
                            x->value.describe() + " has " + std::to_string(from.value) +
                                " elements; the new shape has " + std::to_string(to.value));
    return {};
  }
  if (shape->empty() && x->value.type().element.isPointer)
    return evaluator.fail(Code::E0206, arguments.range,
                          "operand of `reshape` is " + x->value.describe() + "; expected a tile of numbers or bools");
  if (shape->empty())
    return soleElement(evaluator, *x, arguments.range);
  Type result = Type::tile(x->value.type().element, *shape);
  return Value(
      ReshapeOp::create(evaluator.builder, evaluator.at(arguments.range), evaluator.mlirType(result), x->value.ssa()),
      result);
}

/// `broadcast(x, [A, B])`: dims of extent 1 are repeated.
static Value callBroadcast(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  if (reportLooseList(evaluator, self, arguments, "the shape"))
    return {};
  BuiltinArguments bound(evaluator, self, arguments, {"x", "shape"}, 2, 2);
  if (!bound.isValid())
    return {};
  Value x = evaluator.materialize(bound.operand("x").value, bound.operand("x").range);
  std::optional<std::vector<Dim>> shape = dimList(evaluator, bound.operand("shape"), "the shape");
  if (x.isError() || !shape)
    return {};
  if (!x.isTile())
    return evaluator.fail(Code::E0206, arguments.range,
                          "operand of `broadcast` is " + x.describe() + "; expected a tile");
  Type result = Type::tile(x.type().element, *shape);
  Operand target{Value(mlir::Value(), result), arguments.range};
  std::optional<std::vector<Dim>> common = evaluator.broadcastShapes(
      {x, bound.operand("x").range}, target, arguments.range, "operand and result of `broadcast`");
  if (!common)
    return {};
  if (Type::tile(result.element, *common).sizes() != result.sizes())
    return evaluator.fail(Code::E0201, arguments.range, x.describe() + " does not broadcast to " + result.text());
  return Value(evaluator.broadcast(x.ssa(), x.type(), *shape, evaluator.at(arguments.range)), result);
}

//===-- Selection, products, bits

/// `where(c, a, b)`: a where c holds, else b.
static Value callWhere(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"condition", "a", "b"}, 3, 3);
  if (!bound.isValid())
    return {};
  Operand condition = bound.operand("condition"), a = bound.operand("a"), b = bound.operand("b");
  Type type = condition.value.type();
  if (!type.isTile() || !(type.element == Element{Scalar::Bool}))
    return evaluator.fail(Code::E0206, condition.range,
                          "condition of `where` is " + condition.value.describe() + "; expected bool");
  std::optional<Emitter::Unified> values = evaluator.unify({a, b}, arguments.range, "values of `where`");
  if (!values)
    return {};
  mlir::Location location = evaluator.at(arguments.range);
  Value chosen = evaluator.materialize(condition.value, condition.range);
  std::vector<Dim> shape = values->type.shape;
  mlir::Value selector = chosen.ssa();
  if (!type.shape.empty()) {
    Operand sides{Value(mlir::Value(), values->type), a.range};
    std::optional<std::vector<Dim>> common =
        evaluator.broadcastShapes(condition, sides, arguments.range, "operands of `where`");
    if (!common)
      return {};
    shape = *common;
    selector = evaluator.broadcast(selector, type, shape, location);
  }
  mlir::Value first = evaluator.broadcast(values->values[0], values->type, shape, location);
  mlir::Value second = evaluator.broadcast(values->values[1], values->type, shape, location);
  return Value(arith::SelectOp::create(evaluator.builder, location, selector, first, second),
               Type::tile(values->type.element, shape));
}

static bool isPrecision(std::string_view word) { return word == "ieee" || word == "tf32"; }

/// `dot(a, b, acc, 3)`: a fourth value, which is no precision, tells nothing of what was meant; reported if so.
static bool reportFourthValue(Evaluator &evaluator, const Builtin &self, const CallArguments &arguments) {
  size_t positional = 0;
  for (const CallArguments::Argument &argument : arguments.arguments) {
    if (!argument.name.empty() || ++positional <= 3)
      continue;
    auto *name = ast::dynCast<ast::Name>(argument.syntax);
    if (name && isPrecision(name->text))
      return false;
    evaluator
        .report(Code::E0215, argument.syntax->range,
                quote(self.name) + " is called with too many arguments; expected 3")
        .help("options are given by name: `precision = ieee`, `precision = tf32`, `promote = n`");
    return true;
  }
  return false;
}

/// `dot(a, b, acc, precision = tf32, promote = 128)`. The precision is a word, not a value.
static Value callDot(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  if (reportFourthValue(evaluator, self, arguments))
    return {};
  for (CallArguments::Argument &argument : arguments.arguments)
    if (argument.name != "precision")
      argument.operand = evaluator.operand(*argument.syntax);
  BuiltinArguments bound(evaluator, self, arguments, {"a", "b", "acc", "precision", "promote"}, 2, 3);
  if (!bound.isValid())
    return {};
  Emitter::DotOptions options;
  options.spelled = self.name;
  if (auto *promote = bound.get("promote")) {
    auto *constant = promote->operand.value.as<IntConstant>();
    if (promote->operand.value.isError())
      return {};
    if (!constant || constant->value < 1 || constant->value > INT32_MAX)
      return evaluator.fail(Code::E0215, promote->operand.range,
                            "`promote` is " + evaluator.spelledValue(promote->operand) +
                                "; expected a compile-time integer of at least 1");
    options.promote = static_cast<int64_t>(constant->value);
    options.promoteRange = promote->operand.range;
  }
  if (auto *precision = bound.get("precision")) {
    auto *name = ast::dynCast<ast::Name>(precision->syntax);
    if (!name || !isPrecision(name->text))
      return evaluator.fail(Code::E0215, precision->syntax->range,
                            "precision is " + quote(evaluator.text(precision->syntax->range)) +
                                "; expected `ieee` or `tf32`");
    options.isTf32 = name->text == "tf32";
    options.precision = precision->syntax->range;
  }
  std::optional<Operand> accumulator;
  if (bound.get("acc"))
    accumulator = bound.operand("acc");
  if (accumulator && accumulator->value.isError())
    return {};
  return evaluator.dot(bound.operand("a"), bound.operand("b"), accumulator, arguments.callee, options);
}

/// `bitcast<U>(x)`: the same bits read as a type of the same width.
static Value callBitcast(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"x"}, 1, 1);
  std::optional<CreationType> type = creationType(evaluator, self, arguments, /*needsShape=*/false);
  if (!bound.isValid() || !type)
    return {};
  if (!type->scalar || arguments.shape)
    return evaluator.fail(Code::E0215, arguments.callee, "`bitcast` has no element type; expected `bitcast<type>(x)`");
  Operand x = bound.operand("x");
  Value value = evaluator.materialize(x.value, x.range);
  if (value.isError())
    return {};
  if (!value.isTile() || value.type().element.isPointer)
    return evaluator.fail(Code::E0206, x.range,
                          "operand of `bitcast` is " + x.value.describe() + "; expected a number or tile");
  Scalar from = value.type().element.scalar, to = *type->scalar;
  if (info(from).bits != info(to).bits)
    return evaluator.fail(Code::E0210, arguments.range,
                          "`bitcast` from " + std::string(nameOf(from)) + " to " + std::string(nameOf(to)) +
                              " changes the width, which is not supported by this version");
  mlir::Location location = evaluator.at(arguments.range);
  mlir::Value bits = value.ssa();
  Type result = Emitter::withScalar(value.type(), to);
  if (from == Scalar::Index)
    bits = evaluator.convert(bits, from, Scalar::I64, location);
  if (to == Scalar::Index) {
    Scalar integer = Scalar::I64;
    bits = isFloat(from) ? arith::BitcastOp::create(evaluator.builder, location,
                                                    evaluator.mlirType(Emitter::withScalar(result, integer)), bits)
                               .getResult()
                         : bits;
    return Value(evaluator.convert(bits, integer, to, location), result);
  }
  mlir::Type target = evaluator.mlirType(result);
  if (bits.getType() != target)
    bits = arith::BitcastOp::create(evaluator.builder, location, target, bits);
  return Value(bits, result);
}

/// `round_to<T>(x)`: x rounded to T and back, in the type of x.
static Value callRoundTo(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"x"}, 1, 1);
  if (!bound.isValid())
    return {};
  // In a spec, too, the type is the one that is written.
  std::optional<Type> type;
  if (arguments.generics.size() == 1)
    type = evaluator.typeOf(arguments.generics.front().operand);
  if (!type || !type->isScalar() || type->element.isPointer || !isFloat(type->element.scalar))
    return evaluator.fail(Code::E0215, arguments.callee, "`round_to` has no float type; expected `round_to<type>(x)`");
  Operand x = bound.operand("x");
  Value value = evaluator.materialize(x.value, x.range);
  if (value.isError())
    return {};
  if (!value.isTile() || value.type().element.isPointer || !isFloat(value.type().element.scalar))
    return evaluator.fail(Code::E0203, arguments.range,
                          "`round_to` is not defined for " + x.value.describe() + "; expected floats");
  mlir::Location location = evaluator.at(arguments.range);
  Scalar from = value.type().element.scalar, to = type->element.scalar;
  mlir::Value rounded = evaluator.convert(value.ssa(), from, to, location);
  return Value(evaluator.convert(rounded, to, from, location), value.type());
}

static Value callIsNan(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"x"}, 1, 1);
  if (!bound.isValid())
    return {};
  Operand x = bound.operand("x");
  Value value = evaluator.materialize(x.value, x.range);
  if (value.isError())
    return {};
  Type type = value.type();
  if (!type.isTile() || type.element.isPointer || !isFloat(type.element.scalar))
    return evaluator.fail(Code::E0203, arguments.range,
                          "`isnan` is not defined for " + x.value.describe() + "; expected floats");
  mlir::Location location = evaluator.at(arguments.range);
  mlir::Value result = evaluator.compute(
      type.element.scalar, value.ssa(), Emitter::Exactness::Exact, location,
      [&](llvm::ArrayRef<mlir::Value> operands, Scalar) -> mlir::Value {
        return arith::CmpFOp::create(evaluator.builder, location, arith::CmpFPredicate::UNO, operands[0], operands[0]);
      });
  return Value(result, Emitter::withScalar(type, Scalar::Bool));
}

llvm::ArrayRef<Builtin> irgen::tileBuiltins() {
  static const Builtin rows[] = {
      builtinRow("bitcast", callBitcast),
      builtinRow("broadcast", callBroadcast),
      builtinRow("dot", callDot, /*takesSyntax=*/true),
      builtinRow("full", callFull),
      builtinRow("iota", callIota),
      builtinRow("isnan", callIsNan),
      builtinRow("like", callLike),
      builtinRow("ones", callFilled),
      builtinRow("permute", callPermute),
      builtinRow("reshape", callReshape),
      builtinRow("round_to", callRoundTo),
      builtinRow("transpose", callTranspose),
      builtinRow("where", callWhere),
      builtinRow("zeros", callFilled),
  };
  return rows;
}
