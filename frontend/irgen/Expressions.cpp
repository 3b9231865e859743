/// Literals, types as values, casts, members: every expression but names, accesses, calls and `if`.
#include "frontend/ast/Children.h"
#include "frontend/irgen/Builtins.h"
#include "frontend/irgen/Program.h"

#include <limits>

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

//===-- Types

std::optional<Type> Evaluator::typeOf(const Operand &operand) {
  if (operand.value.isError())
    return std::nullopt;
  if (operand.value.isUnit())
    return Type::unit();
  if (const TupleValue *tuple = operand.value.asTuple()) {
    std::vector<Type> members;
    for (const Value &element : tuple->elements) {
      std::optional<Type> member = typeOf({element, operand.range});
      if (!member)
        return std::nullopt;
      members.push_back(*member);
    }
    return Type::tuple(std::move(members));
  }
  auto *constant = operand.value.as<TypeConstant>();
  if (!constant) {
    report(Code::E0206, operand.range, "found " + operand.value.describe() + "; expected a type");
    return std::nullopt;
  }
  if (!constant->syntax)
    return constant->type;
  std::shared_ptr<Scope> here = std::exchange(frame->scope, constant->scope);
  std::optional<Type> type = evaluateType(*constant->syntax);
  frame->scope = here;
  return type;
}

/// `with (overflow = inf)` behind `as`. What is no such option is reported.
Emitter::Overflow Evaluator::overflowOf(const ast::Cast &cast, Scalar target) {
  Overflow overflow = Overflow::Finite;
  for (const ast::Argument &option : cast.options) {
    auto *word = dynCast<ast::Name>(option.value.get());
    if (!option.name || option.name->text != "overflow")
      report(Code::E0215, option.range,
             "option of `as` is " + quote(text(option.range)) + "; expected `overflow = inf`");
    else if (!word || word->text != "inf")
      report(Code::E0215, option.value->range, "overflow is " + quote(text(option.value->range)) + "; expected `inf`");
    else if (target != Scalar::F8E5M2 && !(isSpec && isFloat(target)))
      report(Code::E0203, option.range,
             "`overflow = inf` is not defined for " + std::string(nameOf(target)) +
                 "; expected f8e5m2, the one float with infinities that saturates without it");
    else
      overflow = Overflow::Infinite;
  }
  return overflow;
}

std::optional<Type> Evaluator::evaluateType(const ast::Expr &expr) {
  if (dynCast<ast::FnType>(&expr))
    return Type::of(Type::Kind::Fn);
  std::optional<Type> type = typeOf(operand(expr));
  if (type && (type->isTile() || type->isView()))
    type->element.scalar = inSpec(type->element.scalar);
  return type;
}

Scalar Evaluator::inSpec(Scalar scalar) const { return isSpec && isFloat(scalar) ? Scalar::F64 : scalar; }

Value Evaluator::floatLiteral(double value) const {
  return FloatConstant{value, isSpec ? std::optional(Scalar::F64) : std::nullopt};
}

void Evaluator::suggestScalar(DiagnosticBuilder &diagnostic, const Type &type, SourceRange range) const {
  if (type.kind == Type::Kind::Int || type.kind == Type::Kind::Float)
    diagnostic.replace(range, type.kind == Type::Kind::Int ? "i32" : "f32",
                       quote(type.text()) + " is for compile-time parameters, in `<…>`; write ");
}

std::optional<Scalar> Evaluator::evaluateScalarType(const Operand &operand) {
  std::optional<Type> type = typeOf(operand);
  if (!type)
    return std::nullopt;
  if (type->isScalar() && !type->element.isPointer)
    return inSpec(type->element.scalar);
  DiagnosticBuilder diagnostic =
      report(Code::E0206, operand.range, "found " + type->text() + "; expected a scalar type");
  suggestScalar(diagnostic, *type, operand.range);
  return std::nullopt;
}

