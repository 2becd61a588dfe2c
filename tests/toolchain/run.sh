#!/bin/sh
# The toolchain: what must compile does so with each compiler that is installed, bad use is told apart from bad source,
# and nothing is left behind. usage: run.sh SOURCE_ROOT BUILD_FOLDER. Prints one line a check; exits 1 if any failed.
set -u
. "$1/tests/compilers.sh"
tests=$root/tests/toolchain
data=$root/tests/data

check() { # name, then a command
    name=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        sed 's/^/        /' "$work/log" | head -n 30
        failures=$((failures + 1))
    fi
}

# File $2 compiles with $1 for $3, the PTX says so and has source lines, and the assembler, if any, accepts it.
compiles() {
    "$cu2ptx" --compiler "$1" --arch "$3" "$2" -o "$work/out.ptx" || return 1
    grep -q "^\.target $3" "$work/out.ptx" || return 1
    grep -q '\.loc' "$work/out.ptx" || return 1
    if command -v ptxas >/dev/null 2>&1; then
        ptxas -arch="$3" "$work/out.ptx" -o /dev/null
    fi
}

# --- what the PTX has to look like --------------------------------------------------------------------------------

has_entry() { # kernel: its body in $work/out.ptx, with a line that matches the pattern
    sed -n "/\.entry $1(/,/^}/p" "$work/out.ptx" | grep -q "$2"
}
copies_whole_vectors() {
    "$cu2ptx" --compiler "$1" "$tests/vectors.cu" -o "$work/out.ptx" || return 1
    for kernel in copy_float4 copy_double2; do
        has_entry "$kernel" 'ld\.global[.nc]*\.v[24]' || { echo "$kernel: loads in pieces"; return 1; }
        has_entry "$kernel" 'st\.global\.v[24]' || { echo "$kernel: stores in pieces"; return 1; }
    done
}
barriers_keep_shared_memory() {
    "$cu2ptx" --compiler "$1" "$data/truth/shared_and_async.cu" -o "$work/out.ptx" || return 1
    has_entry shared_stride 'ld\.shared' && has_entry shared_float4 'ld\.shared\.v4'
}
lines_are_the_users() {
    "$cu2ptx" --compiler "$1" "$data/truth/shared_and_async.cu" -o "$work/out.ptx" || return 1
    [ "$(grep -c '\.file' "$work/out.ptx")" -eq 1 ]
}
rounds_as_nvcc() {
    "$cu2ptx" --compiler "$1" "$tests/conversions.cu" -o "$work/out.ptx" || return 1
    for instruction in fma.rn.f32 fma.rn.f64 div.rn.f32 div.rn.f64 sqrt.rn.f32 sqrt.rn.f64 rcp.rn.f32; do
        has_entry operators "$instruction" || { echo "no $instruction"; return 1; }
    done
    ! grep -q '\.ftz' "$work/out.ptx"
}
# Before sm_80 there is no asynchronous copy.
copies_at_once_below_sm_80() {
    cat >"$work/once.cu" <<'END'
#include <cuda_pipeline_primitives.h>
__global__ void reverse(float4 *out, const float4 *in) {
    __shared__ float4 tile[128];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof *in);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[127 - threadIdx.x];
}
END
    compiles "$1" "$work/once.cu" sm_75 && grep -q 'st\.shared\.v4' "$work/out.ptx" && ! grep -q 'cp\.async' "$work/out.ptx"
}
# Each line of textures.cu that makes a kernel says the kernel's instruction.
fetches_as_nvcc() {
    "$cu2ptx" --compiler "$1" "$tests/textures.cu" -o "$work/out.ptx" || return 1
    sed -n -e 's|^FETCH(\(\w*\),.*// \(.*\)|\1_is \2|p' -e 's|^GATHER(\(\w*\),.*// \(.*\)|\1_is \2|p' \
        -e 's|^SURFACE(\(\w*\), \(\w*\),.*// \(.*\)|\1_\2 \3|p' "$tests/textures.cu" >"$work/wanted"
    [ "$(wc -l <"$work/wanted")" -eq 32 ] || { echo 'not every line of textures.cu was understood'; return 1; }
    while read -r kernel instruction; do
        has_entry "$kernel" "$instruction" || { echo "$kernel: no $instruction"; return 1; }
    done <"$work/wanted"
}

