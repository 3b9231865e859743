#!/usr/bin/env bash
# From nothing to a kernel that ran: installs what is missing, builds tilec, compiles examples/softmax.tile to a cubin,
# runs it (on the GPU, or without one on the CPU interpreter) and checks it against its specification.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NINJA_STATUS='[%f/%t %es] '

step() { printf '\n== %s\n' "$*"; }
# Shows a command, then runs it.
run() {
  printf '$ %s\n' "$*"
  "$@"
}

step "1/4 set up: install what is missing"
.ci/setup.sh

step "2/4 build tilec (ten minutes on two cores the first time, seconds after that)"
.ci/configure.sh release
ninja -C build/release tilec
PATH=$PWD/build/release/bin:$PATH

step "3/4 compile a kernel to a cubin for Hopper, and read back what it says about itself"
run tilec examples/softmax.tile -D N=1000 -o build/softmax.cubin
run tilec inspect build/softmax.cubin

step "4/4 run it, and check it against its specification"
run tilec run examples/softmax.tile --kernel softmax --arg x=rand:f32[1823,781] --arg y=empty:f32[1823,781]
run tilec check examples/softmax.tile

cat <<'NEXT'

It works. Next:
  export PATH=$PWD/build/release/bin:$PATH
  tilec examples/softmax.tile -D N=1000 --emit=tile        the IR of any stage: ast, tile, tgpu, llvm, ptx
  tilec check examples/matmul.tile                          the other examples: ls examples/*.tile
  tilec explain E0001                                       what an error code means
  tilec --help
README.md shows how to write a kernel; grammar/LANGUAGE.md is the language.
NEXT
