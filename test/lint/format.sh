#!/usr/bin/env bash
# Fails on any C++ file that clang-format 22 would change; `format.sh --fix` changes them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
format=$(command -v clang-format-22 || command -v clang-format) ||
  { echo "format: found no clang-format; Debian: apt-get install clang-format-22" >&2; exit 1; }
version=$("$format" --version)
[[ $version == *"version 22."* ]] || { echo "format: found $version; expected version 22" >&2; exit 1; }

mode=(--dry-run -Werror)
[[ ${1:-} != --fix ]] || mode=(-i)
find . -path ./build -prune -o -path ./.cache -prune -o \( -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 -r -P "$(nproc)" -n 16 "$format" --style=file "${mode[@]}" ||
  { echo "format: test/lint/format.sh --fix mends these" >&2; exit 1; }
