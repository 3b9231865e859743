#!/usr/bin/env bash
# Installs what .ci/packages.txt names and this Debian 12 lacks (as root or with sudo), then NVIDIA's pinned files by
# fetch-deps.sh. With everything there it takes well under a second. Elsewhere it changes nothing and says what is
# needed. Nothing outside apt's packages and this checkout's .cache/ is written.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
say() { echo "setup: $*"; }
die() { echo "setup: $*" >&2; exit 1; }

mapfile -t packages < <(sed 's/[[:space:]]*#.*//; /^$/d' "$here/packages.txt")

if ! command -v apt-get >/dev/null; then
  if [[ -n $(command -v clang++-22)${CMAKE_PREFIX_PATH:-} ]] && command -v antlr4 >/dev/null; then
    exec "$here/fetch-deps.sh" # someone has prepared this machine; cmake names whatever else is missing
  fi
  cat >&2 <<MESSAGE
setup: this is not Debian, so nothing is installed. Needed, under Debian's names:
  ${packages[*]}
An LLVM and MLIR 22.1 with the NVPTX target may also come from your own build, with clang in it: its prefix is taken from
the environment, for example
  CMAKE_PREFIX_PATH=/opt/llvm-22.1 ./examples/quickstart.sh
Without an LLVM, cmake -DTILE_ENABLE_COMPILER=OFF builds the parser, the layout algebra and libtile.
MESSAGE
  exit 1
fi

installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -q -x "$package installed" <<<"$installed" || missing+=("$package")
done

if ((${#missing[@]})); then
  root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "needs root for apt-get install ${missing[*]}; found neither root nor sudo"
    root=(sudo)
  fi
  apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -o Dpkg::Use-Pty=0)
  say "${#missing[@]} packages are missing: ${missing[*]}"
  say "apt-get update"
  "${apt[@]}" update -qq
  absent=()
  for package in "${missing[@]}"; do
    [[ $(LC_ALL=C apt-cache policy "$package") == *"Candidate: "[^\(]* ]] || absent+=("$package")
  done
  if ((${#absent[@]})); then
    die "apt knows no candidate for: ${absent[*]}
  Debian 12 has LLVM 22 among its security updates; /etc/apt/sources.list needs the line
    deb http://security.debian.org/debian-security bookworm-security main
  On a release without LLVM 22, add the packages that LLVM's project builds (https://apt.llvm.org):
    echo 'deb [signed-by=/usr/share/keyrings/llvm.asc] http://apt.llvm.org/CODENAME/ llvm-toolchain-CODENAME-22 main' \\
      | sudo tee /etc/apt/sources.list.d/llvm.list
    sudo wget -O /usr/share/keyrings/llvm.asc https://apt.llvm.org/llvm-snapshot.gpg.key
  or build LLVM and MLIR 22.1 with NVPTX and pass its prefix to cmake as -DCMAKE_PREFIX_PATH=..."
  fi
  say "apt-get install, up to 2.5 GB on disk: a few minutes"
  "${apt[@]}" install -y -qq --no-install-recommends "${missing[@]}" |
    awk '/^Unpacking/ {unpacked++; name = $2} /^Setting up/ {ready++; name = $3}
         (unpacked + ready) % 25 == 0 && name {print "setup:   " unpacked " unpacked, " ready+0 " set up, now " name; fflush()}
         {name = ""}'
  say "packages installed"
fi

"$here/fetch-deps.sh"
