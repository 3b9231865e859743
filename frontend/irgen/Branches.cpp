/// `if`, and the merge of what two branches leave behind.
#include "frontend/irgen/Evaluator.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;
namespace scf = mlir::scf;

//===-- Merging

static bool isSameValue(const Value &lhs, const Value &rhs) {
  if (auto *l = lhs.as<RuntimeValue>(), *r = rhs.as<RuntimeValue>(); l && r)
    return l->value == r->value;
  if (auto *l = lhs.as<IntConstant>(), *r = rhs.as<IntConstant>(); l && r)
    return l->value == r->value && l->type == r->type;
  if (auto *l = lhs.as<FloatConstant>(), *r = rhs.as<FloatConstant>(); l && r)
    return std::memcmp(&l->value, &r->value, sizeof(double)) == 0 && l->type == r->type;
  if (auto *l = lhs.as<BoolConstant>(), *r = rhs.as<BoolConstant>(); l && r)
    return l->value == r->value;
  if (auto *l = lhs.as<StringConstant>(), *r = rhs.as<StringConstant>(); l && r)
    return l->value == r->value;
  if (auto *l = lhs.as<TypeConstant>(), *r = rhs.as<TypeConstant>(); l && r)
    return l->syntax == r->syntax && isSameType(l->type, r->type);
  if (const TupleValue *l = lhs.asTuple(), *r = rhs.asTuple(); l && r)
    return std::equal(l->elements.begin(), l->elements.end(), r->elements.begin(), r->elements.end(), isSameValue);
  if (const Function *l = lhs.asFunction(), *r = rhs.asFunction(); l && r)
    return l == r || (l->decl && l->decl == r->decl);
  return (lhs.as<AbsentValue>() && rhs.as<AbsentValue>()) || (lhs.as<NeverValue>() && rhs.as<NeverValue>());
}

/// Whether `value` is computed in `block` or deeper, so that it must be yielded to be seen after it.
static bool isDefinedIn(const Value &value, mlir::Block *block) {
  if (const TupleValue *tuple = value.asTuple())
    return llvm::any_of(tuple->elements, [&](const Value &element) { return isDefinedIn(element, block); });
  if (!value.isRuntime())
    return false;
  // Regions that are being filled belong to no op yet.
  for (mlir::Region *region = value.ssa().getParentRegion(); region;
       region = region->getParentOp() ? region->getParentOp()->getParentRegion() : nullptr)
    if (region == block->getParent())
      return true;
  return false;
}

Value Evaluator::placeholder(const Type &type, SourceRange range) {
  if (type.kind == Type::Kind::Tuple) {
    std::vector<Value> elements;
    for (const Type &member : type.members)
      elements.push_back(placeholder(member, range));
    return Value::tuple(std::move(elements));
  }
  if (type.isTile() && !type.element.isPointer)
    return Value(constant(type.element.scalar, type.shape, WideInt(0), at(range)), type);
  return fail(Code::E0900, range,
              "leaving early with a result of type " + type.text() + " is not supported by this version");
}

/// The SSA values in a value, in order.
static void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &result) {
  if (const TupleValue *tuple = value.asTuple())
    for (const Value &element : tuple->elements)
      flatten(element, result);
  if (value.isRuntime())
    result.push_back(value.ssa());
}

/// `value` with its SSA values replaced by the next of `ssa`; `onlyMissing` keeps those that are there.
static Value refill(const Value &value, mlir::ValueRange ssa, size_t &next, bool onlyMissing) {
  if (const TupleValue *tuple = value.asTuple()) {
    std::vector<Value> elements;
    for (const Value &element : tuple->elements)
      elements.push_back(refill(element, ssa, next, onlyMissing));
    return Value::tuple(std::move(elements), tuple->isList);
  }
  auto *runtime = value.as<RuntimeValue>();
  if (!runtime || (onlyMissing && runtime->value))
    return value;
  return Value(ssa[next++], runtime->type);
}

