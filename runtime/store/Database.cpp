// Opening, and what becomes of a file that is not as it should be; choices and trials in and out. DatabaseUpkeep.cpp
// has the rest.
//
// SQLite keeps its rollback journal: a write-ahead log needs memory that all its processes share, which hosts do not,
// and the few short transactions of a search gain nothing by it.

#include "runtime/store/Database.h"

#include "runtime/store/DatabaseTables.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tile {

Database::Database(DatabaseOptions options)
    : file(std::move(options.path)), access(options.access), out(std::move(options.report)),
      sqlite(std::make_unique<Sqlite>()) {
  works[Writing] = access == DatabaseAccess::ReadWrite;
  if (!file.empty())
    return;
  if (Result<std::string> folder = findStoreFolder()) {
    file = databaseIn(*folder);
    return;
  }
  works[Reading] = works[Writing] = false;
  report(findStoreFolder().error().message + "; going on without tuned choices");
}

Database::~Database() = default;

void Database::report(const std::string &message) const {
  if (out)
    out(message);
}

void Database::giveUp(Trouble trouble, const std::string &problem) {
  // Who cannot read cannot write.
  works[trouble] = works[Writing] = false;
  if (trouble == Reading)
    report("the tuning database `" + file + "` cannot be read: " + problem + "; going on without its choices");
  else
    report("the tuning database `" + file + "` cannot be written: " + problem +
           "; going on without keeping tuned choices: make room or give access there, or name another folder in "
           "TILE_CACHE_DIR");
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// SQLite would say of a folder that cannot be written that it has no such file.
static Status makeWritableFolder(const std::string &folder) {
  if (Status made = makeStoreFolder(folder); !made)
    return made;
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0)
    return {};
  return Error{ErrorCode::File, std::strerror(errno)};
}

/// Which file has this name; 0 if none has.
static uint64_t inodeOf(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

SqliteOutcome Database::connect() {
  // Another process may have renamed the file that is open, and have begun a new one, just now as well.
  uint64_t current = inodeOf(file);
  if (sqlite->isOpen() && current != 0 && current == inode)
    return SqliteOutcome::Done;
  SqliteOutcome outcome;
  do {
    inode = current;
    outcome =
        sqlite->open(file, access == DatabaseAccess::ReadOnly ? Sqlite::Access::ReadOnly : Sqlite::Access::ReadWrite);
    current = inodeOf(file);
  } while (inode != 0 && current != inode && outcome == SqliteOutcome::Done);
  inode = current;
  return outcome;
}

bool Database::attempt(Trouble purpose, const std::function<SqliteOutcome()> &work) {
  // A file that was set aside leaves room for another.
  for (int turn = 0; turn < 2 && works[purpose]; ++turn) {
    struct stat status;
    bool isThere = stat(file.c_str(), &status) == 0 || errno != ENOENT;
    if (!isThere && purpose == Reading)
      return false;
    if (!isThere)
      if (Status made = makeWritableFolder(folderOf(file)); !made) {
        giveUp(Writing, made.error().message);
        return false;
      }
    Trouble trouble = purpose;
    bool isEmpty = false;
    SqliteOutcome outcome = connect();
    if (outcome != SqliteOutcome::Done)
      trouble = isThere ? Reading : Writing;
    else
      outcome = sqlite->transact(purpose == Writing ? Sqlite::Access::ReadWrite : Sqlite::Access::ReadOnly, [&] {
        bool hasTables = false;
        SqliteOutcome found = findTables(*sqlite, hasTables);
        if (found != SqliteOutcome::Done) {
          trouble = Reading;
          return found;
        }
        isEmpty = !hasTables && purpose == Reading;
        if (isEmpty)
          return SqliteOutcome::Done;
        if (!hasTables)
          found = makeTables(*sqlite);
        return found == SqliteOutcome::Done ? work() : found;
      });
    if (outcome == SqliteOutcome::Done)
      return !isEmpty;
    const std::string problem = sqlite->problem();
    if (outcome == SqliteOutcome::Damaged)
      setAside(problem);
    else
      giveUp(trouble, problem);
  }
  return false;
}

void Database::setAside(const std::string &problem) {
  sqlite->close();
  if (access == DatabaseAccess::ReadOnly)
    return giveUp(Reading, problem);
  // Of all who found the damage one renames the file; the others see that it is another one by now.
  FolderLock lock(file);
  if (inodeOf(file) != inode)
    return;
  std::string aside;
  for (unsigned i = 1; aside.empty() || inodeOf(aside) != 0; ++i)
    aside = asideName(i);
  // What can still be saved of the file is in both.
  std::rename((file + "-journal").c_str(), (aside + "-journal").c_str());
  if (std::rename(file.c_str(), aside.c_str()) != 0)
    return giveUp(Reading, problem + ", and it cannot be renamed: " + std::strerror(errno));
  ++setsAside;
  report("the tuning database `" + file + "` is damaged: " + problem + "; it is now `" + aside +
         "`, and its choices are made anew");
}

std::string Database::describe(RecordKind kind, const TuneKey &key) const {
  return "the " + std::string(kind == RecordKind::Choice ? "choice" : "trial") + " of `" + key.kernel + "` for `" +
         key.sizes + "` in the tuning database `" + file + "`";
}

std::string Database::describe(const Record &record) const { return describe(record.kind, record.key) + " is damaged"; }

void Database::reportRefused(const TuneKey &key, const std::string &problem) const {
  report(describe(RecordKind::Choice, key) + " is left out: " + problem);
}

//===-- Choices and trials

bool Database::readWhole(const TuneKey &key, KeyMatch match, const std::vector<RecordKind> &kinds,
                         const std::function<void(Record &&)> &read) {
  return attempt(Reading, [&] {
    return selectRecords(*sqlite, key, match, kinds, [&](StoredRecord &&stored) {
      if (stored.isWhole)
        read(std::move(stored.record));
      else
        report(describe(stored.record) + ": its bytes do not match its checksum; going on without it");
    });
  });
}

std::optional<TunedChoice> Database::findChoice(const TuneKey &key) {
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<TunedChoice> choice;
  readWhole(key, KeyMatch::Exact, {RecordKind::Choice}, [&](Record &&record) {
    if (Result<TunedChoice> read = choiceOf(record, describe(record)))
      choice = std::move(*read);
    else
      report(read.error().message);
  });
  return choice;
}

std::vector<std::pair<TuneKey, TunedChoice>> Database::findChoices(const TuneKey &like) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::pair<TuneKey, TunedChoice>> choices;
  readWhole(like, KeyMatch::Like, {RecordKind::Choice}, [&](Record &&record) {
    if (Result<TunedChoice> read = choiceOf(record, describe(record)))
      choices.emplace_back(record.key, std::move(*read));
    else
      report(read.error().message);
  });
  return choices;
}

