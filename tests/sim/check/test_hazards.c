/* Ordering by barriers, mbarriers, atomics and fences, and findings where it is missing. */
#include "pairs.h"

/* Volatile accesses as in warp code written for lockstep execution. */
#define VOLATILE_STORE "st.volatile.shared.u32 [%r4], %r0;\n"
#define VOLATILE_NEIGHBOUR \
    "xor.b32 %r6, %r0, 1;\nmad.lo.u32 %r6, %r6, 4, %r3;\nld.volatile.shared.u32 %r7, [%r6];\n" OUT("%r7")
/* Each lane reads what the previous lane has stored. */
#define CHAIN_START                                                \
    "setp.eq.u32 %p1, %r0, 0;\nst.volatile.shared.u32 [%r4], 0;\n" \
    "bar.warp.sync 0xffffffff;\n@!%p1 bra T;\nmov.u32 %r7, 1;\nbra L;\n"
#define CHAIN_END "L: add.u32 %r7, %r7, 1;\nst.volatile.shared.u32 [%r4], %r7;\n"

/* All lanes read the first byte; the last lane of the first warp writes it. */
#define READ_BYTE "ld.shared.u8 %h1, [%r3];\ncvt.u32.u16 %r7, %h1;\n" OUT("%r7")
#define ONE_WRITES_BYTE "setp.ne.u32 %p1, %r0, 31;\n@!%p1 st.shared.u8 [%r3], %h1;\n"

/* Each warp stores a matrix, whose rows have 16 bytes: to the same place, or to its own. */
#define ROW "and.b32 %r6, %r0, 7;\nmad.lo.u32 %r6, %r6, 16, %r3;\n"
#define ROW_OF_WARP ROW "and.b32 %r7, %r0, 32;\nmad.lo.u32 %r6, %r7, 4, %r6;\n"
#define STORE_MATRIX(value) "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r6], {" value "};\n"

/* `if (tid == 0 && flag != 7) flag = ...;` as nvcc compiles it: all threads load the flag. */
#define CLEAR_FLAG                                                                                        \
    "setp.ne.u32 %p1, %r0, 0;\n@!%p1 st.shared.u32 [%r3], %r0;\nbar.sync 0;\nld.shared.u32 %r8, [%r3];\n" \
    "setp.eq.u32 %p2, %r8, 7;\nor.pred %p3, %p1, %p2;\n@%p3 bra D;\nst.shared.u32 [%r3], %r2;\nD:\n"

/* Each thread's word of a tile, by number. */
#define TILE_OF(number) "mad.lo.u32 %r9, " number ", 4, %r3;\n"

/* Each thread stores to four rows of 64 words, then reads the mirrored thread's words by registers of their own. */
#define STORE_ROWS                                                                              \
    "st.shared.u32 [%r4], %r0;\nst.shared.u32 [%r4+256], %r0;\nst.shared.u32 [%r4+512], %r0;\n" \
    "st.shared.u32 [%r4+768], %r0;\n"
#define READ_ROW(at, row) "add.u32 " at ", %r6, " row ";\nld.shared.u32 %r20, [" at "];\nadd.u32 %r21, %r21, %r20;\n"
#define READ_ROWS                                                                                   \
    "sub.u32 %r6, 63, %r0;\nmad.lo.u32 %r6, %r6, 4, %r3;\nmov.u32 %r21, 0;\n" READ_ROW("%r10", "0") \
        READ_ROW("%r11", "256") READ_ROW("%r12", "512") READ_ROW("%r13", "768") READ_ROW("%r14", "0") OUT("%r21")

/* The third warp of all, in the second block, reads its own words of `out` or those of the warp before it. */
#define THIRD_WARP_READS(at)                                                                             \
    "and.b32 %r6, %r1, 96;\nsetp.ne.u32 %p1, %r6, 64;\n@%p1 bra D;\nld.global.u32 %r7, [%rd2+" at "];\n" \
    "st.shared.u32 [%r4], %r7;\nD:\n"

/* All blocks but the last, of 300 and 64 threads each, store the words that they read; of the last, with `%p1`, only
 * the first warp does. */
#define LAST_BLOCK "setp.ge.u32 %p2, %r1, 19136;\nsetp.ge.u32 %p3, %r0, 32;\nand.pred %p1, %p2, %p3;\n"
#define READ_IN_LAST_BLOCK                                                                                        \
    "bar.sync 0;\nsub.u32 %r6, 63, %r0;\nmad.lo.u32 %r6, %r6, 4, %r3;\nld.shared.u32 %r7, [%r6];\n@!%p2 bra D;\n" \
    "mul.wide.u32 %rd4, %r0, 4;\nadd.u64 %rd4, %rd0, %rd4;\nst.global.u32 [%rd4], %r7;\nD:\n"