# --- the command itself -------------------------------------------------------------------------------------------

# The command after the pattern exits with 2 and says something that matches it on one of its last lines.
refuses() {
    pattern=$1
    shift
    "$@" >"$work/stdout" 2>"$work/stderr"
    status=$?
    cat "$work/stderr"
    [ "$status" -eq 2 ] || { echo "exit status $status"; return 1; }
    tail -n 1 "$work/stderr" | grep -q "^cu2ptx: .*$pattern"
}
no_compiler() {
    mkdir -p "$work/bare"
    for tool in sh sed dirname readlink mktemp rm mv cat; do
        ln -sf "$(command -v "$tool")" "$work/bare/$tool"
    done
    refuses 'no clang .* found' env -u CUDA_HOME -u CUDA_PATH PATH="$work/bare" \
        sh "$cu2ptx" --compiler clang "$tests/host.cu" -o "$work/none.ptx"
}
leaves_nothing() {
    [ -z "$(find "$work" -maxdepth 1 -name '.cu2ptx*')" ] && [ ! -e "$work/bad.ptx" ]
}
standard_output() {
    "$cu2ptx" "$tests/leaning.cu" -o - 2>/dev/null | grep -q '^\.version'
}
dependencies() {
    "$cu2ptx" --compiler "$1" --depfile "$work/dep" "$tests/vectors.cu" -o "$work/out.ptx" &&
        grep -q 'out.ptx *:' "$work/dep" && grep -q 'results.cuh' "$work/dep"
}
defines_and_includes() {
    mkdir -p "$work/with space"
    echo '#define VALUE GIVEN' >"$work/with space/value.h"
    printf '#include "value.h"\n__global__ void k(int *p) { *p = VALUE; }\n' >"$work/uses.cu"
    "$cu2ptx" --compiler "$1" -I "$work/with space" -D 'GIVEN=(40 + 2)' --no-lineinfo "$work/uses.cu" -o "$work/out.ptx" &&
        grep -q '42' "$work/out.ptx" && ! grep -q '\.loc' "$work/out.ptx"
}
parallel_runs() {
    pids=
    for output in same same same other; do
        "$cu2ptx" "$tests/leaning.cu" -o "$work/$output.ptx" 2>/dev/null &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || return 1
    done
    cmp "$work/same.ptx" "$work/other.ptx" && leaves_nothing
}
installed_copy() {
    mkdir -p "$work/share/haul"
    cp -R "$root/toolchain" "$work/share/haul/toolchain"
    ln -s "$work/share/haul/toolchain/cu2ptx" "$work/link"
    "$work/link" --compiler "$1" "$tests/pipelines.cu" -o "$work/out.ptx"
}
# As where no C library is installed for the host.
without_libc() {
    printf '#!/bin/sh\nexec %s "$@" -nostdlibinc -nostdinc++\n' "$1" >"$work/bare-clang"
    chmod +x "$work/bare-clang"
    "$cu2ptx" --compiler "$work/bare-clang" "$tests/printing.cu" -o "$work/out.ptx"
}
assertions_can_be_off() {
    "$cu2ptx" --compiler "$1" "$tests/printing.cu" -o "$work/out.ptx" || return 1
    has_entry _Z5checkPKii __assertfail && ! has_entry _Z12do_not_checkPi __assertfail
}
ptx_version() {
    "$cu2ptx" --compiler "$1" --ptx 8.6 "$tests/leaning.cu" -o "$work/out.ptx" && grep -q '^\.version 8\.6' "$work/out.ptx"
}