std::vector<Trial> Database::findTrials(const TuneKey &key) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Trial> trials;
  readWhole(key, KeyMatch::Exact, {RecordKind::Trial}, [&](Record &&record) {
    if (Result<Trial> read = trialOf(record, describe(record)))
      trials.push_back(std::move(*read));
    else
      report(read.error().message);
  });
  return trials;
}

bool Database::storeChoice(const TuneKey &key, const TunedChoice &choice) {
  std::lock_guard<std::mutex> lock(mutex);
  return attempt(Writing, [&] { return insertRecord(*sqlite, recordOf(key, choice), Replace::Always); });
}

SqliteOutcome Database::findTried(const TuneKey &key, std::set<std::string> &tried) {
  return selectRecords(*sqlite, key, KeyMatch::Exact, {RecordKind::Trial}, [&](StoredRecord &&stored) {
    Result<Trial> before = trialOf(stored.record, describe(stored.record));
    if (stored.isWhole && before && before->outcome != TrialOutcome::NotTried)
      tried.insert(stored.record.configuration);
  });
}

bool Database::storeTrials(const TuneKey &key, const std::vector<Trial> &trials, const std::string &date,
                           Untried untried) {
  std::lock_guard<std::mutex> lock(mutex);
  return attempt(Writing, [&] {
    std::set<std::string> tried; // configurations
    SqliteOutcome outcome = findTried(key, tried);
    for (const Trial &trial : trials) {
      Record record = recordOf(key, trial, date);
      bool saysNothing = trial.outcome == TrialOutcome::NotTried && untried == Untried::ReplaceNothing &&
                         tried.count(record.configuration);
      if (outcome == SqliteOutcome::Done && !saysNothing)
        outcome = insertRecord(*sqlite, record, Replace::Always);
    }
    return outcome;
  });
}

bool Database::removeChoice(const TuneKey &key) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<StoredRecord> found;
  auto find = [&] {
    found.clear();
    return selectRecords(*sqlite, key, KeyMatch::Exact, {RecordKind::Choice},
                         [&](StoredRecord &&stored) { found.push_back(std::move(stored)); });
  };
  if (!attempt(Reading, find) || found.empty()) // nothing is made for what is not there
    return false;
  return attempt(Writing, [&] {
    SqliteOutcome outcome = find();
    for (const StoredRecord &stored : found)
      if (outcome == SqliteOutcome::Done)
        outcome = deleteRecord(*sqlite, stored);
    return outcome == SqliteOutcome::Done ? deleteUnusedKeys(*sqlite) : outcome;
  });
}

} // namespace tile
