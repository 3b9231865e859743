/// One instance of a kernel: values for its compile-time parameters, its arguments in ABI order, its body and contract.
#ifndef FRONTEND_IRGEN_KERNEL_H
#define FRONTEND_IRGEN_KERNEL_H

#include "frontend/irgen/HostExpression.h"
#include "frontend/irgen/Irgen.h"
#include "frontend/irgen/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile::irgen {

/// Values chosen for an instance, by name, as syntax: what `-D` gave and what `@instances` lists.
struct InstanceValues {
  struct Choice {
    const ast::Expr *syntax;
    std::string source; // as the contract names it
    /// What `-D` or a shape gives holds for every launch; what `@instances` lists serves those that a heuristic says.
    bool overridesHeuristic = true;
  };
  std::map<std::string, Choice> choices;
  std::map<std::string, const ast::Expr *> scalars;      // what the launch will pass, where it is known
  std::map<std::string, const ast::Expr *> pointerSizes; // of a spec
  SourceRange shape;                                     // that describes the launch, if one does
  std::optional<int64_t> numSms;                         // of the device of the launch, if that is known
  std::map<std::string, const ast::Expr *> heuristics;   // what they are, where the launch is known to others alone
  bool isConfigured = false;                             // `choices` have a configuration, be it empty
  const TunedInstance *tuned = nullptr;                  // what the contract says of the tuning; null: nothing chose
  bool has(const std::string &name) const { return choices.count(name) != 0; }
};

/// A parameter that the ABI knows: a tensor, scalar or pointer; tuples are taken apart.
struct KernelLeaf {
  enum class Kind { Tensor, Scalar, Pointer };
  Kind kind = Kind::Scalar;
  std::string name; // `extra.0` within a tuple
  const ast::Parameter *parameter = nullptr;
  Scalar scalar = Scalar::F32;
  bool isStrided = false;
  bool isPresent = true;
  const std::vector<ast::ExprPtr> *extents = nullptr; // of a tensor
  SourceRange range;                                  // of its type
};

class KernelBuilder {
public:
  KernelBuilder(Evaluator &evaluator, const LoadedModule &module, const ast::KernelItem &kernel,
                const InstanceValues &values, std::string symbol);
  /// Generates the function at the builder's insertion point. Faults are reported; the function is then not to be used.
  void build();
  /// Generates what `spec` says of the kernel: whole tensors of static extents, every float an f64. The contract has
  /// one program, and the ABI passes a pointer for each tensor and the scalars.
  void buildSpec(const ast::SpecItem &spec);
  /// What host expressions are for the values given, as literals; none if one was reported.
  std::optional<std::vector<std::string>> evaluate(const std::vector<const ast::Expr *> &asked);
  /// Whether `where` can be true: its compile-time values make no condition false. Reports nothing; good for no more.
  bool isLeftByWhere();

private:
  /// A compile-time parameter with its value.
  struct Constant {
    const ast::GenericParameter *parameter;
    Value value;
    std::string source;
    std::optional<HostExpression> heuristic;
  };
  /// `warps` and its kin.
  struct Knob {
    int64_t value;
    std::string source;
    std::optional<HostExpression> heuristic;
    SourceRange range;
  };
  /// A name that extents bind.
  struct Dim {
    std::string name;
    std::string parameter;
    size_t axis = 0;
    SourceRange range;
    llvm::SmallVector<mlir::Attribute> inverse; // the dim from the name `extent`, where that is not the dim itself
    std::optional<int64_t> value;
    bool isDeclared = false;
    unsigned argument = 0; // of the function
  };
  /// How the value of a source parameter is put together from leaves.
  struct Shape {
    std::optional<size_t> leaf;
    bool isAbsent = false;
    std::vector<Shape> elements;
  };

