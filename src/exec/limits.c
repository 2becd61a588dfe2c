/* A machine's limits on a launch: grid, block, cluster and shared memory.
 *
 * A launch is checked before anything is allocated for it, in the order in which a programmer would look: block, grid,
 * cluster, shared memory. A message names the dimension, what was asked and what is allowed, and by whom. The limits
 * are in machine/machines.def, those of a kernel in its directives (.maxntid, .reqntid, .reqnctapercluster). Fills in
 * the occupancy, as that needs the same numbers. */
#include "base/status.h"
#include "exec/cluster.h"
#include "exec/grid.h"
#include "machine/occupancy.h"
#include "state/block.h"
#include "state/occupancy.h"

#include <stdio.h>

/* Fails because `what` is `asked`, more than `most`. */
static haul_status over(const char *what, uint64_t asked, uint64_t most, const char *machine) {
    return haul_fail(HAUL_ERROR_LIMIT, "launch: %s %llu, but %s allows %llu", what, (unsigned long long)asked, machine,
                     (unsigned long long)most);
}

/* Checks each dimension on its own. */
static haul_status check_extents(const char *what, const uint32_t asked[3], const uint32_t most[3],
                                 const sim_machine *m) {
    char dimension[8];
    for (unsigned k = 0; k < 3; k++) {
        if (asked[k] <= most[k]) continue;
        snprintf(dimension, sizeof dimension, "%s %c", what, "xyz"[k]);
        return over(dimension, asked[k], most[k], m->name);
    }
    return HAUL_OK;
}

/* The threads of a block for which an SM has registers. An estimate of these limits no launch. */
static uint32_t threads_by_registers(const sim_machine *m, const sim_program *p) {
    const uint32_t registers = sim_known_registers(p);
    uint32_t warps = m->max_threads_per_block / SIM_LANES;
    while (registers && warps > 1 && sim_blocks_by_registers(m, warps, registers) == 0) warps--;
    return warps * SIM_LANES;
}

uint32_t sim_most_threads(const sim_machine *m, const sim_program *p) {
    const uint64_t bound = ptx_bounded_threads(p->function);
    const uint32_t most = threads_by_registers(m, p);
    return bound && bound < most ? (uint32_t)bound : most;
}

/* Checks the threads against the kernel's registers. */
static haul_status check_registers(const sim_launch *l, uint64_t threads) {
    const uint32_t most = threads_by_registers(l->machine, l->program);
    char kernel[64];
    if (threads <= most) return HAUL_OK;
    snprintf(kernel, sizeof kernel, "the kernel, with %u registers a thread,", sim_known_registers(l->program));
    return over("threads per block", threads, most, kernel);
}

/* Checks the block against the machine, then against the kernel's directives. */
static haul_status check_block(const sim_launch *l) {
    const sim_machine *m = l->machine;
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (threads == 0)
        return haul_fail(HAUL_ERROR_LIMIT, "launch: block %u x %u x %u has no threads", l->block[0], l->block[1],
                         l->block[2]);
    HAUL_TRY(check_extents("block", l->block, sim_most_block, m));
    if (threads > m->max_threads_per_block)
        return over("threads per block", threads, m->max_threads_per_block, m->name);
    const ptx_function *f = l->program->function;
    const uint64_t most = ptx_extent(f->max_threads);
    if (most && threads > most) return over("threads per block", threads, most, "the kernel's launch bound");
    for (unsigned k = 0; k < 3; k++) {
        uint32_t needed = f->required_threads[0] ? (f->required_threads[k] ? f->required_threads[k] : 1) : l->block[k];
        if (l->block[k] != needed)
            return haul_fail(HAUL_ERROR_LIMIT, "launch: the kernel requires a block of %u x %u x %u threads",
                             f->required_threads[0], f->required_threads[1] ? f->required_threads[1] : 1,
                             f->required_threads[2] ? f->required_threads[2] : 1);
    }
    return check_registers(l, threads);
}

