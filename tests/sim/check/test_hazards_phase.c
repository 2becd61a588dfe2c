/* Phases of mbarriers: arrivals and waits that may fall into another phase, and writes over an mbarrier. */
#include "pairs.h"

#define ARRIVE "mbarrier.arrive.shared.b64 _, [%r5];\n"
#define WAIT_PARITY(label, parity) \
    label ": mbarrier.try_wait.parity.shared.b64 %p2, [%r5], " parity ";\n@!%p2 bra " label ";\n"
#define TIMES(count) "mov.u32 %r10, " count ";\n"
#define EXPECT "@!%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 256;\n"
#define SEND "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd1], 256, [%r5];\n"

/* Warp 0 expects 256 bytes and brings the first of them. Warp 1 waits for its stage to be free and brings the rest.
 * Warp 2 waits for all of them and frees the stage. */
#define FREE "add.u32 %r8, %r3, 512;\nsetp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r8], 32;\n"
#define BRING(guard, at, bytes)                                                                                      \
    guard "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3" at "], [%rd1" at "], " bytes ", " \
          "[%r5];\n"
#define THREE_WARPS(first, rest)                                                                                       \
    FREE INIT("1") "shr.u32 %r9, %r0, 5;\nsetp.eq.u32 %p3, %r9, 1;\nsetp.eq.u32 %p4, %r9, 2;\n@%p4 bra C;\n@%p3 bra "  \
                   "B;\n" EXPECT first "bra D;\nB: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 1;\n@!%p2 bra B;\n" \
                   "setp.ne.u32 %p2, %r0, 32;\n" rest                                                                  \
                   "bra D;\n" WAIT_PARITY("C", "0") "mbarrier.arrive.shared.b64 _, [%r8];\nD:\n"

/* Lane 0 of each warp arrives at one mbarrier, and lane 1 at another by the same instruction, as in clusters, where
 * each lane tells one block that its stage is free. */
#define BOTH "add.u32 %r8, %r3, 512;\nsetp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r8], 2;\n" INIT("2")
#define SHARE                                                                     \
    "and.b32 %r9, %r0, 31;\nsetp.lt.u32 %p3, %r9, 2;\nsetp.eq.u32 %p4, %r9, 0;\n" \
    "selp.b32 %r10, %r5, %r8, %p4;\n@%p3 mbarrier.arrive.shared.b64 _, [%r10];\n"
#define WAIT_FOR_OTHER "O: mbarrier.try_wait.parity.shared.b64 %p2, [%r8], 0;\n@!%p2 bra O;\n"

