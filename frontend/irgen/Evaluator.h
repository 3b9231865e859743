/// Runs a program of the language at compile time: every expression becomes a Value, what depends on run-time values
/// becomes ops. Functions are expanded where they are called.
///
/// Statements may leave a function or loop early. That is kept in hidden flags, variables like any other: after a
/// statement that may have left, the rest of its block stands in an `scf.if`. So all control flow is structured.
#ifndef FRONTEND_IRGEN_EVALUATOR_H
#define FRONTEND_IRGEN_EVALUATOR_H

#include "frontend/irgen/AssignedNames.h"
#include "frontend/irgen/Emitter.h"
#include "frontend/irgen/Expansion.h"
#include "frontend/irgen/Scope.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <deque>
#include <set>

namespace tile {
struct Knob;
}

namespace tile::irgen {

class Program;
using BindingPtr = std::shared_ptr<Binding>;

/// What a call passes, evaluated once.
struct CallArguments {
  struct Argument {
    std::string name; // empty: positional
    SourceRange nameRange;
    const ast::Expr *syntax = nullptr;
    Operand operand; // without a value until asked for, where the callee takes syntax
  };
  SourceRange range;  // of the call
  SourceRange callee; // of what is called
  std::vector<Argument> arguments;
  std::vector<Argument> generics;
  std::optional<std::vector<Operand>> shape; // `[BM, BN]` after the generics
};

class Evaluator : public Emitter {
public:
  Evaluator(mlir::MLIRContext *context, SourceManager &sources, DiagnosticEngine &engine, Program &program)
      : Emitter(context, sources, engine), program(program) {}

  Program &program;
  /// What is being generated: its grid is what `program_id` counts in.
  const ast::KernelItem *kernel = nullptr;
  /// Knobs that `-D` or a shape gives the kernel, and so its loops, whatever stands before them.
  std::set<std::string> givenKnobs;

  /// A loop around the current statement.
  struct Loop {
    BindingPtr broken;
    BindingPtr continued;
  };
  /// A function being expanded, or the kernel.
  struct Frame {
    const void *declaration = nullptr;
    std::shared_ptr<Scope> scope;
    std::vector<BindingPtr> variables; // every var in scope, flags included
    BindingPtr returned;
    BindingPtr result;
    std::optional<Type> declaredResult;
    SourceRange resultRange;
    std::vector<Loop> loops;
    bool isKernel = false;
  };
  Frame *frame = nullptr;

  /// Begins a frame whose names stand in `scope`; ends with the object.
  class FrameGuard {
  public:
    FrameGuard(Evaluator &evaluator, const void *declaration, std::shared_ptr<Scope> scope);
    ~FrameGuard() { evaluator.frame = outer; }
    Frame frame;

  private:
    Evaluator &evaluator;
    Frame *outer;
  };

  //===-- Limits

  Expansion expansion;
  /// Counts a statement or call that is expanded. False where that is one too many, which is reported once a kernel.
  bool countExpanded(SourceRange range);
  /// Whether another level of what counts up to `limit` fits; reports that it does not, once a kernel.
  bool mayBranch(SourceRange range);
  bool mayEvaluate(SourceRange range);
  bool mayCall(const std::string &callee, SourceRange range);

  //===-- Expressions

  Value evaluate(const ast::Expr &expr);
  Operand operand(const ast::Expr &expr) { return {evaluate(expr), expr.range}; }
  /// `expr` as a type; none if reported.
  std::optional<Type> evaluateType(const ast::Expr &expr);
  Overflow overflowOf(const ast::Cast &cast, Scalar target);
  std::optional<Type> typeOf(const Operand &operand);
  /// `expr` as a scalar type: what stands after `as` or in `full<…>`.
  std::optional<Scalar> evaluateScalarType(const Operand &operand);
  /// Helps where `type` at `range`, which is none of values at run time, is that of another language.
  void suggestScalar(DiagnosticBuilder &diagnostic, const Type &type, SourceRange range) const;
  std::optional<bool> evaluateStaticCondition(const ast::Expr &expr, const std::string &what);
  /// Evaluates in a block that is thrown away; a run-time result is reported with `what`.
  Value evaluateConstant(const ast::Expr &expr, const std::string &what);
  /// A bool scalar; reports a tile with the hint to use `where`.
  Value evaluateCondition(const ast::Expr &expr);
  /// In a spec every float type is f64.
  Scalar inSpec(Scalar scalar) const;
  Value floatLiteral(double value) const;
  /// What a name is used for: to be read, to be asked whether it is absent, or to be given a value.
  enum class Use { Value, Presence, Assignment };
  Value lookup(const ast::Name &name, Use use = Use::Value);
  void reportUnknown(const std::string &name, SourceRange range, const std::string &what, Use use = Use::Value);
  /// Takes the equalities of a condition that is known to hold.
  void assumeEqualities(const ast::Expr &condition);

  //===-- Indexing

  Value evaluateIndex(const ast::Index &index);
  /// Positions of an access that are resolved to SSA.
  struct Access {
    mlir::Value view;
    Type viewType;
    llvm::SmallVector<mlir::Value> indices;
    llvm::SmallVector<int64_t> sizes;
    std::vector<Dim> shape; // of the accessed tile
    bool isUnchecked = false;
    const ast::Index *syntax = nullptr;
  };
  /// `a[…]` as an access; reports what is no access of a view.
  std::optional<Access> evaluateAccess(const ast::Expr &expr, const std::string &what);
  void reportViewAsAccess(const ast::Index &index, const Type &view, const std::string &what);
  Value load(const Access &access);
  /// `base` of an index or a call: a tensor stays a tensor, also in a spec.
  Operand evaluateBase(const ast::Expr &expr);
  /// In a spec, all elements of a tensor; other values as they are.
  Value readWhole(const Operand &operand);
  void storeWhole(const Operand &tensor, const Operand &value);
  void store(const Access &access, const Operand &value);

