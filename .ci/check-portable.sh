#!/bin/sh
# check-portable.sh PROGRAM...: fails unless each program of the `device` preset needs nothing but glibc, of 2.36 or
# earlier, and is stripped. Prints the size of each.
set -eu
for program in "$@"; do
  extra=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -v -E '^(libc|libm|libdl|libpthread|librt)\.so\.|^ld-linux' || true)
  if [ -n "$extra" ]; then
    echo "check-portable: $program needs $(echo $extra); expected glibc alone" >&2
    exit 1
  fi
  newest=$(readelf -V "$program" | grep -o 'GLIBC_2\.[0-9]*' | sort -u -V | tail -n 1)
  if [ "$(printf '%s\nGLIBC_2.36\n' "$newest" | sort -V | tail -n 1)" != GLIBC_2.36 ]; then
    echo "check-portable: $program needs $newest; expected GLIBC_2.36 at most" >&2
    exit 1
  fi
  if readelf -S "$program" | grep -q '\.symtab'; then
    echo "check-portable: $program has a symbol table; expected a stripped program" >&2
    exit 1
  fi
  echo "check-portable: $program, $(($(wc -c <"$program") / 1000000)) MB, up to $newest"
done
