/// Binds the parameters of a function that is called: arguments to run-time parameters, then compile-time parameters
/// from the generic list, from the arguments' types, or from their defaults.
#ifndef FRONTEND_IRGEN_PARAMETERS_H
#define FRONTEND_IRGEN_PARAMETERS_H

#include "frontend/irgen/Evaluator.h"

namespace tile::irgen {

class ParameterBinder {
public:
  ParameterBinder(Evaluator &evaluator, const Function &function, CallArguments &arguments);

  /// False if something was reported.
  bool run();
  /// The scope of the body, with every parameter declared.
  std::shared_ptr<Scope> scope() const { return body; }

private:
  /// A run-time parameter of a declaration or literal.
  struct Parameter {
    const ast::Identifier *name;
    const ast::Expr *type;         // or null
    const ast::Expr *defaultValue; // or null
    bool isOptional;
    ast::Parameter::Mode mode;
  };

  bool bindArguments();
  bool bindGenerics();
  void deduce(const ast::Expr &type, const Value &value, SourceRange range);
  void deduceExtent(const ast::Expr &extent, const std::optional<Dim> &dim, const Value &view, size_t axis, bool isTile,
                    SourceRange range);
  bool setGeneric(const ast::GenericParameter &generic, const Operand &value);
  bool declareGenerics();
  bool declareParameters();
  Value check(const Parameter &parameter, const Operand &value);
  Value checkView(const Parameter &parameter, const ast::Expr &type, const Operand &value);
  const ast::GenericParameter *unboundGeneric(const ast::Expr &expr) const;
  template <typename Work> auto inBody(Work work);

  Evaluator &evaluator;
  const Function &function;
  CallArguments &arguments;
  std::vector<Parameter> parameters;
  std::vector<std::optional<Operand>> values; // one per parameter
  std::map<std::string, Operand> generics;    // bound so far
  std::map<std::string, Operand> dims;        // names in extents that nothing else declares
  std::shared_ptr<Scope> body;
};

/// `value` as the value of a compile-time parameter, checked against its declared kind; reported otherwise.
Value checkCompileTimeParameter(Evaluator &evaluator, const ast::GenericParameter &generic, const Operand &value);

} // namespace tile::irgen

#endif
