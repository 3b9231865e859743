// SQLite as the database of tuned choices uses it: one connection, one statement at a time, values that are text.
// Internal to the database, and the one place that knows sqlite3.h.

#ifndef TILE_RUNTIME_STORE_SQLITE_H
#define TILE_RUNTIME_STORE_SQLITE_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct sqlite3;

namespace tile {

/// What a failure asks for. All but Done leave the transaction rolled back.
enum class SqliteOutcome {
  Done,
  Damaged, ///< The file is no database, or not one with our tables.
  Failed,  ///< The system, or another process, does not let it happen; `problem` says why.
};

/// The columns of one row.
using SqliteRow = std::vector<std::string>;

class Sqlite {
public:
  Sqlite() = default;
  ~Sqlite() { close(); }
  Sqlite(const Sqlite &) = delete;

  bool isOpen() const { return handle != nullptr; }
  enum class Access { ReadOnly, ReadWrite };
  /// Opens the file `path`, which ReadWrite makes if it is absent, or gives up writing where that is not allowed.
  SqliteOutcome open(const std::string &path, Access access);
  void close();

  /// Runs one statement with `values` for ?1, ?2, …, and calls `read` for each row.
  SqliteOutcome run(const std::string &statement, const std::vector<std::string> &values = {},
                    const std::function<void(const SqliteRow &)> &read = {});
  /// The first column of the first row as a number.
  SqliteOutcome number(const std::string &statement, int64_t &value);
  /// Runs `work` between the begin and the end of one transaction, which sees one state of the file and writes all or
  /// nothing.
  SqliteOutcome transact(Access access, const std::function<SqliteOutcome()> &work);

  /// An outcome that something else than a call of SQLite's has found.
  SqliteOutcome conclude(SqliteOutcome outcome, std::string problem) {
    reason = std::move(problem);
    return outcome;
  }

  /// Rows that the last statement changed.
  int changes() const;
  /// Why the last outcome was not Done.
  const std::string &problem() const { return reason; }

private:
  SqliteOutcome outcomeOf(int code);

  sqlite3 *handle = nullptr;
  std::string reason;
};

} // namespace tile

#endif // TILE_RUNTIME_STORE_SQLITE_H
