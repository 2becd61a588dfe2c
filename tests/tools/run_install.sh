#!/bin/sh
# An installed haul is complete: every part is in its place, it runs from any folder with the source and the build
# folder out of sight, compiles CUDA source on the fly, and its library and pkg-config file build a C program.
set -eu
source=$1
build=$2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
prefix=$place/prefix

fail() {
    printf '%s\n' "$@"
    exit 1
}

# Runs a command where source and build folder look empty; where mounts are not allowed, it just runs.
if unshare -rm mount -t tmpfs none "$source" 2>/dev/null; then
    out_of_sight() { (cd / && unshare -rm sh -c 'mount -t tmpfs none "$0" && mount -t tmpfs none "$1" 2>/dev/null
        shift; exec "$@"' "$source" "$build" "$@"); }
else
    out_of_sight() { (cd / && "$@"); }
fi

cmake --install "$build" --prefix "$prefix" >"$place/log" || fail "cmake --install failed" "$(cat "$place/log")"
for part in bin/haul lib/libhaul.a lib/pkgconfig/haul.pc include/haul/status.h share/man/man1/haul.1 \
    share/haul/toolchain/cu2ptx share/haul/toolchain/include/cuda_runtime.h; do
    [ -e "$prefix/$part" ] || fail "missing: $part" "$(cd "$prefix" && find . -type f | sort)"
done
[ -n "$(ls "$prefix/share/haul/kernels")" ] || fail "share/haul/kernels is empty"

cat >"$place/copy.cu" <<'END'
extern "C" __global__ void copy(float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) to[i] = from[i];
}
END
out_of_sight "$prefix/bin/haul" info >"$place/log" 2>&1 || fail "haul info failed:" "$(cat "$place/log")"
if command -v clang >/dev/null || command -v nvcc >/dev/null; then
    out_of_sight "$prefix/bin/haul" profile "$place/copy.cu" --device sim:h100 --kernel copy --grid 4 --block 256 \
        --arg buf:f01:1024 --arg buf:f01:1024 --arg i32:1024 >"$place/log" 2>&1 ||
        fail "haul profile of a CUDA file failed:" "$(cat "$place/log")"
    grep -q 'copy' "$place/log" || fail "haul profile does not name the kernel:" "$(cat "$place/log")"
fi

cat >"$place/program.c" <<'END'
#include <haul/haul.h>
#include <stdio.h>
int main(void) { return puts(haul_status_text(HAUL_ERROR_NOT_FOUND)) < 0; }
END
flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs haul)
# shellcheck disable=SC2086 # the flags are meant to split
cc -std=c17 "$place/program.c" $flags -o "$place/program" || fail "no program can be built with: $flags"
[ "$("$place/program")" = "not found" ] || fail "the program built with the installed library does not run"
