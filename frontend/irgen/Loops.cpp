/// `for`, `while` and `static for`. A variable that the body assigns is carried; a body that `break`s or returns makes
/// an `scf.while`, whose condition asks the flags.
#include "frontend/irgen/Evaluator.h"

#include "ir/Tile/Knobs.h"
#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

/// A `static for` longer than this is more likely a slip than a wish.
static constexpr int64_t kMaxUnrolled = 4096;

/// Variables that the body assigns and flags that it may set, as SSA values of their types.
std::optional<Evaluator::Carried> Evaluator::carry(const AssignedNames &assigned, const Loop &loop, SourceRange range) {
  Carried carried;
  auto add = [&](const BindingPtr &binding, SourceRange place) {
    binding->value = materialize(binding->value, place);
    carried.variables.push_back({binding, binding->value});
    return !binding->value.isError();
  };
  for (const std::string &name : assigned.names) {
    BindingPtr binding = frame->scope->find(name);
    if (!binding || binding->kind != Binding::Kind::Var || binding->isCaptured || binding->value.isError())
      continue;
    if (!add(binding, binding->range))
      return std::nullopt;
  }
  if (assigned.breaks)
    add(loop.broken, range);
  if (assigned.returns) {
    add(frame->returned, range);
    bool hasResult = !frame->isKernel && !(frame->declaredResult && frame->declaredResult->isUnit());
    if (hasResult && !frame->declaredResult) {
      report(Code::E0303, range,
             "a function that returns from within a loop does not state its result type; expected `-> type`");
      return std::nullopt;
    }
    if (hasResult) {
      frame->result->type = *frame->declaredResult;
      frame->result->value = placeholder(*frame->declaredResult, range);
      if (!add(frame->result, range))
        return std::nullopt;
    }
  }
  carried.initial = currentValues(carried, range);
  return carried;
}

namespace {

/// What a `for` runs over.
struct Range {
  const ast::RangeExpr *syntax = nullptr;
  bool isReversed = false;
};

/// Leaves the loop's flags behind when it ends.
struct LoopGuard {
  LoopGuard(Evaluator::Frame &frame, Evaluator::Loop loop, size_t variables) : frame(frame), variables(variables) {
    frame.loops.push_back(std::move(loop));
  }
  ~LoopGuard() {
    frame.loops.pop_back();
    frame.variables.resize(variables);
  }
  Evaluator::Frame &frame;
  size_t variables;
};

} // namespace

/// `lo .. hi step s` or `rev(lo .. hi step s)`; without syntax for anything else.
static Range rangeOf(const ast::Expr &expr) {
  if (auto *range = dynCast<ast::RangeExpr>(&expr))
    return {range, false};
  auto *call = dynCast<ast::Call>(&expr);
  auto *callee = call ? dynCast<ast::Name>(call->callee) : nullptr;
  if (callee && callee->text == "rev" && call->arguments.size() == 1)
    return {dynCast<ast::RangeExpr>(call->arguments.front().value), true};
  return {};
}

/// A number as it is written, with its sign.
static std::optional<WideInt> writtenNumber(const ast::Expr &expr) {
  if (auto *literal = dynCast<ast::IntLiteral>(&expr))
    return literal->value;
  auto *unary = dynCast<ast::Unary>(&expr);
  auto *literal = unary && unary->op == ast::UnaryOp::Negate ? dynCast<ast::IntLiteral>(unary->operand) : nullptr;
  return literal ? std::optional<WideInt>(-WideInt(literal->value)) : std::nullopt;
}

/// A range is empty for some values of what its bounds are computed from, but nobody writes an empty one on purpose.
void Evaluator::warnOfEmptyRange(const ast::Expr &low, const ast::Expr &high, SourceRange range) {
  std::optional<WideInt> first = writtenNumber(low), end = writtenNumber(high);
  if (first && end && *first > *end)
    report(Code::W0301, range,
           "the range is empty: it begins at " + toString(*first) + " and ends before " + toString(*end))
        .help("`lo .. hi` counts upwards from `lo`; a loop goes backwards over `rev(lo .. hi)`");
}

/// Why a loop of this form has no schedule.
static std::string reasonOf(Evaluator::LoopForm form) {
  switch (form) {
  case Evaluator::LoopForm::LeavesEarly:
    return "on a `for` that a `break` or `return` may leave, as its later trips may not come";
  case Evaluator::LoopForm::While:
    return "on a `while`, as its later trips may not come";
  default:
    return "on a `static for`, which is no loop when it runs";
  }
}

