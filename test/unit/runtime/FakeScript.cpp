#include "test/unit/runtime/FakeScript.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fnmatch.h>
#include <sstream>

static void readWord(const std::string &word, FakeScript &script, FakeBehaviour &behaviour) {
  size_t equals = word.find('=');
  std::string name = word.substr(0, equals);
  double value = equals == std::string::npos ? 1 : std::strtod(word.c_str() + equals + 1, nullptr);
  int number = std::fabs(value) < 1e9 ? static_cast<int>(value) : 0; // a time may be none, or endless
  if (name == "us")
    behaviour.us = value;
  else if (name == "noise")
    behaviour.noise = value;
  else if (name == "out")
    behaviour.out = number;
  else if (name == "add")
    behaviour.add = number;
  else if (name == "wrong")
    behaviour.isWrong = true;
  else if (name == "unwritten")
    behaviour.isUnwritten = true;
  else if (name == "refuse")
    behaviour.isRefused = true;
  else if (name == "fault")
    behaviour.fault = static_cast<unsigned>(number);
  else if (name == "hang")
    behaviour.hang = static_cast<unsigned>(number);
  else if (name == "crash")
    behaviour.crash = static_cast<unsigned>(number);
  else if (name == "kill")
    behaviour.kill = static_cast<unsigned>(number);
  else if (name == "sm")
    script.capability = number;
  else if (name == "sms")
    script.numSms = number;
  else if (name == "l2")
    script.l2Bytes = static_cast<int64_t>(value);
  else if (name == "memory")
    script.memoryBytes = static_cast<int64_t>(value);
  else {
    std::fprintf(stderr, "TILE_FAKE_SCRIPT: unknown word `%s`\n", word.c_str());
    std::exit(1);
  }
}

FakeScript FakeScript::fromEnvironment() {
  FakeScript script;
  const char *text = std::getenv("TILE_FAKE_SCRIPT");
  script.isGiven = text != nullptr;
  std::istringstream entries(text ? text : "");
  for (std::string entry; std::getline(entries, entry, ';');) {
    std::istringstream words(entry);
    FakeBehaviour behaviour;
    words >> behaviour.pattern;
    for (std::string word; words >> word;)
      readWord(word, script, behaviour);
    if (!behaviour.pattern.empty() && behaviour.pattern != "gpu")
      script.behaviours.push_back(behaviour);
  }
  return script;
}

FakeBehaviour *FakeScript::find(const std::string &launch) {
  for (FakeBehaviour &behaviour : behaviours)
    if (fnmatch(behaviour.pattern.c_str(), launch.c_str(), 0) == 0)
      return &behaviour;
  return nullptr;
}
