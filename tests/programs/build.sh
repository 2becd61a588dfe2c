#!/bin/sh
# Compiles a sample program of samples.list with nvcc. usage: build.sh NAME FOLDER: makes FOLDER/NAME. NVCC names another
# compiler with the same options; ARCH, another architecture than 90.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1 out=$2/$1
examples=$here/../../examples/programs
arch=${ARCH:-90}
row=$(grep "^$name " "$here/samples.list") || { echo "$name: not in samples.list" >&2; exit 1; }
# shellcheck disable=SC2086
set -- $row
how=$2
shift 2
command -v "${NVCC:-nvcc}" >/dev/null 2>&1 || PATH=$PATH:/usr/local/cuda/bin

compile() { # FLAG-OR-FILE...
    "${NVCC:-nvcc}" -std=c++17 -I"$examples" "$@"
}

ptx="-gencode arch=compute_$arch,code=compute_$arch" # no machine code: haul needs none, and nvcc is faster without
case $how in
static) flags=$ptx ;;
lineinfo) flags="$ptx -lineinfo" ;;
shared | stripped) flags="$ptx -cudart shared" ;;
extended) flags="$ptx --extended-lambda" ;;
debug) flags="$ptx -g -G" ;;
linked) flags="-arch=sm_$arch -rdc=true" ;;
threads) flags="$ptx -default-stream per-thread" ;;
*) echo "$name: $how is no way to build it" >&2; exit 1 ;;
esac

files=$here/samples/$name.cu
[ -e "$files" ] || files=$examples/$name.cu
for further; do
    case $further in
    library:*)
        library=${further#library:}
        # shellcheck disable=SC2086
        compile $flags -Xcompiler -fPIC -shared -o "${out%/*}/lib${library%.cu}.so" "$here/samples/$library"
        files="$files -L${out%/*} -l${library%.cu} -Xlinker -rpath,\$ORIGIN"
        ;;
    -l*) files="$files $further" ;;
    *) files="$files $here/samples/$further" ;;
    esac
done
# shellcheck disable=SC2086
compile $flags -o "$out" $files
[ "$how" != stripped ] || strip "$out"
