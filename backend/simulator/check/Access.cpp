#include "backend/simulator/check/Access.h"

#include <algorithm>

using namespace tile::sim::check;

void tile::sim::check::addConflict(Conflicts &conflicts, const Conflict &conflict) {
  bool known = std::any_of(conflicts.begin(), conflicts.end(), [&](const Conflict &other) {
    return other.fault == conflict.fault && other.other.origin == conflict.other.origin &&
           other.other.access == conflict.other.access;
  });
  if (!known)
    conflicts.push_back(conflict);
}
