/* An mbarrier: the 64-bit object in shared memory, packed and unpacked. */
#ifndef HAUL_STATE_MBARRIER_H
#define HAUL_STATE_MBARRIER_H

#include <stdint.h>

typedef struct sim_mbarrier {
    uint32_t expected; /* arrivals of the next phase */
    uint32_t pending;  /* arrivals missing in this phase */
    int32_t bytes;     /* transaction bytes missing */
    uint32_t phase;    /* parity of the phase in progress */
    uint32_t layout;   /* 0 or 1: of .layout::v0 and ::v1 */
} sim_mbarrier;

enum { SIM_MBARRIER_MOST = (1 << 20) - 1 };

enum { SIM_MBARRIER_COUNT_BITS = 20, SIM_MBARRIER_BYTES_BITS = 21, SIM_MBARRIER_LAYOUT_BIT = 62 };
enum { SIM_MBARRIER_MOST_V1 = (1 << 9) - 1 }; /* arrivals that layout 1 can count */

static inline uint32_t sim_mbarrier_most(uint32_t layout) {
    return layout ? SIM_MBARRIER_MOST_V1 : SIM_MBARRIER_MOST;
}

static inline uint64_t sim_mbarrier_pack(sim_mbarrier m) {
    uint64_t bytes = (uint64_t)(uint32_t)m.bytes & ((1u << SIM_MBARRIER_BYTES_BITS) - 1);
    return (uint64_t)m.expected | (uint64_t)m.pending << SIM_MBARRIER_COUNT_BITS |
           bytes << (2 * SIM_MBARRIER_COUNT_BITS) |
           (uint64_t)(m.phase & 1) << (2 * SIM_MBARRIER_COUNT_BITS + SIM_MBARRIER_BYTES_BITS) |
           (uint64_t)(m.layout & 1) << SIM_MBARRIER_LAYOUT_BIT;
}

static inline sim_mbarrier sim_mbarrier_unpack(uint64_t bits) {
    uint32_t bytes = (uint32_t)(bits >> (2 * SIM_MBARRIER_COUNT_BITS)) & ((1u << SIM_MBARRIER_BYTES_BITS) - 1);
    return (sim_mbarrier){
        .expected = (uint32_t)bits & SIM_MBARRIER_MOST,
        .pending = (uint32_t)(bits >> SIM_MBARRIER_COUNT_BITS) & SIM_MBARRIER_MOST,
        .bytes = (int32_t)(bytes << (32 - SIM_MBARRIER_BYTES_BITS)) >> (32 - SIM_MBARRIER_BYTES_BITS),
        .phase = (uint32_t)(bits >> (2 * SIM_MBARRIER_COUNT_BITS + SIM_MBARRIER_BYTES_BITS)) & 1,
        .layout = (uint32_t)(bits >> SIM_MBARRIER_LAYOUT_BIT) & 1,
    };
}

#endif
