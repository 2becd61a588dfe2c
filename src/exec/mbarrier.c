/* mbarriers: counts arrivals and transaction bytes, and completes phases. The object is data in shared memory, packed
 * as state/mbarrier.h says. A phase is complete when no arrival is pending and no byte missing; then the next one
 * begins with the same number of arrivals. Bytes may arrive before they are expected, so their count may be negative
 * meanwhile. */
#include "exec/mbarrier.h"

#include "check/hazard.h"
#include "exec/paths.h"
#include "state/block.h"

uint64_t *sim_mbarrier_at(sim_block *b, uint32_t address) {
    if (address % 8 || address + 8ull > b->sm->grid->shared_bytes) return NULL;
    return (uint64_t *)(void *)(b->shared + address);
}

/* The checks learn of bytes and of the phase's end before waiters wake. */
bool sim_mbarrier_update(sim_block *b, uint64_t *object, uint32_t arrivals, int64_t bytes) {
    sim_mbarrier m = sim_mbarrier_unpack(*object);
    int64_t missing = (int64_t)m.bytes + bytes;
    if (arrivals > m.pending || missing > SIM_MBARRIER_MOST || missing < -(int64_t)SIM_MBARRIER_MOST) return false;
    m.pending -= arrivals;
    m.bytes = (int32_t)missing;
    if (bytes && b->sm->hazards) sim_hazard_mbarrier_bytes(b, (uint32_t)((unsigned char *)object - b->shared), bytes);
    if (m.pending == 0 && m.bytes == 0) {
        m.phase ^= 1;
        m.pending = m.expected;
        if (b->sm->hazards) sim_hazard_mbarrier_phase(b, (uint32_t)((unsigned char *)object - b->shared));
        b->sm->progress++;
        sim_block_wake_mbarrier_waiters(b);
    }
    *object = sim_mbarrier_pack(m);
    b->sm->changes++;
    return true;
}

/* Wakes all of the block's, whichever mbarrier they wait for: each tests its own again. */
void sim_block_wake_mbarrier_waiters(sim_block *b) {
    for (uint32_t i = 0; i < b->warp_count; i++) sim_warp_wake_all(&b->warps[i], SIM_PATH_AT_MBARRIER);
}
