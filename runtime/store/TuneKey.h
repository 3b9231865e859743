// What a search of configurations was for, and what came of it: plain data of the database of tuned choices.

#ifndef TILE_RUNTIME_STORE_TUNEKEY_H
#define TILE_RUNTIME_STORE_TUNEKEY_H

#include "runtime/tune/Configuration.h"

#include <string>

namespace tile {

/// A choice holds for what has all of these in common.
struct TuneKey {
  std::string kernel;     ///< its name
  std::string kernelHash; ///< of its source
  std::string spaceHash;  ///< of the configurations that were searched
  std::string gpu, driver, compiler;
  std::string arguments; ///< the variant they take, types, absent ones, what `-D` gave: `variant=fast T=bf16 -DMODE=1`
  std::string sizes;     ///< by bucket: `M=4096 N=4096`

  bool operator==(const TuneKey &other) const;
};

struct TunedChoice {
  Configuration configuration;
  double medianUs = 0; ///< microseconds of one launch; 0: not measured
  std::string why;     ///< in words for the user
  std::string date;    ///< of `printDate`
};

/// A field of a key, with its name in the database and in exports.
struct TuneKeyField {
  const char *name;
  std::string TuneKey::*member;
};
constexpr TuneKeyField kTuneKeyFields[] = {
    {"kernel", &TuneKey::kernel},       {"kernelHash", &TuneKey::kernelHash},
    {"spaceHash", &TuneKey::spaceHash}, {"gpu", &TuneKey::gpu},
    {"driver", &TuneKey::driver},       {"compiler", &TuneKey::compiler},
    {"arguments", &TuneKey::arguments}, {"sizes", &TuneKey::sizes},
};

inline bool TuneKey::operator==(const TuneKey &other) const {
  for (const TuneKeyField &field : kTuneKeyFields)
    if (this->*field.member != other.*field.member)
      return false;
  return true;
}

} // namespace tile

#endif // TILE_RUNTIME_STORE_TUNEKEY_H