/// `tile<f32>[A, B]`, `tensor<f32>[_, N]`, `ptr<f32>`, or a creation function without `()`: `zeros<f32>[BM]`.
Value Evaluator::evaluateGeneric(const ast::GenericApply &apply) {
  auto *name = dynCast<ast::Name>(apply.base);
  std::string_view constructor = name ? std::string_view(name->text) : "";
  if (constructor != "tile" && constructor != "tensor" && constructor != "ptr") {
    CallArguments arguments;
    arguments.range = arguments.callee = apply.range;
    Value callee = evaluate(*apply.base);
    if (auto *builtin = callee.as<const Builtin *>()) {
      for (const ast::Argument &argument : apply.arguments)
        arguments.generics.push_back(
            {argument.name ? argument.name->text : "", argument.range, argument.value.get(), operand(*argument.value)});
      if (apply.shape) {
        arguments.shape.emplace();
        for (const ast::ExprPtr &extent : *apply.shape)
          arguments.shape->push_back(operand(*extent));
      }
      return callBuiltin(**builtin, arguments);
    }
    if (!callee.isError())
      report(Code::E0206, apply.range,
             "found " + callee.describe() + " with a generic list; expected a type or a call");
    return {};
  }
  if (apply.arguments.size() != 1 || apply.arguments.front().name)
    return fail(Code::E0215, apply.range,
                quote(constructor) + " has " + std::to_string(apply.arguments.size()) +
                    " generic arguments; expected one element type");
  std::optional<Scalar> element = evaluateScalarType(operand(*apply.arguments.front().value));
  if (!element)
    return {};
  if (constructor == "ptr")
    return Value::type(Type::tile({*element, /*isPointer=*/true}, {}));
  if (!apply.shape)
    return fail(Code::E0215, apply.range, quote(constructor) + " has no shape; expected `[…]` after the element type");
  Type type = Type::of(constructor == "tile" ? Type::Kind::Tile : Type::Kind::View);
  type.element = {*element};
  for (const ast::ExprPtr &extent : *apply.shape) {
    if (type.isView()) {
      Value value = dynCast<ast::Wildcard>(extent) ? Value::unit() : evaluate(*extent);
      if (auto *constant = value.as<IntConstant>())
        type.extents.push_back(Dim{static_cast<int64_t>(constant->value), constant->symbol});
      else
        type.extents.push_back(std::nullopt);
      continue;
    }
    std::optional<Dim> dim = toDim(operand(*extent), "an extent of a tile");
    if (!dim)
      return {};
    type.shape.push_back(*dim);
  }
  return Value::type(std::move(type));
}

//===-- Compile-time values

Value Evaluator::evaluateConstant(const ast::Expr &expr, const std::string &what) {
  mlir::Block scratch;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&scratch);
  Value value = evaluate(expr);
  if (value.isRuntime())
    return fail(Code::E0300, expr.range, what + " is known only at run time; expected a compile-time value");
  return value;
}

std::optional<bool> Evaluator::evaluateStaticCondition(const ast::Expr &expr, const std::string &what) {
  Value value = evaluateConstant(expr, what);
  if (value.isError())
    return std::nullopt;
  if (auto *constant = value.as<BoolConstant>())
    return constant->value;
  report(Code::E0206, expr.range, what + " is " + value.describe() + "; expected bool");
  return std::nullopt;
}

void Evaluator::assumeEqualities(const ast::Expr &condition) {
  auto *binary = dynCast<ast::Binary>(&condition);
  if (!binary)
    return;
  if (binary->op == ast::BinaryOp::LogicalAnd) {
    assumeEqualities(*binary->lhs);
    assumeEqualities(*binary->rhs);
  }
  if (binary->op != ast::BinaryOp::Equal)
    return;
  mlir::Block scratch;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&scratch);
  Value lhs = evaluate(*binary->lhs), rhs = evaluate(*binary->rhs);
  auto *left = lhs.as<IntConstant>(), *right = rhs.as<IntConstant>();
  if (left && right)
    equalities.assume(left->symbol, right->symbol);
}

Value Evaluator::evaluateCondition(const ast::Expr &expr) {
  Value value = evaluate(expr);
  if (value.isError() || value.as<BoolConstant>())
    return value;
  Type type = value.type();
  if (type.isTile() && !type.shape.empty() && type.element.scalar == Scalar::Bool) {
    report(Code::E0207, expr.range, "condition is " + type.text() + "; expected bool")
        .help("select elements with `where(condition, a, b)`, or reduce with `any(…)` or `all(…)`");
    return {};
  }
  if (!type.isScalar(Scalar::Bool))
    return fail(Code::E0206, expr.range, "condition is " + value.describe() + "; expected bool");
  return value;
}

