#include "runtime/store/Sqlite.h"

#include "runtime/store/Folder.h"

#include <sqlite3.h>

#include <cstdlib>
#include <cstring>

namespace tile {

/// How long another process may hold the file. A transaction takes milliseconds; who waits longer waits for a process
/// that was stopped.
static constexpr int kWaitMilliseconds = 10'000;

/// The number of `errno` behind a failure, or 0. What fails at the end of a transaction is known to the file alone.
static int systemReason(sqlite3 *handle) {
  int number = handle ? sqlite3_system_errno(handle) : 0;
  if (handle && number == 0)
    sqlite3_file_control(handle, nullptr, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

SqliteOutcome Sqlite::outcomeOf(int code) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
    return SqliteOutcome::Done;
  reason = handle ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  switch (code & 0xff) {
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
  case SQLITE_ERROR: // The statements are our own: the tables are not.
  case SQLITE_CONSTRAINT:
  case SQLITE_MISMATCH:
    return SqliteOutcome::Damaged;
  case SQLITE_BUSY:
    reason = "another process has held it for " + std::to_string(kWaitMilliseconds / 1000) + " seconds";
    break;
  case SQLITE_CANTOPEN:
  case SQLITE_IOERR:
    if (int number = systemReason(handle))
      reason = std::strerror(number);
    break;
  }
  return SqliteOutcome::Failed;
}

SqliteOutcome Sqlite::open(const std::string &path, Access access) {
  close();
  int flags = access == Access::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  SqliteOutcome outcome = outcomeOf(sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr));
  if (outcome != SqliteOutcome::Done) {
    close();
    return outcome;
  }
  sqlite3_busy_timeout(handle, kWaitMilliseconds);
  // The file may be anybody's: what it says of itself is not run, and its cells are looked at before they are used.
  for (const char *setting :
       {"PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON", "PRAGMA temp_store = MEMORY"})
    if (outcome == SqliteOutcome::Done)
      outcome = run(setting);
  return outcome;
}

void Sqlite::close() {
  SizeLimitFails guard;
  sqlite3_close_v2(handle);
  handle = nullptr;
}

SqliteOutcome Sqlite::run(const std::string &text, const std::vector<std::string> &values,
                          const std::function<void(const SqliteRow &)> &read) {
  SizeLimitFails guard;
  sqlite3_stmt *statement = nullptr;
  int code = sqlite3_prepare_v2(handle, text.c_str(), static_cast<int>(text.size()), &statement, nullptr);
  for (size_t i = 0; i < values.size() && code == SQLITE_OK; ++i)
    code = sqlite3_bind_text64(statement, static_cast<int>(i + 1), values[i].data(), values[i].size(), SQLITE_STATIC,
                               SQLITE_UTF8);
  if (code == SQLITE_OK)
    code = SQLITE_ROW;
  while (code == SQLITE_ROW && (code = sqlite3_step(statement)) == SQLITE_ROW) {
    SqliteRow row;
    for (int i = 0, count = sqlite3_column_count(statement); i < count; ++i) {
      const void *bytes = sqlite3_column_text(statement, i);
      int length = sqlite3_column_bytes(statement, i);
      row.emplace_back(bytes ? static_cast<const char *>(bytes) : "", bytes ? static_cast<size_t>(length) : 0);
    }
    if (read)
      read(row);
  }
  // The connection knows what the statement failed for once that is gone.
  sqlite3_finalize(statement);
  return outcomeOf(code);
}

SqliteOutcome Sqlite::number(const std::string &statement, int64_t &value) {
  return run(statement, {}, [&](const SqliteRow &row) { value = std::strtoll(row[0].c_str(), nullptr, 10); });
}

SqliteOutcome Sqlite::transact(Access access, const std::function<SqliteOutcome()> &work) {
  // Who begins as a reader and then wants to write may find that another did so first, and cannot wait for it.
  SqliteOutcome outcome = run(access == Access::ReadWrite ? "BEGIN IMMEDIATE" : "BEGIN");
  if (outcome != SqliteOutcome::Done)
    return outcome;
  outcome = work();
  if (outcome == SqliteOutcome::Done)
    outcome = run("COMMIT");
  if (outcome == SqliteOutcome::Done)
    return outcome;
  std::string first = reason;
  run("ROLLBACK"); // Some failures have done so already.
  reason = std::move(first);
  return outcome;
}

int Sqlite::changes() const { return sqlite3_changes(handle); }

} // namespace tile