  //===-- Statements

  /// Runs `block` in a scope of its own; the value of its last expression if `isValueWanted`, else nothing.
  Value execute(const ast::Block &block, bool isValueWanted);
  /// Runs the body of a function in the current scope; the last expression is returned.
  Value executeFunctionBody(const ast::Block &block);
  void executeStaticAssert(const ast::Expr &condition, const ast::Expr *message, SourceRange range);
  Value evaluateIf(const ast::IfExpr &expr, bool isValueWanted);
  void bind(const ast::Pattern &pattern, const Operand &value, Binding::Kind kind);
  BindingPtr declare(const std::string &name, Binding binding);
  void assign(Binding &binding, const Operand &value, const std::string &name);
  void suggestDeclaration(DiagnosticBuilder &diagnostic, const Binding &binding, const Type &wider) const;

  /// Emits `condition ? thenPart : elsePart`; variables that the parts change, and their values, come out of it.
  Value branch(mlir::Value condition, SourceRange range, llvm::function_ref<Value()> thenPart,
               llvm::function_ref<Value()> elsePart);

  //===-- Calls

  Value evaluateCall(const ast::Call &call);
  Value call(const Function &function, CallArguments &arguments);
  /// Calls with values that have no syntax of their own, such as the elements that `reduce` combines.
  Value call(const Function &function, const std::vector<Operand> &values, SourceRange range);
  Value callBuiltin(const Builtin &builtin, CallArguments &arguments);
  void evaluateArguments(CallArguments &arguments);

  /// A counted loop runs its iterations one after the other and leaves early in none: only it may have a schedule.
  enum class LoopForm { Counted, LeavesEarly, While, Unrolled };

private:
  friend class FrameGuard;
  void exhaust(SourceRange range, std::string message, std::string help);
  Value evaluateInner(const ast::Expr &expr);
  Value evaluateMember(const ast::Member &member);
  bool reportForeignAxis(const ast::Member &member);
  Value evaluateMethod(const ast::Member &member, CallArguments &arguments);
  Value evaluateGeneric(const ast::GenericApply &apply);
  Value evaluateBinary(const ast::Binary &binary);
  Value evaluateLogical(const ast::Binary &binary);
  bool checkPlain(const ast::Index &index);
  Value indexTuple(const ast::Index &index, const TupleValue &tuple);
  Value indexTile(const ast::Index &index, const Operand &base);
  Value makeView(const ast::Index &index, const Operand &base);
  std::optional<Access> resolveAccess(const ast::Index &index, const Operand &base);

  void executeStatement(const ast::Stmt &stmt);
  /// A statement to run, or the end of a taken `static if`, whose equalities end with it.
  struct Step {
    const ast::Stmt *statement;
    std::shared_ptr<const Equalities> restored;
  };
  using Statements = std::deque<Step>;
  static Statements statementsOf(const ast::Block &block);
  enum class Last { Statement, Value, Result };
  Value executeStatements(Statements statements, Last last);
  void executeLet(const ast::LetStmt &let);
  void executeAssign(const ast::AssignStmt &assign);
  void assignTo(const ast::Expr &target, const Operand &value);
  void setResult(const Operand &value);
  void executeReturn(const ast::Expr *value, SourceRange range);
  void executeFor(const ast::ForStmt &loop);
  void executeStaticFor(const ast::ForStmt &loop);
  void executeWhile(const ast::WhileStmt &loop);
  Statements statementsOfStaticIf(const ast::IfExpr &expr);
  void declareNotTaken(const ast::Block &block, SourceRange condition);

  /// Whether the rest of a block still runs: a bool constant or SSA bool, true where control has left.
  Value exited();
  SourceRange exitRange; // the statement after which control may have left
  Value either(const Value &lhs, const Value &rhs, SourceRange range);
  BindingPtr declareFlag();
  /// Merges what two branches gave; `yieldThen` and `yieldElse` receive the SSA values of each.
  Value merge(const Value &thenValue, const Value &elseValue, mlir::Value condition, mlir::Block *thenBlock,
              mlir::Block *elseBlock, SourceRange range, llvm::SmallVectorImpl<mlir::Value> &yieldThen,
              llvm::SmallVectorImpl<mlir::Value> &yieldElse);
  Value placeholder(const Type &type, SourceRange range);
  /// What goes from one trip of a loop to the next.
  struct Carried {
    struct Variable {
      BindingPtr binding;
      /// Its value before the loop, with an SSA value wherever it may change: as many in every trip and after the last.
      Value form;
    };
    std::vector<Variable> variables;
    llvm::SmallVector<mlir::Value> initial;
  };
  std::optional<Carried> carry(const AssignedNames &assigned, const Loop &loop, SourceRange range);
  void setCarried(const Carried &carried, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> currentValues(const Carried &carried, SourceRange range);
  void checkStep(mlir::Value step, Scalar scalar, SourceRange range);
  void warnOfEmptyRange(const ast::Expr &low, const ast::Expr &high, SourceRange range);
  std::optional<int64_t> clauseNumber(const ast::Decorator &clause, const tile::Knob &knob);
  mlir::DictionaryAttr scheduleOf(const std::vector<ast::Decorator> &clauses, LoopForm form);
};

} // namespace tile::irgen

#endif