//===-- Operators

/// Whether evaluating `expr` touches nothing and costs little, so that `&&` need not branch.
static bool isSimple(const ast::Expr &expr) {
  static constexpr ast::ExprKind simple[] = {
      ast::ExprKind::Binary,       ast::ExprKind::BoolLiteral,   ast::ExprKind::Cast,
      ast::ExprKind::FloatLiteral, ast::ExprKind::IntLiteral,    ast::ExprKind::Member,
      ast::ExprKind::Name,         ast::ExprKind::StringLiteral, ast::ExprKind::Unary};
  bool result = llvm::is_contained(simple, expr.kind);
  forEachChild(expr, {[&](const ast::Expr &child, ast::ChildRole) { result = result && isSimple(child); },
                      [&](const ast::Block &) { result = false; }});
  return result;
}

/// `&&` and `||`: a constant left side decides alone and leaves the right side unchecked; a scalar one short-circuits.
Value Evaluator::evaluateLogical(const ast::Binary &binary) {
  bool isAnd = binary.op == ast::BinaryOp::LogicalAnd;
  Operand lhs = operand(*binary.lhs);
  if (auto *constant = lhs.value.as<BoolConstant>()) {
    if (constant->value != isAnd)
      return lhs.value;
    Operand rhs = operand(*binary.rhs);
    Type type = rhs.value.type();
    if (!rhs.value.isError() && !(type.isTile() && type.element == Element{Scalar::Bool}))
      return this->binary(binary.op, lhs, rhs, binary.opRange);
    return rhs.value;
  }
  if (!lhs.value.type().isScalar(Scalar::Bool) || isSimple(*binary.rhs))
    return this->binary(binary.op, lhs, operand(*binary.rhs), binary.opRange);
  auto right = [&] { return evaluateCondition(*binary.rhs); };
  auto decided = [&] { return Value::boolean(!isAnd); };
  return isAnd ? branch(lhs.value.ssa(), binary.opRange, right, decided)
               : branch(lhs.value.ssa(), binary.opRange, decided, right);
}

/// An add whose operand is `@` gives the other operand to the dot as its accumulator; so do `a @ b + c @ d`.
Value Evaluator::evaluateBinary(const ast::Binary &binary) {
  if (isLogical(binary.op))
    return evaluateLogical(binary);
  if (binary.op == ast::BinaryOp::Add) {
    for (auto [product, other] : {std::pair(&binary.rhs, &binary.lhs), std::pair(&binary.lhs, &binary.rhs)}) {
      auto *matmul = dynCast<ast::Binary>(*product);
      if (!matmul || matmul->op != ast::BinaryOp::MatMul)
        continue;
      // Operands keep their order of evaluation.
      bool isProductFirst = product == &binary.lhs;
      Operand first = operand(isProductFirst ? *matmul->lhs : **other);
      Operand second = operand(isProductFirst ? *matmul->rhs : *matmul->lhs);
      Operand third = operand(isProductFirst ? **other : *matmul->rhs);
      Operand lhs = isProductFirst ? first : second, rhs = isProductFirst ? second : third;
      Operand accumulator = isProductFirst ? third : first;
      if (accumulator.value.isError())
        return {};
      return dot(lhs, rhs, accumulator, matmul->opRange, {/*isTf32=*/false, /*inSum=*/matmul->range, {}});
    }
  }
  Operand lhs = operand(*binary.lhs);
  return this->binary(binary.op, lhs, operand(*binary.rhs), binary.opRange);
}

//===-- Members

static double largest(Scalar scalar, mlir::MLIRContext *context) {
  auto type = llvm::cast<mlir::FloatType>(mlirTypeOf(scalar, context));
  return llvm::APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
}

