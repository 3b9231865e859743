/// Blocks and statements but loops: names are bound and assigned, values leave functions.
#include "frontend/irgen/Builtins.h"

#include "ir/Tile/TileOps.h"

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

Evaluator::FrameGuard::FrameGuard(Evaluator &evaluator, const void *declaration, std::shared_ptr<Scope> scope)
    : evaluator(evaluator), outer(evaluator.frame) {
  frame.declaration = declaration;
  frame.scope = std::move(scope);
  evaluator.frame = &frame;
  frame.returned = evaluator.declareFlag();
  frame.result = std::make_shared<Binding>();
  frame.result->value = NeverValue{};
  frame.variables.push_back(frame.result);
}

BindingPtr Evaluator::declareFlag() {
  auto flag = std::make_shared<Binding>();
  flag->kind = Binding::Kind::Var;
  flag->value = Value::boolean(false);
  flag->type = Type::scalar(Scalar::Bool);
  frame->variables.push_back(flag);
  return flag;
}

//===-- Names

static std::string_view describe(Binding::Kind kind) {
  switch (kind) {
  case Binding::Kind::Let:
    return "`let`";
  case Binding::Kind::Var:
    return "`var`";
  case Binding::Kind::LoopVariable:
    return "a loop variable";
  case Binding::Kind::Parameter:
    return "a parameter";
  case Binding::Kind::CompileTimeParameter:
    return "a compile-time parameter";
  case Binding::Kind::Dim:
    return "a dim";
  }
  return "";
}

BindingPtr Evaluator::declare(const std::string &name, Binding binding) {
  bool isLocal = binding.kind == Binding::Kind::Let || binding.kind == Binding::Kind::Var ||
                 binding.kind == Binding::Kind::LoopVariable;
  BindingPtr hidden = isLocal ? frame->scope->find(name) : frame->scope->findHere(name);
  bool hidesParameter = hidden && (!isLocal || hidden->kind >= Binding::Kind::Parameter);
  if (hidesParameter && !hidden->isCaptured)
    report(Code::E0102, binding.range, quote(name) + " hides " + std::string(describe(hidden->kind)) + " of that name")
        .secondary(hidden->range, "declared here");
  else if (BindingPtr here = frame->scope->findHere(name); here && !here->notTaken)
    report(Code::E0103, binding.range, quote(name) + " is declared twice")
        .secondary(here->range, "first declared here")
        .help("make it a `var` and assign it, or choose another name");
  bool isVariable = binding.kind == Binding::Kind::Var;
  frame->scope->declare(name, std::move(binding));
  BindingPtr declared = frame->scope->findHere(name);
  if (isVariable)
    frame->variables.push_back(declared);
  return declared;
}

void Evaluator::bind(const ast::Pattern &pattern, const Operand &value, Binding::Kind kind) {
  switch (pattern.kind) {
  case ast::Pattern::Kind::Wildcard:
    return;
  case ast::Pattern::Kind::Name: {
    Binding binding;
    binding.kind = kind;
    binding.range = pattern.range;
    binding.value = value.value;
    if (kind == Binding::Kind::Var) {
      // A variable has one type for good, so a literal takes the one it has alone.
      binding.type = value.value.type();
      if (value.value.isConstantScalar())
        binding.value = coerce(value, binding.type, quote(pattern.name));
    }
    declare(pattern.name, std::move(binding));
    return;
  }
  case ast::Pattern::Kind::Tuple: {
    const TupleValue *tuple = value.value.asTuple();
    if (!tuple || tuple->elements.size() != pattern.elements.size()) {
      if (!value.value.isError())
        report(Code::E0206, pattern.range,
               "the pattern has " + std::to_string(pattern.elements.size()) + " elements; the value is " +
                   value.value.describe())
            .secondary(value.range, value.value.describe());
      for (const ast::Pattern &element : pattern.elements)
        bind(element, {Value(), value.range}, kind);
      return;
    }
    for (auto [element, part] : llvm::zip_equal(pattern.elements, tuple->elements))
      bind(element, {part, value.range}, kind);
    return;
  }
  }
}