# With HAUL_PTX_CACHE, a source is compiled once, and again when a header has changed. The depfile is that of each output.
compiles_once() (
    mkdir -p "$work/once" && cd "$work/once" || exit 1
    printf '#!/bin/sh\ncase $1 in --version | -dumpversion) ;; *) echo >>%s/calls ;; esac\nexec %s "$@"\n' \
        "$work/once" "$(command -v "$1")" >"$1" && chmod +x "$1"
    printf '#include "value.h"\n__global__ void k(int *p) { *p = VALUE; }\n' >uses.cu
    for calls_and_value in '1 4321' '1 4321' '2 8765'; do
        value=${calls_and_value#* }
        grep -q "$value" value.h 2>/dev/null || echo "#define VALUE $value" >value.h
        HAUL_PTX_CACHE=$work/once/kept "$cu2ptx" --compiler "$work/once/$1" uses.cu --depfile $value.d -o $value.ptx || exit 1
        grep -q "$value" $value.ptx && grep -q "^$value.ptx *:.*uses.cu" $value.d && grep -q value.h $value.d ||
            { echo "wrong: $value"; exit 1; }
        [ "$(wc -l <calls)" -eq "${calls_and_value% *}" ] || { echo "$(wc -l <calls) calls, not $calls_and_value"; exit 1; }
    done
)

command_line() {
    echo 'this is no CUDA' >"$work/bad.cu"
    check 'a compiler is found' "$cu2ptx" --find
    check 'no compiler: one line that says so' no_compiler
    check 'source that does not compile' refuses 'could not compile' "$cu2ptx" "$work/bad.cu" -o "$work/bad.ptx"
    check 'nothing is left of it' leaves_nothing
    check 'no such file' refuses 'no such file' "$cu2ptx" "$work/missing.cu" -o "$work/bad.ptx"
    check 'no output given' refuses 'add -o' "$cu2ptx" "$work/bad.cu"
    check 'output folder missing' refuses 'cannot write' "$cu2ptx" "$tests/leaning.cu" -o "$work/no/such/out.ptx"
    check 'unknown option' refuses 'unknown option' "$cu2ptx" --fast "$work/bad.cu" -o "$work/bad.ptx"
    check 'not an architecture' refuses 'not an architecture' "$cu2ptx" --arch 90 "$work/bad.cu" -o "$work/bad.ptx"
    check 'unknown compiler' refuses 'compiler not found' "$cu2ptx" --compiler none "$work/bad.cu" -o "$work/bad.ptx"
    check 'PTX on standard output' standard_output
    check 'parallel runs into one file' parallel_runs
}

# Everything that is checked for each compiler.
checks_of() {
    c=$1
    for source in "$tests"/*.cu "$data"/truth/*.cu "$data"/hazards/*.cu; do
        check "$c: ${source##*/}" compiles "$c" "$source" sm_90
    done
    check "$c: sm_80" compiles "$c" "$tests/narrow.cu" sm_80
    check "$c: sm_90a" compiles "$c" "$tests/pipelines.cu" sm_90a
    check "$c: pipelines copy at once below sm_80" copies_at_once_below_sm_80 "$c"
    check "$c: dependencies" dependencies "$c"
    check "$c: -I, -D, --no-lineinfo" defines_and_includes "$c"
    check "$c: PTX is kept" compiles_once "$c"
    check "$c: called through a link, from another place" installed_copy "$c"
    check "$c: assert() follows NDEBUG" assertions_can_be_off "$c"
    check "$c: textures and surfaces" fetches_as_nvcc "$c"
    [ "$c" = nvcc ] && return
    check "$c: printf and assert without a C library" without_libc "$c"
    check "$c: --ptx" ptx_version "$c"
    check "$c: a 16-byte vector is copied as one" copies_whole_vectors "$c"
    check "$c: values are read again after a barrier" barriers_keep_shared_memory "$c"
    check "$c: instructions belong to the user's lines" lines_are_the_users "$c"
    check "$c: contraction and rounding as with nvcc" rounds_as_nvcc "$c"
}

# The compilers work side by side, each in a folder of its own; what they print is shown one after the other.
everything=$work
for c in $compilers; do
    work=$everything/$c
    mkdir "$work"
    (checks_of "$c" >"$everything/$c.checks"; exit "$failures") &
    echo "$c $!" >>"$everything/running"
done
work=$everything
command_line
while read -r c pid; do
    wait "$pid"
    failures=$((failures + $?))
    cat "$everything/$c.checks"
done <"$everything/running"
echo "$failures failed"
[ "$failures" -eq 0 ]
