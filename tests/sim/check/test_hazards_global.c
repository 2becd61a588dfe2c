/* Races in global memory: threads, blocks, atomics, fences and flags. */
#include "pairs.h"

#define COUNT "ld.global.u32 %r7, [%rd0];\nadd.u32 %r7, %r7, 1;\nst.global.u32 [%rd0], %r7;\n"
#define ATOMIC "red.global.add.u32 [%rd0], 1;\n"
/* The lanes' words are in the order of a Gray code: at no even stride. Block 1 reads them after its own additions. */
#define ADD_GRAY(between, read)                                                                                \
    "shr.u32 %r6, %r0, 1;\nxor.b32 %r6, %r6, %r0;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\nmov.u32 %r9, %ctaid.x;\n" \
    "setp.ne.u32 %p1, %r9, 0;\nred.global.add.u32 [%rd4], 1;\n" between "@%p1 " read                           \
    "@%p1 st.shared.u32 [%r4], %r7;\n"
#define STORE_STRONGLY "@!%p1 st.relaxed.gpu.global.u32 [%rd4], %r0;\nred.global.add.u32 [%rd4], 1;\n"
#define READ_GRAY "ld.global.u32 %r7, [%rd4];\n"
#define ADD_NOTHING "atom.global.add.u32 %r7, [%rd4], 0;\n"
#define NEIGHBOURS "xor.b32 %r6, %r0, 1;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\n"
#define TAKE_FLAG(fence)                                                                    \
    "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n" fence \
    "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"
#define SET_FLAG(fence) "@%p1 bra T;\nst.global.u32 [%rd0], 5;\n" fence "st.volatile.global.u32 [%rd4], 1;\nbra D;\n"
#define TAKE_WITH(load)                                                 \
    "T: " load " %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n" \
    "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"
/* Block 0 sets the flag; the first thread of block 1 waits for it. */
#define BLOCK_FLAG(fence)                                                                                              \
    "add.u64 %rd4, %rd0, 900;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\nsetp.ne.u32 %p3, %r0, 0;\n"           \
    "@%p1 bra T;\n" OUT(                                                                                               \
        "%r0") "membar.gl;\nbar.sync 0;\n@%p3 bra D;\nst.volatile.global.u32 [%rd4], 1;\nbra D;\n"                     \
               "T: @%p3 bra B;\nL: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra L;\n" fence \
               "B:\n"
/* Block 0 uses a word per thread, and thread 0 sets a flag without a fence; block 1 waits for it and writes the
 * words. */
#define IN_PLACE(before, behind)                                                                                     \
    "add.u64 %rd4, %rd0, 900;\nmad.wide.u32 %rd5, %r0, 4, %rd0;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\n" \
    "setp.ne.u32 %p3, %r0, 0;\n@%p1 bra T;\n" before                                                                 \
    "bar.sync 0;\n@%p3 bra N;\nst.relaxed.gpu.global.u32 [%rd4], 1;\nN: bar.sync 0;\n" behind                        \
    "bra D;\nT: @%p3 bra B;\nL: ld.relaxed.gpu.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra L;\n"     \
    "B: bar.sync 0;\nst.global.u32 [%rd5], %r1;\nD:\n"
/* Blocks take turns: each waits until as many others have added to a counter as it has to, and then adds to it. The
 * last one sets it back by an ordinary store. `spare`: so many fewer turns does the last one wait for. */
#define TURNS(spare)                                                                                        \
    "add.u64 %rd4, %rd0, 900;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra D;\n"             \
    "setp.eq.u32 %p2, %r9, 3;\nselp.u32 %r10, " spare ", 0, %p2;\nsub.u32 %r10, %r9, %r10;\n"               \
    "L: ld.acquire.gpu.global.u32 %r7, [%rd4];\nsetp.lt.u32 %p3, %r7, %r10;\n@%p3 bra L;\n@%p2 bra BACK;\n" \
    "fence.acq_rel.gpu;\nred.relaxed.gpu.global.add.u32 [%rd4], 1;\nbra D;\nBACK: st.global.u32 [%rd4], 0;\nD:\n"
#define USE_WORD "ld.global.u32 %r7, [%rd5];\nst.shared.u32 [%r4], %r7;\n"
#define TAKE_WORD "mad.wide.u32 %rd5, %r0, 4, %rd0;\nld.global.u32 %r8, [%rd5];\nst.global.u32 [%rd2], %r8;\nD:\n"
/* The lane's word lies somewhere among 64. */
#define SCATTERED(number) "mul.lo.u32 %r6, " number ", 13;\nand.b32 %r6, %r6, 63;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\n"
/* Block 0 reads such words, block 1 stores to some. */
#define READ_SCATTERED                                                                     \
    "mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\nmad.wide.u32 %rd5, %r0, 4, %rd0;\n" \
    "@%p1 st.global.u32 [%rd4], %r9;\n@!%p1 ld.global.u32 %r7, [%rd4];\n@!%p1 st.global.u32 [%rd5+512], %r7;\n"
