#!/usr/bin/env bash
# Makes build/validation for test/gpu/validate.py: the program with the sweeps, which needs nothing but glibc, what the
# simulator's unit tests ran, and which commit and compiler they are of. Needs no LLVM.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
cmake --preset sanitize -B build/validation-build -DTILE_SANITIZE=OFF -DTILE_STATIC=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
ninja -C build/validation-build tile-sim-validate tile-sim-machine-test
programs=build/validation-build/bin
.ci/check-portable.sh "$programs/tile-sim-validate"
folder=build/validation
rm -rf "$folder"
mkdir -p "$folder/record"
cp "$programs/tile-sim-validate" "$folder"
TILE_SIM_RECORD=$folder/record "$programs/tile-sim-machine-test" --gtest_brief=1
{
  git rev-parse HEAD
  git status --porcelain --untracked-files=no | sed 's/.*/changed/;q'
} | paste -sd+ >"$folder/commit"
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' build/validation-build/CMakeCache.txt)
"$compiler" --version | sed 's/^.*version \([0-9.]*\).*/clang \1/;q' >"$folder/compiler"
du -sh "$folder"
