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
for part in bin/haul lib/libhaul.a lib/libhaul_kernels.a lib/pkgconfig/haul.pc include/haul/status.h include/haul/kernels.def share/man/man1/haul.1 \
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

# The guide's program, with a kernel that loads 1024 floats: 32 warps, 4 sectors each.
awk '/^```c$/ { code = 1; next } /^```$/ { code = 0 } code' "$source/docs/api.md" >"$place/program.c"
cat >>"$place/program.c" <<'END'
static const char ptx[] = ".version 7.5\n.target sm_80\n.address_size 64\n"
    ".visible .entry load(.param .u64 data) {\n.reg .b32 %r<6>;\n.reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [data];\ncvta.to.global.u64 %d2, %d1;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, %r2, %r3;\n"
    "mul.wide.u32 %d3, %r4, 4;\nadd.s64 %d3, %d2, %d3;\n"
    "ld.global.u32 %r5, [%d3];\nst.global.u32 [%d3], %r5;\nret;\n}\n";
int main(void) { return count_sectors(ptx, sizeof ptx - 1); }
END
flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs haul)
# shellcheck disable=SC2086 # the flags are meant to split
cc -std=c17 "$place/program.c" $flags -o "$place/program" || fail "no program can be built with: $flags"
output=$(out_of_sight "$place/program" 2>&1)
[ "$output" = "128 sectors" ] || fail "the guide's program says: $output"