/* Half a warp passes a barrier, which the ended lanes no longer hold up. */
#define HALF_PASSES STORE "bar.warp.sync 0xffffffff;\nsetp.ge.u32 %p1, %r0, 16;\n@%p1 bra D;\nbar.sync 0;\n" NEIGHBOUR

#define SHUFFLE(value) "shfl.sync.up.b32 %r8, " value ", 1, 0, 0xffffffff;\n"
#define OVERWRITE "st.shared.u32 [%r4], %r8;\n"

/* Lane 0 stores to a word, and the even lanes read it, lane 0 among them. */
#define LEADER_WORD(type, value, behind)                                                                        \
    "setp.ne.u32 %p1, %r0, 0;\nand.b32 %r6, %r0, 1;\nsetp.ne.u32 %p2, %r6, 0;\nmov.u32 %r7, 5;\n"               \
    "cvt.u16.u32 %h2, %r7;\n@!%p1 st.shared." type " [%r3], " value ";\n" behind "@%p2 bra D;\nld.shared." type \
    " " value ", [%r3];\ncvt.u32.u16 %r8, %h2;\nadd.u32 %r7, %r7, %r8;\n" OUT("%r7") "D:\n"

static const pair pairs[] = {
    PAIR("lanes behind a barrier that the others of their warp have skipped", RACE_SHARED, 1, 32,
         HALF_PASSES STORE "D:\n", HALF_PASSES "bar.warp.sync 0xffff;\n" STORE "D:\n"),
    PAIR("one of several tiles overwritten too early", RACE_SHARED, 1, 64,
         STORE_ROWS "bar.sync 0;\n" READ_ROWS "st.shared.u32 [%r4+512], %r0;\n",
         STORE_ROWS "bar.sync 0;\n" READ_ROWS "bar.sync 0;\nst.shared.u32 [%r4+512], %r0;\n"),
    PAIR("a byte that all lanes read and one writes", RACE_SHARED, 1, 32,
         STORE "bar.sync 0;\n" READ_BYTE ONE_WRITES_BYTE,
         STORE "bar.sync 0;\n" READ_BYTE "bar.warp.sync 0xffffffff;\n" ONE_WRITES_BYTE),
    PAIR("a flag that all threads load, and the first one needs", RACE_SHARED, 1, 64, CLEAR_FLAG OUT("%r8"),
         CLEAR_FLAG),
    PAIR("a byte that two warps read and a lane of one writes", RACE_SHARED, 1, 64,
         STORE "bar.sync 0;\n" READ_BYTE "bar.warp.sync 0xffffffff;\n" ONE_WRITES_BYTE,
         STORE "bar.sync 0;\n" READ_BYTE "bar.sync 0;\n" ONE_WRITES_BYTE),
    PAIR("volatile stores that the next lane reads", RACE_SHARED, 1, 32, VOLATILE_STORE VOLATILE_NEIGHBOUR,
         VOLATILE_STORE "bar.warp.sync 0xffffffff;\n" VOLATILE_NEIGHBOUR),
    PAIR("volatile stores overwrite a word that the next lane reads", RACE_SHARED, 1, 32,
         STORE "bar.warp.sync 0xffffffff;\n" VOLATILE_NEIGHBOUR VOLATILE_STORE,
         STORE "bar.warp.sync 0xffffffff;\n" VOLATILE_NEIGHBOUR "bar.warp.sync 0xffffffff;\n" VOLATILE_STORE),
    PAIR("volatile stores to global memory that the next lane reads", RACE_GLOBAL, 1, 32,
         "st.volatile.global.u32 [%rd2], %r0;\nld.volatile.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n",
         "st.volatile.global.u32 [%rd2], %r0;\nbar.warp.sync 0xffffffff;\nld.volatile.global.u32 %r7, [%rd0];\n"
         "st.shared.u32 [%r4], %r7;\n"),
    PAIR("volatile stores of two warps to one word", RACE_SHARED, 1, 64, "st.volatile.shared.u32 [%r3], %r0;\n",
         LEAD "@!%p3 st.volatile.shared.u32 [%r3], 1;\nbar.sync 0;\n@%p3 st.volatile.shared.u32 [%r3], 2;\n"),
    PAIR("volatile word of shared memory that another warp overwrites", RACE_SHARED, 1, 64,
         STORE
         "bar.sync 0;\n" LEAD
         "ld.volatile.shared.u32 %r7, [%r3];\nst.global.u32 [%rd2], %r7;\n@%p3 st.volatile.shared.u32 [%r3], 2;\n",
         STORE "bar.sync 0;\n" LEAD "ld.volatile.shared.u32 %r7, [%r3];\nst.global.u32 [%rd2], %r7;\nbar.sync 0;\n@%p3 "
               "st.volatile.shared.u32 [%r3], 2;\n"),
    PAIR("a chain of lanes that do not wait for each other", RACE_SHARED, 1, 32,
         CHAIN_START "T: ld.volatile.shared.u32 %r7, [%r4+-4];\n" CHAIN_END,
         CHAIN_START "T: ld.volatile.shared.u32 %r7, [%r4+-4];\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra T;\n" CHAIN_END),
    PAIR("overwritten after a shuffle of another value than the one read", RACE_SHARED, 1, 32,
         STORE "bar.warp.sync 0xffffffff;\n" NEIGHBOUR SHUFFLE("%r0") OVERWRITE,
         STORE "bar.warp.sync 0xffffffff;\n" NEIGHBOUR SHUFFLE("%r7") OVERWRITE),
    PAIR("a lane's store that it reads together with others", RACE_SHARED, 1, 32, LEADER_WORD("u32", "%r7", ""),
         LEADER_WORD("u32", "%r7", "bar.warp.sync 0xffffffff;\n")),
    PAIR("a lane's byte that it reads together with others", RACE_SHARED, 1, 32, LEADER_WORD("u8", "%h2", ""),
         LEADER_WORD("u8", "%h2", "bar.warp.sync 0xffffffff;\n")),
    PAIR("lanes", RACE_SHARED, 1, 32, STORE NEIGHBOUR, STORE "bar.warp.sync 0xffffffff;\n" NEIGHBOUR),
    PAIR("warps", RACE_SHARED, 1, 64, STORE "bar.warp.sync 0xffffffff;\n" MIRROR, STORE "bar.sync 0;\n" MIRROR),
    PAIR("overwritten too early", RACE_SHARED, 1, 64, STORE "bar.sync 0;\n" MIRROR STORE,
         STORE "bar.sync 0;\n" MIRROR "bar.sync 0;\n" STORE),
    PAIR("bytes", RACE_SHARED, 1, 64,
         "cvt.u16.u32 %h1, %r0;\nshr.u32 %r6, %r0, 1;\nadd.u32 %r6, %r6, %r3;\nst.shared.u8 [%r6], %h1;\n",
         "cvt.u16.u32 %h1, %r0;\nadd.u32 %r6, %r0, %r3;\nst.shared.u8 [%r6], %h1;\n"),
    PAIR("named barriers mixed up", RACE_SHARED, 1, 64,
         STORE LEAD "@%p3 bra T;\nbar.sync 1, 32;\nbra D;\nT: bar.sync 2, 32;\nD:\n" MIRROR,
         STORE LEAD "@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.sync 1, 64;\nD:\n" MIRROR),
    PAIR("one lane arrives for its warp", RACE_SHARED, 1, 64,
         INIT("2") STORE
         "and.b32 %r8, %r0, 31;\nsetp.ne.u32 %p3, %r8, 0;\n@!%p3 mbarrier.arrive.shared.b64 _, [%r5];\n" WAIT MIRROR,
         INIT("2") STORE "bar.warp.sync 0xffffffff;\nand.b32 %r8, %r0, 31;\nsetp.ne.u32 %p3, %r8, 0;\n"
                         "@!%p3 mbarrier.arrive.shared.b64 _, [%r5];\n" WAIT MIRROR),
    PAIR("histogram", RACE_SHARED, 1, 64,
         "st.shared.u32 [%r4], 0;\nbar.sync 0;\n" COUNT_BIN "red.shared.add.u32 [%r9], %r8;\n" LOAD_OWN,
         "st.shared.u32 [%r4], 0;\nbar.sync 0;\n" COUNT_BIN "red.shared.add.u32 [%r9], %r8;\nbar.sync 0;\n" LOAD_OWN),
    PAIR("the same value", RACE_SAME_VALUE, 1, 64, "mov.u32 %r8, 7;\nst.shared.u32 [%r3], %r8;\n",
         "setp.ne.u32 %p1, %r0, 0;\nmov.u32 %r8, 7;\n@!%p1 st.shared.u32 [%r3], %r8;\n"),
    PAIR("other words of a tile that two warps store", RACE_SHARED, 1, 64,
         "and.b32 %r8, %r0, 31;\n" TILE_OF("%r8") "st.shared.u32 [%r9], %r0;\n",
         "and.b32 %r8, %r0, 31;\n" TILE_OF("%r8") "st.shared.u32 [%r9], %r8;\n"),
    PAIR("matrices of two warps at one place", RACE_SHARED, 1, 64, ROW STORE_MATRIX("%r0"),
         ROW_OF_WARP STORE_MATRIX("%r0")),
    PAIR("the same matrix of two warps at one place", RACE_SAME_VALUE, 1, 64,
         "and.b32 %r8, %r0, 31;\n" ROW STORE_MATRIX("%r8"), ROW_OF_WARP STORE_MATRIX("%r0")),
    PAIR("bulk load not waited for", ASYNC_READ_BEFORE_WAIT, 1, 64, INIT("1") BULK "bar.sync 0;\n" LOAD_OWN WAIT,
         INIT("1") BULK WAIT LOAD_OWN),
    PAIR("one thread waits for all", ASYNC_READ_BEFORE_WAIT, 1, 64, INIT("1") BULK "@%p1 bra D;\n" WAIT "D:\n" LOAD_OWN,
         INIT("1") BULK "@%p1 bra D;\n" WAIT "D:\nbar.sync 0;\n" LOAD_OWN),
    PAIR("wrong parity", MBARRIER_MISUSE, 1, 64,
         INIT("1") BULK "bar.sync 0;\nW: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 1;\n@!%p2 bra W;\n" LOAD_OWN,
         INIT("1") BULK "bar.sync 0;\n" WAIT LOAD_OWN),
    PAIR("bulk store's source", ASYNC_SOURCE_OVERWRITTEN, 1, 64, STORE STORE_BULK STORE,
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE),
    PAIR("proxy fence by another thread only", MISSING_PROXY_FENCE, 1, 64,
         STORE
         "setp.ne.u32 %p1, %r0, 0;\n@!%p1 fence.proxy.async.shared::cta;\nbar.sync 0;\n"
         "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 256;\n@!%p1 cp.async.bulk.commit_group;\n"
         "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("mbarrier without init", MBARRIER_MISUSE, 1, 32, "mbarrier.arrive.shared.b64 _, [%r5];\n",
         INIT("32") "mbarrier.arrive.shared.b64 _, [%r5];\n"),
    PAIR("init that others do not know of", MBARRIER_MISUSE, 1, 32,
         "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 32;\nmbarrier.arrive.shared.b64 _, [%r5];\n",
         "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 32;\nbar.warp.sync 0xffffffff;\n"
         "mbarrier.arrive.shared.b64 _, [%r5];\n"),
    PAIR("block, through global memory", RACE_GLOBAL, 1, 64,
         OUT("%r0") "ld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n",
         OUT("%r0") "bar.sync 0;\nld.global.u32 %r7, [%rd0];\nst.shared.u32 [%r4], %r7;\n"),
    PAIR("the second of two warps that store side by side", RACE_GLOBAL, 2, 64, OUT("%r0") THIRD_WARP_READS("-128"),
         OUT("%r0") THIRD_WARP_READS("0")),
    PAIR("flag without a fence", RACE_GLOBAL, 2, 1,
         FLAG "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nst.volatile.global.u32 [%rd4], 1;\nbra D;\n"
              "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\nmembar.gl;\n"
              "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n",
         FLAG "@%p1 bra T;\nst.global.u32 [%rd0], 5;\nmembar.gl;\nst.volatile.global.u32 [%rd4], 1;\nbra D;\n"
              "T: ld.volatile.global.u32 %r7, [%rd4];\nsetp.ne.u32 %p2, %r7, 1;\n@%p2 bra T;\nmembar.gl;\n"
              "ld.global.u32 %r8, [%rd0];\nst.global.u32 [%rd0+64], %r8;\nD:\n"),
    PAIR("words that all blocks but the last have stored", UNINITIALISED_READ, 300, 64,
         LAST_BLOCK "@%p1 bra S;\n" STORE "S:\n" READ_IN_LAST_BLOCK,
         LAST_BLOCK "@%p1 bra S;\nS:\n" STORE READ_IN_LAST_BLOCK),
    PAIR("uninitialised value is stored", UNINITIALISED_READ, 1, 32,
         "ld.shared.u32 %r7, [%r4];\nadd.u32 %r7, %r7, 1;\n" OUT("%r7"),
         "ld.shared.u32 %r7, [%r4];\nadd.u32 %r7, %r7, 1;\nst.shared.u32 [%r4], %r7;\n" OUT("%r0")),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
