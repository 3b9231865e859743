#include "runtime/tilec/CommandLine.h"

#include "frontend/diagnostic/Diagnostic.h"
#include "ir/Tile/Knobs.h"

#include <algorithm>
#include <cctype>
#include <ostream>

namespace tile {

namespace {
/// What `--help` says of a command beside its options.
struct CommandText {
  Command command;
  std::string_view name;
  std::string_view summary;
  std::string_view input; ///< what stands for the file in usage lines
  bool needsInput;
  std::string_view more; ///< forms and examples
};
} // namespace

static constexpr std::string_view kCompileMore = R"(
Examples:
  tilec softmax.tile -D N=1000 -o softmax.cubin
  tilec softmax.tile -D N=1000 --emit=ptx
  tilec softmax.tile -D N=1000 --emit=tile -o softmax.mlir && tilec softmax.mlir -o softmax.cubin
)";

#define TILE_ARGUMENT_FORMS                                                                                            \
  R"(
Arguments of the kernel, `--arg NAME=VALUE`; without a name, in the order of the signature:
  x=rand:f32[1823,781]         a tensor, filled: rand normal uniform special zeros ones iota, or
                               empty for one that the kernel writes
  'i=range(0,781):i32[1823]'   evenly from the first up to the second; integers round down
  x=rand:f32[1823,781]@[800,1] the same with strides, in elements
  x=x.npy                      a tensor from a file of NumPy; bf16 is kept as u16 there, f8 as u8
  s=0.5  n=i32:7  flag=true    a scalar; without a type it takes the parameter's
  w=none                       an optional parameter that is absent
)"

static constexpr std::string_view kRunMore = TILE_ARGUMENT_FORMS R"(
Examples:
  tilec run softmax.tile --arg x=rand:f32[1823,781] --arg y=empty:f32[1823,781]
  tilec run softmax.tile --arg x=x.npy --arg y=empty:f32[8,64] --save y=y.npy --device=cpu --seed=1
  tilec run softmax.tile --arg x=rand:f32[8,64] --arg y=empty:f32[8,64] --device=sim   finds races, without a GPU
  tilec run softmax.cubin --arg x=rand:f32[1823,781] --arg y=empty:f32[1823,781]       needs a GPU
  tilec run softmax.tile --device=sim --counters --arg x=rand:f32[8,781] --arg y=empty:f32[8,781]
                               why it is slow, without a GPU: coalescing, bank conflicts, divergence
)";

static constexpr std::string_view kCheckMore = R"(
Every kernel of the file that has a `spec` is run over the shapes of its `@check`, and what it writes is compared with
the spec, computed in f64, within the rounding that the kernel's own operations explain. A scalar that a shape leaves open
is drawn, and printed. `-D NAME=VALUE` compiles for this value, whatever `@instances` or a heuristic says, and keeps the
shapes that have it or leave it open. The exit code is 0 if all are right.

Examples:
  tilec check softmax.tile
  tilec check softmax.tile --kernel softmax --device=cpu -v
  tilec check softmax.tile --seed=7            the inputs of the run that printed `seed 7`
  tilec check softmax.tile --device=sim        the code for the GPU, thread by thread, without one
  tilec check softmax.tile -D T=bf16 -D N=127
)";

static constexpr std::string_view kSimMore = R"(
Arguments of the kernel, `--arg VALUE`, in the order of its parameters:
  rand:f32[1823,781]           a pointer to a tensor, filled: rand normal uniform special zeros ones iota, or
                               empty for one that the kernel writes
  'range(0,781):i32[1823]'     evenly from the first up to the second; integers round down
  x.npy                        a pointer to a tensor from a file of NumPy
  i32:7  f32:0.5               a scalar with its type
  none                         a null pointer

The exit code is 1 if anything was found: races, accesses out of bounds, undefined values, deadlocks.

Examples:
  tilec sim k.ptx --grid=4 --block=128 --arg rand:f32[512] --arg empty:f32[512] --arg i32:512
  tilec sim k.ptx --kernel=reduce --grid=4,2 --block=32,8 --seeds=8 --json
  tilec sim k.ptx --grid=4 --block=128 --arg rand:f32[512] --counters    the worst lines first
)";

static constexpr std::string_view kInspectMore = R"(
Examples:
  tilec inspect softmax.cubin
  tilec inspect softmax.cubin --json | python3 -m json.tool
)";

static constexpr std::string_view kExplainMore = R"(
Examples:
  tilec explain                                lists all codes
  tilec explain E0201
)";

