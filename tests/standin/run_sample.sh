#!/bin/sh
# haul profile --sample BLOCKS -- PROGRAM: only some blocks of large launches are counted, and all of them run.
# usage: run_sample.sh SOURCE_ROOT BUILD_FOLDER
set -u
. "$1/tests/cli/results.sh"
program=$2/tests/standin_launches
[ -e "$program" ] || { echo "skipped: the stand-in is not built with sanitizers"; exit 77; }

wrong() { ! "$@"; }
says() { grep -qe "$1" "$work/$2"; }
counter() { # NAME LINE: of the first launch
    grep -m 1 '"counters"' "$work/err" | grep -o "\"$1\":[0-9.]*" | head -n 1 | cut -d : -f 2
}
sampled() { # BLOCKS KERNEL ARGUMENT...
    sample=$1
    shift
    exits_with 0 "$haul" profile --json --sample "$sample" -- "$program" "$@"
}
like_all() { # what the program printed, and its stores: those of a run that counts everything
    cp "$work/out" "$work/sampled.out"
    stores=$(counter inst_global_st)
    exits_with 0 "$haul" profile --json -- "$program" "$@" && cmp "$work/out" "$work/sampled.out" &&
        [ "$(counter inst_global_st)" = "$stores" ]
}

result 'a sample is counted' sampled 128 once 5000
result 'the report says how much of the launch' says '"blocks":5000,"counted_blocks":128,"scaled":true' err
result 'and of all launches' says '"launches":1,"counted":1,"scaled":true,"blocks":5000,"counted_blocks":128' err
result 'each block ran once, and counters are those of the whole' like_all once 5000
result 'launches that are no larger are counted whole' sampled 128 once 128
result 'and nothing is scaled' says '"scaled":false,"blocks":128,"counted_blocks":128' err
result 'the smallest sample is one block' sampled 1 once 5000
result 'which stands for all' like_all once 5000
result 'all but one block may be counted' sampled 4999 once 5000
result 'too' like_all once 5000
result 'with the number of launches as well' exits_with 0 "$haul" profile --launches 2 --sample 100 -- "$program" once 300 3
result 'launches are scaled' says '^2 of 3 launches counted, the sums scaled' err
result 'and blocks' says '^200 of 600 blocks counted in the counted launches' err
result 'as in the part on the kernel' says '^100 of 300 blocks counted, scaled to the whole launch' err

result 'blocks that wait for earlier ones do not hang' sampled 64 chain 20000
result 'and are sampled' says '"blocks":20000,"counted_blocks":64' err
result 'with the right results' [ "$(cat "$work/out")" = 79997 ]
result 'blocks that wait for all others are counted whole' sampled 64 barrier 1000
result 'and nothing is said of a sample' says '"scaled":false,"blocks":1000,"counted_blocks":1000' err
result 'clusters are counted whole' sampled 64 cluster 3000
result 'so that there may be more blocks' says '"blocks":3000,"counted_blocks":66' err
result 'and all clusters run' like_all cluster 3000
result 'all blocks may print' sampled 10 print 1000
result 'in their order' [ "$(grep -c '^ok$' "$work/out")" = 3 ]
exits_with 1 "$haul" profile --sample 10 -- "$program" fault 1000
result 'a fault behind the sample ends the launch' says '^the kernel gave 700$' out
result 'which is not in the report then' wrong says 'blocks counted' err

cat >"$work/once.ptx" <<'PTX'
.version 8.0
.target sm_80
.address_size 64
.visible .entry once(.param .u64 out) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %ctaid.x;
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  st.global.u32 [%rd2], %r1;
  ret;
}
PTX
result 'kernels in files are sampled too' exits_with 0 \
    "$haul" profile --device sim --sample 100 "$work/once.ptx" -k once -g 4000 -b 32 --arg buf:zero:4000
result 'with the same remark' says '^100 of 4000 blocks counted, scaled' out

refused() { # WHAT PATTERN COMMAND...
    what=$1 pattern=$2
    shift 2
    result "$what is refused" exits_with 2 "$@"
    result "$what, in one line" one_line "$work/err"
    result "$what, with the reason" says "$pattern" err
}
refused 'a sample of nothing' '`0` is not a whole number above 0' "$haul" profile --sample 0 -- "$program" once 5
refused 'a sample of what is not a number' '`many` is not a whole number' "$haul" profile --sample many -- "$program" once 5
refused 'a sample without a number' 'sample' "$haul" profile --sample -- "$program" once 5
refused 'a check of a sample' 'option --sample' "$haul" check --sample 5 -- "$program" once 5
refused 'a run of a sample' 'option --sample' "$haul" run --sample 5 -- "$program" once 5
exit $((failures > 0))
