#!/usr/bin/env bash
# Packs what a GPU machine without LLVM needs into build/device/bundle.tar.xz: the static tilec, the GPU test programs,
# the example that compiles while it runs, and every benchmark kernel, compiled here since time there is scarce.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
.ci/configure.sh device
programs=(tilec embed_jit bandwidth large_tensors launch_overhead)
ninja -C build/device "${programs[@]}"
.ci/check-portable.sh "${programs[@]/#/build/device/bin/}"
bundle=build/device/bundle
rm -rf "$bundle"
mkdir -p "$bundle/kernels"
cp "${programs[@]/#/build/device/bin/}" "$bundle"
"$bundle/tilec" test/e2e/large_offsets.tile --arch sm_90a -o "$bundle/kernels/large_offsets.cubin"
for cases in cases grids; do
  python3 "test/gpu/$cases.py" --compile "$bundle/tilec" "$bundle/kernels"
done
python3 test/gpu/random_products.py --compile "$bundle/tilec" "$bundle/products"
{
  git rev-parse HEAD
  git status --porcelain --untracked-files=no | sed 's/.*/changed/;q'
} | paste -sd+ >"$bundle/commit"
# Both compilers hold the same code: side by side, in a window as large as one, it is packed once.
tar -C "$bundle" -c ./tilec ./embed_jit --exclude=./tilec --exclude=./embed_jit . |
  xz -T1 --lzma2=preset=3,dict=192MiB >build/device/bundle.tar.xz
ls -l build/device/bundle.tar.xz
