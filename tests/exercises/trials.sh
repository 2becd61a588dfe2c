# For the scripts that try solutions: tests/want.sh, whether solutions can be compiled here, and ends. Read with
#   . "$1/tests/exercises/trials.sh"
. "$1/tests/want.sh"
[ -e "$2/standin/libcudart.so.12" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }
case " ${HAUL_TEST_COMPILERS:-clang} " in *" clang"*) ;; *) echo "skipped: it is tried with clang elsewhere"; exit 77 ;; esac
"$1/toolchain/cu2ptx" --compiler clang --find >/dev/null 2>&1 || { echo "skipped: no clang is installed"; exit 77; }
exercises=$root/exercises

# ends CODE PATTERN ARGUMENT...: haul exercise ends so, and prints the pattern, messages of the compiler aside.
ends() {
    code=$1 pattern=$2 what="haul exercise $3 $4 $5"
    shift 2
    timeout 300 "$haul" exercise "$@" >"$work/out" 2>"$work/err"
    got=$?
    [ $got -eq "$code" ] || fail "$what: status $got, not $code"
    tr -s ' \n' '  ' <"$work/out" >"$work/line"
    grep -q -e "$pattern" "$work/line" "$work/err" || fail "$what: no '$pattern' in: $(cat "$work/out" "$work/err")"
}