static constexpr std::string_view kCacheMore = R"(
Compiled code and tuned choices are kept in TILE_CACHE_DIR, else XDG_CACHE_HOME/tile, else ~/.cache/tile. At most
TILE_CACHE_MAX_BYTES of compiled code, default 2G; what was not used for longest goes first. What to do:
  ls               list compiled code, the last used first, and tuned choices
  stats            how many there are, and how large
  prune            remove all, or what is old, or compiled code beyond a size
  verify           read everything and remove what is damaged; the exit code is 1 if anything was
  export [FILE]    write choices and trials as lines of JSON, ordered, to keep with an application or in a repository
  import FILE      add the entries of an export; where both have one, the newer stays

Examples:
  tilec cache ls
  tilec cache prune --older-than=30 --max-bytes=500M
  tilec cache export tuned.jsonl        on the machine that tuned
  tilec cache import tuned.jsonl        on another with such a GPU
)";

static constexpr std::string_view kTuneMore = R"(
The configurations are those of the kernel's `@autotune`. A model of the GPU rejects and orders them; the first ones are
compiled and measured, each after its results were compared with those of the default. What is found is kept, and
`tilec run` takes it for launches of the same kind and size; `tilec --tuned` puts it into a cubin.

A launch is given as for `tilec run`, or by its sizes: a line of --shapes has dims, element types and scalars.
Ctrl-C ends the search and keeps what was measured.
)" TILE_ARGUMENT_FORMS R"(
Examples:
  tilec tune matmul.tile --arg a=rand:bf16[4096,4096] --arg b=rand:bf16[4096,4096] --arg c=empty:bf16[4096,4096]
  tilec tune matmul.tile                       the shapes of its `@bench`
  tilec tune matmul.tile --shapes sizes.txt    lines such as `M=4096 N=4096 K=4096 T=bf16`
  tilec tune matmul.tile --dry-run             the model's order; no GPU needed
)";

static constexpr CommandText kCommands[] = {
    {Command::Compile, "", "compile a kernel to a cubin, or print an earlier stage", "FILE.{tile,mlir,ll,ptx}", false,
     kCompileMore},
    {Command::Run, "run", "compile a kernel and run it, on the GPU, the CPU or a simulator; a cubin needs a GPU",
     "FILE.{tile,cubin}", true, kRunMore},
    {Command::Check, "check", "run every kernel that has a spec and compare it with the spec in f64", "FILE.tile", true,
     kCheckMore},
    {Command::Sim, "sim", "run PTX of any compiler on the GPU simulator, which finds races", "FILE.ptx", true,
     kSimMore},
    {Command::Inspect, "inspect", "print what a cubin says about its kernels", "FILE.cubin", true, kInspectMore},
    {Command::Explain, "explain", "explain a diagnostic code such as E0201", "[CODE]", false, kExplainMore},
    {Command::Cache, "cache", "list, check, prune or carry elsewhere what is kept of compilations and tuning",
     "WORD [FILE]", false, kCacheMore},
    {Command::Tune, "tune", "find the fastest configuration of a kernel for launches, on the GPU, and keep it",
     "FILE.tile", true, kTuneMore},
};

static const CommandText &textOf(Command command) { return kCommands[static_cast<size_t>(command)]; }

/// `tilec`, `tilec run`
static std::string callOf(const CommandText &text) {
  return text.name.empty() ? "tilec" : "tilec " + std::string(text.name);
}

//===-- Reading

namespace {
class Reader {
public:
  explicit Reader(const std::vector<std::string_view> &arguments) : arguments(arguments) {}
  CommandLine read();

private:
  void readOption(std::string_view argument);
  void readInput(std::string_view argument);
  void refuseUnknown(std::string_view argument);
  void refuseCommand(std::string_view word);
  Option *optionOf(std::string_view argument) const;
  void fault(std::string message, std::string help = {}) {
    line.faults.push_back({std::move(message), std::move(help)});
  }

  const std::vector<std::string_view> &arguments;
  size_t next = 0;
  CommandLine line;
};
} // namespace

static bool looksLikeOption(std::string_view argument) { return argument.size() > 1 && argument.front() == '-'; }

/// Without its dashes, one or two.
static std::string_view undashed(std::string_view argument) {
  return argument.substr(argument.substr(0, 2) == "--" ? 2 : 1);
}

