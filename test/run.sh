#!/usr/bin/env bash
# Everything that continuous integration runs, in its order: each stage is named in the log with its time, and the first
# one that fails ends the run. A second run rebuilds only what changed (ccache, ninja).
#
#   test/run.sh                    all stages
#   test/run.sh --stage NAME ...   only these
#   test/run.sh --full             also sanitize-full: everything that uses MLIR under the sanitizers, and seeds: more
#                                  schedules and inputs on the simulator
#   test/run.sh --list             the stages, one a line with what it does
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NINJA_STATUS='[%f/%t %es] '

stage_setup() { .ci/setup.sh; }
stage_format() { test/lint/format.sh; }
stage_lint() {
  python3 test/lint/lint.py && python3 test/lint/lint_test.py --quiet && python3 test/gpu/scripts_test.py --quiet &&
    python3 test/gpu/table.py --check && python3 test/gpu/validate.py table --check
}
stage_build() { .ci/configure.sh release && ninja -C build/release; }
stage_lit() { ninja -C build/release check-lit; }
stage_unit() { ninja -C build/release check-unit; }
stage_sanitize() { .ci/configure.sh sanitize && ninja -C build/sanitize check-unit; }
stage_examples() {
  local tilec=build/release/bin/tilec file arch extent
  mkdir -p build/examples
  for file in examples/*.tile; do
    # Rows of 1000 elements fit no vector; some examples have no such extent.
    extent=$(grep -qw N "$file" && echo "-D N=1000")
    for arch in $("$tilec" --help | grep -o 'sm_[0-9]\+a\?' | sort -u); do
      printf '%s\n' "$tilec $file $extent --arch=$arch -o build/examples/$(basename "$file" .tile)-$arch.cubin"
    done
    printf '%s\n' "$tilec check $file --device=cpu"
  done | xargs -P "$(nproc)" -d '\n' -I {} sh -c '{} || { echo "failed: {}"; exit 255; }'
}
stage_seeds() {
  # Other seeds each time: what a run prints names them.
  python3 test/frontend/control_flow.py build/release/bin/tilec --functions=400 || return
  python3 test/frontend/constant_folding.py build/release/bin/tilec --cases=1500 || return
  python3 test/gpu/random_products.py --simulate build/release/bin/tilec || return
  printf '%s\n' test/e2e/*.tile examples/*.tile |
    xargs -P "$(nproc)" -I {} build/release/bin/tilec check {} --device=sim --seeds=16
}
stage_sanitize-full() {
  .ci/configure.sh sanitize-full && ninja -C build/sanitize-full check-lit check-unit
}

# name: what it does. This is also the order.
stages=(
  "setup: install what is missing"
  "format: clang-format 22 over every C++ file"
  "lint: layers, names, sizes, message wording, coverage"
  "build: release build, warnings are errors"
  "lit: IR, frontend and end-to-end tests"
  "unit: GoogleTest of the release build"
  "sanitize: GoogleTest of what needs no LLVM, under address and undefined-behaviour sanitizers"
  "examples: compiled for every GPU, checked against their specifications on the CPU interpreter"
)
full_stages=(
  "sanitize-full: likewise with all that uses MLIR"
  "seeds: generated control flow and products, every op test and example on the simulator, under seeds not seen before"
)

wanted=()
while (($#)); do
  case $1 in
    --stage) [[ $# -gt 1 ]] || { echo "run.sh: --stage needs a name; see --list" >&2; exit 2; }
      wanted+=("$2"); shift ;;
    --full) stages+=("${full_stages[@]}") ;;
    --list) printf '%s\n' "${stages[@]}" "${full_stages[@]}"; exit ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;;
    *) echo "run.sh: found \`$1\`; expected --stage NAME, --full, --list or --help" >&2; exit 2 ;;
  esac
  shift
done
for name in "${wanted[@]}"; do
  printf '%s\n' "${stages[@]%%:*}" "${full_stages[@]%%:*}" | grep -q -x -- "$name" ||
    { echo "run.sh: no stage is called \`$name\`; see --list" >&2; exit 2; }
  # A stage of --full that is asked for by name needs no --full.
  printf '%s\n' "${stages[@]%%:*}" | grep -q -x -- "$name" || stages+=("${full_stages[@]}")
done

passed=()
started=$SECONDS
for stage in "${stages[@]}"; do
  name=${stage%%:*}
  if ((${#wanted[@]})) && ! printf '%s\n' "${wanted[@]}" | grep -q -x -- "$name"; then
    continue
  fi
  echo "=== $stage"
  before=$SECONDS
  if "stage_$name"; then
    passed+=("$name $((SECONDS - before)) s")
    echo "=== $name passed in $((SECONDS - before)) s"
  else
    echo "=== $name FAILED after $((SECONDS - before)) s; again alone: test/run.sh --stage $name" >&2
    printf '    passed before it: %s\n' "${passed[*]:-nothing}" >&2
    echo "stages: ${#passed[@]} passed, 1 failed"
    exit 1
  fi
done
printf '    %s\n' "${passed[@]}" "total $((SECONDS - started)) s"
echo "stages: ${#passed[@]} passed, 0 failed"