void Evaluator::executeLet(const ast::LetStmt &let) {
  Operand value = operand(*let.value);
  if (let.type)
    if (std::optional<Type> type = evaluateType(*let.type))
      value.value = coerce(value, *type, quote(text(let.pattern.range)));
  bind(let.pattern, value, let.isMutable ? Binding::Kind::Var : Binding::Kind::Let);
  if (let.pattern.kind == ast::Pattern::Kind::Name)
    frame->scope->findHere(let.pattern.name)->declaration = &let;
}

/// Helps with the declaration of a variable that is narrower than what is assigned to it: rounding at each assignment
/// is seldom meant.
void Evaluator::suggestDeclaration(DiagnosticBuilder &diagnostic, const Binding &binding, const Type &wider) const {
  const ast::LetStmt &declaration = *binding.declaration;
  diagnostic.secondary(binding.range, "declared as " + binding.type.text() + " here");
  // `tile<bf16>[…]`, `zeros<bf16>[…]`, `bf16` and `… as bf16` name the type.
  const ast::Expr *type = declaration.type ? declaration.type.get() : declaration.value.get();
  if (auto *call = dynCast<ast::Call>(type))
    type = call->callee.get();
  std::string scalar(nameOf(wider.element.scalar));
  if (auto *apply = dynCast<ast::GenericApply>(type); apply && apply->arguments.size() == 1)
    type = apply->arguments.front().value.get();
  else if (auto *cast = dynCast<ast::Cast>(type))
    type = cast->type.get();
  else if (!declaration.type)
    return suggestCast(diagnostic, declaration.value->range, scalar, "declare it as ");
  SourceRange whole = declaration.type ? declaration.type->range : declaration.value->range;
  std::string before = text(whole), edited = before;
  edited.replace(type->range.begin - whole.begin, type->range.end - type->range.begin, scalar);
  diagnostic.replace(whole, edited, "declare it as ");
}

void Evaluator::assign(Binding &binding, const Operand &value, const std::string &name) {
  if (value.value.isError() || binding.type.isError() || isSameType(value.value.type(), binding.type)) {
    // A constant takes the variable's type, so that later uses see it.
    bool isLiteral = value.value.isConstantScalar() && !binding.type.isError();
    binding.value = isLiteral ? coerce(value, binding.type, quote(name)) : value.value;
    return;
  }
  unsigned before = engine.errorCount();
  std::string what = "the value assigned to " + quote(name);
  if (Type type = value.value.type(); binding.declaration && value.value.isTile() && binding.type.isTile() &&
                                      isSameShape(type.shape, binding.type.shape) && !type.element.isPointer &&
                                      !binding.type.element.isPointer &&
                                      type.element.scalar != binding.type.element.scalar &&
                                      widensTo(binding.type.element.scalar, type.element.scalar)) {
    DiagnosticBuilder diagnostic =
        report(Code::E0206, value.range, what + " is " + type.text() + "; expected " + binding.type.text());
    suggestDeclaration(diagnostic, binding, type);
    binding.value = Value();
    return;
  }
  binding.value = coerce(value, binding.type, what);
  if (engine.errorCount() != before && binding.range.isValid())
    binding.value = Value();
}