/// The merged value; SSA values that the `scf.if` will yield are missing in it, in the order of the yields.
Value Evaluator::merge(const Value &thenValue, const Value &elseValue, mlir::Value condition, mlir::Block *thenBlock,
                       mlir::Block *elseBlock, SourceRange range, llvm::SmallVectorImpl<mlir::Value> &yieldThen,
                       llvm::SmallVectorImpl<mlir::Value> &yieldElse) {
  if (thenValue.isError() || elseValue.isError())
    return {};
  if (isSameValue(thenValue, elseValue))
    return thenValue;
  mlir::OpBuilder::InsertionGuard guard(builder);
  for (bool isThen : {true, false}) {
    const Value &never = isThen ? elseValue : thenValue, &value = isThen ? thenValue : elseValue;
    if (!never.as<NeverValue>())
      continue;
    mlir::Block *block = isThen ? thenBlock : elseBlock, *other = isThen ? elseBlock : thenBlock;
    if (!isDefinedIn(value, block))
      return value;
    builder.setInsertionPointToEnd(other);
    Value stand = placeholder(value.type(), range);
    if (stand.isError())
      return {};
    builder.setInsertionPointToEnd(block);
    return isThen
               ? merge(materialize(value, range), stand, condition, thenBlock, elseBlock, range, yieldThen, yieldElse)
               : merge(stand, materialize(value, range), condition, thenBlock, elseBlock, range, yieldThen, yieldElse);
  }
  auto *thenFlag = thenValue.as<BoolConstant>(), *elseFlag = elseValue.as<BoolConstant>();
  if (thenFlag && elseFlag)
    return thenFlag->value ? Value(condition, Type::scalar(Scalar::Bool))
                           : Value(negateBool(condition, condition.getLoc()), Type::scalar(Scalar::Bool));
  auto mismatch = [&] {
    return fail(Code::E0208, range,
                "branches give " + thenValue.describe() + " and " + elseValue.describe() + "; expected one type");
  };
  const TupleValue *thenTuple = thenValue.asTuple(), *elseTuple = elseValue.asTuple();
  if (thenTuple && elseTuple && thenTuple->elements.size() == elseTuple->elements.size()) {
    std::vector<Value> elements;
    for (auto [l, r] : llvm::zip_equal(thenTuple->elements, elseTuple->elements))
      elements.push_back(merge(l, r, condition, thenBlock, elseBlock, range, yieldThen, yieldElse));
    return Value::tuple(std::move(elements), thenTuple->isList);
  }
  Type left = thenValue.type(), right = elseValue.type(), type = left;
  auto isNumber = [](const Value &value) { return value.isConstantScalar() || value.isTile(); };
  Value first = thenValue, second = elseValue;
  if (isNumber(thenValue) && isNumber(elseValue) && !left.element.isPointer && !right.element.isPointer) {
    std::optional<Scalar> scalar =
        commonScalarOf({{thenValue, range}, {elseValue, range}}, range, "values of the branches");
    if (!scalar)
      return {};
    if (left.shape.size() != right.shape.size())
      return mismatch();
    for (auto [l, r] : llvm::zip_equal(left.shape, right.shape)) {
      Agreement agreement = compare(l, r);
      if (agreement == Agreement::Different)
        return mismatch();
      if (agreement == Agreement::ByChance) {
        reportExtents(Code::E0202, l, r, range, {thenValue, range}, {elseValue, range}, "");
        return {};
      }
    }
    builder.setInsertionPointToEnd(thenBlock);
    first = coerceScalar({thenValue, range}, *scalar, "");
    builder.setInsertionPointToEnd(elseBlock);
    second = coerceScalar({elseValue, range}, *scalar, "");
    type = withScalar(left, *scalar);
  } else if (!thenValue.isRuntime() || !elseValue.isRuntime() || !isSameType(left, right)) {
    return mismatch();
  }
  if (first.isError() || second.isError())
    return {};
  yieldThen.push_back(first.ssa());
  yieldElse.push_back(second.ssa());
  if (type.isView())
    type.isWritable = left.isWritable && right.isWritable, type.isReadable = left.isReadable && right.isReadable;
  return Value(mlir::Value(), type);
}

