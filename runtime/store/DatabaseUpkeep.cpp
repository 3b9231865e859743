// What `tilec cache` does with the database of tuned choices: exports and imports, numbers, pruning, the check of all.

#include "runtime/store/Database.h"
#include "runtime/store/DatabaseTables.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <istream>
#include <optional>
#include <ostream>

namespace tile {

static constexpr std::string_view kJournal = "-journal";

static const std::vector<RecordKind> kEveryKind = {RecordKind::Choice, RecordKind::Trial};

bool Database::exportLines(std::ostream &lines) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  unsigned before = setsAside;
  // Without a database there is nothing to export, and nothing wrong.
  readWhole({}, KeyMatch::Like, kEveryKind, [&](Record &&record) { text += printRecord(record) + "\n"; });
  lines << text;
  return works[Reading] && setsAside == before;
}

static bool isTried(const Record &trial) {
  Result<Trial> read = trialOf(trial, "");
  return read && read->outcome != TrialOutcome::NotTried;
}

/// What an imported trial replaces, if one of its configuration was tried here, or was not or is not there; none:
/// nothing.
static std::optional<Replace> replaceFor(bool isTried, bool isTriedHere) {
  if (isTried == isTriedHere)
    return Replace::Older;
  return isTried ? std::optional(Replace::Always) : std::nullopt;
}

DatabaseImport Database::importLines(std::istream &in) {
  /// Longer than any search makes.
  constexpr size_t kMostBytes = 1 << 20;
  std::lock_guard<std::mutex> lock(mutex);
  DatabaseImport result;
  std::vector<Record> records;
  std::string line;
  for (uint64_t number = 1; std::getline(in, line); ++number) {
    std::string subject = "line " + std::to_string(number);
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    if (line.size() > kMostBytes)
      result.skipped.push_back(subject + ": has " + std::to_string(line.size()) + " bytes; expected at most " +
                               std::to_string(kMostBytes));
    else if (Result<Record> record = readRecord(line, subject))
      records.push_back(std::move(*record));
    else
      result.skipped.push_back(record.error().message);
  }
  result.isDone = records.empty() || attempt(Writing, [&] {
                    result.taken = result.kept = 0;
                    const TuneKey *key = nullptr; // of `tried`: an export has those of one key together
                    std::set<std::string> tried;
                    for (const Record &record : records) {
                      std::optional<Replace> replace = Replace::Older;
                      if (record.kind == RecordKind::Trial) {
                        if (!key || !(*key == record.key)) {
                          key = &record.key;
                          tried.clear();
                          if (SqliteOutcome found = findTried(*key, tried); found != SqliteOutcome::Done)
                            return found;
                        }
                        replace = replaceFor(isTried(record), tried.count(record.configuration) != 0);
                        if (isTried(record))
                          tried.insert(record.configuration);
                      }
                      SqliteOutcome outcome = replace ? insertRecord(*sqlite, record, *replace) : SqliteOutcome::Done;
                      if (outcome != SqliteOutcome::Done)
                        return outcome;
                      ++(replace && sqlite->changes() ? result.taken : result.kept);
                    }
                    return SqliteOutcome::Done;
                  });
  return result;
}

DatabaseStatistics Database::statistics() {
  std::lock_guard<std::mutex> lock(mutex);
  DatabaseStatistics result;
  attempt(Reading, [&] {
    int64_t choices = 0, trials = 0;
    SqliteOutcome outcome = sqlite->number("SELECT count(*) FROM choices", choices);
    if (outcome == SqliteOutcome::Done)
      outcome = sqlite->number("SELECT count(*) FROM trials", trials);
    result.choices = static_cast<uint64_t>(choices);
    result.trials = static_cast<uint64_t>(trials);
    return outcome;
  });
  struct stat status;
  if (stat(file.c_str(), &status) == 0)
    result.bytes = static_cast<uint64_t>(status.st_size);
  for (const std::string &aside : damagedFiles())
    if (stat(aside.c_str(), &status) == 0) {
      result.damagedFiles += aside.back() != kJournal.back(); // a number ends the name of a database
      result.damagedBytes += static_cast<uint64_t>(status.st_size);
    }
  return result;
}