/// The number that a clause gives `knob`; none if reported.
std::optional<int64_t> Evaluator::clauseNumber(const ast::Decorator &clause, const tile::Knob &knob) {
  std::string name = quote("@" + clause.name.text);
  if (clause.arguments.size() != 1 || clause.arguments.front().name) {
    std::string found = clause.arguments.empty()       ? "no number"
                        : clause.arguments.size() == 1 ? quote(text(clause.arguments.front().range))
                                                       : counted(clause.arguments.size(), "argument");
    report(Code::E0301, clause.range, name + " is given " + found + "; expected one number, " + knob.expected.str());
    return std::nullopt;
  }
  Operand given = operand(*clause.arguments.front().value);
  if (given.value.isError())
    return std::nullopt;
  auto *constant = given.value.as<IntConstant>();
  if (!constant)
    report(Code::E0300, given.range,
           name + " is given " + given.value.describe() + "; expected a compile-time integer, " + knob.expected.str());
  else if (constant->value < knob.least || constant->value > knob.most ||
           !knob.accepts(static_cast<int64_t>(constant->value)))
    report(Code::E0301, given.range,
           name + " is given " + toString(constant->value) + "; expected " + knob.expected.str());
  else
    return static_cast<int64_t>(constant->value);
  return std::nullopt;
}

/// Clauses become a dictionary on the loop. None of them changes results, so one that nothing honours is a warning.
mlir::DictionaryAttr Evaluator::scheduleOf(const std::vector<ast::Decorator> &clauses, LoopForm form) {
  static constexpr std::string_view known[] = {"stages",          "unroll",  "persistent",
                                               "warp_specialize", "cluster", "swizzle"};
  llvm::SmallVector<mlir::NamedAttribute> attributes;
  for (const ast::Decorator &clause : clauses) {
    if (!llvm::is_contained(known, clause.name.text)) {
      DiagnosticBuilder diagnostic =
          report(Code::E0405, clause.range, "unknown schedule clause " + quote("@" + clause.name.text));
      if (std::string_view closest = closestName(plainKnob(clause.name.text), {std::begin(known), std::end(known)});
          !closest.empty())
        diagnostic.replace(clause.name.range, closest, "")
            .help("did you mean " + quote("@" + std::string(closest)) + "?");
      continue;
    }
    const tile::Knob *knob = findKnob(clause.name.text);
    bool isHonoured = knob && knob->isHonoured && form == LoopForm::Counted;
    if (!isHonoured)
      report(Code::W0400, clause.range,
             quote("@" + clause.name.text) + " is not honoured " +
                 (knob && knob->isHonoured ? reasonOf(form) : "by this version") + "; the plain form is compiled");
    mlir::Attribute value = builder.getUnitAttr();
    if (knob) {
      std::optional<int64_t> number = clauseNumber(clause, *knob);
      if (!number || givenKnobs.count(clause.name.text)) // then the kernel's holds
        continue;
      value = builder.getI64IntegerAttr(*number);
    } else if (clause.arguments.size() == 1 && !clause.arguments.front().name) {
      if (std::optional<Dim> number =
              toDim(operand(*clause.arguments.front().value), "the argument of " + quote("@" + clause.name.text)))
        value = builder.getI64IntegerAttr(number->value);
    }
    attributes.emplace_back(builder.getStringAttr(clause.name.text), value);
  }
  return builder.getDictionaryAttr(attributes);
}

/// A step below 1 would make a loop without end of one with a `break`, and of others what the target makes of it, so it
/// stops the program as a failed `assert` does. Known steps have been checked, and a grid has programs.
void Evaluator::checkStep(mlir::Value step, Scalar scalar, SourceRange range) {
  if (mlir::matchPattern(step, mlir::m_Constant()) || step.getDefiningOp<NumProgramsOp>())
    return;
  mlir::Location location = at(range);
  mlir::Value one = constant(scalar, {}, WideInt(1), location);
  AssertOp::create(builder, location, compare(ast::BinaryOp::GreaterEqual, step, one, scalar, location),
                   "the step of a `for` is at least 1");
}

/// Whether no value of the loop plus the step can pass the end of the type: an `index` is far from it, and others are
/// where the step is 1 or the bound says so.
static bool staysInType(const std::vector<Operand> &bounds, Scalar scalar) {
  auto *high = bounds[1].value.as<IntConstant>(), *step = bounds[2].value.as<IntConstant>();
  if (step && step->value == 1)
    return true;
  return high && step ? holds(scalar, high->value + step->value - 1) : scalar == Scalar::Index;
}

