/* One SM: its resident blocks take turns, warp by warp. */
#include "base/memory.h"
#include "base/status.h"
#include "sim/barrier.h"
#include "sim/block.h"
#include "sim/call.h"
#include "sim/hazard/hazard.h"
#include "sim/heap.h"
#include "sim/interpreter.h"
#include "sim/lower/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Operations a warp may run at a stretch: bounds how long a spinning warp keeps others waiting. */
enum { STRETCH = 4096 };

/* ---- memory ---- */

static size_t align_up(size_t value) {
    return (value + 63) / 64 * 64;
}

static size_t block_memory(const sim_grid *g) {
    const sim_program *p = g->program;
    return align_up(g->warps * (size_t)p->register_bytes) + align_up(g->shared_bytes) +
           align_up(g->warps * sizeof(sim_warp));
}

static void carve_block(const sim_grid *g, sim_block *b, unsigned char *memory) {
    const sim_program *p = g->program;
    b->warps = (sim_warp *)(void *)memory;
    memory += align_up(g->warps * sizeof(sim_warp));
    for (uint32_t w = 0; w < g->warps; w++) {
        b->warps[w].regs = memory + (size_t)w * p->register_bytes;
        b->warps[w].calls = NULL;
    }
    memory += align_up(g->warps * (size_t)p->register_bytes);
    b->shared = memory;
    b->warp_count = g->warps;
}

static haul_status no_memory(void) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for the resident blocks");
}

haul_status sim_sm_create(const sim_grid *g, const sim_count_plan *plan, uint32_t index, sim_sm *sm) {
    *sm = (sim_sm){.grid = g, .index = index, .next_cluster = index, .patience = SIM_PATIENT};
    uint64_t share = (g->clusters - index + g->used_sms - 1) / g->used_sms * g->cluster_blocks;
    uint32_t resident = share < g->resident ? (uint32_t)share : g->resident;
    sm->blocks = memory_zeroed(g->resident, sizeof *sm->blocks);
    sm->memory = memory_alloc(block_memory(g) * resident + 64);
    sm->reaches = memory_zeroed(g->program->function->instruction_count + 1, sizeof *sm->reaches);
    /* Zero pages that come into being as they are touched: most kernels use little of large frames. */
    size_t frames = (size_t)g->threads * g->program->frame_bytes;
    sm->frames = memory_zeroed(resident, frames);
    if (!sm->blocks || !sm->memory || !sm->reaches || !sm->frames) return no_memory();
    unsigned char *memory = sm->memory + (-(uintptr_t)sm->memory & 63);
    for (uint32_t b = 0; b < resident; b++) {
        sm->blocks[b].sm = sm;
        carve_block(g, &sm->blocks[b], memory + b * block_memory(g));
        sm->blocks[b].frames = sm->frames + b * frames;
        HAUL_TRY(sim_async_create(&sm->blocks[b].async, g->warps, g->threads));
    }
    if (g->check) HAUL_TRY(sim_hazards_create(sm));
    HAUL_TRY(sim_counting_create(plan, &sm->counting));
    /* Checks look at every operation. */
    if (!g->check && g->program->compiled) sm->native = sim_native_create(sm);
    return HAUL_OK;
}

void sim_sm_free(sim_sm *sm) {
    sim_hazards_free(sm);
    for (uint32_t b = 0; sm->blocks && b < sm->grid->resident; b++) {
        sim_async_free(&sm->blocks[b].async);
        memory_free(sm->blocks[b].tensor.items);
        for (uint32_t w = 0; w < sm->blocks[b].warp_count; w++) sim_calls_free(&sm->blocks[b].warps[w]);
    }
    sim_tmems_free(sm);
    memory_free(sm->blocks);
    memory_free(sm->memory);
    memory_free(sm->frames);
    memory_free(sm->reaches);
    sim_print_log_free(&sm->printed);
    sim_native_free(sm->native);
    sim_counting_free(sm->counting);
}

/* ---- starting a block ---- */