/// With their journals, in any order; numbers may be missing where some were removed by hand.
std::vector<std::string> Database::damagedFiles() const {
  std::vector<std::string> found;
  std::filesystem::path path(file);
  std::string prefix = path.filename().string() + ".damaged-";
  std::error_code error; // a folder that cannot be read has none
  for (const auto &entry : std::filesystem::directory_iterator(path.parent_path(), error))
    if (entry.path().filename().string().rfind(prefix, 0) == 0)
      found.push_back(entry.path().string());
  return found;
}

void Database::removeDamaged() {
  for (const std::string &aside : damagedFiles())
    if (unlink(aside.c_str()) != 0 && errno != ENOENT)
      report("cannot remove `" + aside + "`: " + std::strerror(errno));
}

uint64_t Database::prune(const std::string &date) {
  std::lock_guard<std::mutex> lock(mutex);
  if (date.empty() && works[Writing])
    removeDamaged();
  struct stat status;
  if (stat(file.c_str(), &status) != 0)
    return 0;
  uint64_t removed = 0;
  bool isDone = attempt(Writing, [&] {
    removed = 0;
    for (RecordKind kind : kEveryKind) {
      SqliteOutcome outcome =
          sqlite->run("DELETE FROM " + std::string(tableOf(kind)) + " WHERE ?1 = '' OR date < ?1", {date});
      if (outcome != SqliteOutcome::Done)
        return outcome;
      removed += static_cast<uint64_t>(sqlite->changes());
    }
    return deleteUnusedKeys(*sqlite);
  });
  if (!isDone)
    return 0;
  // What is not given back to the system is used by the next entries.
  if (removed != 0)
    sqlite->run("VACUUM");
  return removed;
}

DatabaseVerification Database::verify() {
  std::lock_guard<std::mutex> lock(mutex);
  DatabaseVerification result;
  std::vector<StoredRecord> damaged;
  std::vector<std::string> problems;
  unsigned before = setsAside;
  attempt(Reading, [&] {
    std::string pages;
    SqliteOutcome outcome = sqlite->run("PRAGMA integrity_check(1)", {}, [&](const SqliteRow &row) { pages = row[0]; });
    if (outcome == SqliteOutcome::Done && pages != "ok")
      return sqlite->conclude(SqliteOutcome::Damaged, pages);
    if (outcome != SqliteOutcome::Done)
      return outcome;
    result.entries = 0;
    return selectRecords(*sqlite, {}, KeyMatch::Like, kEveryKind, [&](StoredRecord &&stored) {
      ++result.entries;
      std::string subject = describe(stored.record), problem;
      if (!stored.isWhole)
        problem = subject + ": its bytes do not match its checksum";
      else if (stored.record.kind == RecordKind::Choice) {
        if (Result<TunedChoice> choice = choiceOf(stored.record, subject); !choice)
          problem = choice.error().message;
      } else if (Result<Trial> trial = trialOf(stored.record, subject); !trial)
        problem = trial.error().message;
      if (problem.empty())
        return;
      problems.push_back(std::move(problem));
      damaged.push_back(std::move(stored));
    });
  });
  result.isSetAside = setsAside != before;
  if (damaged.empty())
    return result;
  bool areRemoved = attempt(Writing, [&] {
    for (const StoredRecord &stored : damaged)
      if (SqliteOutcome outcome = deleteRecord(*sqlite, stored); outcome != SqliteOutcome::Done)
        return outcome;
    return deleteUnusedKeys(*sqlite);
  });
  for (const std::string &problem : problems)
    result.damaged.push_back(
        problem + (areRemoved ? "; it is removed, and made anew when it is needed" : "; it cannot be removed"));
  return result;
}

} // namespace tile
