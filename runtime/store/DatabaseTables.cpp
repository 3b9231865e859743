#include "runtime/store/DatabaseTables.h"

namespace tile {

/// Marks a file as ours: `Tile`, in SQLite's own place for it.
static constexpr int64_t kApplicationId = 0x54696c65;
static constexpr int64_t kSchema = 1;

/// `form` for each field of a key, `%` replaced by its name and `#` by its number from 1, with `separator` between.
static std::string eachKeyField(std::string_view form, std::string_view separator) {
  std::string text;
  int number = 0;
  for (const TuneKeyField &field : kTuneKeyFields) {
    text += number++ ? separator : "";
    for (char c : form)
      text += c == '%' ? field.name : c == '#' ? std::to_string(number) : std::string(1, c);
  }
  return text;
}

static std::vector<std::string> valuesOf(const TuneKey &key) {
  std::vector<std::string> values;
  for (const TuneKeyField &field : kTuneKeyFields)
    values.push_back(key.*field.member);
  return values;
}

const char *tableOf(RecordKind kind) { return kind == RecordKind::Choice ? "choices" : "trials"; }

/// What there is one row of.
static const char *identityOf(RecordKind kind) { return kind == RecordKind::Choice ? "key" : "key, configuration"; }

SqliteOutcome findTables(Sqlite &sqlite, bool &areThere) {
  int64_t id = 0, schema = 0, tables = 0;
  SqliteOutcome outcome = sqlite.number("PRAGMA application_id", id);
  if (outcome == SqliteOutcome::Done)
    outcome = sqlite.number("PRAGMA user_version", schema);
  if (outcome == SqliteOutcome::Done)
    outcome = sqlite.number("SELECT count(*) FROM sqlite_master", tables);
  if (outcome != SqliteOutcome::Done)
    return outcome;
  areThere = tables != 0;
  if (id == kApplicationId && schema > kSchema)
    return sqlite.conclude(SqliteOutcome::Failed, "its schema is " + std::to_string(schema) +
                                                      ", of a newer version of Tile, which can read it; expected " +
                                                      std::to_string(kSchema) +
                                                      ", as in another folder, named in TILE_CACHE_DIR");
  if (areThere && id != kApplicationId)
    return sqlite.conclude(SqliteOutcome::Damaged, "another program made it");
  return outcome;
}

SqliteOutcome makeTables(Sqlite &sqlite) {
  std::vector<std::string> statements = {"CREATE TABLE keys (id INTEGER PRIMARY KEY, " +
                                         eachKeyField("% TEXT NOT NULL", ", ") + ", UNIQUE (" +
                                         eachKeyField("%", ", ") + "))"};
  for (RecordKind kind : {RecordKind::Choice, RecordKind::Trial})
    statements.push_back("CREATE TABLE " + std::string(tableOf(kind)) +
                         " (key INTEGER NOT NULL REFERENCES keys, configuration TEXT NOT NULL, date TEXT NOT NULL, "
                         "body TEXT NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (" +
                         identityOf(kind) + "))");
  statements.push_back("PRAGMA application_id = " + std::to_string(kApplicationId));
  statements.push_back("PRAGMA user_version = " + std::to_string(kSchema));
  SqliteOutcome outcome = SqliteOutcome::Done;
  for (const std::string &statement : statements)
    if (outcome == SqliteOutcome::Done)
      outcome = sqlite.run(statement);
  return outcome;
}

SqliteOutcome selectRecords(Sqlite &sqlite, const TuneKey &key, KeyMatch match, const std::vector<RecordKind> &kinds,
                            const std::function<void(StoredRecord &&)> &read) {
  std::string condition = eachKeyField(match == KeyMatch::Exact ? "% = ?#" : "(?# = '' OR % = ?#)", " AND ");
  std::string text;
  for (RecordKind kind : kinds)
    text += (text.empty() ? "SELECT " : " UNION ALL SELECT ") + std::to_string(static_cast<int>(kind)) +
            " AS kind, id, configuration, date, body, checksum, " + eachKeyField("%", ", ") + " FROM keys JOIN " +
            tableOf(kind) + " ON id = key WHERE " + condition;
  text += " ORDER BY " + eachKeyField("%", ", ") + ", kind, configuration";
  return sqlite.run(text, valuesOf(key), [&](const SqliteRow &row) {
    StoredRecord stored;
    stored.record = {row[0] == "0" ? RecordKind::Choice : RecordKind::Trial, {}, row[2], row[3], row[4]};
    size_t column = 6;
    for (const TuneKeyField &field : kTuneKeyFields)
      stored.record.key.*field.member = row[column++];
    stored.keyId = row[1];
    stored.isWhole = row[5] == stored.record.checksum();
    read(std::move(stored));
  });
}

SqliteOutcome insertRecord(Sqlite &sqlite, const Record &record, Replace replace) {
  std::vector<std::string> values = valuesOf(record.key);
  SqliteOutcome outcome = sqlite.run(
      "INSERT OR IGNORE INTO keys (" + eachKeyField("%", ", ") + ") VALUES (" + eachKeyField("?#", ", ") + ")", values);
  if (outcome != SqliteOutcome::Done)
    return outcome;
  std::string table = tableOf(record.kind), text = "INSERT INTO " + table + " SELECT id";
  for (const std::string &value : {record.configuration, record.date, record.body, record.checksum()}) {
    values.push_back(value);
    text += ", ?" + std::to_string(values.size());
  }
  text += " FROM keys WHERE " + eachKeyField("% = ?#", " AND ") + " ON CONFLICT (" + identityOf(record.kind) +
          ") DO UPDATE SET configuration = excluded.configuration, date = excluded.date, body = excluded.body, "
          "checksum = excluded.checksum";
  if (replace == Replace::Older)
    text += " WHERE excluded.date > " + table + ".date";
  return sqlite.run(text, values);
}

SqliteOutcome deleteRecord(Sqlite &sqlite, const StoredRecord &stored) {
  return sqlite.run("DELETE FROM " + std::string(tableOf(stored.record.kind)) +
                        " WHERE key = ?1 AND configuration = ?2",
                    {stored.keyId, stored.record.configuration});
}

SqliteOutcome deleteUnusedKeys(Sqlite &sqlite) {
  return sqlite.run("DELETE FROM keys WHERE id NOT IN (SELECT key FROM choices UNION SELECT key FROM trials)");
}

} // namespace tile