static uint32_t lane_special(const sim_warp *w, unsigned special, uint32_t lane) {
    const uint32_t *size = w->sm->grid->block;
    uint32_t thread = w->index * SIM_LANES + lane;
    switch (special) {
    case PTX_SPECIAL_TID_X: return thread % size[0];
    case PTX_SPECIAL_TID_Y: return thread / size[0] % size[1];
    case PTX_SPECIAL_TID_Z: return thread / size[0] / size[1];
    case PTX_SPECIAL_LANEID: return lane;
    case PTX_SPECIAL_LANEMASK_EQ: return 1u << lane;
    case PTX_SPECIAL_LANEMASK_LE: return 0xffffffffu >> (31 - lane);
    case PTX_SPECIAL_LANEMASK_LT: return (1u << lane) - 1;
    case PTX_SPECIAL_LANEMASK_GE: return 0xffffffffu << lane;
    case PTX_SPECIAL_LANEMASK_GT: return 0xfffffffeu << lane;
    default: return 0;
    }
}

/* Without clusters each block is a cluster of its own. */
static uint64_t cluster_special(const sim_grid *g, const sim_block *b, unsigned special) {
    switch (special) {
    case PTX_SPECIAL_CLUSTERID_X: return b->at[0] / g->cluster[0];
    case PTX_SPECIAL_NCLUSTERID_X: return g->grid[0] / g->cluster[0];
    case PTX_SPECIAL_CLUSTER_CTAID_X: return b->at[0] % g->cluster[0];
    case PTX_SPECIAL_CLUSTER_NCTAID_X: return g->cluster[0];
    case PTX_SPECIAL_CLUSTERID_Y: return b->at[1] / g->cluster[1];
    case PTX_SPECIAL_NCLUSTERID_Y: return g->grid[1] / g->cluster[1];
    case PTX_SPECIAL_CLUSTER_CTAID_Y: return b->at[1] % g->cluster[1];
    case PTX_SPECIAL_CLUSTER_NCTAID_Y: return g->cluster[1];
    case PTX_SPECIAL_CLUSTERID_Z: return b->at[2] / g->cluster[2];
    case PTX_SPECIAL_NCLUSTERID_Z: return g->grid[2] / g->cluster[2];
    case PTX_SPECIAL_CLUSTER_CTAID_Z: return b->at[2] % g->cluster[2];
    case PTX_SPECIAL_CLUSTER_NCTAID_Z: return g->cluster[2];
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER: return g->explicit_cluster ? SIM_ALL_LANES : 0;
    case PTX_SPECIAL_CLUSTER_CTARANK: return b->rank;
    case PTX_SPECIAL_CLUSTER_NCTARANK: return g->cluster_blocks;
    default: return 0;
    }
}

static uint64_t block_special(const sim_warp *w, unsigned special) {
    const sim_grid *g = w->sm->grid;
    const sim_block *b = w->block;
    switch (special) {
    case PTX_SPECIAL_NTID_X: return g->block[0];
    case PTX_SPECIAL_NTID_Y: return g->block[1];
    case PTX_SPECIAL_NTID_Z: return g->block[2];
    case PTX_SPECIAL_CTAID_X: return b->at[0];
    case PTX_SPECIAL_CTAID_Y: return b->at[1];
    case PTX_SPECIAL_CTAID_Z: return b->at[2];
    case PTX_SPECIAL_NCTAID_X: return g->grid[0];
    case PTX_SPECIAL_NCTAID_Y: return g->grid[1];
    case PTX_SPECIAL_NCTAID_Z: return g->grid[2];
    case PTX_SPECIAL_WARPID: return w->index;
    case PTX_SPECIAL_NWARPID: return g->machine->max_threads_per_sm / SIM_LANES;
    case PTX_SPECIAL_SMID: return w->sm->index;
    case PTX_SPECIAL_NSMID: return g->machine->sms;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE: return g->shared_bytes - SIM_SHARED_START;
    case PTX_SPECIAL_RESERVED_SMEM_END:
    case PTX_SPECIAL_RESERVED_SMEM_CAP: return SIM_SHARED_START;
    case PTX_SPECIAL_AGGR_SMEM_SIZE: return g->shared_bytes;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE: return g->dynamic_bytes;
    default: return cluster_special(g, b, special);
    }
}

static void fill_lane_special(sim_warp *w, const sim_special_slot *s) {
    for (uint32_t l = 0; l < SIM_LANES; l++) SIM_SLOT(w, uint32_t, s->slot)[l] = lane_special(w, s->special, l);
}

static void fill_block_special(sim_warp *w, const sim_special_slot *s) {
    uint64_t value = block_special(w, s->special), *wide = SIM_SLOT(w, uint64_t, s->slot);
    uint32_t *narrow = SIM_SLOT(w, uint32_t, s->slot);
    if (ptx_bits(ptx_special_types[s->special]) == 64)
        for (uint32_t l = 0; l < SIM_LANES; l++) wide[l] = value;
    else
        for (uint32_t l = 0; l < SIM_LANES; l++) narrow[l] = (uint32_t)value;
}

