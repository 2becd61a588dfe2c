/* Proxies: fences between ordinary accesses and the copy engine, for shared memory, global memory and mbarriers. */
#include "pairs.h"

#define FENCE(space) "fence.proxy.async" space ";\n"
#define FIRST "setp.ne.u32 %p1, %r0, 0;\n"
#define BAR_INIT "@!%p1 mbarrier.init.shared.b64 [%r5], 1;\n"
#define BRING_BACK                                                \
    "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;\n" \
    "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd0], 256, [%r5];\n"
#define TAKE "ld.shared.u32 %r7, [%r4];\nst.global.u32 [%rd2+512], %r7;\n"
#define SEND                                                                        \
    FIRST "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 256;\n" \
          "@!%p1 cp.async.bulk.commit_group;\n@!%p1 cp.async.bulk.wait_group 0;\n"

#define HALVES(at) "mad.lo.u32 %r6, %r0, 2, %r3;\ncvt.u16.u32 %h1, %r0;\nst.shared.u16 [%r6" at "], %h1;\n"
#define SEND_HALVES                                                                 \
    FIRST "@!%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r3], 128;\n" \
          "@!%p1 cp.async.bulk.commit_group;\n@!%p1 cp.async.bulk.wait_group 0;\n"

#define WAIT_NEXT "N: mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 1;\n@!%p2 bra N;\n"

/* Block 0 stores, and tells block 1, whose copy engine reads that. */
#define HAND_OVER(first, behind_stores, behind_wait)                                                         \
    INIT("1")                                                                                                \
    first "mov.u32 %r9, %ctaid.x;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 bra L;\n" OUT("%r0") behind_stores         \
        "membar.gl;\nbar.sync 0;\n@!%p1 st.release.gpu.global.u32 [%rd0+512], 1;\nbra D;\n"                  \
        "L: ld.acquire.gpu.global.u32 %r8, [%rd0+512];\nsetp.eq.u32 %p2, %r8, 0;\n@%p2 bra L;\n" behind_wait \
            BRING_BACK WAIT TAKE "D:\n"

