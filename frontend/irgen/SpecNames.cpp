#include "frontend/irgen/SpecNames.h"

#include "frontend/ast/Children.h"

#include <map>
#include <set>

using namespace tile;
using namespace tile::irgen;
using ast::dynCast;

namespace {

/// Names by what is done with them, wherever they stand.
struct Names {
  std::map<std::string, SourceRange> assigned; // the first place of each
  std::set<std::string> declared;
  std::set<std::string> passed; // to a call, which may assign them
  ast::ChildVisitor children{[this](const ast::Expr &expr, ast::ChildRole) { visit(expr); },
                             [this](const ast::Block &block) { visit(block); }};

  void visit(const ast::Block &block) {
    for (const ast::StmtPtr &stmt : block.statements)
      visit(*stmt);
  }

  void visit(const ast::Expr &expr) {
    if (auto *call = dynCast<ast::Call>(&expr))
      for (const ast::Argument &argument : call->arguments)
        if (auto *name = dynCast<ast::Name>(argument.value))
          passed.insert(name->text);
    if (auto *function = dynCast<ast::FnLiteral>(&expr))
      for (const ast::FnLiteral::Parameter &parameter : function->parameters)
        declared.insert(parameter.name.text);
    forEachChild(expr, children);
  }

  void visit(const ast::Stmt &stmt) {
    if (auto *let = dynCast<ast::LetStmt>(&stmt))
      declare(let->pattern);
    if (auto *loop = dynCast<ast::ForStmt>(&stmt))
      declare(loop->pattern);
    if (auto *function = dynCast<ast::FnStmt>(&stmt)) {
      for (const ast::Parameter &parameter : function->function->parameters)
        declared.insert(parameter.name.text);
    }
    if (auto *assign = dynCast<ast::AssignStmt>(&stmt))
      target(*assign->target);
    forEachChild(stmt, children);
  }

  void declare(const ast::Pattern &pattern) {
    declared.insert(pattern.name);
    for (const ast::Pattern &element : pattern.elements)
      declare(element);
  }

  void target(const ast::Expr &expr) {
    if (auto *name = dynCast<ast::Name>(&expr))
      assigned.try_emplace(name->text, name->range);
    if (auto *tuple = dynCast<ast::Tuple>(&expr))
      for (const ast::ExprPtr &element : tuple->elements)
        target(*element);
    if (auto *index = dynCast<ast::Index>(&expr))
      target(*index->base);
    if (auto *member = dynCast<ast::Member>(&expr))
      target(*member->base);
  }
};

} // namespace

static Names namesOf(const ast::SpecItem &spec) {
  Names names;
  names.visit(spec.body);
  return names;
}

void irgen::checkAssignedNames(DiagnosticEngine &engine, const ast::SpecItem &spec, const ast::KernelItem &kernel) {
  std::vector<std::string_view> known;
  for (const ast::Parameter &parameter : kernel.parameters)
    known.push_back(parameter.name.text);
  Names names = namesOf(spec);
  for (const auto &[name, place] : names.assigned) {
    if (names.declared.count(name) || llvm::is_contained(known, name))
      continue;
    DiagnosticBuilder diagnostic = engine.report(Code::E0100, place, "unknown name `" + name + "`");
    if (std::string_view closest = closestName(name, known); !closest.empty())
      diagnostic.help("did you mean `" + std::string(closest) + "`?");
  }
}

static bool mayWrite(const ast::Parameter &parameter) {
  auto *type = dynCast<ast::GenericApply>(parameter.type);
  auto *base = type ? dynCast<ast::Name>(type->base) : nullptr;
  return parameter.mode != ast::Parameter::Mode::In || (base && base->text == "ptr");
}

void irgen::checkAssignsOutputs(DiagnosticEngine &engine, const ast::SpecItem &spec, const ast::KernelItem &kernel) {
  using Mode = ast::Parameter::Mode;
  Names names = namesOf(spec);
  auto isAssigned = [&](const ast::Parameter &parameter) {
    return names.assigned.count(parameter.name.text) || names.passed.count(parameter.name.text);
  };
  std::string open, subject = "spec `" + spec.name.text + "`";
  for (const ast::Parameter &parameter : kernel.parameters) {
    if (parameter.mode != Mode::Out || isAssigned(parameter))
      continue;
    engine.report(Code::E0410, spec.name.range, subject + " does not say what `" + parameter.name.text + "` is")
        .secondary(parameter.name.range, "an output of the kernel")
        .help("assign it, or what of it is to be compared: `" + parameter.name.text + " = …`");
    open = parameter.name.text;
  }
  // A kernel that writes nothing is run for its assertions.
  if (open.empty() && llvm::any_of(kernel.parameters, mayWrite) && llvm::none_of(kernel.parameters, isAssigned))
    engine.report(Code::E0410, spec.name.range, subject + " assigns nothing, so that nothing would be compared");
}
