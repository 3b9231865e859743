#!/usr/bin/env bash
# Packs what a GPU machine without LLVM needs into build/device/bundle.tar.xz: the static tilec, the GPU test programs
# and every benchmark kernel, compiled here since time there is scarce.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
.ci/configure.sh device
ninja -C build/device tilec bandwidth
.ci/check-portable.sh build/device/bin/tilec build/device/bin/bandwidth
bundle=build/device/bundle
rm -rf "$bundle"
mkdir -p "$bundle/kernels"
cp build/device/bin/tilec build/device/bin/bandwidth "$bundle"
python3 test/gpu/cases.py --compile "$bundle/tilec" "$bundle/kernels"
{
  git rev-parse HEAD
  git status --porcelain --untracked-files=no | sed 's/.*/changed/;q'
} | paste -sd+ >"$bundle/commit"
tar -C "$bundle" -c . | xz -3 -T0 >build/device/bundle.tar.xz
ls -l build/device/bundle.tar.xz