static const pair pairs[] = {
    PAIR_WITH("reads, then a bulk load over what they read", MISSING_PROXY_FENCE, 1, 64,
              INIT("1") BULK WAIT LOAD_OWN "bar.sync 0;\n" BULK WAIT_NEXT LOAD_OWN,
              INIT("1") BULK WAIT LOAD_OWN FENCE("") "bar.sync 0;\n" BULK WAIT_NEXT LOAD_OWN, .strict = true),
    PAIR_WITH("reads of one warp not fenced before a bulk load", MISSING_PROXY_FENCE, 1, 64,
              INIT("1") BULK WAIT LEAD LOAD_OWN "@%p3 " FENCE("") "bar.sync 0;\n" BULK WAIT_NEXT,
              INIT("1") BULK WAIT LOAD_OWN "bar.sync 0;\n@!%p1 " FENCE("") BULK WAIT_NEXT, .strict = true),
    PAIR_WITH("a bulk store's reads need no fence, ordinary ones do", MISSING_PROXY_FENCE, 1, 64,
              INIT("1") STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\n" TAKE "bar.sync 0;\n" BULK WAIT,
              INIT("1") STORE STORE_BULK "@!%p1 cp.async.bulk.wait_group 0;\nbar.sync 0;\n" BULK WAIT, .strict = true),
    PAIR("halves of words, sent without a fence", MISSING_PROXY_FENCE, 1, 64, HALVES("") "bar.sync 0;\n" SEND_HALVES,
         HALVES("") FENCE(".shared::cta") "bar.sync 0;\n" SEND_HALVES),
    PAIR("halves of words, of which one warp's are fenced", MISSING_PROXY_FENCE, 1, 64,
         HALVES("") LEAD "@%p3 " FENCE(".shared::cta") "bar.sync 0;\n" SEND_HALVES,
         HALVES("") FENCE("") "bar.sync 0;\n" SEND_HALVES),
    PAIR("halves of words, overwritten by a bulk load", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") HALVES("") "bar.sync 0;\n" BULK WAIT LOAD_OWN,
         INIT("1") HALVES("") FENCE(".shared::cta") "bar.sync 0;\n" BULK WAIT LOAD_OWN),
    PAIR("halves of words, sent before all are stored", RACE_SHARED, 1, 64,
         HALVES("") FENCE(".shared::cta") SEND_HALVES, HALVES("") FENCE(".shared::cta") "bar.sync 0;\n" SEND_HALVES),
    PAIR("global stores, then a bulk load", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") OUT("%r0") "bar.sync 0;\n" BRING_BACK WAIT TAKE,
         INIT("1") OUT("%r0") FENCE("") "bar.sync 0;\n" BRING_BACK WAIT TAKE),
    PAIR("an ordinary fence before the bulk load", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") OUT("%r0") "membar.gl;\nbar.sync 0;\n" BRING_BACK WAIT TAKE,
         INIT("1") OUT("%r0") FENCE(".global") "bar.sync 0;\n" BRING_BACK WAIT TAKE),
    PAIR("fence for shared memory, stores to global", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") OUT("%r0") FENCE(".shared::cta") "bar.sync 0;\n" BRING_BACK WAIT TAKE,
         INIT("1") OUT("%r0") "bar.sync 0;\n@!%p1 " FENCE(".global") BRING_BACK WAIT TAKE),
    PAIR("fence by the first thread only, before the barrier", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") OUT("%r0") "@!%p1 " FENCE(".global") "bar.sync 0;\n" BRING_BACK WAIT TAKE,
         INIT("1") OUT("%r0") "bar.sync 0;\n@!%p1 " FENCE(".global") BRING_BACK WAIT TAKE),
    PAIR("fence before the global stores", MISSING_PROXY_FENCE, 1, 64,
         INIT("1") FENCE("") OUT("%r0") "bar.sync 0;\n" BRING_BACK WAIT TAKE,
         INIT("1") OUT("%r0") FENCE("") "bar.sync 0;\n" BRING_BACK WAIT TAKE),
    PAIR("another block's stores, fenced too early", MISSING_PROXY_FENCE, 2, 64, HAND_OVER(FENCE(""), "", ""),
         HAND_OVER("", FENCE(""), "")),
    PAIR("another block's stores, fenced before the wait for them", MISSING_PROXY_FENCE, 2, 64,
         HAND_OVER(FENCE(""), "", ""), HAND_OVER("", "", FENCE(".global"))),
    PAIR("fence for global memory, stores to shared", MISSING_PROXY_FENCE, 1, 64,
         STORE FENCE(".global") "bar.sync 0;\n" SEND, STORE FENCE("") "bar.sync 0;\n" SEND),
    PAIR("fence for aliases", MISSING_PROXY_FENCE, 1, 64, STORE "fence.proxy.alias;\nbar.sync 0;\n" SEND,
         STORE FENCE(".shared::cta") "bar.sync 0;\n" SEND),
    PAIR("mbarrier's initialisation not fenced", MISSING_PROXY_FENCE, 1, 64,
         FIRST BAR_INIT "bar.sync 0;\n" BULK WAIT LOAD_OWN,
         FIRST BAR_INIT "@!%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n" BULK WAIT LOAD_OWN),
    PAIR("mbarrier's initialisation fenced by others", MISSING_PROXY_FENCE, 1, 64,
         FIRST BAR_INIT "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n" BULK WAIT LOAD_OWN,
         FIRST BAR_INIT "@!%p1 " FENCE(".shared::cta") "bar.sync 0;\n" BULK WAIT LOAD_OWN),
    PAIR("mbarrier used at once by its thread", MISSING_PROXY_FENCE, 1, 64,
         FIRST BAR_INIT BULK "bar.sync 0;\n" WAIT LOAD_OWN,
         FIRST BAR_INIT "@!%p1 " FENCE("") BULK "bar.sync 0;\n" WAIT LOAD_OWN),
    PAIR("fence before the mbarrier's initialisation", MISSING_PROXY_FENCE, 1, 64,
         FIRST "@!%p1 fence.mbarrier_init.release.cluster;\n" BAR_INIT "bar.sync 0;\n" BULK WAIT LOAD_OWN,
         FIRST BAR_INIT "@!%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n" BULK WAIT LOAD_OWN),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