/* What is the same for every block that takes this place: constants, and the lanes' own special registers. No
 * instruction writes them. */
static void prepare_warp(sim_block *b, uint32_t index) {
    const sim_program *p = b->sm->grid->program;
    sim_warp *w = &b->warps[index];
    w->block = b;
    w->sm = b->sm;
    w->ops = p->ops;
    w->compiled = b->sm->native ? p->compiled : NULL;
    w->index = index;
    memset(w->regs, 0, p->constants_at);
    memcpy(w->regs, p->template, SIM_SLOTS_FIXED);
    memcpy(w->regs + p->constants_at, p->template + p->constants_at, p->constants_bytes);
    memset(w->paths, 0, sizeof w->paths);
    memset(w->joins, 0, sizeof w->joins);
    for (size_t s = 0; s < p->special_count; s++)
        if (ptx_special_differs_by_lane(p->specials[s].special)) fill_lane_special(w, &p->specials[s]);
}

static void start_warp(sim_block *b, uint32_t index) {
    const sim_grid *g = b->sm->grid;
    const sim_program *p = g->program;
    sim_warp *w = &b->warps[index];
    uint32_t threads = g->threads - index * SIM_LANES;
    /* What may be read too early starts as zero, so that a kernel that does so does the same on every run. */
    for (size_t z = 0; z < p->zeroed_count; z++) memset(w->regs + p->zeroed[z].slot, 0, p->zeroed[z].bytes);
    SIM_PREDICATE(w, SIM_SLOT_CARRY) = 0;
    for (size_t s = 0; s < p->special_count; s++)
        if (!ptx_special_differs_by_lane(p->specials[s].special)) fill_block_special(w, &p->specials[s]);
    w->doubtful = false;
    if (w->calls) sim_calls_reset(w);
    sim_warp_start(w, threads >= SIM_LANES ? SIM_ALL_LANES : (1u << threads) - 1);
}

static void clear_frames(const sim_grid *g, sim_block *b) {
    for (uint32_t t = 0; b->frame_used && t < g->threads; t++)
        memset(b->frames + t * g->program->frame_bytes, 0, b->frame_used);
    b->frame_used = 0;
}

/* *number divided by `by`, which mostly is 1; returns the rest. */
static uint32_t take_digit(uint64_t *number, uint32_t by) {
    if (by == 1) return 0;
    const uint64_t whole = *number;
    if (whole <= UINT32_MAX) {
        *number = (uint32_t)whole / by;
        return (uint32_t)whole % by;
    }
    *number = whole / by;
    return (uint32_t)(whole % by);
}

/* Clusters and the blocks in them are numbered with x running fastest. */
void sim_place_block(const sim_grid *g, uint64_t cluster, uint32_t rank, sim_block *b) {
    uint64_t in_cluster = rank;
    for (unsigned k = 0; k < 3; k++) {
        const uint32_t wide = g->cluster[k], clusters = wide == 1 ? g->grid[k] : g->grid[k] / wide;
        b->at[k] = take_digit(&cluster, clusters) * wide + take_digit(&in_cluster, wide);
    }
    b->index = b->at[0] + g->grid[0] * (b->at[1] + (uint64_t)g->grid[1] * b->at[2]);
}

/* A multiplicative hash is a permutation of the numbers below a power of two: those beyond the last are passed over. */
static uint64_t shuffled(uint64_t number, uint64_t count, uint64_t seed) {
    uint64_t mask = 1;
    while (mask < count) mask *= 2;
    mask -= 1;
    do number = ((number ^ (seed & mask)) * 0x9e3779b1u + 0x7f4a7c15u) & mask;
    while (number >= count);
    return number;
}

/* The cluster that the SM's turn has come to. */
static uint64_t cluster_in_turn(const sim_sm *sm) {
    const sim_grid *g = sm->grid;
    switch (g->schedule) {
    case HAUL_SCHEDULE_REVERSED: return g->clusters - 1 - sm->next_cluster;
    case HAUL_SCHEDULE_RANDOM: return shuffled(sm->next_cluster, g->clusters, g->seed);
    default: return sm->next_cluster;
    }
}

