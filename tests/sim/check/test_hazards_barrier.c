/* Barriers, mbarriers and warp instructions: which threads arrive, how often and with which mask. */
#include "pairs.h"

#define ARRIVE(count) "mbarrier.arrive.shared.b64 _, [%r5], " count ";\n"
#define HALF "setp.ge.u32 %p3, %r0, 16;\n"
#define TREE(distance) \
    "shfl.sync.down.b32 %r7, %r0, " distance ", 31, 0xffffffff;\nadd.u32 %r0, %r0, %r7;\nmov.u32 %r8, %tid.x;\n"
#define KEEP_FIRST "setp.ne.u32 %p1, %r8, 0;\n@!%p1 st.global.u32 [%rd0], %r0;\n@!%p1 st.shared.u32 [%r3], %r0;\n"

/* Each lane takes a lock and releases it. */
#define ONE_BY_ONE                                                                                  \
    "setp.ne.u32 %p1, %r0, 0;\n@!%p1 st.shared.u32 [%r3], 0;\nbar.sync 0;\n"                        \
    "L: atom.acquire.cta.shared.cas.b32 %r7, [%r3], 0, 1;\nsetp.ne.u32 %p2, %r7, 0;\n@%p2 bra L;\n" \
    "atom.release.cta.shared.exch.b32 %r7, [%r3], 0;\n"

