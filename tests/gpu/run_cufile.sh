#!/bin/sh
# haul stream by cuFile, with a driver and a libcufile of this folder: the bytes are those of the path through pinned
# memory, and what cuFile does not do falls back to that. usage: run_cufile.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
export LD_LIBRARY_PATH="$2/tests/gpu/new" HAUL_CUFILE="$2/tests/gpu/cufile/libcufile.so.0" FAKE_CUFILE= FAKE_CUFILE_LOG="$work/calls"

says() { tr '\n' ' ' <"$work/$2" | tr -s ' ' | grep -q -- "$1"; } # TEXT FILE, whose lines are joined
calls() { grep -c "^$1 " "$work/calls"; }
head -c 400004 /dev/urandom >"$work/in"
if ! dd if="$work/in" of=/dev/null bs=4096 iflag=direct 2>/dev/null; then
    echo "skipped: the folder for temporary files has no O_DIRECT"
    exit 77
fi
: >"$work/calls"
stream() { # CODE OUTPUT ARGUMENT...
    code=$1 output=$2
    shift 2
    : >"$work/calls"
    exits_with "$code" "$haul" stream --device gpu:0 --in "$work/in" --out "$work/$output" "$@"
}
same() { cmp "$work/by-host" "$work/$1"; }

result 'directly' stream 0 by-host --files direct --chunk 20000
result 'cuFile is not opened' [ "$(calls open)" -eq 0 ]
result 'which the report says' says "/in was read directly (O_DIRECT), through pinned memory: as asked for" out
result 'by the page cache' stream 0 cached --files cached
result 'gives the same bytes' same cached
result 'which the report says' says "/in was read through the page cache" out

# --- by cuFile ---
result 'by cuFile, in chunks that begin between pages' stream 0 got --files cufile --chunk 20000
result 'gives the same bytes' same got
result 'which the report says' says "/in was read by cuFile, .*: nvidia-fs is not loaded" out
result 'of the output too' says "/got was written by cuFile" out
result 'pages are read by cuFile' [ "$(calls read)" -gt 20 ]
result 'and written by it' [ "$(calls write)" -gt 20 ]
result 'whole pages alone' awk '/^(read|write)/ && ($2 % 4096 || $3 % 4096) { exit 1 }' "$work/calls"
result 'all files are deregistered' [ "$(calls register)" -eq "$(calls deregister)" ]
result 'and all buffers' [ "$(calls buffer)" -eq "$(calls unbuffer)" ]
result 'no pinned memory is needed' says ' 0 B pinned' out
for depth in 1 2 3 6; do
    result "in $depth chunks at once" stream 0 got --files cufile -q --chunk 8K --depth $depth
    result 'gives the same bytes' same got
done
result 'a kernel in place' stream 0 got --files cufile -q --kernel none --chunk 8K
result 'gives the same bytes' cmp "$work/in" "$work/got"
result 'repeated runs' stream 0 got --files cufile -q --chunk 8K --repeat 3
result 'give the same bytes' same got
result 'into memory' exits_with 0 "$haul" stream --device gpu:0 --in "$work/in" --files cufile --chunk 8K
result 'two inputs' exits_with 0 "$haul" stream --device gpu:0 -q -k saxpy -i "$work/in" -i "$work/in" -o "$work/one" --files direct
result 'by cuFile' exits_with 0 "$haul" stream --device gpu:0 -q -k saxpy -i "$work/in" -i "$work/in" -o "$work/two" --files cufile -c 8K
result 'give the same bytes' cmp "$work/one" "$work/two"
result 'two GPUs' exits_with 0 env FAKE_CUDA="devices=2" "$haul" stream --device gpu:all -q --in "$work/in" \
    --out "$work/got" --files cufile --chunk 8K
result 'give the same bytes' same got
FAKE_CUFILE=most=4000
result 'transfers that stop early' stream 0 got --files cufile --chunk 20000
result 'go on' same got

