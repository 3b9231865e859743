#!/bin/sh
# Fetches NVIDIA's assembler library, libdevice and cuda.h (97 MB of wheels, 80 MB kept) into .cache/deps, or into
# $TILE_DEPS_DIR. The versions and checksums are those of cuda-wheels.txt; a second run does nothing.
# Needs python3 with pip, and the network or a pip cache.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
deps=${TILE_DEPS_DIR:-$here/../.cache/deps}

if [ -f "$deps/cuda-wheels.txt" ] && cmp -s "$here/cuda-wheels.txt" "$deps/cuda-wheels.txt"; then
  exit 0
fi
if ! python3 -m pip --version >/dev/null 2>&1; then
  echo "fetch-deps: python3 with pip is missing; on Debian: apt-get install python3-pip" >&2
  exit 1
fi

mkdir -p "$deps"
scratch=$(mktemp -d "$deps/fetch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
echo "fetch-deps: downloading the wheels of .ci/cuda-wheels.txt"
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
  --dest "$scratch" --requirement "$here/cuda-wheels.txt"

# A wheel is a zip archive. Only four of its files are wanted: the nvvm wheel also holds a 100 MB compiler.
python3 - "$scratch" "$deps" <<'PYTHON'
import glob, os, shutil, sys, zipfile

scratch, deps = sys.argv[1:]
wanted = {
    "nvidia/cu13/include/nvPTXCompiler.h": "include/nvPTXCompiler.h",
    "nvidia/cu13/lib/libnvptxcompiler_static.a": "lib/libnvptxcompiler_static.a",
    "nvidia/cu13/nvvm/libdevice/libdevice.10.bc": "libdevice/libdevice.10.bc",
    "nvidia/cu13/include/cuda.h": "include/cuda.h",
}
for wheel in glob.glob(os.path.join(scratch, "*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for name in set(archive.namelist()) & set(wanted):
            target = os.path.join(deps, wanted.pop(name))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with archive.open(name) as source, open(target + ".part", "wb") as copy:
                shutil.copyfileobj(source, copy)
            os.replace(target + ".part", target)
if wanted:
    sys.exit("fetch-deps: not in the wheels: " + ", ".join(sorted(wanted)))
PYTHON
cp "$here/cuda-wheels.txt" "$deps/cuda-wheels.txt"
echo "fetch-deps: ready in $deps"