/// Whether the step is a number whose sign MLIR would see, though the type has none.
static bool hasHugeStep(const std::vector<Operand> &bounds, Scalar scalar) {
  auto *step = bounds[2].value.as<IntConstant>();
  return step && kindOf(scalar) == ScalarKind::Unsigned && step->value >= WideInt(1) << (info(scalar).bits - 1);
}

void Evaluator::executeFor(const ast::ForStmt &loop) {
  Range range = rangeOf(*loop.iterable);
  if (!range.syntax) {
    report(Code::E0304, loop.iterable->range,
           "a `for` runs over " + quote(text(loop.iterable->range)) + "; expected a range `lo .. hi`")
        .help("over a tuple or list, write `static for`");
    return;
  }
  std::vector<Operand> bounds = {operand(*range.syntax->lo), operand(*range.syntax->hi)};
  bounds.push_back(range.syntax->step ? operand(*range.syntax->step) : Operand{Value::integer(1), range.syntax->range});
  for (const Operand &bound : bounds)
    if (bound.value.isError())
      return;
  if (auto *step = bounds[2].value.as<IntConstant>(); step && step->value <= 0) {
    report(Code::E0304, bounds[2].range, "step is " + toString(step->value) + "; expected at least 1")
        .help("to run backwards, write `rev(lo .. hi step s)`");
    return;
  }
  warnOfEmptyRange(*range.syntax->lo, *range.syntax->hi, range.syntax->range);
  std::optional<Scalar> scalar = commonScalarOf(bounds, range.syntax->range, "bounds of the range");
  if (!scalar)
    return;
  // A loop over a narrow type counts in a wider one.
  Scalar declared = *scalar;
  if (isInteger(*scalar) && info(*scalar).bits < 32)
    scalar = kindOf(*scalar) == ScalarKind::Signed ? Scalar::I32 : Scalar::U32;
  llvm::SmallVector<mlir::Value> ssa;
  for (const Operand &bound : bounds) {
    // Of bounds that are floats together, the one is at fault that is one by itself.
    if (bound.value.as<IntConstant>() && !isInteger(*scalar))
      continue;
    Value value = coerceScalar(bound, *scalar, "a bound of the range");
    if (value.isError())
      return;
    if (!value.type().isScalar() || !isInteger(*scalar)) {
      report(Code::E0206, bound.range, "a bound of the range is " + spelledValue(bound) + "; expected an integer");
      return;
    }
    ssa.push_back(value.ssa());
  }
  if (!mayBranch(loop.range))
    return;
  Level level(expansion.nesting);
  mlir::Location location = at(loop.range);
  mlir::Value lower = ssa[0], upper = ssa[1], step = ssa[2];
  mlir::Value zero = constant(*scalar, {}, WideInt(0), location), one = constant(*scalar, {}, WideInt(1), location);
  checkStep(step, *scalar, bounds[2].range);
  AssignedNames assigned = assignedNames(loop.body);
  // An `scf.for` ends where its last step would wrap; the condition of an `scf.while` is written here.
  bool leavesEarly = assigned.breaks || assigned.returns;
  bool countsTrips = range.isReversed || hasHugeStep(bounds, *scalar) || (leavesEarly && !staysInType(bounds, *scalar));
  Scalar counted = *scalar; // the distance between two signed numbers needs their sign's bit
  mlir::Value last;
  using ast::BinaryOp;
  auto compute = [&](BinaryOp op, mlir::Value lhs, mlir::Value rhs) { return binary(op, lhs, rhs, counted, location); };
  if (countsTrips) {
    // Trip j visits lo + j * step, or backwards lo + (trips - 1 - j) * step.
    mlir::Value isEmpty = compare(BinaryOp::LessEqual, upper, lower, *scalar, location);
    counted = *scalar == Scalar::I32 ? Scalar::U32 : *scalar == Scalar::I64 ? Scalar::U64 : *scalar;
    mlir::Value distance = compute(BinaryOp::Sub, compute(BinaryOp::Sub, upper, lower), one);
    mlir::Value trips = compute(BinaryOp::Add, compute(BinaryOp::Div, distance, step), one);
    upper = arith::SelectOp::create(builder, location, isEmpty, zero, trips);
    last = compute(BinaryOp::Add, lower, compute(BinaryOp::Mul, compute(BinaryOp::Sub, trips, one), step));
  }
  mlir::Value first = countsTrips ? zero : lower, stride = countsTrips ? one : step;

  size_t variables = frame->variables.size();
  Loop flags{declareFlag(), declareFlag()};
  LoopGuard guard(*frame, flags, variables);
  std::optional<Carried> carried = carry(assigned, flags, loop.range);
  if (!carried)
    return;
  auto runBody = [&](mlir::Value counter) {
    mlir::Value visited = counter;
    if (countsTrips)
      visited = compute(range.isReversed ? BinaryOp::Sub : BinaryOp::Add, range.isReversed ? last : lower,
                        compute(BinaryOp::Mul, counter, step));
    visited = convert(visited, *scalar, declared, location);
    flags.continued->value = Value::boolean(false);
    std::shared_ptr<Scope> outer = frame->scope;
    frame->scope = std::make_shared<Scope>(outer);
    bind(loop.pattern, {Value(visited, Type::scalar(declared)), loop.pattern.range}, Binding::Kind::LoopVariable);
    execute(loop.body, /*isValueWanted=*/false);
    frame->scope = outer;
    return currentValues(*carried, loop.range);
  };
  mlir::Operation *op = nullptr;
  mlir::OpBuilder::InsertionGuard insertion(builder);
  if (!leavesEarly) {
    auto buildBody = [&](mlir::OpBuilder &inner, mlir::Location, mlir::Value counter, mlir::ValueRange values) {
      builder.setInsertionPointToEnd(inner.getInsertionBlock());
      setCarried(*carried, values);
      scf::YieldOp::create(builder, location, runBody(counter));
    };
    mlir::OpBuilder outside = builder;
    op = scf::ForOp::create(outside, location, first, upper, stride, carried->initial, buildBody,
                            /*unsignedCmp=*/kindOf(counted) == ScalarKind::Unsigned);
    setCarried(*carried, op->getResults());
  } else {
    llvm::SmallVector<mlir::Value> initial = {first};
    initial.append(carried->initial);
    auto buildCondition = [&](mlir::OpBuilder &inner, mlir::Location, mlir::ValueRange values) {
      builder.setInsertionPointToEnd(inner.getInsertionBlock());
      setCarried(*carried, values.drop_front());
      mlir::Value more = compare(BinaryOp::Less, values.front(), upper, counted, location);
      Value left = either(frame->returned->value, flags.broken->value, loop.range);
      mlir::Value stays = negateBool(materialize(left, loop.range).ssa(), location);
      more = arith::AndIOp::create(builder, location, more, stays);
      scf::ConditionOp::create(builder, location, more, values);
    };
    auto buildBody = [&](mlir::OpBuilder &inner, mlir::Location, mlir::ValueRange values) {
      builder.setInsertionPointToEnd(inner.getInsertionBlock());
      setCarried(*carried, values.drop_front());
      llvm::SmallVector<mlir::Value> next = runBody(values.front());
      next.insert(next.begin(), compute(BinaryOp::Add, values.front(), stride));
      scf::YieldOp::create(builder, location, next);
    };
    mlir::OpBuilder outside = builder;
    op = scf::WhileOp::create(outside, location, mlir::ValueRange(initial).getTypes(), initial, buildCondition,
                              buildBody);
    setCarried(*carried, op->getResults().drop_front());
  }
  LoopForm form = leavesEarly ? LoopForm::LeavesEarly : LoopForm::Counted;
  if (mlir::DictionaryAttr schedule = scheduleOf(loop.clauses, form); !schedule.empty())
    op->setAttr(TileDialect::kSchedule, schedule);
}