/* The lane's word lies somewhere in a line, all of whose words some lane has. */
#define IN_LINE(line)                                                     \
    "mul.lo.u32 %r6, %r0, 13;\nand.b32 %r6, %r6, 31;\nmov.u32 %r9, " line \
    ";\nmad.lo.u32 %r6, %r9, 32, %r6;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\nmov.u32 %r9, %ctaid.x;\n"
/* All blocks but the last one of eight read such words; that one stores to words so many bytes away. */
#define LAST_STORES(bytes)                                               \
    IN_LINE("0")                                                         \
    "setp.ne.u32 %p1, %r9, 7;\n@%p1 ld.global.u32 %r7, [%rd4];\n@%p1 st" \
    ".shared.u32 [%r4], %r7;\n@!%p1 st.global.u32 [%rd4+" bytes "], %r9;\n"
/* Thread 0 sets the flag, thread 32 waits for it. */
#define NEAR_FLAG(before, behind)                                                                                \
    "add.u64 %rd4, %rd0, 900;\nsetp.eq.u32 %p1, %r0, 0;\nsetp.eq.u32 %p3, %r0, 32;\n@%p3 bra T;\n@!%p1 bra D;\n" \
    "st.global.u32 [%rd0], 5;\n" before "st.volatile.global.u32 [%rd4], 1;\nbra D;\n"                            \
    "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n" behind                     \
    "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+512], %r8;\nD:\n"
#define SHARED_FLAG(before, behind)                                                                                \
    "setp.ne.u32 %p5, %r0, 0;\n@!%p5 st.volatile.shared.u32 [%r3+512], 0;\nbar.sync 0;\nsetp.eq.u32 %p1, %r0, "    \
    "0;\nsetp.eq.u32 %p3, %r0, 32;\n"                                                                              \
    "@%p3 bra T;\n@!%p1 bra D;\nst.shared.u32 [%r3], 5;\n" before "st.volatile.shared.u32 [%r3+512], 1;\nbra D;\n" \
    "T: ld.volatile.shared.u32 %r7, [%r3+512];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\n" behind                    \
    "ld.shared.u32 %r8, [%r3];\nst.global.u32 [%rd0+512], %r8;\nD:\n"
/* A warp's lanes arrive at a counter; the last of them reads what the first and the last lane have stored. */
#define LAST_LANE(order)                                                                                  \
    "setp.ne.u32 %p1, %r0, 0;\n@!%p1 st.shared.u32 [%r3+512], 0;\nbar.sync 0;\n" STORE "atom." order      \
    ".cta.shared.add.u32 %r7, [%r3+512], 1;\nsetp.ne.u32 %p2, %r7, 31;\n@%p2 bra D;\nld.shared.u32 %r8, " \
    "[%r3];\nld.shared.u32 %r9, [%r3+124];\nadd.u32 %r8, %r8, %r9;\nst.global.u32 [%rd0], %r8;\nD:\n"
/* A lane of block 1 waits for block 0's flag; then its whole warp reads what block 0 has stored. */
#define LANE_WAITS(behind)                                                                                            \
    "add.u64 %rd4, %rd0, 900;\nmad.wide.u32 %rd5, %r0, 4, %rd0;\nmov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p1, %r9, 0;\n"  \
    "setp.ne.u32 %p3, %r0, 0;\n@%p1 bra T;\nst.global.u32 [%rd5], %r0;\nbar.warp.sync 0xffffffff;\n"                  \
    "@!%p3 st.release.gpu.global.u32 [%rd4], 1;\nbra D;\nT: @%p3 bra B;\nL: ld.acquire.gpu.global.u32 %r7, [%rd4];\n" \
    "setp.ne.u32 %p2, %r7, 1;\n@%p2 bra L;\nB: " behind "ld.global.u32 %r8, [%rd5];\nst.global.u32 [%rd5+512], "      \
    "%r8;\nD:\n"
/* Block 1 waits for the upper half of 64 bits, and uses the lower half. */
#define WAIT_FOR_HALF(store, test)                                                                                 \
    FLAG "mov.b64 %rd5, {%r0, %r2};\n@%p1 bra L;\n" store "bra D;\nL: ld.volatile.global.u64 %rd6, [%rd4];\n" test \
         "@%p2 bra L;\ncvt.u32.u64 %r8, %rd6;\nst.global.u32 [%rd0], %r8;\nD:\n"