static void start_block(sim_sm *sm, sim_block *b, uint32_t rank) {
    const sim_grid *g = sm->grid;
    b->cluster_index = cluster_in_turn(sm);
    sim_place_block(g, b->cluster_index, rank, b);
    b->rank = rank;
    b->cluster = b - rank;
    b->cluster_arrivals = 0;
    b->live_warps = g->warps;
    sm->changes++;
    b->running = true;
    sim_barriers_reset(b);
    memset(b->shared, 0, g->shared_bytes);
    clear_frames(g, b);
    sim_async_reset(&b->async);
    sim_tmem_reset(b);
    for (uint32_t w = 0; w < g->warps; w++) {
        if (!b->prepared) prepare_warp(b, w);
        start_warp(b, w);
    }
    b->prepared = true;
    sm->running++;
}

/* A cluster takes the place of one whose blocks have all ended. */
static bool start_cluster(sim_sm *sm, sim_block *b) {
    const sim_grid *g = sm->grid;
    if (sm->next_cluster >= g->clusters || (b - sm->blocks) % g->cluster_blocks) return false;
    for (uint32_t r = 0; r < g->cluster_blocks; r++)
        if (b[r].running) return false;
    for (uint32_t r = 0; r < g->cluster_blocks; r++) start_block(sm, &b[r], r);
    if (sm->hazards) sim_hazard_start(b);
    sm->next_cluster += g->used_sms;
    return true;
}

bool sim_sm_cancel_cluster(sim_sm *sm, uint32_t first[3]) {
    sim_block b;
    if (sm->next_cluster >= sm->grid->clusters) return false;
    sim_place_block(sm->grid, cluster_in_turn(sm), 0, &b);
    memcpy(first, b.at, sizeof b.at);
    sm->next_cluster += sm->grid->used_sms;
    return true;
}

static void end_block(sim_sm *sm, sim_block *b) {
    sim_async_finish(b);
    if (sm->hazards) sim_hazard_tmem_finish(b);
    sim_tmem_finish(b);
    b->running = b->ends_in_order = false;
    sm->running--;
}

/* ---- running ---- */

void sim_sm_forget_freed(sim_sm *sm) {
    const sim_grid *g = sm->grid;
    if (!g->heap || !g->check || sm->releases == sim_heap_releases(g->heap)) return;
    memset(sm->reaches, 0, g->program->function->instruction_count * sizeof *sm->reaches);
    sm->releases = sim_heap_releases(g->heap);
}

/* The i-th of `count` to take its turn. */
static uint32_t in_turn(const sim_sm *sm, uint64_t round, uint32_t i, uint32_t count) {
    switch (sm->grid->schedule) {
    case HAUL_SCHEDULE_REVERSED: return count - 1 - i;
    case HAUL_SCHEDULE_RANDOM: return (uint32_t)shuffled(i, count, sm->grid->seed + round);
    default: return i;
    }
}

static bool run_warps(sim_sm *sm, sim_block *b) {
    bool ran = false;
    const uint64_t executed = sm->executed;
    for (uint32_t i = 0; i < b->warp_count && sm->fault.status == HAUL_OK; i++) {
        sim_warp *w = &b->warps[in_turn(sm, executed, i, b->warp_count)];
        if (!w->ready_paths) continue;
        if (w->path->state != SIM_PATH_READY) sim_warp_switch(w);
        sm->executed += sim_warp_run(w, STRETCH);
        ran = true;
    }
    return ran;
}

static bool run_block(sim_sm *sm, sim_block *b) {
    if (!b->warps) return false;
    if (!b->running && !start_cluster(sm, b)) return false;
    bool ran = run_warps(sm, b);
    if (b->live_warps > 0 || b->ends_in_order || sm->fault.status != HAUL_OK) return ran;
    b->ends_in_order = !sm->serial && sim_async_has_reductions(&b->async);
    if (b->ends_in_order)
        sm->ordered++;
    else
        end_block(sm, b);
    return true;
}

bool sim_sm_run(sim_sm *sm, uint64_t end) {
    bool ran = true;
    sim_count_later(sm->counting);
    sim_sm_forget_freed(sm);
    while (ran && sm->executed < end && sm->fault.status == HAUL_OK) {
        ran = false;
        for (uint32_t b = 0; b < sm->grid->resident; b++) ran |= run_block(sm, &sm->blocks[b]);
    }
    sm->stuck = !ran;
    return sm->running > 0 || sm->next_cluster < sm->grid->clusters;
}