void Evaluator::executeAssign(const ast::AssignStmt &assign) {
  if (auto *tuple = dynCast<ast::Tuple>(assign.target)) {
    Operand value = operand(*assign.value);
    const TupleValue *parts = value.value.asTuple();
    if (value.value.isError())
      return;
    if (!parts || parts->elements.size() != tuple->elements.size() || assign.op) {
      report(Code::E0206, assign.target->range,
             "the target has " + std::to_string(tuple->elements.size()) + " elements; the value is " +
                 value.value.describe());
      return;
    }
    for (auto [target, part] : llvm::zip_equal(tuple->elements, parts->elements))
      assignTo(*target, {part, value.range});
    return;
  }
  if (!assign.op) {
    if (auto *index = dynCast<ast::Index>(assign.target)) {
      // The value first, as in every assignment; the place is evaluated once.
      Operand value = operand(*assign.value);
      if (std::optional<Access> access = evaluateAccess(*index, "an assignment"))
        store(*access, value);
      return;
    }
    assignTo(*assign.target, operand(*assign.value));
    return;
  }
  auto combine = [&](const Operand &old) -> Operand {
    auto *product = dynCast<ast::Binary>(assign.value);
    if (*assign.op == ast::BinaryOp::Add && product && product->op == ast::BinaryOp::MatMul) {
      Operand lhs = operand(*product->lhs);
      Operand rhs = operand(*product->rhs);
      if (old.value.isError())
        return old;
      return {dot(lhs, rhs, old, product->opRange, {/*isTf32=*/false, /*inSum=*/product->range, {}}),
              assign.value->range};
    }
    Operand rhs = operand(*assign.value);
    // To its type a sum comes by its right side: the left one has the type that is wanted.
    return {binary(*assign.op, old, rhs, assign.opRange), assign.value->range};
  };
  if (auto *index = dynCast<ast::Index>(assign.target)) {
    std::optional<Access> access = evaluateAccess(*index, "an assignment");
    if (!access)
      return;
    if (!access->viewType.isReadable || !access->viewType.isWritable) {
      report(Code::E0213, assign.target->range,
             quote(text(index->base->range)) + " is not declared `inout`; " + quote(text(assign.opRange)) +
                 " reads and writes it");
      return;
    }
    Value old = load(*access);
    store(*access, combine({old, assign.target->range}));
    return;
  }
  assignTo(*assign.target, combine(operand(*assign.target)));
}

void Evaluator::assignTo(const ast::Expr &target, const Operand &value) {
  if (dynCast<ast::Wildcard>(&target))
    return;
  if (dynCast<ast::Index>(&target)) {
    if (std::optional<Access> access = evaluateAccess(target, "an assignment"))
      store(*access, value);
    return;
  }
  auto *name = dynCast<ast::Name>(&target);
  if (!name) {
    report(Code::E0104, target.range,
           "cannot assign to " + quote(text(target.range)) + "; expected a `var` or an element of a tensor");
    return;
  }
  BindingPtr binding = frame->scope->find(name->text);
  if (!binding) {
    if (!lookup(*name, Use::Assignment).isError())
      report(Code::E0104, target.range, "cannot assign to " + quote(name->text) + ", which is no variable");
    return;
  }
  if (isSpec && binding->value.isView() && binding->value.type().isWritable) {
    storeWhole({binding->value, target.range}, value);
    return;
  }
  if (binding->kind != Binding::Kind::Var || binding->isCaptured) {
    DiagnosticBuilder diagnostic =
        report(Code::E0104, target.range,
               "cannot assign to " + quote(name->text) + ", which is " +
                   (binding->isCaptured ? "captured by value" : std::string(describe(binding->kind))));
    diagnostic.secondary(binding->range, "declared here");
    if (binding->kind == Binding::Kind::Let)
      diagnostic.help("declare it with `var`");
    if (binding->value.isView())
      diagnostic.help("to write its elements, index it: " + quote(name->text + "[…] = …"));
    return;
  }
  assign(*binding, value, name->text);
}

//===-- Blocks

Evaluator::Statements Evaluator::statementsOf(const ast::Block &block) {
  Statements statements;
  for (const ast::StmtPtr &statement : block.statements)
    statements.push_back({statement.get(), nullptr});
  return statements;
}

Value Evaluator::execute(const ast::Block &block, bool isValueWanted) {
  std::shared_ptr<Scope> outer = frame->scope;
  size_t variables = frame->variables.size();
  frame->scope = std::make_shared<Scope>(outer);
  Equalities known = equalities;
  Value value = executeStatements(statementsOf(block), isValueWanted ? Last::Value : Last::Statement);
  equalities = std::move(known);
  frame->scope = outer;
  frame->variables.resize(variables);
  return value;
}