/* The kernel's directive comes first, then the launch, then 1. */
void sim_launch_cluster(const sim_launch *l, uint32_t cluster[3]) {
    const uint32_t *asked = l->program->function->cluster[0] ? l->program->function->cluster : l->cluster;
    for (unsigned k = 0; k < 3; k++) cluster[k] = asked[k] ? asked[k] : 1;
}

/* Returns whether the launch contradicts the kernel; it may repeat it. */
static bool cluster_differs(const sim_launch *l, const uint32_t cluster[3]) {
    bool differs = false;
    for (unsigned k = 0; k < 3; k++) differs |= l->cluster[0] && (l->cluster[k] ? l->cluster[k] : 1) != cluster[k];
    return differs;
}

/* A cluster of one block is no cluster, and every machine has it. */
static haul_status check_cluster(const sim_launch *l) {
    const char *name = l->program->function->name;
    uint32_t cluster[3];
    sim_launch_cluster(l, cluster);
    for (unsigned k = 0; k < 3; k++)
        if (cluster[k] > SIM_CLUSTER_MOST) return over("blocks per cluster", cluster[k], SIM_CLUSTER_MOST, name);
    if (cluster_differs(l, cluster))
        return haul_fail(HAUL_ERROR_ARGUMENT, "launch: kernel %s requires clusters of %u x %u x %u blocks", name,
                         cluster[0], cluster[1], cluster[2]);
    const uint64_t blocks = (uint64_t)cluster[0] * cluster[1] * cluster[2];
    if (blocks == 1) return HAUL_OK;
    if (l->machine->sm < 90)
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "launch: kernel %s uses clusters, which need sm_90, but %s is sm_%u",
                         name, l->machine->name, l->machine->sm);
    if (blocks > SIM_CLUSTER_MOST) return over("blocks per cluster", blocks, SIM_CLUSTER_MOST, l->machine->name);
    for (unsigned k = 0; k < 3; k++)
        if (l->grid[k] % cluster[k])
            return haul_fail(
                HAUL_ERROR_LIMIT,
                "launch: grid %u x %u x %u is not a multiple of kernel %s's clusters of %u x %u x %u blocks",
                l->grid[0], l->grid[1], l->grid[2], name, cluster[0], cluster[1], cluster[2]);
    return HAUL_OK;
}

static haul_status check_grid(const sim_launch *l) {
    if (!l->grid[0] || !l->grid[1] || !l->grid[2])
        return haul_fail(HAUL_ERROR_LIMIT, "launch: grid %u x %u x %u has no blocks", l->grid[0], l->grid[1],
                         l->grid[2]);
    return check_extents("grid", l->grid, sim_most_grid, l->machine);
}

/* Returns the blocks that an SM surely holds, whatever the estimate of registers says: one, or the share of a grid that
 * synchronises. */
static uint32_t known_blocks(const sim_launch *l) {
    const uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    const uint64_t each = l->program->syncs_grid ? (blocks + l->machine->sms - 1) / l->machine->sms : 1;
    return each > l->machine->max_blocks_per_sm ? l->machine->max_blocks_per_sm : (uint32_t)each;
}

haul_status sim_launch_check(const sim_launch *l, haul_occupancy *occupancy) {
    HAUL_TRY(check_block(l));
    HAUL_TRY(check_grid(l));
    HAUL_TRY(check_cluster(l));
    uint64_t shared = l->program->shared_bytes + l->dynamic_bytes;
    if (shared > l->machine->shared_per_block_optin)
        return over("bytes of shared memory per block", shared, l->machine->shared_per_block_optin, l->machine->name);
    const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
    sim_occupancy(l->machine, l->program, threads, l->dynamic_bytes, known_blocks(l), occupancy);
    return HAUL_OK;
}

/* If a block waits for one that has no place, neither ends. A real driver refuses such a cooperative launch, too. */
haul_status sim_check_residency(const sim_grid *g) {
    const uint64_t most = (uint64_t)g->resident * g->machine->sms;
    if (!g->program->syncs_grid || g->blocks <= most) return HAUL_OK;
    return over("blocks that wait for each other", g->blocks, most, g->machine->name);
}