static const pair pairs[] = {
    PAIR_WITH("two mbarriers by lanes of an instruction, and a wait for one", MBARRIER_MISUSE, 1, 64,
              BOTH SHARE WAIT_PARITY("A", "0") SHARE WAIT_PARITY("B", "1"),
              BOTH SHARE WAIT_PARITY("A", "0") WAIT_FOR_OTHER SHARE WAIT_PARITY("B", "1"), .is_advice = true),
    PAIR_WITH("the next phase's bytes sent while others may still wait", MBARRIER_MISUSE, 1, 64,
              INIT("1") EXPECT SEND WAIT_PARITY("A", "0") EXPECT SEND WAIT_PARITY("B", "1"),
              INIT("1") EXPECT SEND WAIT_PARITY("A", "0") EXPECT "bar.sync 0;\n" SEND WAIT_PARITY("B", "1"),
              .or_kind = HAUL_FINDING_DEADLOCK), /* if both phases end before the other warp waits */
    PAIR_WITH("freed again while a warp that brings nothing may still wait", MBARRIER_MISUSE, 1, 96,
              THREE_WARPS(BRING("@!%p1 ", "", "256"), ""),
              THREE_WARPS(BRING("@!%p1 ", "", "128"), BRING("@!%p2 ", "+128", "128")),
              .or_kind = HAUL_FINDING_DEADLOCK), /* if the phase ends before that warp waits */
    PAIR("more threads arrive than its count", MBARRIER_MISUSE, 1, 64, INIT("32") ARRIVE WAIT_PARITY("A", "0"),
         INIT("64") ARRIVE WAIT_PARITY("A", "0")),
    PAIR("arrivals of the next phase without a wait", MBARRIER_MISUSE, 1, 64,
         INIT("64") ARRIVE ARRIVE WAIT_PARITY("A", "0") WAIT_PARITY("B", "1"),
         INIT("64") ARRIVE WAIT_PARITY("A", "0") ARRIVE WAIT_PARITY("B", "1")),
    PAIR("one warp does not wait before it arrives again", MBARRIER_MISUSE, 1, 64,
         INIT("64") LEAD ARRIVE "@%p3 bra T;\n" WAIT_PARITY("A", "0") "T: " ARRIVE WAIT_PARITY("B", "1"),
         INIT("64") LEAD ARRIVE "@%p3 bra T;\n" WAIT_PARITY("A", "0") "T: bar.sync 0;\n" ARRIVE WAIT_PARITY("B", "1")),
    PAIR("stage refilled without waiting for its mbarrier", MBARRIER_MISUSE, 1, 64,
         INIT("1") BULK BULK WAIT_PARITY("A", "0") LOAD_OWN,
         INIT("1") BULK WAIT_PARITY("A", "0") LOAD_OWN "bar.sync 0;\n" BULK WAIT_PARITY("B", "1") LOAD_OWN),
    PAIR_WITH("two phases on while others only wait", MBARRIER_MISUSE, 1, 64,
              INIT("1") BULK "@!%p1 bra N;\n" WAIT_PARITY("A", "0") "bra D;\nN: " WAIT_PARITY("B", "0")
                  BULK WAIT_PARITY("C", "1") "D:\n",
              INIT("1") BULK WAIT_PARITY("A", "0") "bar.sync 0;\n" BULK WAIT_PARITY("C", "1"),
              .or_kind = HAUL_FINDING_DEADLOCK),
    PAIR("more bytes expected than it can count", MBARRIER_MISUSE, 1, 32,
         INIT("1") TIMES("1048576") "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], %r10;\n",
         INIT("1") TIMES("1048575") "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], %r10;\n"),
    PAIR("ended before its last phase is known to be over", MBARRIER_MISUSE, 1, 64,
         INIT("64") ARRIVE "@!%p1 mbarrier.inval.shared.b64 [%r5];\n",
         INIT("64") ARRIVE WAIT "bar.sync 0;\n@!%p1 mbarrier.inval.shared.b64 [%r5];\n"),
    PAIR_WITH("ended while others wait for it", MBARRIER_MISUSE, 1, 64,
              INIT("64") ARRIVE WAIT "@!%p1 mbarrier.inval.shared.b64 [%r5];\n",
              INIT("64") ARRIVE WAIT "bar.sync 0;\n@!%p1 mbarrier.inval.shared.b64 [%r5];\n",
              .or_kind = HAUL_FINDING_DEADLOCK),
    PAIR_WITH("initialised again while others wait for it", MBARRIER_MISUSE, 1, 64,
              INIT("64") ARRIVE WAIT "@!%p1 mbarrier.init.shared.b64 [%r5], 64;\n",
              INIT("64") ARRIVE WAIT "bar.sync 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 64;\n",
              .or_kind = HAUL_FINDING_DEADLOCK),
    PAIR("initialised again for each turn", MBARRIER_MISUSE, 1, 64, INIT("64") ARRIVE INIT("64") ARRIVE,
         INIT("64") ARRIVE WAIT_PARITY("A", "0") "bar.sync 0;\n" INIT("64") ARRIVE),
    PAIR("stored over", MBARRIER_MISUSE, 1, 64, INIT("64") "st.shared.u32 [%r5+4], %r0;\n" ARRIVE WAIT,
         INIT("64") ARRIVE WAIT "bar.sync 0;\n@!%p1 mbarrier.inval.shared.b64 [%r5];\nbar.sync 0;\n"
                                "setp.ne.u32 %p3, %r0, 7;\n@!%p3 st.shared.u32 [%r5+4], %r0;\n"),
    PAIR("a byte stored over", MBARRIER_MISUSE, 1, 64, INIT("64") "@!%p1 st.shared.u8 [%r5+3], %h0;\n" ARRIVE WAIT,
         "setp.ne.u32 %p1, %r0, 0;\n@!%p1 st.shared.u8 [%r5+3], %h0;\n" INIT("64") ARRIVE WAIT),
    PAIR("copied over by cp.async", MBARRIER_MISUSE, 1, 64,
         INIT("64") "@!%p1 cp.async.ca.shared.global [%r5], [%rd1], 8;\ncp.async.wait_all;\n" ARRIVE WAIT,
         INIT("64") "@!%p1 cp.async.ca.shared.global [%r3], [%rd1], 8;\ncp.async.wait_all;\n" ARRIVE WAIT),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
