/* Asynchronous copies: cp.async, bulk loads and bulk stores, and rings made of them. */
#include "pairs.h"

#define COPY "cp.async.ca.shared.global [%r4], [%rd3], 4;\n"
#define COPY_NEXT "cp.async.ca.shared.global [%r4+256], [%rd3+256], 4;\n"
#define COPY_OTHER "cp.async.ca.shared.global [%r4], [%rd3+256], 4;\n"
#define COPY_NOTHING "cp.async.ca.shared.global [%r4], [%rd3], 4, 0;\n"
#define COMMIT "cp.async.commit_group;\n"
#define WAIT_GROUPS(keep) "cp.async.wait_group " keep ";\n"
#define LOAD_NEXT "ld.shared.u32 %r7, [%r4+256];\n" OUT("%r7")
#define FIRST "setp.ne.u32 %p1, %r0, 0;\n"
#define EXPECT(bytes) "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], " bytes ";\n"
#define BRING(bytes) \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], " bytes ", [%r5];\n"
#define WAIT_PARITY(label, parity) \
    label ": mbarrier.try_wait.parity.shared.b64 %p2, [%r5], " parity ";\n@!%p2 bra " label ";\n"
#define WAIT_AGAIN "A: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n@!%p2 bra A;\n"
#define SEND "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 256;\n"
#define COMMIT_BULK "@!%p1 cp.async.bulk.commit_group;\n"
#define ARRIVE "mbarrier.arrive.shared.b64 _, [%r5];\n"
#define COPY_ARRIVES "cp.async.mbarrier.arrive.noinc.shared.b64 [%r5];\n"

#define COPY_SIZED "cp.async.ca.shared.global [%r4], [%rd3], 4, %r7;\ncp.async.wait_all;\n" LOAD_OWN

/* Tries the wait early, and waits later unless that has succeeded. Threads from `end` on leave for D without having
 * waited. */
#define PEEK(end)                                                                                              \
    "mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\nselp.u32 %r8, 1, 0, %p2;\nsetp.ge.u32 %p3, %r0, " end \
    ";\n@%p3 bra D;\nsetp.ne.u32 %p2, %r8, 0;\n@%p2 bra G;\n" WAIT "G:\n"

/* Lanes from 12 on use number 12, as surplus lanes of a copy do. */
#define CLAMPED "min.u32 %r6, %r0, 12;\nmad.wide.u32 %rd4, %r6, 4, %rd1;\nmad.lo.u32 %r6, %r6, 4, %r3;\n"
#define COPY_CLAMPED(from) "cp.async.ca.shared.global [%r6], [" from "], 4;\n" COMMIT WAIT_GROUPS("0") "bar.sync 0;\n"

