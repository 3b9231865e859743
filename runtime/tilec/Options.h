/// Options of the command line as objects. A command's file declares its own at file scope, and with that they are
/// parsed, checked and listed in `--help`: a new option is edited in no other place. LLVM's CommandLine is not used:
/// its messages are not in the compiler's words, and its own options bear names of ours.
#ifndef RUNTIME_TILEC_OPTIONS_H
#define RUNTIME_TILEC_OPTIONS_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

/// `tilec FILE` without a command compiles.
enum class Command { Compile, Run, Check, Sim, Inspect, Explain, Cache, Tune };

class Option {
public:
  /// How an option is spelled and explained. Without `value` it is a switch.
  struct Text {
    std::string_view name;  ///< without dashes
    std::string_view value; ///< what stands for the value in `--help`: `FILE`
    std::string_view help;  ///< lower case, one sentence
  };

  /// Makes the option known to `commands`.
  Option(Text text, std::initializer_list<Command> commands);
  Option(const Option &) = delete;
  virtual ~Option() = default;

  const Text &text() const { return words; }
  bool isOf(Command command) const;
  bool isSwitch() const { return words.value.empty(); }
  /// Whether the value may be left out; then it is given with `=` or not at all.
  virtual bool mayLackValue() const { return isSwitch(); }
  /// `--emit`, `-o`
  std::string spelling() const;
  /// Whether the command line has it.
  bool isGiven() const { return given != 0; }

  /// Takes one occurrence. Gives what is wrong with it, else an empty string.
  std::string add(std::string_view value);

  /// Whether it may stand more than once.
  virtual bool isList() const { return false; }
  /// Whether the value may follow the name without a space: `-DN=4`.
  virtual bool isPrefix() const { return false; }

protected:
  virtual std::string take(std::string_view value) = 0;

private:
  Text words;
  std::vector<Command> commands;
  unsigned given = 0;
};

/// Every option of the program.
const std::vector<Option *> &allOptions();

/// The option that `name`, without dashes, is for `command`; null if there is none.
Option *findOption(Command command, std::string_view name);

class Switch : public Option {
public:
  using Option::Option;
  bool isOn() const { return isGiven(); }

protected:
  std::string take(std::string_view) override { return {}; }
};

class TextOption : public Option {
public:
  using Option::Option;
  const std::string &get() const { return content; }
  bool empty() const { return content.empty(); }

protected:
  std::string take(std::string_view value) override;

private:
  std::string content;
};

/// One of a few words.
class ChoiceOption : public Option {
public:
  ChoiceOption(Text text, std::initializer_list<Command> commands, std::vector<std::string_view> choices,
               std::string_view unlessGiven)
      : Option(text, commands), choices(std::move(choices)), content(unlessGiven) {}
  const std::string &get() const { return content; }

protected:
  std::string take(std::string_view value) override;

private:
  std::vector<std::string_view> choices;
  std::string content;
};

/// Likewise, or nothing at all: `--counters`, `--counters=json`.
class FormOption : public ChoiceOption {
public:
  FormOption(Text text, std::initializer_list<Command> commands, std::vector<std::string_view> choices)
      : ChoiceOption(text, commands, std::move(choices), "") {}
  bool mayLackValue() const override { return true; }
  /// Whether it is given with this value.
  bool is(std::string_view choice) const { return get() == choice; }

protected:
  std::string take(std::string_view value) override { return value.empty() ? "" : ChoiceOption::take(value); }
};

/// Any text, or nothing at all: `--tuned`, `--tuned=choices.db`.
class OptionalTextOption : public TextOption {
public:
  using TextOption::TextOption;
  bool mayLackValue() const override { return true; }

protected:
  std::string take(std::string_view value) override { return value.empty() ? "" : TextOption::take(value); }
};

/// A whole number.
class NumberOption : public Option {
public:
  NumberOption(Text text, std::initializer_list<Command> commands, uint64_t unlessGiven, uint64_t most,
               uint64_t least = 0)
      : Option(text, commands), content(unlessGiven), most(most), least(least) {}
  uint64_t get() const { return content; }

protected:
  std::string take(std::string_view value) override;

private:
  uint64_t content;
  uint64_t most, least; ///< that may be given
};

/// Whether the value of a list may touch the option's name.
enum class Spelling { Apart, Prefix };

/// An option that may be given several times.
class ListOption : public Option {
public:
  ListOption(Text text, std::initializer_list<Command> commands, Spelling spelling = Spelling::Apart)
      : Option(text, commands), prefix(spelling == Spelling::Prefix) {}
  const std::vector<std::string> &get() const { return content; }
  bool isList() const override { return true; }
  bool isPrefix() const override { return prefix; }

protected:
  std::string take(std::string_view value) override;

private:
  std::vector<std::string> content;
  bool prefix;
};

} // namespace tile

#endif