void Evaluator::executeWhile(const ast::WhileStmt &loop) {
  if (!mayBranch(loop.range))
    return;
  Level level(expansion.nesting);
  mlir::Location location = at(loop.range);
  size_t variables = frame->variables.size();
  Loop flags{declareFlag(), declareFlag()};
  LoopGuard guard(*frame, flags, variables);
  AssignedNames assigned = assignedNames(loop.body);
  AssignedNames inCondition = assignedNames(*loop.condition);
  bool conditionReturns = inCondition.returns;
  assigned.names.merge(inCondition.names);
  assigned.returns |= conditionReturns;
  std::optional<Carried> carried = carry(assigned, flags, loop.range);
  if (!carried)
    return;
  mlir::OpBuilder::InsertionGuard insertion(builder);
  auto buildCondition = [&](mlir::OpBuilder &inner, mlir::Location, mlir::ValueRange values) {
    builder.setInsertionPointToEnd(inner.getInsertionBlock());
    setCarried(*carried, values);
    Value left = either(frame->returned->value, flags.broken->value, loop.range);
    auto evaluate = [&] {
      // The condition is outside: a `break` in it has no loop to leave.
      std::vector<Loop> loops = std::exchange(frame->loops, {});
      Value value = evaluateCondition(*loop.condition);
      frame->loops = std::move(loops);
      return value;
    };
    Value more = left.as<BoolConstant>() ? evaluate()
                                         : branch(negateBool(left.ssa(), location), loop.condition->range, evaluate,
                                                  [] { return Value::boolean(false); });
    if (more.isError())
      more = Value::boolean(false);
    mlir::Value stays = materialize(more, loop.condition->range).ssa();
    if (conditionReturns)
      stays = arith::AndIOp::create(builder, location, stays,
                                    negateBool(materialize(frame->returned->value, loop.range).ssa(), location));
    // What the condition assigned, the body and the code after the loop see.
    scf::ConditionOp::create(builder, location, stays, currentValues(*carried, loop.range));
  };
  auto buildBody = [&](mlir::OpBuilder &inner, mlir::Location, mlir::ValueRange values) {
    builder.setInsertionPointToEnd(inner.getInsertionBlock());
    setCarried(*carried, values);
    flags.continued->value = Value::boolean(false);
    execute(loop.body, /*isValueWanted=*/false);
    scf::YieldOp::create(builder, location, currentValues(*carried, loop.range));
  };
  mlir::OpBuilder outside = builder;
  auto op = scf::WhileOp::create(outside, location, mlir::ValueRange(carried->initial).getTypes(), carried->initial,
                                 buildCondition, buildBody);
  setCarried(*carried, op.getResults());
  if (mlir::DictionaryAttr schedule = scheduleOf(loop.clauses, LoopForm::While); !schedule.empty())
    op->setAttr(TileDialect::kSchedule, schedule);
}

