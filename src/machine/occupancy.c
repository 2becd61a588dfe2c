/* Computes how many blocks an SM holds, and how its memory is divided between shared memory and L1.
 *
 * Each resource allows some number of blocks; the smallest counts. Resources are handed out in units of the machine's
 * description. */
#include "machine/occupancy.h"

#include "base/number.h"

static uint32_t smallest(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Registers belong to the four parts of an SM, and a warp's lie in one part. */
uint32_t sim_blocks_by_registers(const sim_machine *m, uint32_t warps, uint32_t registers) {
    enum { QUARTERS = 4 };
    uint32_t per_warp = (uint32_t)number_align(registers * 32, m->register_unit);
    return m->registers_per_sm / QUARTERS / per_warp * QUARTERS / warps;
}

/* The smallest carve-out of shared memory that holds `needed` bytes. */
static uint32_t carveout_for(const sim_machine *m, uint64_t needed) {
    for (unsigned i = 0; i < SIM_MAX_CARVEOUTS && (i == 0 || m->carveouts[i]); i++)
        if (m->carveouts[i] >= needed) return m->carveouts[i];
    return m->shared_per_sm;
}

/* The driver's carve-out exceeds what resident blocks need: mostly room for twice as many as registers, warps and block
 * slots allow, up to half of the memory. Derived from 219 launches on an H100 (tests/data/l1). */
static uint64_t wanted_carveout(const sim_machine *m, uint32_t threads, const haul_occupancy *o) {
    enum { MOST_WITHOUT_SHARED = 32 << 10, LARGE_BLOCK = 512, LARGEST_BLOCK = 960 };
    const uint64_t needed = (uint64_t)o->shared_per_block * o->blocks_per_sm;
    if (o->shared_per_block == m->shared_reserved) {
        if (o->blocks_per_sm == 1) return needed;
        return threads < LARGE_BLOCK || 4 * needed > MOST_WITHOUT_SHARED ? MOST_WITHOUT_SHARED : 4 * needed;
    }
    if (threads >= LARGEST_BLOCK) return needed;
    const uint32_t others = smallest(smallest(o->limit_blocks, o->limit_warps), o->limit_registers);
    const uint64_t twice = (uint64_t)o->shared_per_block * smallest(2 * others, o->limit_blocks);
    return twice < m->unified_bytes / 2 ? twice : m->unified_bytes / 2;
}

/* Never less than the resident blocks need. */
static uint32_t choose_carveout(const sim_machine *m, uint32_t threads, const haul_occupancy *o) {
    const uint64_t needed = (uint64_t)o->shared_per_block * o->blocks_per_sm, wanted = wanted_carveout(m, threads, o);
    return carveout_for(m, wanted > needed ? wanted : needed);
}

void sim_occupancy_of(const sim_machine *m, uint32_t registers, uint32_t threads, uint64_t shared_bytes,
                      haul_occupancy *o) {
    uint32_t warps = (threads + 31) / 32;
    uint64_t block_shared = (shared_bytes + m->shared_unit - 1) / m->shared_unit * m->shared_unit + m->shared_reserved;
    *o = (haul_occupancy){.max_warps_per_sm = m->max_threads_per_sm / 32, .registers_per_thread = registers};
    o->limit_blocks = m->max_blocks_per_sm;
    o->limit_warps = o->max_warps_per_sm / warps;
    o->limit_registers = sim_blocks_by_registers(m, warps, registers ? registers : 1);
    o->limit_shared = block_shared ? (uint32_t)(m->shared_per_sm / block_shared) : m->max_blocks_per_sm;
    o->blocks_per_sm =
        smallest(smallest(o->limit_blocks, o->limit_warps), smallest(o->limit_registers, o->limit_shared));
    o->warps_per_sm = o->blocks_per_sm * warps;
    o->shared_per_block = (uint32_t)block_shared;
    o->shared_carveout = choose_carveout(m, threads, o);
    o->l1_bytes = m->unified_bytes - o->shared_carveout;
}
