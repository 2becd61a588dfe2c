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
for part in bin/haul lib/libhaul.a lib/libhaul_kernels.a lib/pkgconfig/haul.pc lib/cmake/haul/haul-config.cmake include/haul/status.h include/haul/kernels.def share/man/man1/haul.1 \
    share/haul/exercises/exercises.json \
    share/man/man1/haul-profile.1 share/bash-completion/completions/haul \
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
if [ -e "$build/tests/standin_program" ]; then
    cp "$build/tests/standin_program" "$place"
    out_of_sight "$prefix/bin/haul" run -- "$place/standin_program" increase >"$place/log" 2>&1 ||
        fail "haul run failed:" "$(cat "$place/log")"
fi
if command -v clang >/dev/null || command -v nvcc >/dev/null; then
    out_of_sight "$prefix/bin/haul" profile "$place/copy.cu" --device sim:h100 --kernel copy --grid 4 --block 256 \
        --arg buf:f01:1024 --arg buf:f01:1024 --arg i32:1024 >"$place/log" 2>&1 ||
        fail "haul profile of a CUDA file failed:" "$(cat "$place/log")"
    grep -q 'copy' "$place/log" || fail "haul profile does not name the kernel:" "$(cat "$place/log")"
fi

if command -v clang >/dev/null && [ -e "$prefix/lib/haul/standin/libcudart.so.12" ]; then
    out_of_sight "$prefix/bin/haul" exercise test copies "$prefix/share/haul/exercises/copies/solution.cu" >"$place/log" 2>&1 ||
        fail "haul exercise test of a solution failed:" "$(cat "$place/log")"
fi

# The guide's program, with a kernel that loads 1024 floats: 32 warps, 4 sectors each.
awk '/^```c$/ { code = 1; next } /^```$/ { code = 0 } code' "$source/docs/api.md" >"$place/program.c"
echo 'int main(int count, char **words) { return count_sectors(words[count - 1]); }' >>"$place/program.c"
cat >"$place/load.ptx" <<'END'
.version 7.5
.target sm_80
.address_size 64
.visible .entry load(.param .u64 data) {
.reg .b32 %r<6>;
.reg .b64 %d<4>;
ld.param.u64 %d1, [data];
cvta.to.global.u64 %d2, %d1;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
mul.wide.u32 %d3, %r4, 4;
add.s64 %d3, %d2, %d3;
ld.global.u32 %r5, [%d3];
st.global.u32 [%d3], %r5;
ret;
}
END
flags="$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs haul) -Wl,-rpath,$prefix/lib"
# shellcheck disable=SC2086 # the flags are meant to split
cc -std=c17 "$place/program.c" $flags -o "$place/program" || fail "no program can be built with: $flags"
output=$(out_of_sight "$place/program" "$place/load.ptx" 2>&1)
[ "$output" = "128 sectors" ] || fail "the guide's program says: $output"

# A program that compiles CUDA source finds the toolchain by the command in PATH.
if command -v clang >/dev/null || command -v nvcc >/dev/null; then
    # shellcheck disable=SC2086
    cc -std=c17 "$source/examples/team/guard.c" $flags -o "$place/guard" || fail "examples/team/guard.c cannot be built"
    cp "$source/examples/team/kernels/row_sums.cu" "$place"
    output=$(PATH=$prefix/bin:$PATH out_of_sight "$place/guard" "$place/row_sums.cu" 2>&1)
    [ "$output" = "row_sums: 8192 sectors loaded, 8192 are needed" ] || fail "a program that compiles source says: $output"
fi