#define STORE_HALVES "st.volatile.global.u32 [%rd4+4], %r2;\nst.volatile.global.u32 [%rd4], %r0;\n"
#define STORE_WHOLE "st.volatile.global.u64 [%rd4], %rd5;\n"
#define TEST_MASKED "and.b64 %rd7, %rd6, -4294967296;\nsetp.eq.s64 %p2, %rd7, 0;\n"
#define TEST_SHIFTED "shr.u64 %rd7, %rd6, 32;\nsetp.eq.s64 %p2, %rd7, 0;\n"
/* All threads of two blocks arrive at a counter; the one with that ticket sets it back. */
#define SET_BACK_BY(ticket)                                                                             \
    "membar.gl;\natom.global.add.u32 %r7, [%rd0], 1;\nsetp.ne.u32 %p2, %r7, " ticket ";\n@%p2 bra D;\n" \
    "st.global.u32 [%rd0], 0;\nD:\n"
/* The first thread sets a counter back, at which blocks or warps arrive. */
#define SET_BACK "setp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [%rd0], 0;\n"
#define SET_BACK_SHARED(between)                                                                             \
    "setp.ne.u32 %p1, %r0, 0;\nand.b32 %r6, %r0, 31;\nsetp.ne.u32 %p2, %r6, 0;\n@!%p1 st.shared.u32 [%r3], " \
    "0;\n" between "@!%p2 atom.shared.add.u32 %r7, [%r3], 1;\n"
/* All threads read the first word; the given thread adds to it. */
#define READ_FIRST "ld.global.u32 %r7, [%rd0];\n"
#define ADD_BY(thread) "setp.ne.u32 %p1, %r0, " thread ";\nadd.u32 %r7, %r7, 5;\n@!%p1 st.global.u32 [%rd0], %r7;\n"
#define KEEP "st.shared.u32 [%r4], %r7;\n"
/* Threads of block 0 store adjacent halves; the first thread of block 1 reads the one at that byte. */
#define HALVES "mad.wide.u32 %rd4, %r0, 2, %rd0;\nsetp.ne.u32 %p1, %r1, %r0;\ncvt.u16.u32 %h1, %r0;\n"
#define READ_HALF(at) \
    "setp.ne.u32 %p2, %r1, 32;\n@!%p2 ld.global.u16 %h2, [%rd0+" at "];\n@!%p2 st.global.u16 [%rd0+512], %h2;\n"
/* Warps fill lines with elements of that size, then each another warp's part. */
#define FILL_TWICE(type, bytes, value, between)                                                                        \
    "cvt.u16.u32 %h1, %r0;\nmad.wide.u32 %rd4, %r0, " bytes ", %rd0;\nst.global." type " [%rd4], " value ";\n" between \
    "xor.b32 %r6, %r0, 32;\nmad.wide.u32 %rd4, %r6, " bytes ", %rd0;\nst.global." type " [%rd4], " value ";\n"
#define COUNT_VOLATILE \
    "ld.volatile.global.u32 %r7, [%rd0];\nadd.u32 %r7, %r7, 1;\nst.volatile.global.u32 [%rd0], %r7;\n"
/* Repeated minima may lose one another: nothing is added up. */
#define VOLATILE_LOOKS \
    "ld.volatile.global.u32 %r7, [%rd0];\nmin.u32 %r7, %r7, 1;\nst.volatile.global.u32 [%rd0], %r7;\n"
#define LOCKED_VOLATILE(fence)                                                                        \
    "add.u64 %rd4, %rd0, 128;\nL: atom.global.cas.b32 %r7, [%rd4], 0, 1;\nsetp.ne.u32 %p2, %r7, 0;\n" \
    "@%p2 bra L;\n" COUNT_VOLATILE fence "atom.global.exch.b32 %r7, [%rd4], 0;\n"
#define LOCKED(behind, fence)                                                                         \
    "add.u64 %rd4, %rd0, 128;\nL: atom.global.cas.b32 %r7, [%rd4], 0, 1;\nsetp.ne.u32 %p2, %r7, 0;\n" \
    "@%p2 bra L;\n" behind COUNT fence "atom.global.exch.b32 %r7, [%rd4], 0;\n"

/* The second block stores to the word with the lock, or without. */
#define LOCKED_STORE                                                                                 \
    "L: atom.global.cas.b32 %r7, [%rd4], 0, 1;\nsetp.ne.u32 %p2, %r7, 0;\n@%p2 bra L;\nmembar.gl;\n" \
    "st.volatile.global.u32 [%rd0], %r9;\nmembar.gl;\natom.global.exch.b32 %r7, [%rd4], 0;\n"
#define LOCK_OF_FIRST FLAG "mov.u32 %r9, %ctaid.x;\n@!%p1 bra L;\n"
/* The second block overwrites a word that the first one keeps or only looks at, as at a wish to stop. */
#define VOLATILE_READ(use) \
    FLAG "@%p1 bra T;\nld.volatile.global.u32 %r7, [%rd0];\n" use "bra D;\nT: st.volatile.global.u32 [%rd0], 1;\nD:\n"
/* The first block changes two words between two changes of a version; the second one reads them until both versions
 * are the same, or once. */