# --- the choice ---
if [ ! -e /proc/driver/nvidia-fs ]; then
    : >"$work/calls"
    result 'by default' exits_with 0 env -u HAUL_CUFILE LD_LIBRARY_PATH="$2/tests/gpu/cufile:$LD_LIBRARY_PATH" \
        "$haul" stream --device gpu:0 --in "$work/in"
    result 'cuFile is opened with nvidia-fs alone' [ "$(calls open)" -eq 0 ]
    result 'as is told' says 'was read directly .*: nvidia-fs is not loaded' out
fi
FAKE_CUFILE=
result 'by default without nvidia-fs' stream 0 got --chunk 20000
result 'the way is through pinned memory' says "/in was read directly .*: nvidia-fs is not loaded" out
result 'and no bytes move by cuFile' [ "$(calls read)" -eq 0 ]
FAKE_CUFILE=module=2.24
stream 0 got --chunk 20000
case $(stat -f -c %T "$work") in
ext2/ext3 | xfs | nfs) result 'nvidia-fs is used' says 'was read by cuFile, .*: nvidia-fs 2.24 reaches' out ;;
*) result 'nvidia-fs has to reach the file system' says 'was read directly .*: cuFile has no direct path' out ;;
esac
result 'which gives the same bytes' same got
result 'unless cuFile is told not to' env CUFILE_FORCE_COMPAT_MODE=true "$haul" stream --device gpu:0 --in "$work/in" --out "$work/got"
FAKE_CUFILE=open=5001
result 'a driver that does not open' stream 0 got --files cufile
result 'is told, and not used' says 'was read directly .*: cuFileDriverOpen: error 5001 (DRIVER_NOT_INITIALIZED)' out
FAKE_CUFILE=refuse=5018
result 'a file that is refused' stream 0 got --files cufile
result 'is told, and moved directly' says 'was written directly .*: cuFileHandleRegister: error 5018 (INVALID_FILE_TYPE)' out
result 'with the same bytes' same got
FAKE_CUFILE=
result 'no libcufile' exits_with 0 env HAUL_CUFILE=libnowhere.so.0 "$haul" stream --device gpu:0 --in "$work/in" --files cufile
result 'is told' says 'was read directly .*: libnowhere.so.0 is not on this machine' out
result 'another library' exits_with 0 env HAUL_CUFILE=libm.so.6 "$haul" stream --device gpu:0 --in "$work/in" --files cufile
result 'is told' says 'libm.so.6 has no cuFileDriverOpen' out
result 'a virtual GPU' exits_with 0 "$haul" stream --device sim --in "$work/in" --files cufile
result 'is not reached' says 'cuFile does not reach a virtual GPU' out
result 'another word' exits_with 2 "$haul" stream --device sim --files quickly
result 'is refused' says 'must be auto, cached, direct or cufile' err

# --- failures ---
FAKE_CUFILE=read=-5008@3
result 'an error of cuFile' stream 2 bad -q --files cufile --chunk 20000 --copy-threads 1
result 'is one line' one_line "$work/err"
result 'with its name' says '/in: cannot be read by cuFile at byte .*: error 5008 (IO_NOT_SUPPORTED); move it directly' err
result 'and leaves no output' [ ! -e "$work/bad" ]
FAKE_CUFILE=write=-1@5
result 'an error of the system' stream 2 bad --files cufile --chunk 20000 --keep-partial
result 'has its words' says 'bad.partial: cannot be written by cuFile at byte .*: Input/output error' err
FAKE_CUFILE=
result 'from where another run continues' stream 0 bad --files cufile --chunk 20000 --resume
result 'to the same bytes' same bad
FAKE_CUFILE=most=0
result 'a file that ends early' stream 2 bad --files cufile
result 'is told' says 'ends at byte [0-9]*: it was truncated' err
exit $((failures > 0))