static const pair pairs[] = {
    PAIR("barrier in a part of the warp", BARRIER_DIVERGENCE, 1, 64, HALF "@%p3 bra D;\nbar.sync 0;\nD:\n" OUT("%r0"),
         HALF "bar.sync 0;\n@%p3 bra D;\n" OUT("%r0") "D:\n"),
    PAIR("barrier after a lock, for a part of the warp", BARRIER_DIVERGENCE, 1, 32,
         ONE_BY_ONE HALF "@%p3 bra D;\nbar.sync 0;\nD:\n" OUT("%r0"), ONE_BY_ONE "bar.sync 0;\n" OUT("%r0")),
    PAIR("barriers in both sides of a branch", BARRIER_DIVERGENCE, 1, 64,
         HALF "@%p3 bra T;\nbar.sync 0;\nbra D;\nT: bar.sync 0;\nD:\n" OUT("%r0"),
         HALF "@%p3 bra T;\nbarrier.sync 0;\nbra D;\nT: barrier.sync 0;\nD:\n" OUT("%r0")),
    PAIR("warps that go round the barrier", BARRIER_DIVERGENCE, 1, 96, LEAD "@%p3 bra D;\nbar.sync 0;\nD:\n" OUT("%r0"),
         LEAD "@%p3 bra D;\nbar.sync 0;\n" OUT("%r0") "D:\n"),
    PAIR("the first warp skips the barrier", BARRIER_DIVERGENCE, 1, 96,
         LEAD "@!%p3 bra D;\nbar.sync 0;\nD:\n" OUT("%r0"),
         LEAD "@!%p3 bra T;\nbar.sync 0;\nbra D;\nT: bar.sync 0;\nD:\n" OUT("%r0")),
    PAIR("warps that leave the loop of a barrier before others", BARRIER_DIVERGENCE, 1, 96,
         "shr.u32 %r8, %r0, 5;\nadd.u32 %r8, %r8, 1;\nL: bar.sync 0;\nsub.u32 %r8, %r8, 1;\nsetp.ne.u32 %p3, %r8, 0;\n"
         "@%p3 bra L;\n" OUT("%r0"),
         "mov.u32 %r8, 3;\nL: bar.sync 0;\nsub.u32 %r8, %r8, 1;\nsetp.ne.u32 %p3, %r8, 0;\n@%p3 bra L;\n" OUT("%r0")),
    PAIR("barriers that only some warps come to, before one of all", BARRIER_DIVERGENCE, 1, 64,
         LEAD "@%p3 bra D;\nbar.sync 0;\nD:\n" STORE "bar.sync 0;\n" MIRROR,
         LEAD "@%p3 bra D;\nbar.sync 1, 32;\nD:\n" STORE "bar.sync 0;\n" MIRROR),
    PAIR("named barrier with too few threads", DEADLOCK, 1, 64, LEAD "@%p3 bra D;\nbar.sync 1, 64;\nD:\n",
         LEAD "@%p3 bra D;\nbar.sync 1, 32;\nD:\n"),
    PAIR("counts that differ", BARRIER_MISUSE, 1, 96,
         LEAD "@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.sync 1, 96;\nD:\n", "bar.sync 1, 96;\n"),
    PAIR("one id for two groups", BARRIER_MISUSE, 1, 128,
         "setp.ge.u32 %p3, %r0, 64;\n@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.sync 1, 64;\nD:\n",
         "setp.ge.u32 %p3, %r0, 64;\n@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.sync 2, 64;\nD:\n"),
    PAIR("one id for two groups, one after the other", BARRIER_MISUSE, 1, 128,
         "setp.ge.u32 %p3, %r0, 64;\n@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.sync 2, 64;\nbar.sync 1, 64;\nD:\n",
         "setp.ge.u32 %p3, %r0, 64;\n@%p3 bra T;\nbar.sync 1, 64;\nbar.sync 0;\nbra D;\nT: bar.sync 0;\nbar.sync 1, "
         "64;\n"
         "D:\n"),
    PAIR("producer that arrives again before it knows", BARRIER_MISUSE, 1, 64,
         LEAD "@%p3 bra T;\nbar.arrive 1, 64;\nbar.arrive 1, 64;\nbra D;\nT: bar.sync 1, 64;\nbar.sync 1, 64;\nD:\n",
         LEAD "@%p3 bra T;\nbar.arrive 1, 64;\nbar.sync 2, 64;\nbar.arrive 1, 64;\nbra D;\nT: bar.sync 1, 64;\n"
              "bar.arrive 2, 64;\nbar.sync 1, 64;\nD:\n"),
    PAIR("lanes of one warp that arrive and wait", BARRIER_DIVERGENCE, 1, 64,
         "setp.lt.u32 %p3, %r0, 16;\n@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.arrive 1, 64;\nD:\n",
         LEAD "@%p3 bra T;\nbar.sync 1, 64;\nbra D;\nT: bar.arrive 1, 64;\nD:\n"),
    PAIR("count that is no multiple of a warp", BARRIER_MISUSE, 1, 64, "mov.u32 %r6, 48;\nbar.sync 1, %r6;\n",
         "bar.sync 1, 64;\n"),
    PAIR("barrier 16", BARRIER_MISUSE, 1, 32, "mov.u32 %r6, 16;\nbar.sync %r6;\n", "mov.u32 %r6, 15;\nbar.sync %r6;\n"),
    PAIR("consumer that only arrives", RACE_SHARED, 1, 64,
         LEAD "@%p3 bra T;\n" STORE "bar.sync 1, 64;\nbra D;\nT: bar.arrive 1, 64;\n" MIRROR "D:\n",
         LEAD "@%p3 bra T;\n" STORE "bar.arrive 1, 64;\nbra D;\nT: bar.sync 1, 64;\n" MIRROR "D:\n"),
    PAIR("full and empty barrier mixed up", DEADLOCK, 1, 64,
         LEAD "@%p3 bra T;\n" STORE "bar.arrive 1, 64;\nbar.sync 2, 64;\nbra D;\nT: bar.sync 1, 64;\n" MIRROR
              "bar.arrive 1, 64;\nD:\n",
         LEAD "@%p3 bra T;\n" STORE "bar.arrive 1, 64;\nbar.sync 2, 64;\nbra D;\nT: bar.sync 1, 64;\n" MIRROR
              "bar.arrive 2, 64;\nD:\n"),
    PAIR("consumer's code run by both roles", DEADLOCK, 1, 64, "bar.sync 1, 96;\n" OUT("%r0"),
         "bar.sync 1, 64;\n" OUT("%r0")),
    PAIR("a fence in a barrier's place", RACE_SHARED, 1, 64, STORE "membar.cta;\n" MIRROR,
         STORE "membar.cta;\nbar.sync 0;\n" MIRROR),
    PAIR("__syncwarp of half the warp", RACE_SHARED, 1, 32,
         STORE HALF "@%p3 bra T;\nbar.warp.sync 0xffff;\nbra D;\nT: bar.warp.sync 0xffff0000;\nD:\n" MIRROR,
         STORE "bar.warp.sync 0xffffffff;\n" MIRROR),
    PAIR("more arrivals than the count", MBARRIER_MISUSE, 1, 32, INIT("2") "@!%p1 " ARRIVE("3"),
         INIT("3") "@!%p1 " ARRIVE("3")),
    PAIR("initialised again in use", MBARRIER_MISUSE, 1, 32,
         INIT("2") "@!%p1 " ARRIVE("1") "@!%p1 mbarrier.init.shared.b64 [%r5], 2;\n",
         INIT("2") "@!%p1 " ARRIVE("2") "@!%p1 mbarrier.inval.shared.b64 [%r5];\n"
                                        "@!%p1 mbarrier.init.shared.b64 [%r5], 2;\n"),
    PAIR("ended in use", MBARRIER_MISUSE, 1, 32,
         INIT("2") "@!%p1 " ARRIVE("1") "@!%p1 mbarrier.inval.shared.b64 [%r5];\n",
         INIT("2") "@!%p1 " ARRIVE("2") "@!%p1 mbarrier.inval.shared.b64 [%r5];\n"),
    PAIR("used after its end", MBARRIER_MISUSE, 1, 32,
         INIT("2") "@!%p1 mbarrier.inval.shared.b64 [%r5];\n@!%p1 " ARRIVE("1"),
         INIT("2") "@!%p1 " ARRIVE("2") "@!%p1 mbarrier.inval.shared.b64 [%r5];\n"),
    PAIR("waited for without init", MBARRIER_MISUSE, 1, 32, "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 1;\n",
         INIT("1") "mbarrier.test_wait.parity.shared.b64 %p2, [%r5], 1;\n"),
    PAIR("count of nothing", MBARRIER_MISUSE, 1, 32, INIT("0"), INIT("1")),
    PAIR("an arrival is missing", DEADLOCK, 1, 64, INIT("65") ARRIVE("1") WAIT, INIT("64") ARRIVE("1") WAIT),
    PAIR("one lane too many is missing", DEADLOCK, 1, 64,
         INIT("64") "setp.eq.u32 %p3, %r0, 9;\n@%p3 bra D;\n" ARRIVE("1") WAIT "D:\n",
         INIT("63") "setp.eq.u32 %p3, %r0, 9;\n@%p3 bra D;\n" ARRIVE("1") WAIT "D:\n"),
    PAIR("a phase that never begins", DEADLOCK, 1, 32,
         INIT("32") ARRIVE("1") WAIT "X: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 1;\n@!%p2 bra X;\n",
         INIT("32") ARRIVE("1")
             WAIT ARRIVE("1") "X: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 1;\n@!%p2 bra X;\n"),
    PAIR("flag that nobody sets", DEADLOCK, 1, 1,
         "L: ld.volatile.global.u32 %r7, [%rd1];\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra L;\n",
         "st.volatile.global.u32 [%rd1], 1;\nL: ld.volatile.global.u32 %r7, [%rd1];\nsetp.eq.u32 %p2, %r7, 0;\n"
         "@%p2 bra L;\n"),
    PAIR("shuffle whose mask leaves out lanes", SHUFFLE_MASK, 1, 32,
         "shfl.sync.bfly.b32 %r7, %r0, 1, 31, 0xffff;\n" OUT("%r7"),
         "shfl.sync.bfly.b32 %r7, %r0, 1, 31, 0xffffffff;\n" OUT("%r7")),
    PAIR("shuffle whose mask names lanes elsewhere", SHUFFLE_MASK, 1, 32,
         HALF "@%p3 bra D;\nshfl.sync.bfly.b32 %r7, %r0, 1, 31, 0xffffffff;\n" OUT("%r7") "D:\n" OUT("%r0"),
         HALF "@%p3 bra D;\nshfl.sync.bfly.b32 %r7, %r0, 1, 31, 0xffff;\n" OUT("%r7") "D:\n" OUT("%r0")),
    PAIR("shuffle from a lane outside its mask", SHUFFLE_MASK, 1, 32,
         HALF "@%p3 bra D;\nshfl.sync.idx.b32 %r7, %r0, 20, 31, 0xffff;\n" OUT("%r7") "D:\n",
         HALF "@%p3 bra D;\nshfl.sync.idx.b32 %r7, %r0, 10, 31, 0xffff;\n" OUT("%r7") "D:\n"),
    PAIR("shuffle from a lane that has ended", SHUFFLE_MASK, 1, 32,
         HALF "@%p3 ret;\nshfl.sync.down.b32 %r7, %r0, 8, 31, 0xffffffff;\nadd.u32 %r7, %r7, %r0;\n" OUT("%r7"),
         HALF "@%p3 ret;\nshfl.sync.down.b32 %r7, %r0, 8, 0x100f, 0xffffffff;\nadd.u32 %r7, %r7, %r0;\n" OUT("%r7")),
    PAIR("tree of shuffles in a warp that is not full", SHUFFLE_MASK, 1, 16, TREE("16") TREE("8") KEEP_FIRST,
         TREE("8") TREE("4") KEEP_FIRST),
    PAIR("matrix instruction of half a warp", SHUFFLE_MASK, 1, 32,
         HALF "@%p3 ret;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r7, %r0;\n" OUT("%r7"),
         HALF "movmatrix.sync.aligned.m8n8.trans.b16 %r7, %r0;\n@%p3 ret;\n" OUT("%r7")),
    PAIR("vote whose mask leaves out lanes", SHUFFLE_MASK, 1, 32,
         HALF "vote.sync.ballot.b32 %r7, %p3, 0x7fffffff;\n" OUT("%r7"),
         HALF "vote.sync.ballot.b32 %r7, %p3, 0xffffffff;\n" OUT("%r7")),
    PAIR("vote whose mask names lanes elsewhere", SHUFFLE_MASK, 1, 32,
         HALF "@%p3 bra D;\nvote.sync.any.pred %p4, %p3, 0xffffffff;\n" OUT("%r0") "D:\n" OUT("%r0"),
         HALF "@%p3 bra D;\nvote.sync.any.pred %p4, %p3, 0xffff;\n" OUT("%r0") "D:\n" OUT("%r0")),
    PAIR("match whose mask leaves out lanes", SHUFFLE_MASK, 1, 32, "match.any.sync.b32 %r7, %r0, 0xff;\n" OUT("%r7"),
         "match.any.sync.b32 %r7, %r0, 0xffffffff;\n" OUT("%r7")),
    PAIR("reduction whose mask leaves out lanes", SHUFFLE_MASK, 1, 32,
         "redux.sync.add.u32 %r7, %r0, 0xff;\n" OUT("%r7"), "redux.sync.add.u32 %r7, %r0, 0xffffffff;\n" OUT("%r7")),
    PAIR("__syncwarp whose mask leaves out lanes", SHUFFLE_MASK, 1, 32, "bar.warp.sync 0xffff;\n",
         "bar.warp.sync 0xffffffff;\n"),
    PAIR_WITH("second arrival before the wait for the first", BARRIER_MISUSE, 2, 32,
              "barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n",
              "barrier.cluster.arrive;\nbarrier.cluster.wait;\nbarrier.cluster.arrive;\n", .cluster = 2),
    PAIR_WITH(
        "another block's memory without the cluster's barrier", RACE_SHARED, 2, 32,
        STORE "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\nmapa.shared::cluster.u32 %r9, %r4, %r8;\n"
              "ld.shared::cluster.u32 %r7, [%r9];\n" OUT("%r7") "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
        STORE "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\nmapa.shared::cluster.u32 %r9, %r4, %r8;\n"
              "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
              "ld.shared::cluster.u32 %r7, [%r9];\n" OUT("%r7") "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
        .cluster = 2),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