  // Kernel.cpp
  bool bindTypes();
  bool bindConstants();
  bool bindConstant(const ast::GenericParameter &generic);
  void reportNoValue(const ast::GenericParameter &generic);
  const ast::Expr *heuristicOfLaunch(const std::string &name) const;
  std::optional<Value> computeHeuristic(const ast::Expr &heuristic, const std::string &what, const std::string &name,
                                        SourceRange place);
  void declareConstant(Constant constant);
  std::optional<int64_t> knobValue(const std::string &name, const ast::Expr &value);
  Value valueOf(const ast::GenericParameter &generic, const ast::Expr &syntax);
  Value numberOf(const ast::GenericParameter &generic, const Operand &value);
  bool checkListedValues();
  void checkListedKnobs();
  void setKnobs();
  void checkDefault(const ast::GenericParameter &generic);
  void setKnob(const std::string &name, const ast::Expr &value, const std::string &source);
  mlir::func::FuncOp beginFunction();
  void runBody(mlir::func::FuncOp function, const ast::Block &body);
  void declareParameters(const std::vector<Value> &leafValues);

  // Spec.cpp
  bool declareGivenDims();
  std::optional<std::vector<irgen::Dim>> specExtents(const KernelLeaf &leaf);
  bool buildSpecArguments();
  mlir::DictionaryAttr buildSpecContract();

  // Signature.cpp
  bool flattenParameters();
  std::optional<Shape> flatten(const std::string &name, const ast::Parameter &parameter, const ast::Expr &type,
                               bool isStrided);
  void reportShapeless(const ast::Parameter &parameter, const ast::GenericApply &tensor);
  void collectDims();
  void declareDim(const KernelLeaf &leaf, size_t axis, const ast::Expr &extent);
  bool isDimName(const std::string &name) const;
  bool checkGivenDims();
  bool checkDims();
  bool buildArguments();
  Value assemble(const Shape &shape, const std::vector<Value> &leaves);
  bool isAliased(const std::string &name) const;
  mlir::Value addArgument(mlir::Type type, SourceRange range);

  // Tuning.cpp
  void takeConfiguration();
  std::vector<HostExpression> tuningKey();
  mlir::Attribute tuningAttribute();

  // HostValues.cpp
  std::optional<HostExpression> evaluateNow(const ast::Expr &expr);

  // Contract.cpp
  mlir::DictionaryAttr buildContract();
  void reportFalse(const ast::Expr &condition);
  mlir::Attribute parameterAttribute(const KernelLeaf &leaf);
  mlir::Attribute constantAttribute(const Constant &constant);
  mlir::Attribute decoratorAttribute(const ast::Decorator &decorator);
  mlir::Attribute syntaxAttribute(const ast::Expr &expr);
  void checkDecorators();
  void checkArgumentNames(const ast::Decorator &decorator, llvm::ArrayRef<std::string_view> known);
  void checkDecoratorNames(const ast::Decorator &decorator);
  bool isTunable(std::string_view name) const;
  void checkGivenOnce();
  void checkKeyNames();
  void checkListedOnce(const ast::List &list);
  void learnFromWhere(const ast::Expr &condition, mlir::func::FuncOp function);
  std::optional<HostExpression> host(const ast::Expr &expr, bool constantsByName);
  Value givenScalar(const KernelLeaf &leaf);
  std::optional<HostExpression> hostName(const std::string &name, bool constantsByName, bool withGiven);

  Evaluator &evaluator;
  const LoadedModule &module;
  const ast::KernelItem &kernel;
  const InstanceValues &values;
  std::string symbol;
  std::shared_ptr<Scope> scope;

  std::vector<Constant> constants;
  std::map<std::string, const ast::Expr *> configuration; // the first of `@autotune` that `where` leaves
  uint64_t refused = 0;                                   // configurations, if `where` leaves none
  std::map<std::string, Knob> knobs;
  std::vector<KernelLeaf> leaves;
  std::vector<Shape> shapes; // one per source parameter
  std::vector<Dim> dims;
  llvm::SmallVector<mlir::Attribute> abi;
  mlir::Block *entry = nullptr;
  std::map<unsigned, mlir::NamedAttrList> facts; // of arguments, from `where`
};

/// The names in an extent, in order; those of called functions are not among them.
std::vector<const ast::Name *> namesIn(const ast::Expr &extent);

/// What `@autotune` and `@heuristic` may set besides compile-time parameters.
bool isKnob(std::string_view name);

/// What `@heuristic` gives for `name`, a compile-time parameter or knob; null if nothing.
const ast::Expr *heuristicOf(const ast::KernelItem &kernel, std::string_view name);

} // namespace tile::irgen

#endif