/// `T.max T.min T.eps T.bits T.is_float`; none if there is no such member.
static std::optional<Value> typeMember(Scalar scalar, std::string_view name, Scalar floatType,
                                       mlir::MLIRContext *context) {
  unsigned bits = info(scalar).bits;
  if (name == "bits")
    return Value::integer(bits);
  if (name == "is_float")
    return Value::boolean(isFloat(scalar));
  bool isMax = name == "max";
  if (isFloat(scalar)) {
    if (name == "eps")
      return Value(FloatConstant{std::ldexp(1.0, 1 - static_cast<int>(info(scalar).precision)), floatType});
    if (isMax || name == "min")
      return Value(FloatConstant{isMax ? largest(scalar, context) : -largest(scalar, context), floatType});
    return std::nullopt;
  }
  if (!isInteger(scalar) || (!isMax && name != "min"))
    return std::nullopt;
  bool isSigned = kindOf(scalar) == ScalarKind::Signed;
  WideInt value = isMax ? (WideInt(1) << (bits - isSigned)) - 1 : (isSigned ? -(WideInt(1) << (bits - 1)) : 0);
  return Value(IntConstant{value, scalar, Symbolic(static_cast<int64_t>(value))});
}

Value Evaluator::evaluateMember(const ast::Member &member) {
  if (reportForeignAxis(member))
    return {};
  Value base = evaluate(*member.base);
  if (base.isError())
    return base;
  if (auto *module = base.as<const LoadedModule *>()) {
    if ((*module)->items.count(member.name.text)) {
      std::shared_ptr<Scope> here = std::exchange(frame->scope, (*module)->scope);
      ast::Name name(member.name.range);
      name.text = member.name.text;
      Value value = lookup(name);
      frame->scope = here;
      return value;
    }
    return fail(Code::E0106, member.name.range, "module has no item " + quote(member.name.text));
  }
  if (auto *constant = base.as<TypeConstant>(); constant && constant->type.isScalar())
    if (std::optional<Value> value = typeMember(constant->type.element.scalar, member.name.text,
                                                inSpec(constant->type.element.scalar), context()))
      return *value;
  if (member.name.text == "T") {
    CallArguments arguments;
    arguments.range = member.range;
    arguments.callee = member.name.range;
    arguments.arguments.push_back({"", {}, member.base.get(), {base, member.base->range}});
    return callBuiltin(*findBuiltin("transpose"), arguments);
  }
  DiagnosticBuilder diagnostic =
      report(Code::E0106, member.name.range, base.describe() + " has no member " + quote(member.name.text));
  if (member.name.text == "shape" && base.isTile())
    diagnostic.help("the extents of a tile are known where it is made: `iota<i32>[BLOCK]` has `BLOCK`");
  if (base.isView())
    diagnostic.help("the extents of a tensor are known by the names that its declaration gives them");
  return {};
}

//===-- Expressions

void Evaluator::exhaust(SourceRange range, std::string message, std::string help) {
  if (!std::exchange(expansion.isExhausted, true))
    report(Code::E0309, range, std::move(message)).help(std::move(help));
}

bool Evaluator::mayBranch(SourceRange range) {
  if (expansion.nesting >= kMaxNesting)
    exhaust(range, "branches and loops nest more than " + std::to_string(kMaxNesting) + " levels deep",
            "a `break`, `continue` or `return` under a condition puts what follows one level deeper, in every copy "
            "that `static for` makes; a plain `for` makes none");
  return !expansion.isExhausted;
}

bool Evaluator::mayEvaluate(SourceRange range) {
  if (expansion.depth >= kMaxDepth)
    exhaust(range, "expressions and statements nest more than " + std::to_string(kMaxDepth) + " levels deep",
            "what a `const`, a call or an argument needs first stands within it; give parts of it names with `let`");
  return !expansion.isExhausted;
}

bool Evaluator::mayCall(const std::string &callee, SourceRange range) {
  if (calls.size() >= kMaxCalls)
    exhaust(range,
            std::to_string(calls.size() + 1) + " functions call each other, from " + quote(calls.front().callee) +
                " to " + quote(callee) + "; expected at most " + std::to_string(kMaxCalls),
            "each function is expanded within the one that calls it; call them one after another, or in a loop");
  return !expansion.isExhausted;
}

bool Evaluator::countExpanded(SourceRange range) {
  if (expansion.expanded++ >= kMaxExpanded)
    exhaust(range, "the kernel expands to more than " + std::to_string(kMaxExpanded) + " statements and calls",
            "each trip of a `static for` and each call of a function is a copy; a plain `for` makes none");
  return !expansion.isExhausted;
}

