// The database of tuned choices: what searches found, by what they were for. One SQLite file that processes and hosts
// share, people read and applications ship.
//
// It keeps a choice for each key and every trial behind it. Like the cache it never fails its caller: what cannot be
// read is not there, what cannot be written is not kept, and one sentence to the report says so. A file that is damaged
// or another program's is renamed, never removed; one that a newer version wrote is left alone. Limits: one process
// writes at a time, for milliseconds; a Database must not be used on both sides of a fork.

#ifndef TILE_RUNTIME_STORE_DATABASE_H
#define TILE_RUNTIME_STORE_DATABASE_H

#include "runtime/store/Folder.h"
#include "runtime/store/TuneKey.h"
#include "runtime/tune/Trial.h"

#include <iosfwd>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace tile {

class Sqlite;
struct Record;
enum class KeyMatch;
enum class RecordKind;
enum class SqliteOutcome;

enum class DatabaseAccess {
  ReadWrite, ///< The file is made when something is to be kept.
  ReadOnly,  ///< Whatever the file is, it stays as it is.
};

/// The database of a folder that a cache is in.
inline std::string databaseIn(const std::string &folder) { return folder + "/tuning.db"; }

struct DatabaseOptions {
  std::string path; ///< empty: that in the folder of this user, see `findStoreFolder`
  DatabaseAccess access = DatabaseAccess::ReadWrite;
  StoreReport report;
};

/// What becomes of a trial that says something when one comes that was not tried.
enum class Untried {
  ReplaceNothing, ///< It stays.
  ReplaceAll,     ///< It is forgotten, as what a search that began anew did not look at.
};

struct DatabaseStatistics {
  uint64_t choices = 0, trials = 0, bytes = 0;
  uint64_t damagedFiles = 0, damagedBytes = 0; ///< that were set aside
};

struct DatabaseImport {
  uint64_t taken = 0;               ///< entries that are new, or newer than what was there
  uint64_t kept = 0;                ///< entries that are not, so that what was there stays
  std::vector<std::string> skipped; ///< one sentence for each line that is no entry, with its number
  bool isDone = false;              ///< whether what was taken is in the file
};

struct DatabaseVerification {
  uint64_t entries = 0;             ///< looked at
  std::vector<std::string> damaged; ///< one sentence for each, which says what became of it
  bool isSetAside = false;          ///< the whole file was damaged, and is renamed
};

/// Several threads may use one.
class Database {
public:
  explicit Database(DatabaseOptions options = {});
  ~Database();
  Database(const Database &) = delete;

  /// Empty where there is none.
  const std::string &path() const { return file; }

  /// The choice for exactly this key.
  std::optional<TunedChoice> findChoice(const TuneKey &key);
  /// Every choice whose key has the fields of `like` that are not empty, in the order of keys.
  std::vector<std::pair<TuneKey, TunedChoice>> findChoices(const TuneKey &like = {});
  /// The trials of this key, in the order of configurations.
  std::vector<Trial> findTrials(const TuneKey &key);

  /// Each replaces what was there for the key (and the configuration). True if it is kept: after the first failure,
  /// which is reported, nothing is.
  bool storeChoice(const TuneKey &key, const TunedChoice &choice);
  bool storeTrials(const TuneKey &key, const std::vector<Trial> &trials, const std::string &date,
                   Untried untried = Untried::ReplaceNothing);
  /// Reports that the choice for this key is not taken, since `problem`.
  void reportRefused(const TuneKey &key, const std::string &problem) const;
  /// Leaves this key without a choice; its trials stay. True if it had one.
  bool removeChoice(const TuneKey &key);

  /// Everything as lines of JSON, in one order: two exports of equal content are equal. Entries that are damaged are
  /// reported and left out; false where the file is.
  bool exportLines(std::ostream &out);
  /// Adds the entries that `exportLines` wrote somewhere. Where both have one, the newer stays, but a trial that was
  /// not tried replaces none that was, and is replaced by one.
  DatabaseImport importLines(std::istream &in);

  DatabaseStatistics statistics();
  /// Removes entries dated before `date` of `printDate`; all, and what was set aside, if it is empty. Gives how many
  /// entries.
  uint64_t prune(const std::string &date);
  /// Reads every entry and removes those that are damaged.
  DatabaseVerification verify();

private:
  enum Trouble { Reading, Writing, kTroubles };

  void report(const std::string &message) const;
  void giveUp(Trouble trouble, const std::string &problem);
  bool attempt(Trouble purpose, const std::function<SqliteOutcome()> &work);
  SqliteOutcome connect();
  void setAside(const std::string &problem);
  /// The name of the `i`th damaged file, from 1.
  std::string asideName(unsigned i) const { return file + ".damaged-" + std::to_string(i); }
  std::vector<std::string> damagedFiles() const;
  void removeDamaged();
  std::string describe(RecordKind kind, const TuneKey &key) const;
  std::string describe(const Record &record) const;
  /// The configurations of `key` that were tried.
  SqliteOutcome findTried(const TuneKey &key, std::set<std::string> &tried);
  /// Calls `read` for each entry that is whole; reports the others.
  bool readWhole(const TuneKey &key, KeyMatch match, const std::vector<RecordKind> &kinds,
                 const std::function<void(Record &&)> &read);

  std::string file;
  DatabaseAccess access;
  StoreReport out;
  std::mutex mutex; ///< of what follows, and of calls of `out`
  std::unique_ptr<Sqlite> sqlite;
  uint64_t inode = 0; ///< of the file that is open
  bool works[kTroubles] = {true, true};
  unsigned setsAside = 0; ///< damaged files that this has renamed
};

} // namespace tile

#endif // TILE_RUNTIME_STORE_DATABASE_H
