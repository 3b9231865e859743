#include "frontend/ast/Printer.h"

#include <ostream>
#include <sstream>

using namespace tile;
using namespace tile::ast;

namespace {

class Printer {
public:
  explicit Printer(std::ostream &out) : out(out) {}

  void print(const Module &module) {
    out << "(module";
    for (const ItemPtr &item : module.items)
      nested([&] { print(*item); });
    out << ")\n";
  }
  void print(const Item &item);
  void print(const Stmt &stmt);
  void print(const Expr &expr);

private:
  /// `body` on a line of its own, one level deeper.
  template <typename Body> void nested(Body body) {
    indent += 2;
    out << '\n' << std::string(indent, ' ');
    body();
    indent -= 2;
  }
  void quoted(std::string_view text) {
    static constexpr char hex[] = "0123456789abcdef";
    out << '"';
    for (unsigned char c : text) {
      if (c == '\n')
        out << "\\n";
      else if (c == '"' || c == '\\')
        out << '\\' << c;
      else if (c < 0x20 || c == 0x7f)
        out << "\\x" << hex[c >> 4] << hex[c & 15];
      else
        out << c;
    }
    out << '"';
  }
  void spaced(const ExprPtr &expr) {
    out << ' ';
    print(*expr);
  }
  void spaced(const std::vector<ExprPtr> &exprs) {
    for (const ExprPtr &expr : exprs)
      spaced(expr);
  }
  void optional(std::string_view prefix, const ExprPtr &expr) {
    if (!expr)
      return;
    out << prefix;
    print(*expr);
  }
  void list(std::string_view head, const std::vector<ExprPtr> &exprs) {
    out << '(' << head;
    spaced(exprs);
    out << ')';
  }
  void arguments(const std::vector<Argument> &arguments) {
    for (const Argument &argument : arguments) {
      out << ' ';
      if (argument.name)
        out << (argument.isHas ? "has(" : "") << argument.name->text << (argument.isHas ? ")=" : "=");
      print(*argument.value);
    }
  }
  void with(const std::vector<Argument> &options) {
    if (options.empty())
      return;
    out << " (with";
    arguments(options);
    out << ')';
  }
  void block(std::string_view head, const Block &block) {
    nested([&] {
      out << '(' << head;
      for (const StmtPtr &stmt : block.statements)
        nested([&] { print(*stmt); });
      out << ')';
    });
  }
  void decorators(const std::vector<Decorator> &decorators) {
    for (const Decorator &decorator : decorators)
      nested([&] {
        out << "(@" << decorator.name.text;
        arguments(decorator.arguments);
        out << ')';
      });
  }
  void clause(std::string_view head, const std::vector<ExprPtr> &exprs) {
    if (!exprs.empty())
      nested([&] { list(head, exprs); });
  }
  void position(const Position &position);
  void pattern(const Pattern &pattern);
  void generics(const std::vector<GenericParameter> &generics);
  void parameters(const std::vector<Parameter> &parameters);

  std::ostream &out;
  unsigned indent = 0;
};

} // namespace

void Printer::position(const Position &position) {
  switch (position.kind) {
  case Position::Kind::Plain:
    return print(*position.value);
  case Position::Kind::Whole:
    out << ':';
    return;
  case Position::Kind::All:
    out << "..";
    return;
  case Position::Kind::NewAxis:
    out << "None";
    return;
  case Position::Kind::Region:
  case Position::Kind::Range:
    out << (position.kind == Position::Kind::Region ? "(:+" : "(..");
    spaced(position.value);
    spaced(position.bound);
    out << ')';
  }
}