static bool isCommand(std::string_view word) {
  return std::any_of(std::begin(kCommands), std::end(kCommands),
                     [&](const CommandText &text) { return !text.name.empty() && text.name == word; });
}

void Reader::refuseCommand(std::string_view word) {
  std::string_view closest = closestCommand(word);
  std::string names;
  for (const CommandText &text : kCommands)
    names += (names.empty() ? "" : ", ") + std::string(text.name);
  fault("`tilec` has no command `" + std::string(word) + "`; expected one of: " + names,
        closest.empty() ? std::string() : "did you mean `" + std::string(closest) + "`?");
}

CommandLine Reader::read() {
  // `tilec help run` is `tilec run --help`.
  if (!arguments.empty() && arguments.front() == "help" && arguments.size() <= 2) {
    line.wantsHelp = true;
    next = 1;
    if (arguments.size() == 2 && !looksLikeOption(arguments[1]) && !isCommand(arguments[1])) {
      line.wantsHelp = false;
      ++next;
      refuseCommand(arguments[1]);
    }
  }
  for (const CommandText &text : kCommands)
    if (next < arguments.size() && !text.name.empty() && arguments[next] == text.name) {
      line.command = text.command;
      ++next;
      break;
    }
  bool areOptionsOver = false;
  while (next < arguments.size()) {
    std::string_view argument = arguments[next++];
    if (argument == "--" && !areOptionsOver)
      areOptionsOver = true;
    else if (!areOptionsOver && looksLikeOption(argument))
      readOption(argument);
    else
      readInput(argument);
  }
  const CommandText &text = textOf(line.command);
  if (text.needsInput && line.input.empty() && line.faults.empty())
    fault("no input file; expected `" + callOf(text) + " " + std::string(text.input) + "`",
          "`" + callOf(text) + " --help` shows the forms");
  return std::move(line);
}

/// The option that `argument` spells, with or without a value in it; null if it spells none.
Option *Reader::optionOf(std::string_view argument) const {
  std::string_view name = undashed(argument);
  if (Option *option = findOption(line.command, name.substr(0, name.find('='))))
    return option;
  Option *prefix = name.empty() ? nullptr : findOption(line.command, name.substr(0, 1));
  return prefix && prefix->isPrefix() && argument.substr(0, 2) != "--" ? prefix : nullptr;
}

void Reader::readOption(std::string_view argument) {
  std::string_view name = undashed(argument);
  std::string_view word = name.substr(0, name.find('='));
  for (auto [known, wanted] :
       {std::pair("help", &line.wantsHelp), std::pair("h", &line.wantsHelp), std::pair("version", &line.wantsVersion)})
    if (word == known) {
      *wanted = true;
      return;
    }
  Option *option = optionOf(argument);
  if (!option)
    return refuseUnknown(argument);
  std::string spelling = option->spelling();
  std::string_view rest = name.substr(option->text().name.size());
  bool hasValue = !rest.empty();
  if (option->isSwitch() && hasValue)
    return fault("`" + std::string(argument) + "` has a value; expected `" + spelling + "` alone");
  if (option->mayLackValue() && !hasValue) {
    if (std::string message = option->add({}); !message.empty())
      fault(std::move(message));
    return;
  }
  // `-D=3` names nothing; what a prefix is followed by is its value as it stands.
  std::string_view value = hasValue && rest.front() == '=' && !option->isPrefix() ? rest.substr(1) : rest;
  if (!hasValue) {
    bool isMissing = next == arguments.size() || (looksLikeOption(arguments[next]) && optionOf(arguments[next]));
    if (isMissing)
      return fault("`" + spelling + "` has no value; expected `" + spelling + " " + std::string(option->text().value) +
                   "`");
    value = arguments[next++];
  }
  if (std::string message = option->add(value); !message.empty())
    fault(std::move(message));
}

void Reader::refuseUnknown(std::string_view argument) {
  argument = argument.substr(0, argument.find('='));
  std::string_view name = undashed(argument);
  const CommandText &text = textOf(line.command);
  std::string message = "`" + callOf(text) + "` has no option `" + std::string(argument) + "`";
  std::vector<std::string_view> known = {"help", "version"};
  for (const Option *option : allOptions()) {
    if (option->isOf(line.command))
      known.push_back(option->text().name);
    else if (option->text().name == name)
      for (const CommandText &other : kCommands)
        if (option->isOf(other.command))
          return fault(message + "; it belongs to `" + callOf(other) + "`");
  }
  // `--num_warps` of Triton; what is a knob and no option is given by `-D`.
  std::string plain(name);
  std::replace(plain.begin(), plain.end(), '-', '_');
  plain = plainKnob(plain).str();
  std::string_view closest = closestName(plain == name ? name : std::string_view(plain), known);
  if (closest.empty() && findKnob(plain))
    return fault(message, "pass `-D " + plain + "=…`");
  // One letter is close to every other letter.
  if (closest.size() > 1)
    return fault(message, "did you mean `--" + std::string(closest) + "`?");
  fault(message, "`" + callOf(text) + " --help` lists all");
}