static const pair pairs[] = {
    PAIR("cp.async not waited for", ASYNC_READ_BEFORE_WAIT, 1, 64, COPY COMMIT LOAD_OWN,
         COPY COMMIT WAIT_GROUPS("0") LOAD_OWN),
    PAIR("group not committed", ASYNC_READ_BEFORE_WAIT, 1, 64, COPY WAIT_GROUPS("0") LOAD_OWN,
         COPY COMMIT WAIT_GROUPS("0") LOAD_OWN),
    PAIR("the wait leaves the group in flight", ASYNC_READ_BEFORE_WAIT, 1, 64,
         COPY COMMIT COPY_NEXT COMMIT WAIT_GROUPS("1") LOAD_NEXT,
         COPY COMMIT COPY_NEXT COMMIT WAIT_GROUPS("1") LOAD_OWN WAIT_GROUPS("0") LOAD_NEXT),
    PAIR("a copy of less than nothing", ILLEGAL_ACCESS, 1, 64,
         "sub.u32 %r7, 60, %r0;\nshl.b32 %r7, %r7, 2;\nmin.s32 %r7, %r7, 4;\n" COPY_SIZED,
         "sub.u32 %r7, 60, %r0;\nshl.b32 %r7, %r7, 2;\nmin.s32 %r7, %r7, 4;\nmax.s32 %r7, %r7, 0;\n" COPY_SIZED),
    PAIR("two lanes copy to one place", ASYNC_READ_BEFORE_WAIT, 1, 32, CLAMPED COPY_CLAMPED("%rd3"),
         CLAMPED COPY_CLAMPED("%rd4")),
    PAIR("another copy to the same place before the wait", ASYNC_READ_BEFORE_WAIT, 1, 64,
         COPY COMMIT COPY_OTHER COMMIT WAIT_GROUPS("0"),
         COPY COMMIT WAIT_GROUPS("0") COPY_OTHER COMMIT WAIT_GROUPS("0")),
    PAIR("the same copy again before the wait", ASYNC_READ_BEFORE_WAIT, 1, 64,
         COPY COMMIT COPY COMMIT WAIT_GROUPS("1") LOAD_OWN, COPY COPY COMMIT WAIT_GROUPS("0") LOAD_OWN),
    PAIR("the same place filled with zeros before the wait", ASYNC_READ_BEFORE_WAIT, 1, 64,
         COPY COPY_NOTHING COMMIT WAIT_GROUPS("0"), COPY_NOTHING COPY_NOTHING COMMIT WAIT_GROUPS("0") LOAD_OWN),
    PAIR("no barrier after the wait", RACE_SHARED, 1, 64, COPY COMMIT WAIT_GROUPS("0") MIRROR,
         COPY COMMIT WAIT_GROUPS("0") "bar.sync 0;\n" MIRROR),
    PAIR("a barrier before the wait only", ASYNC_READ_BEFORE_WAIT, 1, 64,
         COPY COMMIT "bar.sync 0;\n" MIRROR WAIT_GROUPS("0"), COPY COMMIT WAIT_GROUPS("0") "bar.sync 0;\n" MIRROR),
    PAIR("its destination written meanwhile", ASYNC_READ_BEFORE_WAIT, 1, 64, COPY COMMIT STORE WAIT_GROUPS("0"),
         COPY COMMIT WAIT_GROUPS("0") STORE),
    PAIR("its destination still read by others", RACE_SHARED, 1, 64, STORE "bar.sync 0;\n" MIRROR COPY COMMIT,
         STORE "bar.sync 0;\n" MIRROR "bar.sync 0;\n" COPY COMMIT),
    PAIR("its source written by another thread", RACE_GLOBAL, 1, 64,
         "xor.b32 %r6, %r0, 1;\nmad.wide.u32 %rd4, %r6, 4, %rd1;\n" COPY COMMIT
         "st.global.u32 [%rd4], %r0;\n" WAIT_GROUPS("0"),
         "xor.b32 %r6, %r0, 1;\nmad.wide.u32 %rd4, %r6, 4, %rd1;\n" COPY COMMIT WAIT_GROUPS(
             "0") "bar.sync 0;\n"
                  "st.global.u32 [%rd4], %r0;\n"),
    PAIR_WITH("a wait for the mbarrier in one warp only", RACE_SHARED, 1, 64,
              INIT("64") COPY COPY_ARRIVES LEAD "@%p3 bra D;\n" WAIT "D:\n" MIRROR,
              INIT("64") COPY COPY_ARRIVES WAIT MIRROR, .or_kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT),
    PAIR("arrived without its copies", ASYNC_READ_BEFORE_WAIT, 1, 64, INIT("64") COPY ARRIVE WAIT MIRROR,
         INIT("64") COPY COPY_ARRIVES WAIT MIRROR),
    PAIR("an early try is forgotten", ASYNC_READ_BEFORE_WAIT, 1, 64,
         INIT("1") BULK PEEK("32") "D:\n" LOAD_OWN WAIT_AGAIN, INIT("1") BULK PEEK("64") LOAD_OWN "D:\n" WAIT_AGAIN),
    PAIR("fewer bytes expected than come", DEADLOCK, 1, 64, INIT("1") EXPECT("128") BRING("256") WAIT LOAD_OWN,
         INIT("1") EXPECT("256") BRING("256") WAIT LOAD_OWN),
    PAIR("more bytes expected than come", DEADLOCK, 1, 64, INIT("1") EXPECT("512") BRING("256") WAIT LOAD_OWN,
         INIT("1") EXPECT("256") BRING("256") WAIT LOAD_OWN),
    PAIR("no bytes expected", ASYNC_READ_BEFORE_WAIT, 1, 64,
         INIT("1") "@!%p1 " ARRIVE "bar.sync 0;\n" BRING("256") WAIT LOAD_OWN,
         INIT("1") EXPECT("256") "bar.sync 0;\n" BRING("256") WAIT LOAD_OWN),
    PAIR("the second phase waited for as the first", MBARRIER_MISUSE, 1, 64,
         INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" BULK WAIT_PARITY("B", "0") LOAD_OWN,
         INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" BULK WAIT_PARITY("B", "1") LOAD_OWN),
    PAIR("stage refilled while it is read", RACE_SHARED, 1, 64,
         INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN BULK WAIT_PARITY("B", "1") LOAD_OWN,
         INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" BULK WAIT_PARITY("B", "1") LOAD_OWN),
    PAIR("stage brought by two copies at once", ASYNC_READ_BEFORE_WAIT, 1, 64,
         INIT("1") EXPECT("512") BRING("256") BRING("256") WAIT LOAD_OWN,
         INIT("1") EXPECT("256") BRING("256") WAIT LOAD_OWN),
    PAIR("producer's code run by both warps", ASYNC_READ_BEFORE_WAIT, 1, 64,
         INIT("2") "and.b32 %r8, %r0, 31;\nsetp.ne.u32 %p1, %r8, 0;\n" BULK WAIT LOAD_OWN,
         INIT("1") "and.b32 %r8, %r0, 31;\nsetp.ne.u32 %p1, %r0, 0;\n" BULK WAIT LOAD_OWN),
    PAIR("producer's code run by all lanes", MBARRIER_MISUSE, 1, 32,
         INIT("1") "setp.ne.u32 %p1, %r2, 32;\n" BULK WAIT LOAD_OWN, INIT("1") BULK WAIT LOAD_OWN),
    PAIR("ordinary stores refilled without a proxy fence", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") STORE "bar.sync 0;\n" BULK WAIT LOAD_OWN,
         INIT("1") STORE "fence.proxy.async.shared::cta;\nbar.sync 0;\n" BULK WAIT LOAD_OWN),
    PAIR("no proxy fence", MISSING_PROXY_FENCE, 1, 64,
         STORE "bar.sync 0;\n" FIRST SEND COMMIT_BULK "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("proxy fence before the stores", MISSING_PROXY_FENCE, 1, 64,
         "fence.proxy.async.shared::cta;\n" STORE "bar.sync 0;\n" FIRST SEND COMMIT_BULK
         "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("ordinary fence in a proxy fence's place", MISSING_PROXY_FENCE, 1, 64,
         STORE "membar.cta;\nbar.sync 0;\n" FIRST SEND COMMIT_BULK "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("sent before all have stored", RACE_SHARED, 1, 64,
         STORE "fence.proxy.async.shared::cta;\n" FIRST SEND COMMIT_BULK "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("bulk store waited for one group short", ASYNC_SOURCE_OVERWRITTEN, 1, 64,
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 1;\nbar.sync 0;\n" STORE,
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE),
    PAIR("bulk store not committed", ASYNC_SOURCE_OVERWRITTEN, 1, 64,
         STORE "fence.proxy.async.shared::cta;\nbar.sync 0;\n" FIRST SEND
               "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE,
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE),
    PAIR("bulk store's wait in a thread that has no stores", ASYNC_SOURCE_OVERWRITTEN, 1, 64,
         STORE STORE_BULK "setp.ne.u32 %p1, %r0, 1;\n@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE,
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE),
    PAIR_WITH("no barrier after a bulk store's wait", RACE_SHARED, 1, 64,
              STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\n" STORE,
              STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" STORE,
              .or_kind = HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN),
    PAIR("copies in a group that stays open", MISSING_COMMIT, 1, 64, COPY, COPY COMMIT WAIT_GROUPS("0")),
    PAIR("group of a bulk store that stays open", MISSING_COMMIT, 1, 64,
         STORE "fence.proxy.async.shared::cta;\nbar.sync 0;\n" FIRST SEND "@!%p1 cp.async.bulk.wait_group 0;\n",
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n"),
    PAIR("block that ends before its bulk store has read", ASYNC_SOURCE_OVERWRITTEN, 1, 64, STORE STORE_BULK,
         STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group.read 0;\n"),
    PAIR("block that ends before its bulk load has come", ASYNC_READ_BEFORE_WAIT, 1, 64, INIT("1") BULK,
         INIT("1") BULK WAIT),
    PAIR("one half of a warp commits", COMMIT_DIVERGENT, 1, 32,
         COPY "setp.ge.u32 %p3, %r0, 16;\n@!%p3 " COMMIT "@%p3 " COMMIT WAIT_GROUPS("0"), COPY COMMIT WAIT_GROUPS("0")),
    PAIR("commits in both sides of a branch", COMMIT_DIVERGENT, 1, 32,
         "setp.ge.u32 %p3, %r0, 16;\n@%p3 bra T;\n" COPY COMMIT "bra D;\nT: " COPY COMMIT "D: " WAIT_GROUPS("0"),
         "setp.ge.u32 %p3, %r0, 16;\n@%p3 bra T;\n" COPY COMMIT "T: " WAIT_GROUPS("0")),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