void Printer::print(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::IntLiteral:
    out << static_cast<const IntLiteral &>(expr).value;
    return;
  case ExprKind::FloatLiteral:
    out << static_cast<const FloatLiteral &>(expr).spelling;
    return;
  case ExprKind::BoolLiteral:
    out << (static_cast<const BoolLiteral &>(expr).value ? "true" : "false");
    return;
  case ExprKind::StringLiteral:
    return quoted(static_cast<const StringLiteral &>(expr).value);
  case ExprKind::None:
    out << "none";
    return;
  case ExprKind::Wildcard:
    out << '_';
    return;
  case ExprKind::Name:
    out << static_cast<const Name &>(expr).text;
    return;
  case ExprKind::Member: {
    auto &node = static_cast<const Member &>(expr);
    out << "(.";
    spaced(node.base);
    out << ' ' << node.name.text << ')';
    return;
  }
  case ExprKind::GenericApply: {
    auto &node = static_cast<const GenericApply &>(expr);
    out << "(generic";
    spaced(node.base);
    arguments(node.arguments);
    if (node.shape) {
      out << ' ';
      list("shape", *node.shape);
    }
    out << ')';
    return;
  }
  case ExprKind::Call: {
    auto &node = static_cast<const Call &>(expr);
    out << "(call";
    spaced(node.callee);
    arguments(node.arguments);
    out << ')';
    return;
  }
  case ExprKind::Index: {
    auto &node = static_cast<const Index &>(expr);
    out << (node.isUnchecked ? "(unchecked-index" : "(index");
    spaced(node.base);
    for (const Position &each : node.positions) {
      out << ' ';
      position(each);
    }
    optional(" else=", node.fallback);
    with(node.options);
    out << ')';
    return;
  }
  case ExprKind::Unary: {
    auto &node = static_cast<const Unary &>(expr);
    out << '(' << spelling(node.op);
    spaced(node.operand);
    out << ')';
    return;
  }
  case ExprKind::Binary: {
    auto &node = static_cast<const Binary &>(expr);
    out << '(' << spelling(node.op);
    spaced(node.lhs);
    spaced(node.rhs);
    out << ')';
    return;
  }
  case ExprKind::Range: {
    auto &node = static_cast<const RangeExpr &>(expr);
    out << "(..";
    spaced(node.lo);
    spaced(node.hi);
    optional(" step=", node.step);
    out << ')';
    return;
  }
  case ExprKind::Cast: {
    auto &node = static_cast<const Cast &>(expr);
    out << "(as";
    spaced(node.operand);
    spaced(node.type);
    with(node.options);
    out << ')';
    return;
  }
  case ExprKind::If: {
    auto &node = static_cast<const IfExpr &>(expr);
    out << (node.isStatic ? "(static-if" : "(if");
    spaced(node.condition);
    block("then", *node.thenBlock);
    if (node.elseBlock)
      block("else", *node.elseBlock);
    out << ')';
    return;
  }
  case ExprKind::Tuple:
    return list("tuple", static_cast<const Tuple &>(expr).elements);
  case ExprKind::List:
    return list("list", static_cast<const List &>(expr).elements);
  case ExprKind::Record:
    out << "(record";
    for (const Record::Field &field : static_cast<const Record &>(expr).fields) {
      out << ' ' << field.name.text << '=';
      print(*field.value);
    }
    out << ')';
    return;
  case ExprKind::FnLiteral: {
    auto &node = static_cast<const FnLiteral &>(expr);
    out << "(fn (";
    const char *separator = "";
    for (const FnLiteral::Parameter &parameter : node.parameters) {
      out << separator << parameter.name.text;
      optional(":", parameter.type);
      separator = " ";
    }
    out << ')';
    if (node.body)
      spaced(node.body);
    else
      block("body", *node.block);
    out << ')';
    return;
  }
  case ExprKind::FnType: {
    auto &node = static_cast<const FnType &>(expr);
    out << "(fn-type ";
    list("takes", node.parameters);
    optional(" -> ", node.result);
    out << ')';
    return;
  }
  case ExprKind::ArrayType: {
    auto &node = static_cast<const ArrayType &>(expr);
    out << "(array";
    spaced(node.extent);
    spaced(node.element);
    out << ')';
    return;
  }
  case ExprKind::StridedType:
    out << "(strided";
    spaced(static_cast<const StridedType &>(expr).tensor);
    out << ')';
    return;
  }
}

void Printer::pattern(const Pattern &each) {
  switch (each.kind) {
  case Pattern::Kind::Name:
    out << each.name;
    return;
  case Pattern::Kind::Wildcard:
    out << '_';
    return;
  case Pattern::Kind::Tuple:
    out << "(tuple";
    for (const Pattern &element : each.elements) {
      out << ' ';
      pattern(element);
    }
    out << ')';
  }
}

void Printer::print(const Stmt &stmt) {
  switch (stmt.kind) {
  case StmtKind::Let: {
    auto &node = static_cast<const LetStmt &>(stmt);
    out << (node.isMutable ? "(var " : "(let ");
    pattern(node.pattern);
    optional(":", node.type);
    spaced(node.value);
    out << ')';
    return;
  }
  case StmtKind::Shared: {
    auto &node = static_cast<const SharedStmt &>(stmt);
    out << "(shared " << node.name.text << ':';
    print(*node.type);
    out << ')';
    return;
  }
  case StmtKind::Assign: {
    auto &node = static_cast<const AssignStmt &>(stmt);
    out << '(';
    if (node.op)
      out << spelling(*node.op);
    out << '=';
    spaced(node.target);
    spaced(node.value);
    out << ')';
    return;
  }
  case StmtKind::Expr:
    return print(*static_cast<const ExprStmt &>(stmt).expr);
  case StmtKind::For: {
    auto &node = static_cast<const ForStmt &>(stmt);
    out << (node.isStatic ? "(static-for " : "(for ");
    pattern(node.pattern);
    spaced(node.iterable);
    decorators(node.clauses);
    block("body", node.body);
    out << ')';
    return;
  }
  case StmtKind::While: {
    auto &node = static_cast<const WhileStmt &>(stmt);
    out << "(while";
    spaced(node.condition);
    decorators(node.clauses);
    block("body", node.body);
    out << ')';
    return;
  }
  case StmtKind::Return:
    out << "(return";
    optional(" ", static_cast<const ReturnStmt &>(stmt).value);
    out << ')';
    return;
  case StmtKind::Break:
    out << "(break)";
    return;
  case StmtKind::Continue:
    out << "(continue)";
    return;
  case StmtKind::StaticAssert: {
    auto &node = static_cast<const StaticAssertStmt &>(stmt);
    out << "(static-assert";
    spaced(node.condition);
    optional(" ", node.message);
    out << ')';
    return;
  }
  case StmtKind::StaticPrint:
    return list("static-print", static_cast<const StaticPrintStmt &>(stmt).values);
  case StmtKind::Fn:
    return print(*static_cast<const FnStmt &>(stmt).function);
  case StmtKind::Roles:
    out << "(roles";
    for (const RolesStmt::Role &role : static_cast<const RolesStmt &>(stmt).roles)
      nested([&] {
        out << '(' << role.name.text;
        arguments(role.arguments);
        block("body", role.body);
        out << ')';
      });
    out << ')';
    return;
  }
}

