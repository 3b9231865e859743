/// Reductions: `sum prod max min argmax argmin any all xor_sum` and `reduce` with a function, all of them one op with a
/// region; `max` and `min` of several operands are elementwise.
#include "frontend/irgen/Builtins.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::BinaryOp;
namespace arith = mlir::arith;

namespace {

using Values = llvm::SmallVector<mlir::Value>;
/// Combines one element of each operand with another one of each.
using Combine = llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)>;

/// Where a reduction goes: its operand, the axes from the last to the first, and whether they are kept with extent 1.
struct Plan {
  std::vector<unsigned> axes;
  bool keeps = false;
  Type type; // of the (first) operand
  SourceRange range;
  SourceRange axisRange; // where an axis is given
  std::string_view name = {};
  std::optional<int> identity = {}; // what it gives of no elements
};

} // namespace

static std::optional<Plan> makePlan(Evaluator &evaluator, const Builtin &self, const BuiltinArguments &arguments,
                                    const Type &type, SourceRange range) {
  Plan plan{{}, false, type, range, {}, self.name};
  if (auto *keep = arguments.get("keep")) {
    auto *constant = keep->operand.value.as<BoolConstant>();
    if (!constant) {
      evaluator.report(Code::E0206, keep->operand.range,
                       "`keep` is " + keep->operand.value.describe() + "; expected a compile-time bool");
      return std::nullopt;
    }
    plan.keeps = constant->value;
  }
  auto *axis = arguments.get("axis");
  int64_t rank = static_cast<int64_t>(type.shape.size());
  if (!axis) {
    for (int64_t i = rank - 1; i >= 0; --i)
      plan.axes.push_back(static_cast<unsigned>(i));
    return plan;
  }
  auto *constant = axis->operand.value.as<IntConstant>();
  if (!constant) {
    evaluator.report(Code::E0216, axis->operand.range,
                     "axis is " + axis->operand.value.describe() + "; expected a compile-time integer");
    return std::nullopt;
  }
  WideInt position = constant->value < 0 ? constant->value + rank : constant->value;
  if (position < 0 || position >= rank) {
    evaluator.report(Code::E0216, axis->operand.range,
                     "axis " + toString(constant->value) + " of " + quote(self.name) + " is out of range for " +
                         type.text());
    return std::nullopt;
  }
  plan.axes = {static_cast<unsigned>(position)};
  plan.axisRange = axis->operand.range;
  return plan;
}

/// Reduces tiles of one shape along the axes of `plan`, the last first.
static Value reduceTiles(Evaluator &evaluator, const Plan &plan, Values operands, std::vector<Scalar> scalars,
                         bool isTuple, Combine combine) {
  mlir::OpBuilder &builder = evaluator.builder;
  mlir::Location location = evaluator.at(plan.range);
  std::vector<Dim> shape = plan.type.shape;
  for (unsigned axis : plan.axes) {
    bool hasElements = shape[axis].value > 0;
    shape.erase(shape.begin() + axis);
    if (!hasElements && !plan.identity)
      return evaluator.fail(Code::E0301, plan.range,
                            quote(plan.name) + " runs over an axis of extent 0; expected at least 1");
    if (!hasElements) {
      for (auto [operand, scalar] : llvm::zip_equal(operands, scalars))
        operand = evaluator.constant(scalar, shape, WideInt(*plan.identity), location);
      continue;
    }
    llvm::SmallVector<mlir::Type> results, elements;
    for (Scalar scalar : scalars) {
      results.push_back(evaluator.mlirType(Type::tile({scalar}, shape)));
      elements.push_back(mlirTypeOf(scalar, evaluator.context()));
    }
    auto op = ReduceOp::create(builder, location, results, operands, axis);
    evaluator.reductions.erase(op); // of an op that was here before
    if (plan.axisRange.isValid() && plan.type.shape.size() == 2)
      evaluator.reductions.try_emplace(op, Emitter::Reduced{plan.type.shape, axis, plan.keeps, plan.axisRange});
    mlir::OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = builder.createBlock(&op.getCombiner());
    for (int side = 0; side < 2; ++side)
      for (mlir::Type element : elements)
        block->addArgument(element, location);
    mlir::ValueRange all = block->getArguments();
    YieldOp::create(builder, location, combine(all.take_front(scalars.size()), all.drop_front(scalars.size())));
    operands.assign(op.getResults().begin(), op.getResults().end());
  }
  if (plan.keeps)
    for (unsigned axis : llvm::reverse(plan.axes)) {
      shape.insert(shape.begin() + axis, Dim::literal(1));
      for (auto [operand, scalar] : llvm::zip_equal(operands, scalars)) {
        mlir::Type type = evaluator.mlirType(Type::tile({scalar}, shape));
        // A scalar has no dim to expand; it is repeated once.
        operand = shape.size() == 1 ? SplatOp::create(builder, location, type, operand).getResult()
                                    : ExpandDimsOp::create(builder, location, type, operand, axis).getResult();
      }
    }
  std::vector<Value> results;
  for (auto [operand, scalar] : llvm::zip_equal(operands, scalars))
    results.push_back(Value(operand, Type::tile({scalar}, shape)));
  return isTuple ? Value::tuple(std::move(results)) : results.front();
}