Value Evaluator::evaluate(const ast::Expr &expr) {
  if (!mayEvaluate(expr.range))
    return {};
  Level level(expansion.depth);
  return evaluateInner(expr);
}

Value Evaluator::evaluateInner(const ast::Expr &expr) {
  switch (expr.kind) {
  case ast::ExprKind::IntLiteral: {
    uint64_t value = dynCast<ast::IntLiteral>(&expr)->value;
    return IntConstant{value, std::nullopt, Symbolic(static_cast<int64_t>(value))};
  }
  case ast::ExprKind::FloatLiteral:
    return floatLiteral(dynCast<ast::FloatLiteral>(&expr)->value);
  case ast::ExprKind::BoolLiteral:
    return Value::boolean(dynCast<ast::BoolLiteral>(&expr)->value);
  case ast::ExprKind::StringLiteral:
    return StringConstant{dynCast<ast::StringLiteral>(&expr)->value};
  case ast::ExprKind::None:
    return AbsentValue{};
  case ast::ExprKind::Wildcard:
    return fail(Code::E0206, expr.range, "found `_`; expected an expression");
  case ast::ExprKind::Name:
    return readWhole({lookup(*dynCast<ast::Name>(&expr)), expr.range});
  case ast::ExprKind::Member:
    return evaluateMember(*dynCast<ast::Member>(&expr));
  case ast::ExprKind::GenericApply:
    return evaluateGeneric(*dynCast<ast::GenericApply>(&expr));
  case ast::ExprKind::Call:
    return evaluateCall(*dynCast<ast::Call>(&expr));
  case ast::ExprKind::Index:
    return evaluateIndex(*dynCast<ast::Index>(&expr));
  case ast::ExprKind::Unary: {
    auto *unary = dynCast<ast::Unary>(&expr);
    return this->unary(unary->op, operand(*unary->operand), expr.range);
  }
  case ast::ExprKind::Binary:
    return evaluateBinary(*dynCast<ast::Binary>(&expr));
  case ast::ExprKind::Range:
    return fail(Code::E0206, expr.range, "found a range; expected a value");
  case ast::ExprKind::Cast: {
    auto *cast = dynCast<ast::Cast>(&expr);
    Operand value = operand(*cast->operand);
    std::optional<Scalar> scalar = evaluateScalarType(operand(*cast->type));
    return scalar ? this->cast(value, *scalar, overflowOf(*cast, *scalar)) : Value();
  }
  case ast::ExprKind::If:
    return evaluateIf(*dynCast<ast::IfExpr>(&expr), /*isValueWanted=*/true);
  case ast::ExprKind::Tuple:
  case ast::ExprKind::List: {
    auto *tuple = dynCast<ast::Tuple>(&expr);
    std::vector<Value> elements;
    for (const ast::ExprPtr &element : tuple ? tuple->elements : dynCast<ast::List>(&expr)->elements)
      elements.push_back(evaluate(*element));
    if (!elements.empty() && llvm::all_of(elements, [](const Value &element) { return element.isError(); }))
      return {};
    size_t count = 0;
    for (const Value &element : elements)
      count += sizeOf(element);
    if (count > kMaxTuple)
      return fail(Code::E0309, expr.range,
                  "the tuple has " + std::to_string(count) +
                      " values with those of the tuples in it; expected at most " + std::to_string(kMaxTuple));
    return Value::tuple(std::move(elements), /*isList=*/!tuple);
  }
  case ast::ExprKind::Record:
    return fail(Code::E0206, expr.range, "found a configuration; expected a value");
  case ast::ExprKind::FnLiteral:
    return std::make_shared<const Function>(
        Function{"fn", nullptr, dynCast<ast::FnLiteral>(&expr), frame->scope->capture(), nullptr, nullptr});
  case ast::ExprKind::FnType:
    return Value::type(Type::of(Type::Kind::Fn));
  case ast::ExprKind::ArrayType:
    return fail(Code::E0900, expr.range, "array types are not supported by this version");
  case ast::ExprKind::StridedType: {
    std::optional<Type> type = evaluateType(*dynCast<ast::StridedType>(&expr)->tensor);
    if (!type)
      return {};
    type->isStrided = true;
    return Value::type(*type);
  }
  }
  return {};
}
