/* Global memory: threads, blocks, atomics, fences and flags. */
#include "pairs.h"

#define COUNT "ld.global.u32 %r7, [%rd0];\nadd.u32 %r7, %r7, 1;\nst.global.u32 [%rd0], %r7;\n"
#define ATOMIC "red.global.add.u32 [%rd0], 1;\n"
#define NEIGHBOURS "xor.b32 %r6, %r0, 1;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\n"
#define TAKE_FLAG(fence)                                                                    \
    "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n" fence \
    "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"
#define SET_FLAG(fence) "@%p1 bra T;\nst.global.u32 [%rd0], 5;\n" fence "st.volatile.global.u32 [%rd4], 1;\nbra D;\n"

static const pair pairs[] = {
    PAIR("all blocks write one word", RACE_GLOBAL, 4, 1, "st.global.u32 [%rd0], %r1;\n", OUT("%r1")),
    PAIR("a block reads what another writes", RACE_GLOBAL, 2, 32,
         OUT("%r0") "xor.b32 %r6, %r1, 32;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\nld.global.u32 %r7, [%rd4];\n"
                    "st.shared.u32 [%r4], %r7;\n",
         OUT("%r0") "ld.global.u32 %r7, [%rd2];\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("counter without an atomic", RACE_GLOBAL, 2, 32, COUNT, ATOMIC),
    PAIR("atomic against plain store", RACE_GLOBAL, 2, 1,
         "setp.eq.u32 %p1, %r1, 0;\n@%p1 " ATOMIC "@!%p1 st.global.u32 [%rd0], 7;\n", ATOMIC),
    PAIR("atomic against plain load", RACE_GLOBAL, 2, 1,
         ATOMIC "ld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n",
         ATOMIC "atom.global.add.u32 %r7, [%rd0], 0;\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("the same value from all", RACE_SAME_VALUE, 2, 32, "mov.u32 %r7, 7;\nst.global.u32 [%rd0], %r7;\n",
         "mov.u32 %r7, 7;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [%rd0], %r7;\n"),
    PAIR("lanes without __syncwarp", RACE_GLOBAL, 1, 32,
         NEIGHBOURS OUT("%r0") "ld.global.u32 %r7, [%rd4];\nst.shared.u32 [%r4], %r7;\n",
         NEIGHBOURS OUT("%r0") "bar.warp.sync 0xffffffff;\nld.global.u32 %r7, [%rd4];\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("written in place while others read", RACE_GLOBAL, 1, 64, NEIGHBOURS "ld.global.u32 %r7, [%rd4];\n" OUT("%r7"),
         NEIGHBOURS "ld.global.u32 %r7, [%rd4];\nbar.sync 0;\n" OUT("%r7")),
    PAIR("halves of a word by bytes that overlap", RACE_GLOBAL, 1, 64,
         "shr.u32 %r6, %r0, 1;\ncvt.u64.u32 %rd4, %r6;\nadd.u64 %rd4, %rd0, %rd4;\ncvt.u16.u32 %h1, %r0;\n"
         "st.global.u8 [%rd4], %h1;\n",
         "cvt.u64.u32 %rd4, %r0;\nadd.u64 %rd4, %rd0, %rd4;\ncvt.u16.u32 %h1, %r0;\nst.global.u8 [%rd4], %h1;\n"),
    PAIR("vectors that overlap", RACE_GLOBAL, 1, 32,
         "mad.wide.u32 %rd4, %r0, 8, %rd0;\nand.b64 %rd4, %rd4, -16;\nst.global.v4.u32 [%rd4], {%r0, %r0, %r0, %r0};\n",
         "mad.wide.u32 %rd4, %r0, 16, %rd0;\nst.global.v4.u32 [%rd4], {%r0, %r0, %r0, %r0};\n"),
    PAIR("flag fenced by the reader only", RACE_GLOBAL, 2, 1, FLAG SET_FLAG("") TAKE_FLAG("membar.gl;\n"),
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("membar.gl;\n")),
    PAIR("fence behind the flag", RACE_GLOBAL, 2, 1,
         FLAG
         "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nst.volatile.global.u32 [%rd4], 1;\nmembar.gl;\nbra D;\n" TAKE_FLAG(
             "membar.gl;\n"),
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("membar.gl;\n")),
    PAIR("relaxed flag", RACE_GLOBAL, 2, 1,
         FLAG "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nst.relaxed.gpu.global.u32 [%rd4], 1;\nbra D;\n"
              "T: ld.relaxed.gpu.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n"
              "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n",
         FLAG "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nst.release.gpu.global.u32 [%rd4], 1;\nbra D;\n"
              "T: ld.acquire.gpu.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n"
              "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"),
    PAIR("last block without a fence", RACE_GLOBAL, 2, 1,
         "st.global.u32 [%rd2+256], %r1;\natom.global.add.u32 %r7, [%rd0], 1;\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra D;\n"
         "ld.global.u32 %r8, [%rd0+256];\nld.global.u32 %r9, [%rd0+260];\nadd.u32 %r8, %r8, %r9;\n"
         "st.global.u32 [%rd0+512], %r8;\nD:\n",
         "st.global.u32 [%rd2+256], %r1;\nmembar.gl;\natom.global.add.u32 %r7, [%rd0], 1;\nsetp.ne.u32 %p2, %r7, 1;\n"
         "@%p2 bra D;\nmembar.gl;\nld.global.u32 %r8, [%rd0+256];\nld.global.u32 %r9, [%rd0+260];\n"
         "add.u32 %r8, %r8, %r9;\nst.global.u32 [%rd0+512], %r8;\nD:\n"),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
