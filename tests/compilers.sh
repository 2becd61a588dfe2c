# For scripts that try every CUDA compiler that is installed: where things are, a folder to work in, and the compilers'
# names. Read with
#   . "$1/tests/compilers.sh"
# where $1 is the root of the source and $2 the build folder. Without a compiler the test is skipped. HAUL_TEST_COMPILERS
# narrows the list ("nvcc"), where others are tried elsewhere.
root=$(cd "$1" && pwd) || exit 1
cu2ptx=$root/toolchain/cu2ptx
work=$(mktemp -d "${2:-/tmp}/compilers.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$PATH:/usr/local/cuda/bin
failures=0

fail() {
    echo "FAILED  $*"
    failures=$((failures + 1))
}

# One name of each.
compilers=
seen=
all="nvcc clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang-20 clang-21 clang-22 clang"
for name in ${HAUL_TEST_COMPILERS:-$all}; do
    path=$(command -v "$name" 2>/dev/null) || continue
    path=$(readlink -f "$path")
    case " $seen " in *" $path "*) continue ;; esac
    seen="$seen $path"
    "$cu2ptx" --compiler "$name" --find >/dev/null 2>&1 && compilers="$compilers $name"
done
[ -n "$compilers" ] || { echo "skipped: neither clang nor nvcc is installed"; exit 77; }
