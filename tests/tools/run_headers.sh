#!/bin/sh
# Every header can be included first and alone; the public ones by strict C17 and, where there is a C++ compiler, by C++.
set -u
cd "$1" || exit 1
failures=0

alone() { # HEADER COMPILER FLAGS...
    header=$1
    shift
    echo "#include <$header>" | "$@" -Wall -Wextra -Werror -Iinclude -Isrc -fsyntax-only - && return
    echo "$header cannot be included alone by: $*"
    failures=$((failures + 1))
}

for file in include/haul/*.h; do
    header=${file#include/}
    case $header in haul/device.h | haul/cudadma.h) continue ;; esac # for kernels
    alone "$header" cc -std=c17 -Wpedantic -x c
    if command -v c++ >/dev/null; then alone "$header" c++ -std=c++17 -Wpedantic -x c++; fi
done
libraries=$(pkg-config --cflags jansson smartcols)
for file in $(find src -name '*.h'); do
    # shellcheck disable=SC2086 # the flags are meant to split
    alone "${file#src/}" cc -std=gnu17 $libraries -D_GNU_SOURCE -DSIM_VARIANT=native -Wno-unused -x c
done
exit $((failures > 0))