std::string_view closestCommand(std::string_view word) {
  std::vector<std::string_view> names;
  for (const CommandText &text : kCommands)
    names.push_back(text.name);
  return closestName(word, names);
}

void Reader::readInput(std::string_view argument) {
  if (line.input.empty() && !argument.empty()) {
    line.input = argument;
    return;
  }
  if (line.command == Command::Cache && line.operand.empty() && !argument.empty()) {
    line.operand = argument;
    return;
  }
  // What follows an unknown option may have been its value.
  if (!line.faults.empty())
    return;
  std::string_view command = line.command == Command::Compile ? closestCommand(line.input) : std::string_view();
  fault(argument.empty()
            ? std::string("found an empty argument; expected a file")
            : "found `" + (line.operand.empty() ? line.input : line.operand) + "` and `" + std::string(argument) +
                  "`; expected one " + (line.command == Command::Explain ? "code" : "file"),
        command.empty() ? std::string() : "did you mean the command `" + std::string(command) + "`?");
}

CommandLine readCommandLine(const std::vector<std::string_view> &arguments) { return Reader(arguments).read(); }

//===-- Help

/// `text` in lines of at most 120 columns, each after the first indented by `column`.
static void printWrapped(std::ostream &out, std::string_view text, size_t column) {
  constexpr size_t kColumns = 120;
  size_t at = column;
  for (bool isFirst = true; !text.empty(); isFirst = false) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (!isFirst && at + 1 + word.size() > kColumns) {
      out << "\n" << std::string(column, ' ');
      at = column;
    } else if (!isFirst) {
      out << ' ';
      ++at;
    }
    out << word;
    at += word.size();
  }
  out << "\n";
}

static void printOptions(std::ostream &out, std::string_view title, std::vector<const Option *> options) {
  if (options.empty())
    return;
  std::sort(options.begin(), options.end(), [](const Option *a, const Option *b) {
    auto byLetter = [](char x, char y) { return std::tolower(x) < std::tolower(y); };
    std::string_view left = a->text().name, right = b->text().name;
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end(), byLetter);
  });
  constexpr size_t kHelpColumn = 26;
  out << "\n" << title << ":\n";
  for (const Option *option : options) {
    std::string form = "  " + option->spelling();
    if (!option->isSwitch() && option->mayLackValue())
      form += "[=" + std::string(option->text().value) + "]";
    else if (!option->isSwitch())
      form += (option->text().name.size() == 1 ? " " : "=") + std::string(option->text().value);
    out << form
        << (form.size() + 2 > kHelpColumn ? "\n" + std::string(kHelpColumn, ' ')
                                          : std::string(kHelpColumn - form.size(), ' '));
    printWrapped(out, option->text().help, kHelpColumn);
  }
}

void printHelp(std::ostream &out, Command command) {
  const CommandText &text = textOf(command);
  if (command == Command::Compile) {
    out << "Tile: GPU kernels from .tile files\n\n";
    for (const CommandText &each : kCommands) {
      std::string usage = "  " + callOf(each) + " " + std::string(each.input) +
                          (each.command == Command::Explain || each.command == Command::Inspect ? "" : " [options]");
      out << usage << std::string(46 - usage.size(), ' ') << each.summary << "\n";
    }
    out << "\n`tilec COMMAND --help` or `tilec help COMMAND` says more. `-` is standard input.\n";
  } else {
    std::string summary(text.summary);
    out << "usage: " << callOf(text) << " " << text.input << " [options]\n\n" << summary << "\n";
  }
  std::vector<const Option *> shared, own;
  for (const Option *option : allOptions())
    if (option->isOf(command))
      (option->isOf(Command::Compile) ? shared : own).push_back(option);
  printOptions(out, "Options", std::move(own));
  printOptions(out, command == Command::Compile ? "Options" : "Options that say what is compiled", std::move(shared));
  out << text.more;
}

} // namespace tile
