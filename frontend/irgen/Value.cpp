#include "frontend/irgen/Value.h"

#include <charconv>

using namespace tile;
using namespace tile::irgen;

namespace {

template <typename... Cases> struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

} // namespace

size_t irgen::sizeOf(const Value &value) { return value.asTuple() ? value.asTuple()->size + 1 : 1; }

Value Value::tuple(std::vector<Value> elements, bool isList) {
  size_t size = 0;
  for (const Value &element : elements)
    size += sizeOf(element);
  return std::make_shared<const TupleValue>(TupleValue{std::move(elements), isList, size});
}

Type Value::type() const {
  return std::visit(Overloaded{
                        [](const ErrorValue &) { return Type::error(); },
                        [](const NeverValue &) { return Type::error(); },
                        [](const AbsentValue &) { return Type::unit(); },
                        [](const IntConstant &constant) {
                          return Type::scalar(
                              constant.type.value_or(holds(Scalar::I32, constant.value) ? Scalar::I32 : Scalar::I64));
                        },
                        [](const FloatConstant &constant) { return Type::scalar(constant.type.value_or(Scalar::F32)); },
                        [](const BoolConstant &) { return Type::scalar(Scalar::Bool); },
                        [](const StringConstant &) { return Type::of(Type::Kind::String); },
                        [](const TypeConstant &) { return Type::of(Type::Kind::Type); },
                        [](const std::shared_ptr<const Function> &) { return Type::of(Type::Kind::Fn); },
                        [](const Builtin *) { return Type::of(Type::Kind::Fn); },
                        [](const LoadedModule *) { return Type::error(); },
                        [](const std::shared_ptr<const TupleValue> &tuple) {
                          std::vector<Type> members;
                          for (const Value &element : tuple->elements)
                            members.push_back(element.type());
                          return Type::tuple(std::move(members));
                        },
                        [](const RuntimeValue &value) { return value.type; },
                    },
                    storage);
}

bool Value::isUntyped() const {
  auto *integer = as<IntConstant>();
  auto *floating = as<FloatConstant>();
  return (integer && !integer->type) || (floating && !floating->type);
}

std::string Value::describe() const {
  if (auto *constant = as<IntConstant>())
    return toString(constant->value);
  if (auto *constant = as<FloatConstant>()) {
    char digits[32];
    char *end = std::to_chars(std::begin(digits), std::end(digits), constant->value).ptr;
    std::string text(digits, end);
    // `1` is an integer; words and exponents are floats as they stand.
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  if (auto *constant = as<BoolConstant>())
    return constant->value ? "true" : "false";
  if (auto *constant = as<StringConstant>())
    return "\"" + constant->value + "\"";
  if (auto *constant = as<TypeConstant>())
    return constant->syntax ? "type" : constant->type.text();
  if (auto *function = asFunction())
    return "fn " + function->name;
  if (as<AbsentValue>())
    return "none";
  if (as<const LoadedModule *>())
    return "a module";
  return type().text();
}

std::string Value::describeFound() const {
  return as<TypeConstant>() && !as<TypeConstant>()->syntax ? "the type " + describe() : describe();
}
