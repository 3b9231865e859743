#include "runtime/tilec/Options.h"

#include <algorithm>
#include <charconv>

namespace tile {

/// Options are declared at file scope, so the list is made by whichever comes first.
static std::vector<Option *> &registry() {
  static std::vector<Option *> all;
  return all;
}

const std::vector<Option *> &allOptions() { return registry(); }

Option::Option(Text text, std::initializer_list<Command> commands) : words(text), commands(commands) {
  registry().push_back(this);
}

bool Option::isOf(Command command) const {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

std::string Option::spelling() const { return (words.name.size() == 1 ? "-" : "--") + std::string(words.name); }

std::string Option::add(std::string_view value) {
  if (given++ && !isList() && !isSwitch())
    return "`" + spelling() + "` is given twice";
  return take(value);
}

Option *findOption(Command command, std::string_view name) {
  for (Option *option : registry())
    if (option->text().name == name && option->isOf(command))
      return option;
  return nullptr;
}

std::string TextOption::take(std::string_view value) {
  content = value;
  return value.empty()
             ? "`" + spelling() + "` is empty; expected `" + spelling() + " " + std::string(text().value) + "`"
             : std::string();
}

std::string ChoiceOption::take(std::string_view value) {
  content = value;
  if (std::find(choices.begin(), choices.end(), value) != choices.end())
    return {};
  std::string message = "`" + spelling() + "` is `" + content + "`; expected ";
  for (size_t i = 0; i < choices.size(); ++i)
    message += (i == 0 ? "`" : i + 1 == choices.size() ? " or `" : ", `") + std::string(choices[i]) + "`";
  return message;
}

std::string NumberOption::take(std::string_view value) {
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), content);
  if (error == std::errc() && end == value.data() + value.size() && content >= least && content <= most)
    return {};
  return "`" + spelling() + "` is `" + std::string(value) + "`; expected a whole number from " + std::to_string(least) +
         " to " + std::to_string(most);
}

std::string ListOption::take(std::string_view value) {
  content.emplace_back(value);
  return {};
}

} // namespace tile