Value Evaluator::branch(mlir::Value condition, SourceRange range, llvm::function_ref<Value()> thenPart,
                        llvm::function_ref<Value()> elsePart) {
  if (!mayBranch(range))
    return {};
  Level level(expansion.nesting);
  size_t count = frame->variables.size();
  auto values = [&] {
    std::vector<Value> result;
    for (size_t i = 0; i < count; ++i)
      result.push_back(frame->variables[i]->value);
    return result;
  };
  std::vector<Value> before = values();
  mlir::Region thenRegion, elseRegion;
  auto run = [&](mlir::Region &region, llvm::function_ref<Value()> part) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    for (size_t i = 0; i < count; ++i)
      frame->variables[i]->value = before[i];
    builder.setInsertionPointToEnd(&region.emplaceBlock());
    Value value = part();
    frame->variables.resize(count);
    return std::pair(value, values());
  };
  auto [thenValue, thenVariables] = run(thenRegion, thenPart);
  auto [elseValue, elseVariables] = run(elseRegion, elsePart);

  llvm::SmallVector<mlir::Value> yieldThen, yieldElse;
  mlir::Block *thenBlock = &thenRegion.front(), *elseBlock = &elseRegion.front();
  auto join = [&](const Value &l, const Value &r) {
    return merge(l, r, condition, thenBlock, elseBlock, range, yieldThen, yieldElse);
  };
  std::vector<Value> merged;
  for (size_t i = 0; i < count; ++i)
    merged.push_back(join(thenVariables[i], elseVariables[i]));
  Value result = join(thenValue, elseValue);

  mlir::ValueRange results;
  if (!yieldThen.empty() || !thenBlock->empty() || !elseBlock->empty()) {
    mlir::Location location = at(range);
    for (auto [block, yields] : {std::pair(thenBlock, &yieldThen), std::pair(elseBlock, &yieldElse)}) {
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd(block);
      scf::YieldOp::create(builder, location, *yields);
    }
    auto op = scf::IfOp::create(builder, location, mlir::ValueRange(yieldThen).getTypes(), condition,
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
    op.getThenRegion().takeBody(thenRegion);
    if (!yieldElse.empty() || !llvm::hasSingleElement(*elseBlock))
      op.getElseRegion().takeBody(elseRegion);
    results = op.getResults();
  }
  size_t next = 0;
  for (size_t i = 0; i < count; ++i)
    frame->variables[i]->value = refill(merged[i], results, next, /*onlyMissing=*/true);
  return refill(result, results, next, /*onlyMissing=*/true);
}

//===-- `if`

Value Evaluator::evaluateIf(const ast::IfExpr &expr, bool isValueWanted) {
  bool isWanted = isValueWanted && expr.elseBlock;
  if (expr.isStatic) {
    std::optional<bool> isTaken = evaluateStaticCondition(*expr.condition, "the condition of `static if`");
    if (!isTaken)
      return {};
    const ast::Block *block = *isTaken ? expr.thenBlock.get() : expr.elseBlock.get();
    return block ? execute(*block, isWanted) : Value::unit();
  }
  Value condition = evaluateCondition(*expr.condition);
  auto run = [&](const ast::Block *block) {
    Value value = block ? execute(*block, isWanted) : Value::unit();
    return isWanted || value.as<NeverValue>() ? value : Value::unit();
  };
  if (condition.isError()) {
    // Both branches are still checked.
    run(expr.thenBlock.get());
    run(expr.elseBlock.get());
    return {};
  }
  if (auto *constant = condition.as<BoolConstant>())
    return run(constant->value ? expr.thenBlock.get() : expr.elseBlock.get());
  return branch(
      condition.ssa(), expr.condition->range, [&] { return run(expr.thenBlock.get()); },
      [&] { return run(expr.elseBlock.get()); });
}

/// Names that the branch would have declared, so that a use can say why there is no such name.
void Evaluator::declareNotTaken(const ast::Block &block, SourceRange condition) {
  for (const ast::StmtPtr &stmt : block.statements) {
    auto *let = dynCast<ast::LetStmt>(stmt);
    if (!let || let->pattern.kind != ast::Pattern::Kind::Name || frame->scope->find(let->pattern.name))
      continue;
    Binding binding;
    binding.range = let->pattern.range;
    binding.notTaken = condition;
    frame->scope->declare(let->pattern.name, std::move(binding));
  }
}

//===-- Values that loops carry

/// The variables become `values`, those that the loop carries at one place in it. What they are made of is read off
/// their form: what they hold by now may be constants, which take no SSA value.
void Evaluator::setCarried(const Carried &carried, mlir::ValueRange values) {
  size_t next = 0;
  for (const Carried::Variable &variable : carried.variables)
    variable.binding->value = refill(variable.form, values, next, /*onlyMissing=*/false);
  assert(next == values.size() && "a loop carries what its variables are made of");
}

llvm::SmallVector<mlir::Value> Evaluator::currentValues(const Carried &carried, SourceRange range) {
  llvm::SmallVector<mlir::Value> values;
  for (const Carried::Variable &variable : carried.variables) {
    const Value &now = variable.binding->value;
    Value value = now.as<NeverValue>() || now.isError() ? variable.form : materialize(now, range);
    flatten(value.isError() ? variable.form : value, values);
  }
  return values;
}
