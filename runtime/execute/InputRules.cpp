#include "runtime/execute/InputRules.h"

#include <cstdlib>

namespace tile {

static std::string textOf(const Session &session, const ast::Expr &expr) {
  return std::string(session.sources.text(expr.range));
}

static bool refuse(Session &session, SourceRange range, std::string message) {
  session.engine.report(Code::E0606, range, std::move(message));
  return false;
}

const InputRule &InputRules::of(const std::string &parameter) const {
  auto rule = named.find(parameter);
  return rule == named.end() ? rest : rule->second;
}

std::vector<const ast::Expr *> InputRules::bounds() const {
  std::vector<const ast::Expr *> all;
  auto add = [&](const InputRule &rule) {
    if (rule.high)
      all.insert(all.end(), {rule.low, rule.high});
  };
  for (const auto &[name, rule] : named)
    add(rule);
  add(rest);
  return all;
}

bool checkNoneTwice(Session &session, const ast::Record &record) {
  for (auto field = record.fields.begin(); field != record.fields.end(); ++field)
    for (auto earlier = record.fields.begin(); earlier != field; ++earlier)
      if (earlier->name.text == field->name.text) {
        session.engine
            .report(Code::E0606, field->name.range, "`" + field->name.text + "` is given twice; expected one value")
            .secondary(earlier->name.range, "given here before");
        return false;
      }
  return true;
}

const ast::Parameter *findNamedParameter(Session &session, const ast::KernelItem &kernel, const ast::Identifier &name) {
  std::string known;
  std::vector<std::string_view> names;
  for (const ast::Parameter &parameter : kernel.parameters) {
    if (parameter.name.text == name.text)
      return &parameter;
    names.push_back(parameter.name.text);
    known += (known.empty() ? "`" : ", `") + parameter.name.text + "`";
  }
  DiagnosticBuilder diagnostic =
      session.engine.report(Code::E0606, name.range,
                            "kernel `" + kernel.name.text + "` has no parameter `" + name.text + "`; it has " + known);
  if (std::string_view closest = closestName(name.text, names); !closest.empty())
    diagnostic.help("did you mean `" + std::string(closest) + "`?");
  return nullptr;
}

static bool readRule(Session &session, const ast::Expr &value, InputRule &rule) {
  if (value.kind == ast::ExprKind::Call) {
    const auto &call = static_cast<const ast::Call &>(value);
    if (textOf(session, *call.callee) != "range" || call.arguments.size() != 2)
      return refuse(session, value.range,
                    "found `" + textOf(session, value) + "`; expected `range(low, high)` or one of: " + listFillings());
    rule.low = call.arguments[0].value.get();
    rule.high = call.arguments[1].value.get();
    return true;
  }
  rule.filling = textOf(session, value);
  if (!findFilling(rule.filling))
    return refuse(session, value.range,
                  "found `" + rule.filling + "`; expected `range(low, high)` or one of: " + listFillings());
  return true;
}

bool readInputRules(Session &session, const ast::KernelItem &kernel, const ast::Expr &value, InputRules &rules) {
  if (value.kind != ast::ExprKind::Record)
    return readRule(session, value, rules.rest);
  const auto &record = static_cast<const ast::Record &>(value);
  if (!checkNoneTwice(session, record))
    return false;
  for (const ast::Record::Field &field : record.fields) {
    const ast::Parameter *parameter = findNamedParameter(session, kernel, field.name);
    if (!parameter || !readRule(session, *field.value, rules.named[field.name.text]))
      return false;
    if (parameter->mode == ast::Parameter::Mode::Out)
      return refuse(session, field.name.range,
                    "`" + field.name.text + "` is `out`, which begins as poison; expected a parameter that is read");
  }
  return true;
}

bool checkRange(Session &session, const InputRule &rule, const std::string &parameter, const std::string &low,
                const std::string &high) {
  if (!(std::strtod(low.c_str(), nullptr) > std::strtod(high.c_str(), nullptr)))
    return true;
  return refuse(session, rule.low->range.to(rule.high->range),
                "the range of `" + parameter + "` goes from " + low + " to " + high +
                    " in this shape; expected its lower end first");
}

} // namespace tile