static bool is_global_atomic(const sim_op *op) {
    return op->memory_class == HAUL_CLASS_GLOBAL_ATOMIC || op->memory_class == HAUL_CLASS_GLOBAL_REDUCTION;
}

/* All other SMs wait meanwhile: what atomics count is left for when they do not. With checks on, a launch that ends
 * here is recorded as far as it came. */
static sim_step execute_ordered(sim_sm *sm, sim_warp *w, const sim_op *op) {
    if (sm->hazards || !is_global_atomic(op)) {
        sim_count_later(sm->counting);
        return sim_execute(w, op);
    }
    sim_count_begin_later(sm->counting);
    const sim_step step = sim_execute(w, op);
    sim_count_end_later(sm->counting);
    return step;
}

/* The path's next operation is done in the serial phase; afterwards the warp goes on as usual. */
static void run_ordered_path(sim_sm *sm, sim_warp *w, sim_path *p) {
    sim_warp_wake(w, p);
    w->path = p;
    w->active = p->mask;
    uint32_t pc = p->pc;
    sim_step step = execute_ordered(sm, w, &w->ops[pc]);
    sm->executed++;
    if ((step == SIM_NEXT || step == SIM_YIELD) && p->state == SIM_PATH_READY)
        p->pc = pc + 1;
    else if (step == SIM_JUMP)
        w->path->pc = w->pc;
}

static void run_ordered_warp(sim_sm *sm, sim_warp *w) {
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        sim_path *p = &w->paths[__builtin_ctz(left)];
        if (p->state == SIM_PATH_AT_ORDER && sm->fault.status == HAUL_OK) run_ordered_path(sm, w, p);
    }
}

void sim_sm_run_ordered(sim_sm *sm) {
    if (sm->ordered == 0) return;
    bool serial = sm->serial;
    sim_sm_forget_freed(sm);
    sm->serial = true;
    sm->ordered = 0;
    for (uint32_t b = 0; b < sm->grid->resident; b++) {
        sim_block *block = &sm->blocks[b];
        for (uint32_t i = 0; block->running && i < block->warp_count; i++) run_ordered_warp(sm, &block->warps[i]);
        if (!block->running || !block->ends_in_order) continue;
        sim_count_later(sm->counting);
        end_block(sm, block);
    }
    sm->serial = serial;
}

/* ---- when nothing runs ---- */

static bool time_out_warp(sim_warp *w) {
    bool any = false;
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        sim_path *p = &w->paths[__builtin_ctz(left)];
        if (p->state != SIM_PATH_AT_MBARRIER) continue;
        p->resumes = 1;
        sim_warp_wake(w, p);
        any = true;
    }
    return any;
}

bool sim_sm_time_out_waits(sim_sm *sm) {
    bool any = false;
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            any |= time_out_warp(&sm->blocks[b].warps[i]);
    return any;
}

bool sim_sm_release_joins(sim_sm *sm) {
    bool any = false;
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            any |= sim_warp_release_joins(&sm->blocks[b].warps[i]);
    return any;
}

static const char *describe_state(const sim_path *p, char out[48]) {
    switch (p->state) {
    case SIM_PATH_READY: return "run";
    case SIM_PATH_AT_BARRIER: snprintf(out, 48, "wait for barrier %u", p->barrier); return out;
    case SIM_PATH_AT_WARP_SYNC: return "wait for lanes of its own warp";
    case SIM_PATH_AT_MBARRIER: return "wait for an mbarrier's phase";
    case SIM_PATH_AT_CLUSTER: return "wait for the cluster's barrier";
    case SIM_PATH_AT_TENSOR_MEMORY: return "wait for columns of tensor memory";
    default: return "wait for a change";
    }
}

static const ptx_place *place_of(const sim_program *p, const sim_op *op) {
    uint32_t place = p->function->instructions[op->instruction].place;
    return place ? &p->module->places[place - 1] : NULL;
}

/* The line in the source, or without one in the PTX. */
static uint32_t line_of(const sim_program *p, const sim_op *op) {
    const ptx_place *place = place_of(p, op);
    return place ? place->line : p->function->instructions[op->instruction].position.line;
}

