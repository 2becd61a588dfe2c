/* Copies and reductions from one block's shared memory to another's: both ends, until their mbarrier has been waited
 * for. Block 0 sends the first half of its `s` to the second half of block 1's, and completes on block 1's mbarrier. */
#include "pairs.h"

#define MEET "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
#define SETUP_ALONE                                                                                         \
    INIT("1")                                                                                               \
    STORE "st.shared.u32 [%r4+256], %r0;\nfence.proxy.async.shared::cta;\nmov.u32 %r8, %cluster_ctarank;\n" \
          "setp.ne.u32 %p4, %r8, 0;\nor.pred %p5, %p1, %p4;\nmapa.shared::cluster.u32 %r9, %r3, 1;\n"       \
          "mapa.shared::cluster.u32 %r10, %r5, 1;\nmapa.shared::cluster.u32 %r11, %r5, 0;\n"
#define SETUP SETUP_ALONE MEET
#define SEND(instruction) "@!%p5 " instruction ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
#define COPY SEND("cp.async.bulk") " [%r9+256], [%r3], 256, [%r10];\n"
#define ADD SEND("cp.reduce.async.bulk") ".add.u32 [%r9+256], [%r3], 256, [%r10];\n"
/* The same with a word per thread. */
#define ADD_OWN                                                                                            \
    "mapa.shared::cluster.u32 %r12, %r4, 1;\n@!%p4 red.async.relaxed.cluster.mbarrier::complete_tx::bytes" \
    ".shared::cluster.add.u32 [%r12+256], 1, [%r10];\n"
/* Block 1's first thread tells its mbarrier how many bytes to expect; its threads wait. */
#define EXPECT                                     \
    "not.pred %p7, %p4;\nor.pred %p6, %p1, %p7;\n" \
    "@!%p6 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;\n"
#define ONLY_BLOCK(rank, does) "setp.ne.u32 %p8, %r8, " rank ";\n@%p8 bra N" rank ";\n" does "N" rank ":\n"
#define WAIT_HERE(label) \
    label ": mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra " label ";\n"
#define TAKE "ld.shared.u32 %r7, [%r4+256];\n" OUT("%r7")
#define TAKE_HALF "ld.shared.u16 %h1, [%r4+256];\ncvt.u32.u16 %r7, %h1;\n" OUT("%r7")
/* Block 1 tells block 0 that it has waited. */
#define TELL "@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r11];\n"

static const pair pairs[] = {
    PAIR_WITH("a copy's source overwritten while in flight", ASYNC_SOURCE_OVERWRITTEN, 2, 64,
              SETUP EXPECT COPY ONLY_BLOCK("0", "bar.sync 0;\n" STORE) ONLY_BLOCK("1", WAIT_HERE("A") TAKE) MEET,
              SETUP EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A") TAKE) MEET ONLY_BLOCK("0", STORE), .cluster = 2),
    PAIR_WITH("a copy's source overwritten by a thread not told of its completion", ASYNC_SOURCE_OVERWRITTEN, 2, 64,
              SETUP EXPECT COPY "barrier.cluster.arrive;\n" ONLY_BLOCK(
                  "1", WAIT_HERE("A") TAKE) "barrier.cluster.wait;\n" ONLY_BLOCK("0", STORE) MEET,
              SETUP EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A") TAKE TELL) ONLY_BLOCK("0", WAIT_HERE("B") STORE) MEET,
              .cluster = 2),
    PAIR_WITH("a copy to a block whose mbarrier nobody is known to have initialised", MBARRIER_MISUSE, 2, 64,
              SETUP_ALONE EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A")) MEET,
              SETUP EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A")) MEET, .cluster = 2),
    PAIR_WITH("a reduction's source overwritten", ASYNC_SOURCE_OVERWRITTEN, 2, 64,
              SETUP EXPECT ADD "barrier.cluster.arrive;\n" ONLY_BLOCK(
                  "1", WAIT_HERE("A") TAKE) "barrier.cluster.wait;\n" ONLY_BLOCK("0", STORE) MEET,
              SETUP EXPECT ADD ONLY_BLOCK("1", WAIT_HERE("A") TAKE TELL) ONLY_BLOCK("0", WAIT_HERE("B") STORE) MEET,
              .cluster = 2),
    PAIR_WITH("a source sent twice, of which one copy is known to have come", ASYNC_SOURCE_OVERWRITTEN, 2, 64,
              SETUP EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A") TAKE TELL) ONLY_BLOCK("0", WAIT_HERE("B") COPY STORE)
                  MEET,
              SETUP EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A") TAKE TELL) ONLY_BLOCK("0", WAIT_HERE("B") STORE) MEET,
              .cluster = 2),
    PAIR_WITH("a reduction's result read before the wait", RACE_SHARED, 2, 64,
              SETUP EXPECT ADD ONLY_BLOCK("1", TAKE WAIT_HERE("A")) MEET,
              SETUP EXPECT ADD ONLY_BLOCK("1", WAIT_HERE("A") TAKE) MEET, .cluster = 2,
              .or_kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT),
    PAIR_WITH("a reduction's result read where only one warp has waited", RACE_SHARED, 2, 64,
              SETUP EXPECT ADD LEAD ONLY_BLOCK("1", "@%p3 bra L;\n" WAIT_HERE("A") "L:\n" TAKE) MEET,
              SETUP EXPECT ADD LEAD ONLY_BLOCK("1", "@%p3 bra L;\n" WAIT_HERE("A") "L: bar.sync 0;\n" TAKE) MEET,
              .cluster = 2, .or_kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT),
    PAIR_WITH("lanes' additions read before the wait", RACE_SHARED, 2, 64,
              SETUP EXPECT ADD_OWN ONLY_BLOCK("1", TAKE WAIT_HERE("A")) MEET,
              SETUP EXPECT ADD_OWN ONLY_BLOCK("1", WAIT_HERE("A") TAKE) MEET, .cluster = 2,
              .or_kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT),
    PAIR_WITH("a reduction to a word that the owner stores", RACE_SHARED, 2, 64,
              SETUP EXPECT ADD ONLY_BLOCK("1", "st.shared.u32 [%r4+256], %r0;\n" WAIT_HERE("A")) MEET,
              SETUP EXPECT ADD ONLY_BLOCK("1", WAIT_HERE("A") "st.shared.u32 [%r4+256], %r0;\n") MEET, .cluster = 2,
              .or_kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT),
    PAIR_WITH("a reduction to a word stored without a proxy fence", MISSING_PROXY_FENCE, 2, 64,
              SETUP "st.shared.u32 [%r4+256], 0;\n" MEET EXPECT ADD ONLY_BLOCK("1", WAIT_HERE("A") TAKE) MEET,
              SETUP "st.shared.u32 [%r4+256], 0;\nfence.proxy.async.shared::cta;\n" MEET EXPECT ADD ONLY_BLOCK(
                  "1", WAIT_HERE("A") TAKE) MEET,
              .cluster = 2),
    PAIR_WITH("a half of a word in flight", RACE_SHARED, 2, 64,
              SETUP EXPECT COPY ONLY_BLOCK("1", TAKE_HALF WAIT_HERE("A")) MEET,
              SETUP EXPECT COPY ONLY_BLOCK("1", WAIT_HERE("A") TAKE_HALF) MEET, .cluster = 2,
              .or_kind = HAUL_FINDING_ASYNC_READ_BEFORE_WAIT),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
