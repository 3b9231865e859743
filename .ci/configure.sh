#!/usr/bin/env bash
# configure.sh PRESET [cmake option...]: configures build/PRESET if it is not, quietly unless that fails. Where Debian's
# clang++-22 is absent, the compiler comes from CMAKE_PREFIX_PATH, else from PATH.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
[[ -f build/$preset/build.ninja ]] && (($# == 0)) && exit 0

options=()
if ! command -v clang++-22 >/dev/null; then
  clang=$(PATH=${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH%%:*}/bin:}$PATH command -v clang++) ||
    { echo "configure: found no clang++; see .ci/setup.sh" >&2; exit 1; }
  options+=("-DCMAKE_CXX_COMPILER=$clang" "-DCMAKE_C_COMPILER=${clang%++}")
fi
mkdir -p build
log=build/configure-$preset.log
if ! cmake --preset "$preset" "${options[@]}" "$@" >"$log" 2>&1; then
  cat "$log" >&2
  rm -f "build/$preset/CMakeCache.txt" # the next try starts afresh
  exit 1
fi
