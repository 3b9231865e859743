/// `tilec cache WORD`: lists, measures, prunes, checks, exports and imports what is kept in the folder of compiled code
/// and tuned choices.
#include "runtime/tilec/Flags.h"
#include "runtime/tilec/JsonReport.h"
#include "runtime/tilec/StoreFlags.h"

#include "frontend/diagnostic/Diagnostic.h"
#include "runtime/artifact/File.h"
#include "runtime/store/Cache.h"
#include "runtime/store/Database.h"
#include "runtime/store/Record.h"

#include "llvm/Support/FileSystem.h"

#include <ctime>
#include <iostream>
#include <sstream>

namespace tile {

static Switch jsonOption{{"json", "", "print the result as one JSON object; an export is JSON without it"},
                         {Command::Cache}};
static Switch allOption{{"all", "", "prune: everything"}, {Command::Cache}};
static NumberOption ageOption{
    {"older-than", "DAYS", "prune: compiled code not used, and choices not found, for so many days"},
    {Command::Cache},
    0,
    100'000};
static TextOption bytesOption{
    {"max-bytes", "N", "prune: compiled code beyond so many bytes, with K, M or G in powers of 1024"},
    {Command::Cache}};

namespace {
/// One of the things to do. Prints for people, or fills `json`.
struct Word {
  std::string_view name;
  void (*run)(Kept &kept, const std::string &file, llvm::json::Object &json);
  bool takesFile;
  bool fails; ///< where anything is warned of; what is only shown may be incomplete
};
} // namespace

static std::string count(uint64_t number, const char *one) {
  return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
}

//===-- ls, stats

static llvm::json::Object toJson(const CacheFile &file) {
  llvm::json::Object facts;
  for (const auto &[name, value] : file.facts)
    facts[name] = value;
  return llvm::json::Object{{"path", file.path},
                            {"bytes", static_cast<int64_t>(file.bytes)},
                            {"used", printDate(file.usedAt())},
                            {"facts", std::move(facts)}};
}

static void print(const CacheFile &file) {
  std::cout << "  " << file.path << "\n    ";
  for (const auto &[name, value] : file.facts)
    if (name != "date")
      std::cout << name << " " << value << ", ";
  std::cout << printByteCount(file.bytes) << ", used " << printDate(file.usedAt()) << "\n";
}

static void print(const TuneKey &key, const TunedChoice &choice) {
  std::cout << "  " << key.kernel << " for " << (key.sizes.empty() ? "all sizes" : key.sizes) << " on " << key.gpu
            << ", " << key.arguments << "\n    " << choice.configuration.describe();
  if (choice.medianUs != 0)
    std::cout << ", " << choice.medianUs << " us";
  std::cout << ", found " << choice.date << (choice.why.empty() ? "" : "; ") << choice.why << "\n";
}

static void list(Kept &kept, const std::string &, llvm::json::Object &json) {
  std::vector<CacheFile> files = kept.cache.list();
  std::vector<std::pair<TuneKey, TunedChoice>> choices = kept.database.findChoices();
  if (jsonOption.isOn()) {
    llvm::json::Array fileList, choiceList;
    for (const CacheFile &file : files)
      fileList.push_back(toJson(file));
    for (const auto &[key, choice] : choices)
      choiceList.push_back(parseObject(printRecord(recordOf(key, choice))));
    json["compiled"] = std::move(fileList);
    json["choices"] = std::move(choiceList);
    return;
  }
  std::cout << count(files.size(), "compiled file") << " in " << kept.cache.folder() << "\n";
  for (const CacheFile &file : files)
    print(file);
  std::cout << count(choices.size(), "tuned choice") << " in " << kept.database.path() << "\n";
  for (const auto &[key, choice] : choices)
    print(key, choice);
}

static void measure(Kept &kept, const std::string &, llvm::json::Object &json) {
  std::vector<CacheFile> files = kept.cache.list();
  DatabaseStatistics tuned = kept.database.statistics();
  uint64_t bytes = 0;
  for (const CacheFile &file : files)
    bytes += file.bytes;
  if (jsonOption.isOn()) {
    json["compiled"] = llvm::json::Object{{"files", static_cast<int64_t>(files.size())},
                                          {"bytes", static_cast<int64_t>(bytes)},
                                          {"maxBytes", kept.cache.maxBytes()}};
    json["tuned"] = llvm::json::Object{{"choices", static_cast<int64_t>(tuned.choices)},
                                       {"trials", static_cast<int64_t>(tuned.trials)},
                                       {"bytes", static_cast<int64_t>(tuned.bytes)},
                                       {"damagedFiles", static_cast<int64_t>(tuned.damagedFiles)},
                                       {"damagedBytes", static_cast<int64_t>(tuned.damagedBytes)}};
    return;
  }
  std::cout << "folder        " << kept.cache.folder() << "\n"
            << "compiled code " << count(files.size(), "file") << ", " << printByteCount(bytes) << " of at most "
            << printByteCount(kept.cache.maxBytes());
  if (!files.empty())
    std::cout << ", used from " << printDate(files.back().usedAt()) << " to " << printDate(files.front().usedAt());
  std::cout << "\ntuned choices " << count(tuned.choices, "choice") << ", " << count(tuned.trials, "trial") << ", "
            << printByteCount(tuned.bytes);
  if (tuned.damagedFiles)
    std::cout << "; " << count(tuned.damagedFiles, "damaged file") << ", " << printByteCount(tuned.damagedBytes)
              << ", which `prune --all` removes";
  std::cout << "\n";
}

//===-- prune, verify

static void prune(Kept &kept, const std::string &, llvm::json::Object &json) {
  std::optional<uint64_t> most = bytesOption.isGiven() ? readByteCount(bytesOption.get()) : UINT64_MAX;
  if (!most)
    kept.session.report(Code::E0602, "`--max-bytes` is `" + bytesOption.get() +
                                         "`; expected a number of bytes such as 500000000 or 2G");
  else if (!allOption.isOn() && !ageOption.isGiven() && !bytesOption.isGiven())
    kept.session.report(Code::E0602, "found nothing to prune by; expected `--all`, `--older-than=DAYS` or "
                                     "`--max-bytes=N`");
  if (kept.session.hasErrors())
    return;
  int64_t before = 0;
  if (ageOption.isGiven())
    before = std::time(nullptr) - static_cast<int64_t>(ageOption.get()) * 24 * 60 * 60;
  CacheRemoval removal = kept.cache.prune(allOption.isOn() ? 0 : *most, before);
  uint64_t entries = 0;
  if (allOption.isOn() || ageOption.isGiven())
    entries = kept.database.prune(allOption.isOn() ? "" : printDate(before));
  if (jsonOption.isOn())
    json["removed"] = llvm::json::Object{{"files", static_cast<int64_t>(removal.files)},
                                         {"bytes", static_cast<int64_t>(removal.bytes)},
                                         {"entries", static_cast<int64_t>(entries)}};
  else
    std::cout << "removed " << count(removal.files, "compiled file") << ", " << printByteCount(removal.bytes) << "; "
              << entries << " tuned choices and trials\n";
}

static void verify(Kept &kept, const std::string &, llvm::json::Object &json) {
  CacheVerification files = kept.cache.verify();
  DatabaseVerification entries = kept.database.verify();
  for (const std::string &message : files.damaged)
    kept.warn(message);
  for (const std::string &message : entries.damaged)
    kept.warn(message);
  size_t damaged = files.damaged.size() + entries.damaged.size() + entries.isSetAside;
  // What cannot be read at all has been reported, and is not known to be damaged.
  bool isAllRead = damaged == kept.session.engine.warningCount();
  if (jsonOption.isOn()) {
    json["files"] = static_cast<int64_t>(files.files);
    json["entries"] = static_cast<int64_t>(entries.entries);
    json["damaged"] = static_cast<int64_t>(damaged);
  } else {
    std::cout << "read " << count(files.files, "compiled file") << " and " << entries.entries
              << " tuned choices and trials: "
              << (damaged     ? std::to_string(damaged) + " damaged"
                  : isAllRead ? "all as written"
                              : "none damaged, others cannot be read")
              << "\n";
  }
}

//===-- export, import

/// Where a file is left out, or is `-`.
static bool isStandardStream(const std::string &file) { return file.empty() || file == "-"; }

static void exportChoices(Kept &kept, const std::string &file, llvm::json::Object &json) {
  std::ostringstream lines;
  if (!kept.database.exportLines(lines))
    return;
  std::string text = lines.str();
  if (isStandardStream(file)) {
    std::cout << text;
    return;
  }
  if (Status written = writeFile(file, text); !written) {
    kept.session.report(Code::E0602, written.error().message);
    return;
  }
  int64_t entries = std::count(text.begin(), text.end(), '\n');
  if (jsonOption.isOn())
    json["written"] = entries;
  else
    std::cout << "wrote " << entries << " tuned choices and trials to " << file << "\n";
}

static void importChoices(Kept &kept, const std::string &file, llvm::json::Object &json) {
  Result<std::string> content = readFile(file == "-" ? "/dev/stdin" : file);
  if (!content) {
    kept.session.report(Code::E0602, file.empty()
                                         ? "found no file to import; expected `tilec cache import FILE`, or `-` "
                                           "for standard input"
                                         : content.error().message);
    return;
  }
  std::istringstream lines(*content);
  DatabaseImport result = kept.database.importLines(lines);
  if (result.taken + result.kept == 0 && !result.skipped.empty() && result.isDone) {
    kept.session.engine
        .report(Code::E0602, {}, "`" + file + "` is no export; expected lines that `tilec cache export` wrote")
        .note(result.skipped.front());
    return;
  }
  for (const std::string &message : result.skipped)
    kept.warn("`" + file + "`, " + message + "; the line is skipped");
  if (jsonOption.isOn()) {
    json["taken"] = static_cast<int64_t>(result.isDone ? result.taken : 0);
    json["kept"] = static_cast<int64_t>(result.kept);
    json["skipped"] = static_cast<int64_t>(result.skipped.size());
  } else if (result.isDone) {
    std::cout << "took " << result.taken << " tuned choices and trials; " << result.kept
              << " were there as new or newer, " << count(result.skipped.size(), "line") << " skipped\n";
  }
}

static constexpr Word kWords[] = {
    {"ls", list, /*takesFile=*/false, /*fails=*/false},
    {"stats", measure, /*takesFile=*/false, /*fails=*/false},
    {"prune", prune, /*takesFile=*/false, /*fails=*/true},
    {"verify", verify, /*takesFile=*/false, /*fails=*/true},
    {"export", exportChoices, /*takesFile=*/true, /*fails=*/true},
    {"import", importChoices, /*takesFile=*/true, /*fails=*/true},
};

static const Word *findWord(const std::string &name) {
  for (const Word &word : kWords)
    if (word.name == name)
      return &word;
  return nullptr;
}

/// What of the command line is wrong for this word; empty if nothing is.
static std::string refusalOf(const Word &word, const std::string &file) {
  std::string name(word.name);
  for (const Option *option : {static_cast<const Option *>(&allOption), static_cast<const Option *>(&ageOption),
                               static_cast<const Option *>(&bytesOption)})
    if (option->isGiven() && name != "prune")
      return "`" + option->spelling() + "` says what `prune` removes; found `" + name + "`";
  if (!file.empty() && !word.takesFile)
    return "`tilec cache " + name + "` takes no file; found `" + file + "`";
  if (!storeFolder().empty() && name != "import" && !llvm::sys::fs::is_directory(storeFolder()))
    return "`--cache-dir " + storeFolder() + "` is no folder; expected one that exists";
  return "";
}

int cacheMain(const std::string &name, const std::string &file) {
  const Word *word = findWord(name);
  if (!word) {
    std::vector<std::string_view> names;
    std::string all;
    for (const Word &each : kWords) {
      names.push_back(each.name);
      all += (all.empty() ? "" : ", ") + std::string(each.name);
    }
    std::string_view closest = closestName(name, names);
    std::string found =
        name.empty() ? "`tilec cache` is not told what to do" : "`tilec cache` has no word `" + name + "`";
    return refuse({{found + "; expected one of: " + all,
                    closest.empty() ? std::string() : "did you mean `" + std::string(closest) + "`?"}});
  }
  if (std::string refusal = refusalOf(*word, file); !refusal.empty())
    return refuse({{refusal, "`tilec cache --help` says what each word does"}});
  Session session;
  llvm::json::Object json;
  Kept kept(session);
  word->run(kept, file, json);
  bool fails = session.hasErrors() || (word->fails && session.engine.warningCount() != 0);
  bool isLines = word->run == exportChoices && isStandardStream(file);
  if (jsonOption.isOn() && !isLines) {
    json["folder"] = kept.cache.folder();
    printJsonReport(session, std::move(json));
  }
  finish(session);
  return fails ? 1 : 0;
}

} // namespace tile