static void describe_path(const sim_sm *sm, const sim_warp *w, const sim_path *p, char *message, size_t size) {
    char state[48];
    size_t used = strlen(message);
    snprintf(message + used, size - used, "%s block (%u,%u,%u) warp %u lanes %08x %s at line %u", used ? ";" : "",
             w->block->at[0], w->block->at[1], w->block->at[2], w->index, p->mask, describe_state(p, state),
             line_of(sm->grid->program, &w->ops[p->pc]));
}

static void describe_warp(const sim_sm *sm, const sim_warp *w, char *message, size_t size) {
    for (uint32_t left = w->used_paths; left && strlen(message) + 120 < size; left &= left - 1)
        describe_path(sm, w, &w->paths[__builtin_ctz(left)], message, size);
}

void sim_sm_describe_stuck(const sim_sm *sm, char *message, size_t size) {
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            describe_warp(sm, &sm->blocks[b].warps[i], message, size);
}

/* ---- faults ---- */

static void print_place(const sim_program *p, const sim_op *op, char *out, size_t size) {
    const ptx_place *place = place_of(p, op);
    const ptx_instruction *i = &p->function->instructions[op->instruction];
    if (place && place->file < p->module->file_count && p->module->files[place->file])
        snprintf(out, size, "%s:%u: ", p->module->files[place->file], place->line);
    else
        snprintf(out, size, "%s:%u: ", p->module->name, i->position.line);
}

void sim_fault_concerns(sim_warp *w, haul_space space, uint64_t address, uint32_t bytes) {
    sim_fault_record *f = &w->sm->fault;
    if (f->status != HAUL_OK) return;
    f->space = space;
    f->address = address;
    f->bytes = bytes;
}

/* False when there was a fault before. */
static bool open_fault(sim_warp *w, haul_status status, haul_finding_kind kind, const char *place) {
    sim_fault_record *f = &w->sm->fault;
    if (f->status != HAUL_OK) return false;
    f->status = status;
    f->kind = kind;
    snprintf(f->message, sizeof f->message, "%s", place);
    return true;
}

__attribute__((format(printf, 4, 0))) static void tell_fault(sim_warp *w, const sim_op *op, uint32_t lanes,
                                                             const char *format, va_list arguments) {
    sim_fault_record *f = &w->sm->fault;
    size_t used = strlen(f->message);
    vsnprintf(f->message + used, sizeof f->message - used, format, arguments);
    if (w->sm->hazards && (f->status == HAUL_ERROR_FAULT || f->status == HAUL_ERROR_TRAP))
        sim_hazard_fault(w, op, lanes, f->message + used);
    used = strlen(f->message);
    uint32_t thread = w->index * SIM_LANES + (lanes ? (uint32_t)__builtin_ctz(lanes) : 0);
    const uint32_t *size = w->sm->grid->block;
    snprintf(f->message + used, sizeof f->message - used, " (kernel %s, block %u,%u,%u, thread %u,%u,%u)",
             w->sm->grid->program->function->name, w->block->at[0], w->block->at[1], w->block->at[2], thread % size[0],
             thread / size[0] % size[1], thread / size[0] / size[1]);
}

static haul_status status_of(haul_finding_kind kind) {
    return kind == HAUL_FINDING_TRAP ? HAUL_ERROR_TRAP : HAUL_ERROR_FAULT;
}

sim_step sim_fault(sim_warp *w, const sim_op *op, haul_finding_kind kind, uint32_t lanes, const char *format, ...) {
    char place[512];
    va_list arguments;
    print_place(w->sm->grid->program, op, place, sizeof place);
    va_start(arguments, format);
    if (open_fault(w, status_of(kind), kind, place)) tell_fault(w, op, lanes, format, arguments);
    va_end(arguments);
    return SIM_STOP;
}

sim_step sim_fault_at(sim_warp *w, const char *place, haul_finding_kind kind, uint32_t lanes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (open_fault(w, status_of(kind), kind, place)) tell_fault(w, &w->ops[w->path->pc], lanes, format, arguments);
    va_end(arguments);
    return SIM_STOP;
}

sim_step sim_give_up(sim_warp *w, const sim_op *op, haul_status status, uint32_t lanes, const char *format, ...) {
    char place[512];
    va_list arguments;
    print_place(w->sm->grid->program, op, place, sizeof place);
    va_start(arguments, format);
    if (open_fault(w, status, HAUL_FINDING_ILLEGAL_ACCESS, place)) tell_fault(w, op, lanes, format, arguments);
    va_end(arguments);
    return SIM_STOP;
}
