/* Makes the record of a launch from its SMs: counters, estimated time, instructions, findings. */
#include "base/status.h"
#include "check/internal.h"
#include "exec/record.h"
#include "exec/run.h"
#include "jit/compiled.h"
#include "machine/code_fetch.h"
#include "time/estimate.h"

#include <math.h>
#include <string.h>

/* Sums the waits that the SMs count themselves; the counters' share is added by sim_counting_work(). */
static sim_waits waits_of_all(const sim_run *s) {
    sim_waits sum = {0};
    for (uint32_t i = 0; i < s->grid.used_sms; i++) {
        sum.memory += s->sms[i].waits.memory;
        sum.staged += s->sms[i].waits.staged;
        sum.staged_groups += s->sms[i].waits.staged_groups;
        sum.barriers += s->sms[i].waits.barriers;
        sum.clusters += s->sms[i].waits.clusters;
        sum.releases += s->sms[i].waits.releases;
        sum.cluster_cycles += s->sms[i].waits.cluster_cycles;
        sum.longest = fmax(sum.longest, s->sms[i].waits.longest);
        sum.operations += (double)s->sms[i].executed;
    }
    sum.link_read = (double)s->link.read;
    sum.link_written = (double)s->link.written;
    sum.peer_read = (double)sim_peer_lines_read(&s->peers);
    sum.peer_written = (double)sim_peer_lines_written(&s->peers);
    return sum;
}

static bool is_poll(const ptx_instruction *i) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    return i->op == PTX_OP_LD && order != PTX_MOD_NONE && order != PTX_MOD_WEAK;
}

/* Leaves out loads of a strong order that warps have done while the launch waited: polls, whose time is that of the
 * flag's way. One for each pause is not. */
static void leave_out_polls(const sim_run *s, const haul_traffic *traffic, sim_waits *waits) {
    const ptx_function *f = s->launch.program->function;
    double polls = 0;
    if (!s->pauses) return;
    for (size_t i = 0; i < f->instruction_count; i++)
        polls += is_poll(&f->instructions[i]) ? (double)traffic[i].instructions : 0;
    const double idle = polls > 0 ? fmax(0, 1 - (double)s->pauses / polls) : 0;
    for (size_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
            if (!is_poll(&f->instructions[i])) continue;
            const double runs = idle * (double)traffic[i].instructions;
            waits->memory = fmax(0, waits->memory - runs);
            waits->path = fmax(0, waits->path - runs * s->launch.program->costs[b].path);
            waits->fixed = fmax(0, waits->fixed - runs * s->launch.program->costs[b].fixed);
        }
}

/* Puts the findings of the SMs and those of the slices of global memory's shadow into the record. */
static haul_status record_findings(const sim_run *s, haul_launch_record *r) {
    const uint32_t n = s->grid.used_sms;
    const sim_findings **lists = ARENA_ARRAY(s->memory, n + SIM_WATCH_SLICES, const sim_findings *);
    for (uint32_t i = 0; i < n; i++) lists[i] = &s->sms[i].hazards->findings;
    for (uint32_t i = 0; i < SIM_WATCH_SLICES; i++) lists[n + i] = sim_watch_findings(s->watch, i);
    if (!sim_findings_record(lists, n + SIM_WATCH_SLICES, s->grid.warps, s->memory, r))
        return haul_no_memory("the record of the launch");
    r->checked = true;
    return HAUL_OK;
}

void sim_run_find_rough_time(const sim_run *s, sim_rough_time *rough) {
    const sim_launch *l = &s->launch;
    static const double CYCLES_AN_OPERATION = 4;
    const uint64_t operations = sim_run_executed(s);
    if (rough->operations == operations) return;
    haul_launch_record shape = {.occupancy = s->occupancy};
    sim_waits waits = waits_of_all(s);
    waits.slots = (double)operations;
    waits.path = waits.slots * CYCLES_AN_OPERATION;
    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.block, l->block, sizeof shape.block);
    rough->operations = operations;
    rough->us = sim_estimate_us(l->machine, &shape, &waits);
    rough->load = sim_estimate_load(l->machine, &shape, &waits);
}

/* An uncounted launch has a record of its shape and its estimated time; each counter is -1. */
static void fill_uncounted(const sim_launch *l, arena *memory, haul_launch_record *r) {
    for (size_t i = 0; i < HAUL_COUNTER_COUNT; i++) r->counters[i] = -1;
    sim_record_shape(l, memory, r);
    sim_record_instructions(l->program, NULL, memory, r);
    r->estimate_us = l->rough ? l->rough->us : -1;
}

/* An SM here runs all blocks of a cluster. Hardware spreads them over SMs while there are more of these than clusters.
 */
static void spread_clusters(const sim_grid *g, const sim_machine *m, sim_waits *waits) {
    const double free_sms = fmax(1, (double)m->sms / g->used_sms);
    waits->busiest /= fmin(g->cluster_blocks, free_sms);
}

/* Scales the counts of a sample by clusters, so that they stand for the whole launch. */
static void scale_sample(const sim_grid *g, haul_traffic *traffic, haul_launch_record *r, sim_waits *waits) {
    const uint64_t counted = g->end_cluster - g->first_cluster;
    if (counted == g->clusters) return;
    const double scale = (double)g->clusters / (double)counted;
    sim_sample_scale_record(r, scale);
    sim_sample_scale_traffic(traffic, g->program->function->instruction_count, scale);
    sim_sample_scale_waits(waits, scale);
    r->sampled_blocks = counted * g->cluster_blocks;
}

static haul_status fill_counted(sim_run *s, haul_launch_record *r) {
    const sim_launch *l = &s->launch;
    arena *memory = s->memory;
    haul_traffic *traffic = ARENA_ARRAY(memory, l->program->function->instruction_count + 1, haul_traffic);
    for (uint32_t i = 0; i < s->grid.used_sms; i++) sim_native_settle(s->sms[i].native);
    r->code = sim_code_fetch_of(l->machine, l->program->code_bytes, l->program->param_bytes, s->grid.used_sms);
    sim_counting_finish(s->l2, s->countings, s->grid.used_sms, r, traffic);
    sim_peer_lines_record(&s->peers, r);
    sim_record_shape(l, memory, r);
    sim_waits waits = waits_of_all(s);
    sim_counting_work(s->l2, s->countings, s->grid.used_sms, traffic, &waits);
    spread_clusters(&s->grid, l->machine, &waits);
    leave_out_polls(s, traffic, &waits);
    scale_sample(&s->grid, traffic, r, &waits);
    r->estimate_us = sim_estimate_us(l->machine, r, &waits);
    r->estimate = sim_estimate(l->machine, r, &waits);
    if (l->load) *l->load = sim_estimate_load(l->machine, r, &waits);
    sim_record_instructions(l->program, traffic, memory, r);
    sim_counting_record_samples(s->countings, s->grid.used_sms, memory, r);
    return l->check ? record_findings(s, r) : HAUL_OK;
}

/* Allocation failures of the arena jump here. */
haul_status sim_run_record(sim_run *s, haul_launch_record *r) {
    jmp_buf out_of_memory, *const outer = s->memory->out_of_memory;
    haul_status status = HAUL_OK;
    if (setjmp(out_of_memory)) {
        s->memory->out_of_memory = outer;
        return haul_no_memory("the record of the launch");
    }
    s->memory->out_of_memory = &out_of_memory;
    if (s->plan)
        status = fill_counted(s, r);
    else
        fill_uncounted(&s->launch, s->memory, r);
    s->memory->out_of_memory = outer;
    return status;
}
