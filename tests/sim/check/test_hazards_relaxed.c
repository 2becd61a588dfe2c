/* Barriers that order no memory, and the fences that restore the order. */
#include "pairs.h"

#define PEER "mov.u32 %r8, %cluster_ctarank;\nxor.b32 %r8, %r8, 1;\nmapa.shared::cluster.u32 %r9, %r4, %r8;\n"
#define TAKE_PEERS "ld.shared::cluster.u32 %r7, [%r9];\n" OUT("%r7")
#define SYNC(order) "barrier.cluster.arrive" order ";\nbarrier.cluster.wait;\n"
#define FENCE(scope) "fence.acq_rel." scope ";\n"
#define ARRIVE(order) "mbarrier.arrive" order ".shared.b64 _, [%r5];\n"
#define WAIT_SO(order) "W: mbarrier.try_wait.parity" order ".shared.b64 %p2, [%r5], 0;\n@!%p2 bra W;\n"
#define RELAXED ".relaxed.cta"
#define PEERS_BAR "mapa.shared::cluster.u32 %r9, %r5, %r8;\n"
#define ARRIVE_AT_PEERS "@!%p1 mbarrier.arrive.shared::cluster.b64 _, [%r9];\n"
#define TO_PEER(order) \
    "st.shared::cluster.u32 [%r9], %r0;\n" PEERS_BAR "mbarrier.arrive" order ".shared::cluster.b64 _, [%r9];\n"

static const pair pairs[] = {
    PAIR_WITH("arrival of block scope at a peer's mbarrier", RACE_SHARED, 2, 32,
              INIT("32") PEER SYNC("") TO_PEER(".release.cta") WAIT MIRROR SYNC(""),
              INIT("32") PEER SYNC("") TO_PEER(".release.cluster") WAIT MIRROR SYNC(""), .cluster = 2),
    PAIR_WITH("fence of the cluster before an arrival of block scope", RACE_SHARED, 2, 32,
              INIT("32") PEER SYNC("") FENCE("cluster") TO_PEER(".release.cta") WAIT MIRROR SYNC(""),
              INIT("32") PEER SYNC("") TO_PEER("") WAIT MIRROR SYNC(""), .cluster = 2),
    PAIR_WITH("store to a peer across a relaxed arrival", RACE_SHARED, 2, 32,
              STORE PEER SYNC(".relaxed") TAKE_PEERS SYNC(""), STORE PEER SYNC("") TAKE_PEERS SYNC(""), .cluster = 2),
    PAIR_WITH("fence before the store, not after it", RACE_SHARED, 2, 32,
              FENCE("cluster") STORE PEER SYNC(".relaxed") TAKE_PEERS SYNC(""),
              STORE FENCE("cluster") PEER SYNC(".relaxed") TAKE_PEERS SYNC(""), .cluster = 2),
    PAIR_WITH("fence of the block before an arrival at the cluster's barrier", RACE_SHARED, 2, 32,
              STORE FENCE("cta") PEER SYNC(".relaxed") TAKE_PEERS SYNC(""),
              STORE FENCE("gpu") PEER SYNC(".relaxed") TAKE_PEERS SYNC(""), .cluster = 2),
    PAIR_WITH("peers' mbarriers after a relaxed arrival", MBARRIER_MISUSE, 2, 32,
              "setp.ne.u32 %p1, %r0, 0;\n@!%p1 mbarrier.init.shared.b64 [%r5], 1;\n" PEER PEERS_BAR SYNC(".relaxed")
                  ARRIVE_AT_PEERS WAIT SYNC(""),
              INIT("1") PEER PEERS_BAR SYNC(".relaxed") ARRIVE_AT_PEERS WAIT SYNC(""), .cluster = 2),
    PAIR("relaxed arrival at an mbarrier", RACE_SHARED, 1, 64, INIT("64") STORE ARRIVE(RELAXED) WAIT MIRROR,
         INIT("64") STORE ARRIVE("") WAIT MIRROR),
    PAIR("relaxed arrival at an mbarrier, fence before the store", RACE_SHARED, 1, 64,
         INIT("64") FENCE("cta") STORE ARRIVE(RELAXED) WAIT MIRROR,
         INIT("64") STORE FENCE("cta") ARRIVE(RELAXED) WAIT MIRROR),
    PAIR("relaxed wait for an mbarrier", RACE_SHARED, 1, 64, INIT("64") STORE ARRIVE("") WAIT_SO(RELAXED) MIRROR,
         INIT("64") STORE ARRIVE("") WAIT_SO(".acquire.cta") MIRROR),
    PAIR("relaxed wait, fence after the read", RACE_SHARED, 1, 64,
         INIT("64") STORE ARRIVE("") WAIT_SO(RELAXED) MIRROR FENCE("cta"),
         INIT("64") STORE ARRIVE("") WAIT_SO(RELAXED) FENCE("cta") MIRROR),
};

int main(void) {
    return run_pairs(pairs, sizeof pairs / sizeof *pairs);
}