/// The tile that a reduction takes, or none if reported.
static std::optional<Operand> tileArgument(Evaluator &evaluator, const Builtin &self,
                                           const BuiltinArguments &arguments) {
  Operand x = arguments.operand("x");
  if (x.value.isTile() && !x.value.type().shape.empty() && !x.value.type().element.isPointer)
    return x;
  DiagnosticBuilder diagnostic = evaluator.report(
      Code::E0206, x.range, "operand of " + quote(self.name) + " is " + x.value.describe() + "; expected a tile");
  evaluator.suggestRegion(diagnostic, x);
  return std::nullopt;
}

//===-- One combiner a name

namespace {

struct Reduction {
  std::string_view name;
  Domain domain;
  bool takesBool;
  bool widens; // to the type that sums have
  std::optional<int> identity;
  mlir::Value (*combine)(Evaluator &, mlir::Value, mlir::Value, Scalar, mlir::Location);
};

} // namespace

template <BinaryOp op>
static mlir::Value combineBinary(Evaluator &e, mlir::Value lhs, mlir::Value rhs, Scalar scalar,
                                 mlir::Location location) {
  return e.binary(op, lhs, rhs, scalar, location);
}

/// NaN wins.
static mlir::Value combineMax(Evaluator &e, mlir::Value lhs, mlir::Value rhs, Scalar scalar, mlir::Location location) {
  if (isFloat(scalar))
    return arith::MaximumFOp::create(e.builder, location, lhs, rhs);
  if (kindOf(scalar) == ScalarKind::Signed)
    return arith::MaxSIOp::create(e.builder, location, lhs, rhs);
  return arith::MaxUIOp::create(e.builder, location, lhs, rhs);
}
static mlir::Value combineMin(Evaluator &e, mlir::Value lhs, mlir::Value rhs, Scalar scalar, mlir::Location location) {
  if (isFloat(scalar))
    return arith::MinimumFOp::create(e.builder, location, lhs, rhs);
  if (kindOf(scalar) == ScalarKind::Signed)
    return arith::MinSIOp::create(e.builder, location, lhs, rhs);
  return arith::MinUIOp::create(e.builder, location, lhs, rhs);
}

static constexpr Reduction kReductions[] = {
    {"all", Domain::Integer, true, false, 1, combineBinary<BinaryOp::LogicalAnd>},
    {"any", Domain::Integer, true, false, 0, combineBinary<BinaryOp::LogicalOr>},
    {"max", Domain::Number, false, false, std::nullopt, combineMax},
    {"min", Domain::Number, false, false, std::nullopt, combineMin},
    {"prod", Domain::Number, true, true, 1, combineBinary<BinaryOp::Mul>},
    {"sum", Domain::Number, true, true, 0, combineBinary<BinaryOp::Add>},
    {"xor_sum", Domain::Integer, true, false, 0, combineBinary<BinaryOp::BitXor>},
};

static const Reduction &reductionNamed(std::string_view name) {
  return *llvm::find_if(kReductions, [&](const Reduction &row) { return row.name == name; });
}

/// Floats below 32 bits accumulate in f32, integers below 32 bits and bools in i32.
static Scalar accumulatorOf(Scalar scalar) {
  if (info(scalar).bits >= 32)
    return scalar;
  return isFloat(scalar) ? Scalar::F32 : Scalar::I32;
}

