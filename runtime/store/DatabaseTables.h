// The tables of the database of tuned choices, and the statements that touch them. Internal to the database.
//
// `choices` and `trials` have the same columns and differ in what identifies a row. Keys are long and shared by a
// search's rows, so they are a table of their own. Everything is text: `sqlite3 tuning.db 'select * from trials'` can
// be read.

#ifndef TILE_RUNTIME_STORE_DATABASETABLES_H
#define TILE_RUNTIME_STORE_DATABASETABLES_H

#include "runtime/store/Record.h"
#include "runtime/store/Sqlite.h"

namespace tile {

/// Whether the file has our tables. Damaged if it is another program's, Failed if a newer version of ours made it.
SqliteOutcome findTables(Sqlite &sqlite, bool &areThere);

/// Makes an empty file a database of ours.
SqliteOutcome makeTables(Sqlite &sqlite);

/// `choices`, `trials`
const char *tableOf(RecordKind kind);

/// What one entry of the database holds, and whether it is what was written.
struct StoredRecord {
  Record record;
  std::string keyId; ///< the row of its key
  bool isWhole = false;
};

/// Whether a field of the key that is empty matches any.
enum class KeyMatch { Exact, Like };

/// The entries for `key`, choices before trials, in an order that follows from their content alone.
SqliteOutcome selectRecords(Sqlite &sqlite, const TuneKey &key, KeyMatch match, const std::vector<RecordKind> &kinds,
                            const std::function<void(StoredRecord &&)> &read);

/// What an entry does to one that is there.
enum class Replace { Always, Older };

/// Adds or replaces; `Sqlite::changes` says whether it did.
SqliteOutcome insertRecord(Sqlite &sqlite, const Record &record, Replace replace);

SqliteOutcome deleteRecord(Sqlite &sqlite, const StoredRecord &stored);

/// Removes keys without entries.
SqliteOutcome deleteUnusedKeys(Sqlite &sqlite);

} // namespace tile

#endif // TILE_RUNTIME_STORE_DATABASETABLES_H