#define VERSIONED(again)                                                                                   \
    FLAG "@%p1 bra T;\nst.volatile.global.u32 [%rd4], 1;\nmembar.gl;\nst.volatile.global.u32 [%rd0], 5;\n" \
         "membar.gl;\nst.volatile.global.u32 [%rd4], 2;\nbra D;\n"                                         \
         "T: ld.volatile.global.u32 %r7, [%rd4];\nmembar.gl;\nld.volatile.global.u32 %r8, [%rd0];\n"       \
         "membar.gl;\n" again "st.global.u32 [%rd0+512], %r8;\nD:\n"
#define LOOK_AGAIN "ld.volatile.global.u32 %r9, [%rd4];\nsetp.ne.u32 %p2, %r9, %r7;\n@%p2 bra T;\n"

/* A compare-and-swap loop through a call's parameter, as in unoptimised code: it compares the loaded value. */
#define SWAP(loaded, compared)                                                                                        \
    "{\n.param .b32 old;\nld.global.u32 %r7, [%rd0];\nL: st.param.b32 [old], " loaded ";\nld.param.b32 %r8, [old];\n" \
    "add.u32 %r9, %r8, 1;\natom.global.cas.b32 %r7, [%rd0], " compared ", %r9;\nsetp.ne.u32 %p1, %r7, %r8;\n"         \
    "@%p1 bra L;\n}\n"
#define ADD_ONCE "ld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\natom.global.cas.b32 %r8, [%rd0], 0, 1;\n"

/* Both warps load the same words, sum pairs of them, and the first warp updates them in place; so does that thread
 * with a word of its own. */
#define SUM_IN_PLACE(thread)                                                                        \
    "and.b32 %r6, %r0, 31;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\nld.global.u32 %r7, [%rd4];\n"         \
    "shfl.sync.bfly.b32 %r8, %r7, 16, 31, -1;\nadd.u32 %r8, %r8, %r7;\nsetp.lt.u32 %p1, %r0, 32;\n" \
    "@%p1 st.global.u32 [%rd4], %r8;\nsetp.eq.u32 %p2, %r0, " thread ";\n@%p2 st.global.u32 [%rd0+512], %r8;\n"

/* Lanes read a line's words in no order, for so many rounds that most of the accesses are forgotten. */
#define READ_IN_ROUNDS                                                                           \
    "mul.lo.u32 %r6, %r0, %r0;\nmad.lo.u32 %r6, %r6, 5, %r0;\nand.b32 %r6, %r6, 31;\n"           \
    "mad.wide.u32 %rd4, %r6, 4, %rd0;\nmov.u32 %r8, 0;\nmov.u32 %r9, 0;\n"                       \
    "R: ld.global.u32 %r7, [%rd4];\nadd.u32 %r9, %r9, %r7;\nbar.sync 0;\nadd.u32 %r8, %r8, 1;\n" \
    "setp.lt.u32 %p1, %r8, 3000;\n@%p1 bra R;\nst.shared.u32 [%r4], %r9;\nsetp.ne.u32 %p2, %r1, 64;\n"

/* Half a warp passes a barrier; then each of its lanes reads its neighbour's word. */
#define HALF_LOOKS                                                                                 \
    NEIGHBOURS "setp.ge.u32 %p1, %r0, 16;\n@%p1 bra D;\nbar.sync 0;\nld.global.u32 %r7, [%rd4];\n" \
               "mad.wide.u32 %rd5, %r0, 4, %rd0;\n"

/* Block 0 stores and swaps the flag, block 1 may set it, too; block 2 waits for it. */
#define SWAP_FLAG(expected, behind)                                                                               \
    "add.u64 %rd4, %rd0, 128;\nsetp.eq.u32 %p3, %r1, 1;\nsetp.eq.u32 %p4, %r1, 2;\n@%p4 bra T;\n@%p3 bra S;\n"    \
    "st.global.u32 [%rd0], 5;\nmembar.gl;\natom.global.cas.b32 %r7, [%rd4], " expected ", 1;\nbra D;\nS: " behind \
    "bra D;\n" TAKE_FLAG("membar.gl;\n")

/* Peterson's lock. Its loop ends by either of two words, so that of two stores to one of them, one may be lost. */
#define RAISE "fence.sc.gpu;\nst.relaxed.gpu.global.u32 [%rd4], 1;\n"
#define LOCK(raise, n, m)                                                                                              \
    raise "fence.sc.gpu;\nst.relaxed.gpu.global.u32 [%rd0+8], %r8;\nL" n ": fence.sc.gpu;\n"                           \
          "ld.acquire.gpu.global.u32 %r1" n ", [%rd5];\nsetp.eq.u32 %p" n ", %r1" n ", 0;\n@%p" n " bra E" n ";\n"     \
          "fence.sc.gpu;\nld.acquire.gpu.global.u32 %r1" m ", [%rd0+8];\nsetp.eq.u32 %p" m ", %r1" m ", %r8;\n@%p" m   \
          " bra L" n ";\nE" n ": ld.global.u32 %r7, [%rd0+16];\nadd.u32 %r7, %r7, 1;\nst.global.u32 [%rd0+16], %r7;\n" \
          "fence.sc.gpu;\nst.relaxed.gpu.global.u32 [%rd4], 0;\n"
