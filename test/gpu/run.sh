#!/usr/bin/env bash
# run.sh OUT [run.py option...]: everything that needs a GPU, on a machine with one and no LLVM. First, where LLVM is:
# test/gpu/pack.sh; then bring this checkout and build/device/bundle.tar.xz here. Results go to OUT as JSON.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
exec python3 -u "$here/run.py" --bundle "$here/../../build/device/bundle.tar.xz" --out "$@"