Value Evaluator::executeFunctionBody(const ast::Block &block) {
  executeStatements(statementsOf(block), frame->isKernel ? Last::Statement : Last::Result);
  return frame->result->value;
}

Value Evaluator::either(const Value &lhs, const Value &rhs, SourceRange range) {
  auto *left = lhs.as<BoolConstant>(), *right = rhs.as<BoolConstant>();
  if (left)
    return left->value ? lhs : rhs;
  if (right)
    return right->value ? rhs : lhs;
  return binary(ast::BinaryOp::LogicalOr, {lhs, range}, {rhs, range}, range);
}

Value Evaluator::exited() {
  Value result = frame->returned->value;
  if (!frame->loops.empty())
    for (const BindingPtr &flag : {frame->loops.back().broken, frame->loops.back().continued})
      result = either(result, flag->value, flag->range.isValid() ? flag->range : exitRange);
  return result;
}

/// A `static if` is replaced by the statements of its branch, which so share the scope around it.
Value Evaluator::executeStatements(Statements statements, Last last) {
  if (!statements.empty() && statements.front().statement && !mayEvaluate(statements.front().statement->range))
    return {};
  Level level(expansion.depth);
  while (!statements.empty()) {
    Step step = statements.front();
    statements.pop_front();
    if (!step.statement) {
      equalities = *step.restored;
      continue;
    }
    const ast::Stmt &statement = *step.statement;
    if (!countExpanded(statement.range))
      return {};
    bool isLast = statements.empty() && last != Last::Statement;
    auto *expression = dynCast<ast::ExprStmt>(&statement);
    auto *conditional = expression ? dynCast<ast::IfExpr>(expression->expr) : nullptr;
    if (conditional && conditional->isStatic) {
      auto known = std::make_shared<const Equalities>(equalities);
      Statements taken = statementsOfStaticIf(*conditional);
      if (!statements.empty())
        taken.push_back({nullptr, known});
      statements.insert(statements.begin(), taken.begin(), taken.end());
      continue;
    }
    if (isLast && expression) {
      Value value = evaluate(*expression->expr);
      if (last == Last::Value)
        return value;
      setResult({value, expression->range});
      return {};
    }
    executeStatement(statement);
    exitRange = statement.range;
    Value left = exited();
    if (left.isError())
      return {};
    if (auto *constant = left.as<BoolConstant>()) {
      if (constant->value)
        return NeverValue{};
      continue;
    }
    if (statements.empty() && last != Last::Result)
      break;
    mlir::Value stays = negateBool(left.ssa(), at(statement.range));
    return branch(
        stays, statement.range, [&] { return executeStatements(statements, last); },
        [] { return Value(NeverValue{}); });
  }
  if (last == Last::Result)
    setResult({Value::unit(), exitRange});
  return Value::unit();
}

Evaluator::Statements Evaluator::statementsOfStaticIf(const ast::IfExpr &expr) {
  std::optional<bool> isTaken = evaluateStaticCondition(*expr.condition, "the condition of `static if`");
  if (!isTaken)
    return {};
  if (*isTaken)
    assumeEqualities(*expr.condition);
  const ast::Block *block = *isTaken ? expr.thenBlock.get() : expr.elseBlock.get();
  const ast::Block *other = *isTaken ? expr.elseBlock.get() : expr.thenBlock.get();
  if (other)
    declareNotTaken(*other, expr.condition->range);
  return block ? statementsOf(*block) : Statements();
}

/// The value of a function: what `return` gives, or the last expression of its body.
void Evaluator::setResult(const Operand &value) {
  Operand result = value;
  if (result.value.as<NeverValue>())
    return;
  if (frame->declaredResult)
    result.value = coerce(value, *frame->declaredResult, "the result");
  frame->result->value = result.value;
  frame->returned->value = Value::boolean(true);
}

void Evaluator::executeReturn(const ast::Expr *value, SourceRange range) {
  if (frame->isKernel && value) {
    report(Code::E0206, range, "a kernel returns nothing; found a value");
    return;
  }
  setResult({value ? evaluate(*value) : Value::unit(), value ? value->range : range});
  frame->returned->value = Value::boolean(true);
}