//===-- static for

void Evaluator::executeStaticFor(const ast::ForStmt &loop) {
  scheduleOf(loop.clauses, LoopForm::Unrolled); // for its warnings: there is no loop left that could have a schedule
  std::vector<Value> values;
  if (Range range = rangeOf(*loop.iterable); range.syntax) {
    std::vector<WideInt> bounds;
    for (const ast::Expr *bound : {range.syntax->lo.get(), range.syntax->hi.get(), range.syntax->step.get()}) {
      Value value = bound ? evaluateConstant(*bound, "a bound of `static for`") : Value::integer(1);
      auto *constant = value.as<IntConstant>();
      if (!constant) {
        if (!value.isError())
          report(Code::E0300, bound->range,
                 "a bound of `static for` is " + value.describe() + "; expected a compile-time integer");
        return;
      }
      bounds.push_back(constant->value);
    }
    if (bounds[2] <= 0) {
      report(Code::E0304, range.syntax->step->range, "step is " + toString(bounds[2]) + "; expected at least 1")
          .help("to run backwards, write `rev(lo .. hi step s)`");
      return;
    }
    warnOfEmptyRange(*range.syntax->lo, *range.syntax->hi, range.syntax->range);
    if (bounds[1] - bounds[0] > WideInt(kMaxUnrolled) * bounds[2]) {
      report(Code::E0301, loop.iterable->range,
             "`static for` makes more than " + std::to_string(kMaxUnrolled) + " copies of its body; expected fewer");
      return;
    }
    for (WideInt value = bounds[0]; value < bounds[1]; value += bounds[2])
      values.push_back(Value::integer(static_cast<int64_t>(value)));
    if (range.isReversed)
      std::reverse(values.begin(), values.end());
  } else {
    Value iterable = evaluate(*loop.iterable);
    const TupleValue *tuple = iterable.asTuple();
    if (!tuple) {
      if (!iterable.isError())
        report(Code::E0304, loop.iterable->range,
               "`static for` runs over " + iterable.describe() + "; expected a range, tuple or list");
      return;
    }
    values = tuple->elements;
  }
  size_t variables = frame->variables.size();
  Loop flags{declareFlag(), declareFlag()};
  LoopGuard guard(*frame, flags, variables);
  std::function<void(size_t)> iterate = [&](size_t i) {
    for (; i < values.size(); ++i) {
      if (!countExpanded(loop.range))
        return;
      flags.continued->value = Value::boolean(false);
      std::shared_ptr<Scope> outer = frame->scope;
      frame->scope = std::make_shared<Scope>(outer);
      bind(loop.pattern, {values[i], loop.pattern.range}, Binding::Kind::LoopVariable);
      execute(loop.body, /*isValueWanted=*/false);
      frame->scope = outer;
      flags.continued->value = Value::boolean(false);
      Value left = either(frame->returned->value, flags.broken->value, loop.range);
      if (auto *constant = left.as<BoolConstant>()) {
        if (constant->value)
          return;
        continue;
      }
      if (left.isError())
        return;
      auto rest = [&] {
        iterate(i + 1);
        return Value::unit();
      };
      branch(negateBool(left.ssa(), at(loop.range)), loop.range, rest, [] { return Value::unit(); });
      return;
    }
  };
  iterate(0);
}
