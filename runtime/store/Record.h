// What searches found as JSON: a row of the database of tuned choices, a line of an export, a part of a report.
//
// All are of the same fields. The database itself looks only at what orders and finds them: the key, the configuration,
// the date. Fields that are empty or 0 are left out.

#ifndef TILE_RUNTIME_STORE_RECORD_H
#define TILE_RUNTIME_STORE_RECORD_H

#include "runtime/Result.h"
#include "runtime/store/TuneKey.h"
#include "runtime/tune/Trial.h"

namespace tile {

enum class RecordKind { Choice, Trial };

struct Record {
  RecordKind kind = RecordKind::Choice;
  TuneKey key;
  std::string configuration; ///< JSON: `{"BM":"128","warps":"8"}`
  std::string date;
  std::string body; ///< JSON of all else

  /// Of all of it.
  std::string checksum() const;
};

Record recordOf(const TuneKey &key, const TunedChoice &choice);
Record recordOf(const TuneKey &key, const Trial &trial, const std::string &date);

/// Fails where it is not what `recordOf` makes; a message begins with `subject`.
Result<TunedChoice> choiceOf(const Record &record, const std::string &subject);
Result<Trial> trialOf(const Record &record, const std::string &subject);

/// JSON of one object each: the key, and what a record says besides.
std::string printKey(const TuneKey &key);
std::string printContent(const Record &record);

/// The JSON of one line of an export, without the end of the line.
std::string printRecord(const Record &record);
Result<Record> readRecord(std::string_view line, const std::string &subject);

} // namespace tile

#endif // TILE_RUNTIME_STORE_RECORD_H