/// What was reduced in `arithmeticType(scalar)`, all of whose results are values of `scalar`.
static Value narrowed(Evaluator &evaluator, const Value &value, Scalar scalar, mlir::Location location) {
  if (value.isError() || !isFloat8(scalar))
    return value;
  Type type = Emitter::withScalar(value.type(), scalar);
  return Value(evaluator.convert(value.ssa(), arithmeticType(scalar), scalar, location, Emitter::Overflow::Infinite),
               type);
}

static Value callReduction(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  const Reduction &reduction = reductionNamed(self.name);
  BuiltinArguments bound(evaluator, self, arguments, {"x", "axis", "keep"}, 1, 1);
  if (!bound.isValid())
    return {};
  std::optional<Operand> x = tileArgument(evaluator, self, bound);
  if (!x)
    return {};
  Type type = x->value.type();
  Scalar scalar = type.element.scalar;
  bool onlyBool = reduction.name == "any" || reduction.name == "all";
  bool isDefined = scalar == Scalar::Bool ? reduction.takesBool
                                          : !onlyBool && (reduction.domain == Domain::Number || isInteger(scalar));
  if (!isDefined)
    return evaluator.fail(Code::E0203, arguments.range, quote(self.name) + " is not defined for " + type.text());
  std::optional<Plan> plan = makePlan(evaluator, self, bound, type, arguments.range);
  if (!plan)
    return {};
  plan->identity = reduction.identity;
  Scalar to = reduction.widens ? accumulatorOf(scalar) : scalar, wide = arithmeticType(to);
  mlir::Location location = evaluator.at(arguments.range);
  mlir::Value operand = evaluator.convert(x->value.ssa(), scalar, wide, location);
  Value result =
      reduceTiles(evaluator, *plan, {operand}, {wide}, false, [&](mlir::ValueRange lhs, mlir::ValueRange rhs) {
        return Values{reduction.combine(evaluator, lhs[0], rhs[0], wide, location)};
      });
  return narrowed(evaluator, result, to, location);
}

/// `max(a, b)` is elementwise, `max(x, axis = 1)` a reduction.
static Value callExtremum(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  size_t positional = llvm::count_if(arguments.arguments, [](const auto &argument) { return argument.name.empty(); });
  if (positional != arguments.arguments.size() || positional < 2)
    return callReduction(evaluator, self, arguments);
  const CallArguments::Argument &first = arguments.arguments[0], &second = arguments.arguments[1];
  bool isTile = first.operand.value.isTile() && !first.operand.value.type().shape.empty();
  if (isTile && positional == 2 && ast::dynCast<ast::IntLiteral>(second.syntax)) {
    std::string name(self.name), x = evaluator.text(first.operand.range), n = evaluator.text(second.operand.range);
    evaluator
        .report(Code::E0216, second.operand.range,
                "the axis of " + quote(name) + " is given by position; expected `axis = …`")
        .help("to reduce, write `" + name + "(" + x + ", axis = " + n + ")`; to compare elements with " + n + ", `" +
              name + "(" + n + ", " + x + ")`");
    return {};
  }
  Builtin elementwise;
  elementwise.name = self.name;
  elementwise.arity = 2;
  bool isMax = self.name == "max";
  elementwise.foldInteger =
      isMax ? [](WideInt a, WideInt b) { return a > b ? a : b; } : [](WideInt a, WideInt b) { return a < b ? a : b; };
  elementwise.foldFloat = isMax ? [](double a, double b) { return std::isnan(a) || isAbove(a, b) ? a : b; }
                                : [](double a, double b) { return std::isnan(a) || isAbove(b, a) ? a : b; };
  elementwise.emit = isMax ? [](Evaluator &e, llvm::ArrayRef<mlir::Value> v, Scalar s,
                                mlir::Location l) { return combineMax(e, v[0], v[1], s, l); }
                           : [](Evaluator &e, llvm::ArrayRef<mlir::Value> v, Scalar s, mlir::Location l) {
                               return combineMin(e, v[0], v[1], s, l);
                             };
  Operand result = first.operand;
  for (size_t i = 1; i < positional; ++i) {
    CallArguments pair = arguments;
    pair.arguments = {arguments.arguments[i], arguments.arguments[i]};
    pair.arguments[0].operand = result;
    result = {callElementwise(evaluator, elementwise, pair), arguments.range};
    if (result.value.isError())
      return {};
  }
  return result.value;
}

