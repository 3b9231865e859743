#include "runtime/store/Record.h"

#include "runtime/artifact/JsonReader.h"
#include "runtime/store/CacheEntry.h"
#include "runtime/store/Folder.h"

#include <cmath>
#include <ctime>

namespace tile {

static constexpr int64_t kSchema = 1;
static constexpr const char *kKinds[] = {"choice", "trial"};

namespace {
struct TextField {
  const char *name;
  std::string Trial::*member;
};
struct RealField {
  const char *name;
  double Trial::*member;
};
struct IntegerField {
  const char *name;
  int64_t Trial::*member;
};
} // namespace

static constexpr TextField kTexts[] = {{"reason", &Trial::reason}, {"variant", &Trial::variant}};
static constexpr RealField kReals[] = {{"predictedUs", &Trial::predictedUs}, {"compileMs", &Trial::compileMs}};
static constexpr IntegerField kIntegers[] = {{"registers", &Trial::registers},
                                             {"spillBytes", &Trial::spillBytes},
                                             {"sharedBytes", &Trial::sharedBytes},
                                             {"warps", &Trial::warps},
                                             {"programsPerSm", &Trial::programsPerSm}};

static std::string print(const Json &json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// JSON has no infinities and no NaN; 0 stands for what is not known.
static double finite(double value) { return std::isfinite(value) ? value : 0; }

static void add(Json &json, const char *name, const std::string &text) {
  if (!text.empty())
    json[name] = text;
}

template <typename Number> static void addNumber(Json &json, const char *name, Number number) {
  if (number != 0)
    json[name] = number;
}

static std::string print(const Configuration &configuration) {
  Json json = Json::object();
  for (const auto &[name, value] : configuration.values)
    json[name] = value;
  return print(json);
}

static Configuration readConfiguration(JsonReader &reader, const std::string &text) {
  Configuration configuration;
  Json json = reader.parse(text);
  for (const auto &[name, value] : json.items())
    if (value.is_string())
      configuration.values.emplace_back(name, value.get<std::string>());
    else
      reader.fail("`" + at("configuration", name.c_str()) + "` is " + value.type_name() + "; expected string");
  return configuration;
}

/// `value`, of the field `name`: a time, a count or a number of bytes.
template <typename Number> static Number checkCount(JsonReader &reader, const std::string &name, Number value) {
  if (value < 0)
    reader.fail("`" + name + "` is " + print(Json(value)) + "; expected at least 0");
  return value;
}

std::string Record::checksum() const {
  CacheParts parts = {
      {"kind", kKinds[static_cast<int>(kind)]}, {"configuration", configuration}, {"date", date}, {"body", body}};
  for (const TuneKeyField &field : kTuneKeyFields)
    parts.emplace_back(field.name, key.*field.member);
  return hashParts(parts);
}

Record recordOf(const TuneKey &key, const TunedChoice &choice) {
  Json body = Json::object();
  addNumber(body, "medianUs", finite(choice.medianUs));
  add(body, "why", choice.why);
  return {RecordKind::Choice, key, print(choice.configuration), choice.date, print(body)};
}

Record recordOf(const TuneKey &key, const Trial &trial, const std::string &date) {
  Json body = Json::object();
  body["outcome"] = nameOf(trial.outcome);
  for (const TextField &field : kTexts)
    add(body, field.name, trial.*field.member);
  addNumber(body, "modelRank", trial.modelRank);
  for (const RealField &field : kReals)
    addNumber(body, field.name, finite(trial.*field.member));
  for (const IntegerField &field : kIntegers)
    addNumber(body, field.name, trial.*field.member);
  for (double sample : trial.samplesUs)
    if (std::isfinite(sample))
      body["samplesUs"].push_back(sample);
  return {RecordKind::Trial, key, print(trial.configuration), date, print(body)};
}

Result<TunedChoice> choiceOf(const Record &record, const std::string &subject) {
  JsonReader reader(subject, "entry");
  TunedChoice choice;
  choice.configuration = readConfiguration(reader, record.configuration);
  choice.date = record.date;
  Json body = reader.parse(record.body);
  choice.medianUs = checkCount(reader, "medianUs", reader.real(body, "medianUs", "", 0));
  choice.why = reader.string(body, "why", "");
  if (reader.failed())
    return reader.error();
  return choice;
}

Result<Trial> trialOf(const Record &record, const std::string &subject) {
  JsonReader reader(subject, "entry");
  Trial trial;
  trial.configuration = readConfiguration(reader, record.configuration);
  Json body = reader.parse(record.body);
  std::string outcome = reader.string(body, "outcome", "", /*required=*/true);
  if (std::optional<TrialOutcome> found = findOutcome(outcome))
    trial.outcome = *found;
  else
    reader.fail("`outcome` is `" + outcome + "`; expected one such as `" + nameOf(TrialOutcome::Measured) + "`");
  for (const TextField &field : kTexts)
    trial.*field.member = reader.string(body, field.name, "");
  trial.modelRank = static_cast<int>(checkCount(reader, "modelRank", reader.integer(body, "modelRank", "", 0)));
  for (const RealField &field : kReals)
    trial.*field.member = checkCount(reader, field.name, reader.real(body, field.name, "", 0));
  for (const IntegerField &field : kIntegers)
    trial.*field.member = checkCount(reader, field.name, reader.integer(body, field.name, "", 0));
  reader.each(body, "samplesUs", "", /*required=*/false, [&](const Json &sample, const std::string &path) {
    if (sample.is_number())
      trial.samplesUs.push_back(checkCount(reader, path, sample.get<double>()));
    else
      reader.fail("`" + path + "` is " + sample.type_name() + "; expected number");
  });
  if (reader.failed())
    return reader.error();
  return trial;
}

static void add(Json &json, const TuneKey &key) {
  for (const TuneKeyField &field : kTuneKeyFields)
    json[field.name] = key.*field.member;
}

static void addContent(Json &json, const Record &record) {
  json["configuration"] = Json::parse(record.configuration, nullptr, /*allow_exceptions=*/false);
  add(json, "date", record.date);
  Json body = Json::parse(record.body, nullptr, /*allow_exceptions=*/false);
  for (const auto &[name, value] : body.items())
    json[name] = value;
}

std::string printKey(const TuneKey &key) {
  Json json = Json::object();
  add(json, key);
  return print(json);
}

std::string printContent(const Record &record) {
  Json json = Json::object();
  addContent(json, record);
  return print(json);
}

std::string printRecord(const Record &record) {
  Json json = Json::object();
  json["record"] = kKinds[static_cast<int>(record.kind)];
  json["schema"] = kSchema;
  add(json, record.key);
  addContent(json, record);
  return print(json);
}

/// `2026-11-30T08:15:57Z`: what orders as text, and is a day of the calendar.
static bool isDate(const std::string &text) {
  constexpr std::string_view kForm = "2026-11-30T08:15:57Z";
  std::tm parts{};
  const char *end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return end && text.size() == kForm.size() && printDate(timegm(&parts)) == text;
}

Result<Record> readRecord(std::string_view line, const std::string &subject) {
  JsonReader reader(subject, "line");
  Json json = reader.parse(line);
  Record record;
  int64_t schema = reader.integer(json, "schema", "", 0, /*required=*/true);
  if (schema != kSchema)
    reader.fail("`schema` is " + std::to_string(schema) + "; expected " + std::to_string(kSchema));
  reader.string(json, "record", "", /*required=*/true);
  record.kind = static_cast<RecordKind>(reader.choice(json, "record", "", {kKinds[0], kKinds[1]}, 0));
  for (const TuneKeyField &field : kTuneKeyFields)
    record.key.*field.member = reader.string(json, field.name, "", /*required=*/true);
  if (const Json *configuration = reader.field(json, "configuration", "", Json::value_t::object, /*required=*/true))
    record.configuration = print(*configuration);
  record.date = reader.string(json, "date", "", /*required=*/true);
  if (!isDate(record.date))
    reader.fail("`date` is `" + record.date + "`; expected one such as `2026-11-30T08:15:57Z`");
  if (reader.failed())
    return reader.error();
  // What the line holds besides is left behind.
  record.body = std::string(line);
  if (record.kind == RecordKind::Choice) {
    Result<TunedChoice> choice = choiceOf(record, subject);
    return choice ? Result<Record>(recordOf(record.key, *choice)) : choice.error();
  }
  Result<Trial> trial = trialOf(record, subject);
  return trial ? Result<Record>(recordOf(record.key, *trial, record.date)) : trial.error();
}

} // namespace tile
