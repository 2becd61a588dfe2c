/* Samples of large launches. The counted blocks lie in the middle of the grid; grid.c runs those before and after them
 * uncounted. Counts grow with the number of blocks, so the sample's are multiplied by it. Launches whose blocks may
 * depend on later ones are counted as a whole. */
#include "exec/sample.h"

#include "ptx/traits.h"
#include "state/block.h"
#include "state/program.h"
#include "state/waits.h"

#include <math.h>

/* ---- selection of blocks ---- */

/* Returns whether the operation reads global memory that other blocks may change. */
static bool looks_at_others(const sim_program *p, const sim_op *op) {
    const ptx_instruction *i = &p->function->instructions[op->instruction];
    if (ptx_is(i->op, PTX_KIND_ATOMIC)) return !ptx_in_shared(i);
    return (op->flags & SIM_OP_OBSERVES) && op->memory_class != HAUL_CLASS_SHARED_LOAD;
}

/* Resident blocks may wait for each other, in either order, or take work from a common queue. */
static bool may_depend_on_later(const sim_grid *g) {
    const sim_program *p = g->program;
    if (p->syncs_grid) return true;
    if (g->blocks > (uint64_t)g->resident * g->machine->sms) return false;
    for (size_t i = 0; i < p->op_count; i++)
        if (looks_at_others(p, &p->ops[i])) return true;
    return false;
}

sim_cluster_range sim_sample_of(const sim_launch *l, const sim_grid *g) {
    const sim_cluster_range whole = {0, g->clusters};
    if (!l->sample || l->sample >= g->blocks || l->uncounted || l->check) return whole;
    const uint64_t wanted = (l->sample + g->cluster_blocks - 1) / g->cluster_blocks;
    if (wanted >= g->clusters || may_depend_on_later(g)) return whole;
    const uint64_t first = (g->clusters - wanted) / 2;
    return (sim_cluster_range){first, first + wanted};
}

/* ---- scaling ---- */

/* Counters that were not read are negative and stay so. */
static double scaled(double value, double scale) {
    return value > 0 ? round(value * scale) : value;
}

static void scale_counts(uint64_t *counts, size_t count, double scale) {
    for (size_t i = 0; i < count; i++) counts[i] = (uint64_t)llround((double)counts[i] * scale);
}

/* All members are counts. */
void sim_sample_scale_traffic(haul_traffic *traffic, size_t count, double scale) {
    for (size_t i = 0; i < count; i++)
        scale_counts((uint64_t *)(void *)&traffic[i], sizeof *traffic / sizeof(uint64_t), scale);
}

void sim_sample_scale_record(haul_launch_record *r, double scale) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) {
        if (i == HAUL_COUNTER_L2_CODE_SECTORS) continue; /* of the launch, not of its blocks */
        r->counters[i] = scaled(r->counters[i], scale);
        r->bounds[i] = (haul_bounds){scaled(r->bounds[i].low, scale), scaled(r->bounds[i].high, scale)};
    }
    sim_sample_scale_traffic(r->classes, HAUL_CLASS_COUNT, scale);
}

void sim_sample_scale_waits(sim_waits *w, double scale) {
    double *const counts[] = {&w->memory,           &w->path,           &w->fixed,        &w->slots,
                              &w->issued,           &w->dirty_sectors,  &w->partly_dirty, &w->partial_sectors,
                              &w->shared_turns,     &w->hottest,        &w->barriers,     &w->link_read,
                              &w->link_written,     &w->peer_read,      &w->peer_written, &w->adu,
                              &w->uneven_stores,    &w->most_added,     &w->lsu,          &w->staged,
                              &w->staged_groups,    &w->branches,       &w->conversions,  &w->fences,
                              &w->partial_requests, &w->partial_writes, &w->placed,       &w->far,
                              &w->data_wavefronts,  &w->loop_rounds,    &w->most_looped,  &w->clusters,
                              &w->releases,         &w->cluster_cycles};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) *counts[i] *= scale;
    for (unsigned k = 0; k < SIM_PIPES; k++) w->busy[k] *= scale;
    w->busiest = 0; /* a few blocks lie unevenly */
}