//===-- argmax and argmin

/// The first index of the largest (smallest) element; NaN wins.
static Value callArgument(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"x", "axis", "keep"}, 1, 1);
  if (!bound.isValid())
    return {};
  std::optional<Operand> x = tileArgument(evaluator, self, bound);
  if (!x)
    return {};
  Type type = x->value.type();
  Scalar scalar = type.element.scalar;
  if (scalar == Scalar::Bool)
    return evaluator.fail(Code::E0203, arguments.range, quote(self.name) + " is not defined for " + type.text());
  if (type.shape.size() > 1 && !bound.get("axis"))
    return evaluator.fail(Code::E0216, arguments.range,
                          quote(self.name) + " of " + type.text() + " has no axis; expected `axis = …`");
  std::optional<Plan> plan = makePlan(evaluator, self, bound, type, arguments.range);
  if (!plan)
    return {};
  mlir::OpBuilder &b = evaluator.builder;
  mlir::Location location = evaluator.at(arguments.range);
  unsigned axis = plan->axes.front();
  Type indexType = Type::tile({Scalar::I32}, {type.shape[axis]});
  mlir::Value positions = IotaOp::create(b, location, evaluator.mlirType(indexType));
  for (unsigned i = 0; i < type.shape.size(); ++i) {
    if (i == axis)
      continue;
    indexType.shape.insert(indexType.shape.begin() + i, Dim::literal(1));
    positions = ExpandDimsOp::create(b, location, evaluator.mlirType(indexType), positions, i);
  }
  positions = evaluator.broadcast(positions, indexType, type.shape, location);
  BinaryOp better = self.name == "argmax" ? BinaryOp::Greater : BinaryOp::Less;
  auto combine = [&](mlir::ValueRange lhs, mlir::ValueRange rhs) -> Values {
    auto both = [&](mlir::Value p, mlir::Value q) -> mlir::Value { return arith::AndIOp::create(b, location, p, q); };
    auto any = [&](mlir::Value p, mlir::Value q) -> mlir::Value { return arith::OrIOp::create(b, location, p, q); };
    mlir::Value wins = evaluator.compare(better, lhs[0], rhs[0], scalar, location);
    mlir::Value ties = evaluator.compare(BinaryOp::Equal, lhs[0], rhs[0], scalar, location);
    if (isFloat(scalar)) {
      auto isNan = [&](mlir::Value value) -> mlir::Value {
        return arith::CmpFOp::create(b, location, arith::CmpFPredicate::UNO, value, value);
      };
      mlir::Value leftNan = isNan(lhs[0]), rightNan = isNan(rhs[0]);
      wins = any(wins, both(leftNan, evaluator.negateBool(rightNan, location)));
      ties = any(ties, both(leftNan, rightNan));
    }
    mlir::Value isFirst = evaluator.compare(BinaryOp::Less, lhs[1], rhs[1], Scalar::I32, location);
    mlir::Value takesLeft = any(wins, both(ties, isFirst));
    return {arith::SelectOp::create(b, location, takesLeft, lhs[0], rhs[0]),
            arith::SelectOp::create(b, location, takesLeft, lhs[1], rhs[1])};
  };
  scalar = arithmeticType(scalar);
  mlir::Value operand = evaluator.convert(x->value.ssa(), type.element.scalar, scalar, location);
  Value result = reduceTiles(evaluator, *plan, {operand, positions}, {scalar, Scalar::I32}, true, combine);
  return result.isError() ? result : result.asTuple()->elements[1];
}

//===-- reduce