void Printer::generics(const std::vector<GenericParameter> &generics) {
  if (generics.empty())
    return;
  nested([&] {
    out << "(generics";
    for (const GenericParameter &parameter : generics) {
      out << ' ' << parameter.name.text;
      optional(":", parameter.type);
      optional("=", parameter.defaultValue);
    }
    out << ')';
  });
}

void Printer::parameters(const std::vector<Parameter> &parameters) {
  static constexpr const char *modes[] = {"in", "out", "inout", "scratch"};
  for (const Parameter &parameter : parameters)
    nested([&] {
      out << '(' << modes[static_cast<size_t>(parameter.mode)] << (parameter.isVolatile ? " volatile " : " ")
          << parameter.name.text;
      optional(":", parameter.type);
      out << (parameter.isOptional ? "?" : "");
      optional("=", parameter.defaultValue);
      out << ')';
    });
}

void Printer::print(const Item &item) {
  out << '(';
  auto head = [&](std::string_view keyword, std::string_view name) {
    out << keyword << ' ' << name;
    if (!item.doc.empty())
      nested([&] {
        out << "(doc ";
        quoted(item.doc);
        out << ')';
      });
    decorators(item.decorators);
  };
  switch (item.kind) {
  case ItemKind::Import: {
    auto &node = static_cast<const ImportItem &>(item);
    out << "import ";
    if (node.isQuoted)
      quoted(node.path);
    else
      out << node.path;
    if (node.alias)
      out << " as " << node.alias->text;
    break;
  }
  case ItemKind::Const: {
    auto &node = static_cast<const ConstItem &>(item);
    head("const", node.name.text);
    optional(" :", node.type);
    spaced(node.value);
    break;
  }
  case ItemKind::Struct: {
    auto &node = static_cast<const StructItem &>(item);
    head("struct", node.name.text);
    generics(node.generics);
    for (const StructItem::Field &field : node.fields)
      nested([&] {
        out << "(field " << field.name.text;
        optional(":", field.type);
        optional("=", field.defaultValue);
        out << ')';
      });
    break;
  }
  case ItemKind::Fn: {
    auto &node = static_cast<const FnDecl &>(item);
    head("fn", node.name.text);
    generics(node.generics);
    parameters(node.parameters);
    if (node.result)
      nested([&] {
        out << "(result ";
        print(*node.result);
        out << ')';
      });
    block("body", node.body);
    break;
  }
  case ItemKind::Kernel: {
    auto &node = static_cast<const KernelItem &>(item);
    head("kernel", node.name.text);
    generics(node.generics);
    parameters(node.parameters);
    clause(node.isResident ? "grid resident" : "grid", node.grid);
    clause("where", node.where);
    clause("specialize", node.specialize);
    for (const KernelItem::Alias &alias : node.aliases)
      nested([&] {
        out << "(alias";
        for (const Identifier &name : alias.names)
          out << ' ' << name.text;
        out << ')';
      });
    block("body", node.body);
    break;
  }
  case ItemKind::Spec: {
    auto &node = static_cast<const SpecItem &>(item);
    head("spec", node.name.text);
    block("body", node.body);
    break;
  }
  case ItemKind::StaticAssert: {
    auto &node = static_cast<const StaticAssertItem &>(item);
    out << "static-assert";
    spaced(node.condition);
    optional(" ", node.message);
    break;
  }
  }
  out << ')';
}

void ast::print(std::ostream &out, const Module &module) { Printer(out).print(module); }
void ast::print(std::ostream &out, const Item &item) { Printer(out).print(item); }
void ast::print(std::ostream &out, const Stmt &stmt) { Printer(out).print(stmt); }
void ast::print(std::ostream &out, const Expr &expr) { Printer(out).print(expr); }

std::string ast::toString(const Expr &expr) {
  std::ostringstream out;
  print(out, expr);
  return out.str();
}