void Evaluator::executeStaticAssert(const ast::Expr &condition, const ast::Expr *message, SourceRange range) {
  std::optional<bool> holds = evaluateStaticCondition(condition, "the condition of `static_assert`");
  if (!holds)
    return;
  if (*holds)
    return assumeEqualities(condition);
  auto *text = dynCast<ast::StringLiteral>(message);
  DiagnosticBuilder diagnostic = report(Code::E0302, condition.range,
                                        text ? "static assertion failed: " + text->value : "static assertion failed");
  if (auto *binary = dynCast<ast::Binary>(&condition); binary && isComparison(binary->op))
    for (const ast::ExprPtr *side : {&binary->lhs, &binary->rhs})
      if (!dynCast<ast::IntLiteral>(*side))
        diagnostic.note(quote(this->text((*side)->range)) + " is " + evaluate(**side).describe());
}

void Evaluator::executeStatement(const ast::Stmt &stmt) {
  switch (stmt.kind) {
  case ast::StmtKind::Let:
    return executeLet(*dynCast<ast::LetStmt>(&stmt));
  case ast::StmtKind::Assign:
    return executeAssign(*dynCast<ast::AssignStmt>(&stmt));
  case ast::StmtKind::Expr: {
    auto *expr = dynCast<ast::ExprStmt>(&stmt)->expr.get();
    if (auto *conditional = dynCast<ast::IfExpr>(expr))
      evaluateIf(*conditional, /*isValueWanted=*/false);
    else
      evaluate(*expr);
    return;
  }
  case ast::StmtKind::For: {
    auto *loop = dynCast<ast::ForStmt>(&stmt);
    return loop->isStatic ? executeStaticFor(*loop) : executeFor(*loop);
  }
  case ast::StmtKind::While:
    return executeWhile(*dynCast<ast::WhileStmt>(&stmt));
  case ast::StmtKind::Return:
    return executeReturn(dynCast<ast::ReturnStmt>(&stmt)->value.get(), stmt.range);
  case ast::StmtKind::Break:
  case ast::StmtKind::Continue: {
    bool isBreak = stmt.kind == ast::StmtKind::Break;
    if (frame->loops.empty()) {
      report(Code::E0108, stmt.range, std::string(isBreak ? "`break`" : "`continue`") + " stands in no loop");
      return;
    }
    Loop &loop = frame->loops.back();
    (isBreak ? loop.broken : loop.continued)->value = Value::boolean(true);
    return;
  }
  case ast::StmtKind::StaticAssert: {
    auto *check = dynCast<ast::StaticAssertStmt>(&stmt);
    return executeStaticAssert(*check->condition, check->message.get(), stmt.range);
  }
  case ast::StmtKind::StaticPrint: {
    std::string line;
    bool isValid = true;
    for (const ast::ExprPtr &value : dynCast<ast::StaticPrintStmt>(&stmt)->values) {
      Value result = evaluate(*value);
      isValid &= !result.isError();
      auto *string = result.as<StringConstant>();
      line += (line.empty() ? "" : " ") + (string ? string->value : result.describe());
    }
    if (isValid) // what is wrong has been said
      report(Code::W0300, stmt.range, "static_print: " + line);
    return;
  }
  case ast::StmtKind::Fn: {
    const ast::FnDecl *function = dynCast<ast::FnStmt>(&stmt)->function.get();
    Binding binding;
    binding.range = function->name.range;
    binding.value = std::make_shared<const Function>(
        Function{function->name.text, function, nullptr, frame->scope->capture(), nullptr, nullptr});
    declare(function->name.text, std::move(binding));
    return;
  }
  case ast::StmtKind::Shared:
    report(Code::E0900, stmt.range, "`shared` is not supported by this version");
    return;
  case ast::StmtKind::Roles:
    report(Code::E0900, stmt.range, "`roles` is not supported by this version");
    return;
  }
}