/// `reduce(x, fn, axis = …)`: `x` is a tile or a tuple of tiles of one shape; `fn` takes two such elements.
static Value callReduce(Evaluator &evaluator, const Builtin &self, CallArguments &arguments) {
  BuiltinArguments bound(evaluator, self, arguments, {"x", "fn", "axis", "keep"}, 2, 2);
  if (!bound.isValid())
    return {};
  Operand x = bound.operand("x"), fn = bound.operand("fn");
  const Function *function = fn.value.asFunction();
  if (!function)
    return evaluator.fail(Code::E0206, fn.range,
                          "`fn` of `reduce` is " + fn.value.describe() + "; expected a function");
  const TupleValue *tuple = x.value.asTuple();
  std::vector<Value> parts = tuple ? tuple->elements : std::vector<Value>{x.value};
  Values operands;
  std::vector<Scalar> scalars;
  for (const Value &part : parts) {
    Type type = part.type();
    if (!part.isTile() || type.shape.empty() || type.element.isPointer || type.sizes() != parts.front().type().sizes())
      return evaluator.fail(Code::E0206, x.range,
                            "operand of `reduce` is " + x.value.describe() +
                                "; expected a tile, or tiles of one shape");
    operands.push_back(part.ssa());
    scalars.push_back(type.element.scalar);
  }
  if (parts.empty())
    return evaluator.fail(Code::E0206, x.range, "operand of `reduce` is (); expected a tile, or tiles of one shape");
  std::optional<Plan> plan = makePlan(evaluator, self, bound, parts.front().type(), arguments.range);
  if (!plan)
    return {};
  // What the function takes and gives is of the operands' types, what is reduced of those that they are computed in.
  mlir::Location location = evaluator.at(arguments.range);
  std::vector<Scalar> wide;
  for (auto [operand, scalar] : llvm::zip_equal(operands, scalars)) {
    wide.push_back(arithmeticType(scalar));
    operand = evaluator.convert(operand, scalar, wide.back(), location);
  }
  bool isReported = false; // the function is expanded for each axis
  auto combine = [&](mlir::ValueRange lhs, mlir::ValueRange rhs) {
    auto pack = [&](mlir::ValueRange values) {
      std::vector<Value> elements;
      for (auto [value, from, to] : llvm::zip_equal(values, wide, scalars))
        elements.push_back(
            Value(evaluator.convert(value, from, to, location, Emitter::Overflow::Infinite), Type::scalar(to)));
      return tuple ? Value::tuple(std::move(elements)) : elements.front();
    };
    Value result =
        evaluator.call(*function, {{pack(lhs), arguments.range}, {pack(rhs), arguments.range}}, arguments.range);
    // The element that is combined with which, how often and when is not fixed, so nothing may depend on it.
    mlir::Operation *impure = nullptr;
    evaluator.builder.getInsertionBlock()->walk([&](mlir::Operation *op) {
      if (!mlir::isMemoryEffectFree(op) && !op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>())
        impure = op;
    });
    if (impure && !std::exchange(isReported, true))
      evaluator.report(Code::E0218, fn.range,
                       "the function of `reduce` " +
                           std::string(mlir::isa<AssertOp>(impure) ? "asserts" : "accesses memory") +
                           "; expected one that only computes");
    Value expected = pack(lhs);
    result = evaluator.materialize(
        evaluator.coerce({result, fn.range}, expected.type(), "the result of the combination"), fn.range);
    Values yields;
    for (size_t i = 0; i < scalars.size(); ++i) {
      if (result.isError()) {
        yields.push_back(lhs[i]); // reported; keeps the op well-formed
        continue;
      }
      mlir::Value yielded = tuple ? result.asTuple()->elements[i].ssa() : result.ssa();
      yields.push_back(evaluator.convert(yielded, scalars[i], wide[i], location));
    }
    return yields;
  };
  Value result = reduceTiles(evaluator, *plan, std::move(operands), wide, tuple != nullptr, combine);
  if (result.isError() || !tuple)
    return narrowed(evaluator, result, scalars.front(), location);
  std::vector<Value> elements;
  for (auto [element, scalar] : llvm::zip_equal(result.asTuple()->elements, scalars))
    elements.push_back(narrowed(evaluator, element, scalar, location));
  return Value::tuple(std::move(elements));
}

llvm::ArrayRef<Builtin> irgen::reductionBuiltins() {
  static const Builtin rows[] = {
      builtinRow("all", callReduction),     builtinRow("any", callReduction), builtinRow("argmax", callArgument),
      builtinRow("argmin", callArgument),   builtinRow("max", callExtremum),  builtinRow("min", callExtremum),
      builtinRow("prod", callReduction),    builtinRow("reduce", callReduce), builtinRow("sum", callReduction),
      builtinRow("xor_sum", callReduction),
  };
  return rows;
}