#define PETERSON(raise)                                                                \
    "mov.u32 %r9, %ctaid.x;\nxor.b32 %r8, %r9, 1;\nmad.wide.u32 %rd4, %r9, 4, %rd0;\n" \
    "mad.wide.u32 %rd5, %r8, 4, %rd0;\n" LOCK(raise, "1", "2") LOCK(raise, "3", "4")

static const pair pairs[] = {
    PAIR("a counter set back before the last turn", RACE_GLOBAL, 4, 32, TURNS("1"), TURNS("0")),
    PAIR("lanes behind a barrier that the others of their warp have skipped", RACE_GLOBAL, 1, 32,
         HALF_LOOKS "st.global.u32 [%rd5], %r7;\nD:\n",
         HALF_LOOKS "bar.warp.sync 0xffff;\nst.global.u32 [%rd5], %r7;\nD:\n"),
    PAIR("a word that a block has read many times", RACE_GLOBAL, 2, 64,
         READ_IN_ROUNDS "@!%p2 st.global.u32 [%rd0], 5;\n", READ_IN_ROUNDS "@!%p2 st.global.u32 [%rd0+128], 5;\n"),
    PAIR("a word that blocks on more SMs than run at a time have read many times", RACE_GLOBAL, 40, 32,
         READ_IN_ROUNDS "@!%p2 st.global.u32 [%rd0], 5;\n", READ_IN_ROUNDS "@!%p2 st.global.u32 [%rd0+128], 5;\n"),
    PAIR("a plain load beside compare and swap", RACE_GLOBAL, 2, 32, ADD_ONCE, SWAP("%r7", "%r8")),
    PAIR("all blocks write one word", RACE_GLOBAL, 4, 1, "st.global.u32 [%rd0], %r1;\n", OUT("%r1")),
    PAIR("a block reads data that another writes", RACE_GLOBAL, 2, 32,
         OUT("%r0") "xor.b32 %r6, %r1, 32;\nmad.wide.u32 %rd4, %r6, 4, %rd0;\nld.global.u32 %r7, [%rd4];\n"
                    "st.shared.u32 [%r4], %r7;\n",
         OUT("%r0") "ld.global.u32 %r7, [%rd2];\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("counter without an atomic", RACE_GLOBAL, 2, 32, COUNT, ATOMIC),
    PAIR("Peterson's lock, whose flags nobody raises", RACE_GLOBAL, 2, 1, PETERSON(""), PETERSON(RAISE)),
    PAIR("atomic against plain store", RACE_GLOBAL, 2, 1,
         "setp.eq.u32 %p1, %r1, 0;\n@%p1 " ATOMIC "@!%p1 st.global.u32 [%rd0], 7;\n", ATOMIC),
    PAIR("atomic against plain load", RACE_GLOBAL, 2, 1,
         ATOMIC "ld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n",
         ATOMIC "atom.global.add.u32 %r7, [%rd0], 0;\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("atomics of scattered lanes against plain loads", RACE_GLOBAL, 2, 32, ADD_GRAY("", READ_GRAY),
         ADD_GRAY("", ADD_NOTHING)),
    PAIR("the same after a strong store", RACE_GLOBAL, 2, 32, ADD_GRAY(STORE_STRONGLY, READ_GRAY),
         ADD_GRAY(STORE_STRONGLY, ADD_NOTHING)),
    PAIR("the same value from all", RACE_SAME_VALUE, 2, 32, "mov.u32 %r7, 7;\nst.global.u32 [%rd0], %r7;\n",
         "mov.u32 %r7, 7;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [%rd0], %r7;\n"),
    PAIR("two values of which a hash of 16 bits would be the same", RACE_GLOBAL, 2, 1,
         "mad.lo.u32 %r7, %r1, 62, 196;\nst.global.u32 [%rd0], %r7;\n", "mad.lo.u32 %r7, %r1, 62, 196;\n" OUT("%r7")),
    PAIR("lanes without __syncwarp", RACE_GLOBAL, 1, 32,
         NEIGHBOURS OUT("%r0") "ld.global.u32 %r7, [%rd4];\nst.shared.u32 [%r4], %r7;\n",
         NEIGHBOURS OUT("%r0") "bar.warp.sync 0xffffffff;\nld.global.u32 %r7, [%rd4];\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("written in place while others read", RACE_GLOBAL, 1, 64, NEIGHBOURS "ld.global.u32 %r7, [%rd4];\n" OUT("%r7"),
         NEIGHBOURS "ld.global.u32 %r7, [%rd4];\nbar.sync 0;\n" OUT("%r7")),
    PAIR("a lane that uses what a shuffle brings it", RACE_GLOBAL, 1, 64, SUM_IN_PLACE("40"), SUM_IN_PLACE("8")),
    PAIR("a word that all lanes read and one writes", RACE_GLOBAL, 1, 32, READ_FIRST KEEP ADD_BY("31"),
         READ_FIRST KEEP "bar.warp.sync 0xffffffff;\n" ADD_BY("31")),
    PAIR("a word that all lanes read and the first writes", RACE_GLOBAL, 1, 32, READ_FIRST KEEP ADD_BY("0"),
         READ_FIRST KEEP "bar.sync 0;\n" ADD_BY("0")),
    PAIR("a word that two warps read and one of them writes", RACE_GLOBAL, 1, 64, READ_FIRST KEEP ADD_BY("63"),
         READ_FIRST KEEP "bar.sync 0;\n" ADD_BY("63")),
    PAIR("a word that another warp reads, then the writer's twice", RACE_GLOBAL, 1, 64,
         LEAD "@%p3 bra D;\n" READ_FIRST KEEP READ_FIRST KEEP
              "bar.warp.sync 0xffffffff;\n" ADD_BY("31") "bra E;\n"
                                                         "D: " READ_FIRST KEEP "E:\n",
         LEAD "@%p3 bra D;\n" READ_FIRST KEEP READ_FIRST KEEP
              "bar.warp.sync 0xffffffff;\n" ADD_BY("31") "bra E;\n"
                                                         "D: ld.global.u32 %r7, [%rd0+4];\n" KEEP "E:\n"),
    PAIR("a word that one instruction's lanes write", RACE_GLOBAL, 1, 32, "st.global.u32 [%rd0], %r0;\n", OUT("%r0")),
    PAIR("the lower half of a word of two lanes' halves", RACE_GLOBAL, 2, 32,
         HALVES "@!%p1 st.global.u16 [%rd4], %h1;\n" READ_HALF("0"),
         HALVES "@!%p1 st.global.u16 [%rd4], %h1;\n" READ_HALF("128")),
    PAIR("the upper half of a word of two lanes' halves", RACE_GLOBAL, 2, 32,
         HALVES "@!%p1 st.global.u16 [%rd4], %h1;\n" READ_HALF("2"),
         HALVES "@!%p1 st.global.u16 [%rd4], %h1;\n" READ_HALF("128")),
    PAIR("halves of a word by bytes that overlap", RACE_GLOBAL, 1, 64,
         "shr.u32 %r6, %r0, 1;\ncvt.u64.u32 %rd4, %r6;\nadd.u64 %rd4, %rd0, %rd4;\ncvt.u16.u32 %h1, %r0;\n"
         "st.global.u8 [%rd4], %h1;\n",
         "cvt.u64.u32 %rd4, %r0;\nadd.u64 %rd4, %rd0, %rd4;\ncvt.u16.u32 %h1, %r0;\nst.global.u8 [%rd4], %h1;\n"),
    PAIR("vectors that overlap", RACE_GLOBAL, 1, 32,
         "mad.wide.u32 %rd4, %r0, 8, %rd0;\nand.b64 %rd4, %rd4, -16;\nst.global.v4.u32 [%rd4], {%r0, %r0, %r0, %r0};\n",
         "mad.wide.u32 %rd4, %r0, 16, %rd0;\nst.global.v4.u32 [%rd4], {%r0, %r0, %r0, %r0};\n"),
    PAIR("a line that four warps fill with bytes, twice", RACE_GLOBAL, 1, 128, FILL_TWICE("u8", "1", "%h1", ""),
         FILL_TWICE("u8", "1", "%h1", "bar.sync 0;\n")),
    PAIR("a line that two warps fill with halves, twice", RACE_GLOBAL, 1, 64, FILL_TWICE("u16", "2", "%h1", ""),
         FILL_TWICE("u16", "2", "%h1", "bar.sync 0;\n")),
    PAIR("lines that warps fill with words, twice", RACE_GLOBAL, 1, 128, FILL_TWICE("u32", "4", "%r0", ""),
         FILL_TWICE("u32", "4", "%r0", "bar.sync 0;\n")),
    PAIR("flag fenced by the reader only", RACE_GLOBAL, 2, 1, FLAG SET_FLAG("") TAKE_FLAG("membar.gl;\n"),
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("membar.gl;\n")),
    PAIR("fence after the flag", RACE_GLOBAL, 2, 1,
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
    PAIR("flag that a failed swap was to set", RACE_GLOBAL, 3, 1, SWAP_FLAG("7", "st.volatile.global.u32 [%rd4], 1;\n"),
         SWAP_FLAG("0", "")),
    PAIR("written after the flag", RACE_GLOBAL, 2, 1,
         FLAG
         "@%p1 bra T;\nmembar.gl;\nst.volatile.global.u32 [%rd4], 1;\nst.global.u32 [%rd0], 5;\nbra D;\n" TAKE_FLAG(
             "membar.gl;\n"),
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("membar.gl;\n")),
    PAIR("flag fenced by the writer only", RACE_GLOBAL, 2, 1, FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG(""),
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("fence.acq_rel.gpu;\n")),
    PAIR("flag between blocks, fenced for the writer's", RACE_GLOBAL, 2, 1,
         FLAG SET_FLAG("membar.cta;\n") TAKE_FLAG("membar.gl;\n"),
         FLAG SET_FLAG("fence.sc.sys;\n") TAKE_FLAG("membar.gl;\n")),
    PAIR("flag between blocks, fenced for the reader's", RACE_GLOBAL, 2, 1,
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("membar.cta;\n"),
         FLAG SET_FLAG("membar.gl;\n") TAKE_FLAG("membar.sys;\n")),
    PAIR("flag taken for the reader's block", RACE_GLOBAL, 2, 1,
         FLAG SET_FLAG("membar.gl;\n") TAKE_WITH("ld.acquire.cta.global.u32"),
         FLAG SET_FLAG("membar.gl;\n") TAKE_WITH("ld.acquire.gpu.global.u32")),
    PAIR("flag taken by one thread, then a barrier", RACE_GLOBAL, 2, 64, BLOCK_FLAG("") "bar.sync 0;\n" TAKE_WORD,
         BLOCK_FLAG("membar.gl;\n") "bar.sync 0;\n" TAKE_WORD),
    PAIR("flag without a fence, which tells of reads", RACE_GLOBAL, 2, 64, IN_PLACE("st.global.u32 [%rd5], %r0;\n", ""),
         IN_PLACE(USE_WORD, "")),
    PAIR("read after the flag", RACE_GLOBAL, 2, 64, IN_PLACE("", USE_WORD), IN_PLACE(USE_WORD, "")),
    PAIR("flag within a block without a fence", RACE_GLOBAL, 1, 64, NEAR_FLAG("", "membar.cta;\n"),
         NEAR_FLAG("membar.cta;\n", "membar.cta;\n")),
    PAIR("flag within a block, its reader without a fence", RACE_GLOBAL, 1, 64, NEAR_FLAG("membar.cta;\n", ""),
         NEAR_FLAG("membar.cta;\n", "fence.acq_rel.cta;\n")),
    PAIR("flag in shared memory without a fence", RACE_SHARED, 1, 64, SHARED_FLAG("", "membar.cta;\n"),
         SHARED_FLAG("membar.cta;\n", "membar.cta;\n")),
    PAIR("a flag in the upper half of 64 bits, by a mask", RACE_GLOBAL, 2, 1, WAIT_FOR_HALF(STORE_HALVES, TEST_MASKED),
         WAIT_FOR_HALF(STORE_WHOLE, TEST_MASKED)),
    PAIR("a flag in the upper half of 64 bits, by a shift", RACE_GLOBAL, 2, 1,
         WAIT_FOR_HALF(STORE_HALVES, TEST_SHIFTED), WAIT_FOR_HALF(STORE_WHOLE, TEST_SHIFTED)),
    PAIR("a lane that waits for its warp", RACE_GLOBAL, 2, 32, LANE_WAITS(""),
         LANE_WAITS("bar.warp.sync 0xffffffff;\n")),
    PAIR("a lane that waits for its warp and tells it by a shuffle", RACE_GLOBAL, 2, 32, LANE_WAITS(""),
         LANE_WAITS("shfl.sync.idx.b32 %r7, %r7, 0, 31, 0xffffffff;\n")),
    PAIR("lanes that arrive at a counter together", RACE_SHARED, 1, 32, LAST_LANE("relaxed"), LAST_LANE("acq_rel")),
    PAIR("a counter that a lane sets back, but not the last", RACE_GLOBAL, 2, 32, SET_BACK_BY("40"), SET_BACK_BY("63")),
    PAIR("a counter that the first block sets back before it arrives", RACE_GLOBAL, 4, 1,
         SET_BACK "membar.gl;\natom.global.add.u32 %r7, [%rd0], 1;\n", "atom.global.add.u32 %r7, [%rd0], 1;\n"),
    PAIR("a counter that the first warp sets back before it arrives", RACE_SHARED, 1, 64,
         SET_BACK_SHARED("membar.cta;\n"), SET_BACK_SHARED("bar.sync 0;\n")),
    PAIR("a counter that the first warp sets back and arrives at, without a fence", RACE_SHARED, 1, 64,
         SET_BACK_SHARED(""), SET_BACK_SHARED("bar.sync 0;\n")),
    PAIR_WITH("flag in a cluster, fenced for a block", RACE_GLOBAL, 2, 1,
              FLAG SET_FLAG("membar.cta;\n") TAKE_FLAG("fence.acq_rel.cluster;\n"),
              FLAG SET_FLAG("fence.acq_rel.cluster;\n") TAKE_FLAG("fence.acq_rel.cluster;\n"), .cluster = 2),
    PAIR("volatile sum under a lock without fences", RACE_GLOBAL, 4, 1, LOCKED_VOLATILE(""),
         LOCKED_VOLATILE("membar.gl;\n")),
    PAIR("volatile sum that nothing protects", RACE_GLOBAL, 2, 1, COUNT_VOLATILE, VOLATILE_LOOKS),
    PAIR("volatile stores of which only one is under the lock", RACE_GLOBAL, 2, 1,
         LOCK_OF_FIRST "st.volatile.global.u32 [%rd0], %r9;\nbra D;\n" LOCKED_STORE "D:\n", LOCK_OF_FIRST LOCKED_STORE),
    PAIR("volatile stores of all lanes to one word", RACE_GLOBAL, 1, 32, "st.volatile.global.u32 [%rd0], %r0;\n",
         "st.volatile.global.u32 [%rd0], 7;\n"),
    PAIR("volatile store beside an exchange", RACE_GLOBAL, 2, 1,
         FLAG "@%p1 st.volatile.global.u32 [%rd0], 2;\n@!%p1 atom.global.exch.b32 %r7, [%rd0], 1;\n",
         FLAG "@%p1 atom.global.exch.b32 %r8, [%rd0], 2;\n@!%p1 atom.global.exch.b32 %r7, [%rd0], 1;\n"),
    PAIR("volatile word that another block overwrites", RACE_GLOBAL, 2, 1,
         VOLATILE_READ("st.global.u32 [%rd0+512], %r7;\n"),
         VOLATILE_READ("setp.ne.u32 %p2, %r7, 0;\n@%p2 bra D;\nst.global.u32 [%rd0+512], 1;\n")),
    PAIR("volatile data around which a version changes", RACE_GLOBAL, 2, 1, VERSIONED(""), VERSIONED(LOOK_AGAIN)),
    PAIR("lock that is given back without a fence", RACE_GLOBAL, 4, 1, LOCKED("membar.gl;\n", ""),
         LOCKED("membar.gl;\n", "membar.gl;\n")),
    PAIR("lock that is taken without a fence", RACE_GLOBAL, 4, 1, LOCKED("", "membar.gl;\n"),
         LOCKED("membar.gl;\n", "membar.gl;\n")),
    PAIR("lock whose fence is for the block only", RACE_GLOBAL, 4, 1, LOCKED("membar.cta;\n", "membar.gl;\n"),
         LOCKED("membar.gl;\n", "membar.gl;\n")),
    PAIR("counter of all blocks by atomics of a block's scope", RACE_GLOBAL, 2, 32,
         "red.relaxed.cta.global.add.u32 [%rd0], 1;\n", "red.relaxed.gpu.global.add.u32 [%rd0], 1;\n"),
    PAIR("counter of each block by atomics of a block's scope", RACE_GLOBAL, 2, 32,
         "red.relaxed.cta.global.add.u32 [%rd0], 1;\n",
         "setp.lt.u32 %p1, %r1, 32;\n@%p1 red.relaxed.cta.global.add.u32 [%rd0], 1;\n"
         "@!%p1 red.relaxed.cta.global.add.u32 [%rd0+4], 1;\n"),
    PAIR("scattered stores to the words of another block", RACE_GLOBAL, 2, 32,
         SCATTERED("%r0") "st.global.u32 [%rd4], %r1;\n", SCATTERED("%r1") "st.global.u32 [%rd4], %r1;\n"),
    PAIR("scattered stores of what another block stores there", RACE_SAME_VALUE, 2, 32,
         SCATTERED("%r0") "st.global.u32 [%rd4], %r0;\n", SCATTERED("%r1") "st.global.u32 [%rd4], %r0;\n"),
    PAIR("scattered reads of words that another block stores", RACE_GLOBAL, 2, 32, SCATTERED("%r0") READ_SCATTERED,
         SCATTERED("%r1") READ_SCATTERED),
    PAIR("scattered stores of what other blocks store to a whole line", RACE_SAME_VALUE, 3, 32,
         IN_LINE("0") "st.global.u32 [%rd4], %r0;\n", IN_LINE("%ctaid.x") "st.global.u32 [%rd4], %r0;\n"),
    PAIR("scattered stores of other values than other blocks' to a whole line", RACE_GLOBAL, 3, 32,
         IN_LINE("0") "st.global.u32 [%rd4], %r1;\n", IN_LINE("%ctaid.x") "st.global.u32 [%rd4], %r1;\n"),
    PAIR("scattered reads by many blocks of a line that another one stores", RACE_GLOBAL, 8, 32, LAST_STORES("0"),
         LAST_STORES("128")),
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
