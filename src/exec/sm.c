/* One SM: its resident blocks take turns, warp by warp.
 *
 * An SM runs every used_sms-th cluster of the grid, in order. In a round each resident block gets a turn, and in it
 * each warp that has a ready path runs some operations. A block whose threads have all ended is replaced by one of the
 * SM's next cluster. Rounds go on until the epoch's operations are done or nothing can run.
 *
 * A warp cannot run while all of its paths wait. Most waits end by an event on the same SM: a barrier opens, a phase
 * completes. A path whose next operation other blocks could see waits for the serial phase (SIM_PATH_AT_ORDER), which
 * epochs.c begins when all SMs have stopped.
 *
 * Two kinds of waits need more than that. Warps that poll never stop by themselves, so an SM on which all warps only
 * poll gives way until the next epoch. When nothing on the GPU can run, epochs.c ends the waits with a time limit, then
 * releases lanes from joins; the functions for that are at the end. */
#include "exec/sm.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/hazard.h"
#include "exec/async.h"
#include "exec/call.h"
#include "exec/interpreter.h"
#include "exec/paths.h"
#include "exec/tmem.h"
#include "exec/unfenced.h"
#include "jit/compiled.h"
#include "machine/heap.h"
#include "state/block.h"

#include <math.h>
#include <string.h>

/* Operations of a warp's turn. The limit bounds how long a spinning warp keeps others waiting. */
enum { STRETCH = 4096 };
/* Operations of a block that goes on in the serial phase. */
enum { HANDED_OVER = 2048 };
/* The most rounds in which an SM polls in vain before it gives way; later the epoch ends anyway. */
enum { MOST_VAIN_ROUNDS = 1 << 14 };

/* ---- memory ---- */

/* Blocks and their parts begin at a host cache line, which is also the alignment of the widest vector loads. */
static size_t align_up(size_t value) {
    return (value + 63) / 64 * 64;
}

/* Returns the bytes of a block's warps, registers and shared memory. Schedules without proxy fences need a second view
 * of shared memory for the copy engine (unfenced.h). */
static size_t block_memory(const sim_grid *g) {
    const sim_program *p = g->program;
    const size_t views = g->schedule.is_unfenced ? 2 : 1;
    return align_up(g->warps * (size_t)p->register_bytes) + views * align_up(g->shared_bytes) +
           align_up(g->warps * sizeof(sim_warp));
}

/* Divides a block's memory among its parts, in the order of block_memory(). Contents are set when a cluster starts. */
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
    b->engine_view = g->schedule.is_unfenced ? memory + align_up(g->shared_bytes) : memory;
    b->warp_count = g->warps;
}

/* Returns the most blocks that are resident on the SM at once. The last SMs of a small grid have fewer clusters than
 * fit. */
static uint32_t most_resident(const sim_grid *g, uint32_t index) {
    const uint64_t share = (g->clusters - index + g->used_sms - 1) / g->used_sms * g->cluster_blocks;
    return share < g->resident ? (uint32_t)share : g->resident;
}

static haul_status create_sm(const sim_grid *g, const sim_count_plan *plan, uint32_t index, sim_sm *sm) {
    *sm = (sim_sm){.grid = g,
                   .follower = g->follower,
                   .index = index,
                   .next_cluster = sim_sm_first_cluster(g, index),
                   .patience = SIM_PATIENT};
    const uint32_t resident = sm->room = most_resident(g, index);
    sm->blocks = memory_zeroed(g->resident, sizeof *sm->blocks);
    sm->memory = memory_alloc(block_memory(g) * resident + 64);
    sm->reaches = memory_zeroed(g->program->function->instruction_count + 1, sizeof *sm->reaches);
    /* Zero pages are allocated on first touch: most kernels use little of large frames. */
    size_t frames = (size_t)g->threads * g->program->frame_bytes;
    sm->frames = memory_zeroed(resident, frames);
    if (!sm->blocks || !sm->memory || !sm->reaches || !sm->frames) return haul_no_memory("the resident thread blocks");
    unsigned char *memory = sm->memory + (-(uintptr_t)sm->memory & 63);
    for (uint32_t b = 0; b < resident; b++) {
        sm->blocks[b].sm = sm;
        carve_block(g, &sm->blocks[b], memory + b * block_memory(g));
        sm->blocks[b].frames = sm->frames + b * frames;
        HAUL_TRY(sim_async_create(&sm->blocks[b].async, g->warps, g->threads));
    }
    if (g->check) HAUL_TRY(sim_hazards_create(sm));
    if (plan) HAUL_TRY(sim_counting_create(plan, &sm->counting));
    /* Compiled code does not follow stores that the copy engine does not see. */
    const bool may_compile = !g->check || (plan && !g->schedule.is_unfenced);
    if (may_compile && g->program->compiled) sm->native = sim_native_create(sm, sim_warp_turn);
    return HAUL_OK;
}

void sim_sm_free(sim_sm *sm) {
    sim_hazards_free(sm);
    for (uint32_t b = 0; sm->blocks && b < sm->grid->resident; b++) {
        sim_async_free(&sm->blocks[b].async);
        sim_unfenced_free(&sm->blocks[b]);
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

uint64_t sim_sm_bytes(const sim_sm *sm) {
    const sim_grid *g = sm->grid;
    const uint64_t block = block_memory(g) + g->threads * g->program->frame_bytes;
    const uint64_t counting = sm->counting ? sim_counting_bytes(sm->counting) : 0;
    const uint64_t hazards = sm->hazards ? sim_hazards_bytes(sm) : 0;
    return sm->room * block + g->program->function->instruction_count * sizeof(sim_reach) + sizeof(sim_sm) + counting +
           hazards;
}

/* Resets the state that a launch leaves behind. Blocks need no reset: a cluster's start sets up all that its threads
 * can see. Returns false if the SM cannot be used again. */
static bool renew_sm(const sim_grid *g, const sim_count_plan *plan, sim_sm *sm) {
    sm->grid = g;
    sm->follower = g->follower;
    sm->next_cluster = sim_sm_first_cluster(g, sm->index);
    sm->patience = SIM_PATIENT;
    sm->releases = sm->turns = sm->progress = sm->changes = sm->executed = sm->epoch_end = 0;
    sm->waited = sm->clock_changes = sm->ticks = sm->clock_reads = 0;
    sm->stuck = sm->gave_way = sm->delivers = false;
    sm->delivered = 0;
    sm->vain = sm->vain_rounds = sm->pollers = 0;
    sm->running = sm->ordered = 0;
    sm->waits = (sim_waits){0};
    sm->overrun = (sim_overrun){0};
    memset(sm->reaches, 0, g->program->function->instruction_count * sizeof *sm->reaches);
    sim_tmems_free(sm);
    sim_print_log_free(&sm->printed);
    if (sm->native) sim_native_renew(sm);
    if (plan) sim_counting_renew(plan, sm->counting);
    return !sm->hazards || sim_hazards_renew(sm);
}

haul_status sim_sm_prepare(const sim_grid *g, const sim_count_plan *plan, uint32_t index, sim_sm *sm) {
    if (sm->room && sm->room >= most_resident(g, index) && renew_sm(g, plan, sm)) return HAUL_OK;
    if (sm->room) sim_sm_free(sm);
    return create_sm(g, plan, index, sm);
}

/* ---- running ---- */

/* Completes the block's copies and tensor memory operations that nobody waited for, and frees its place. */
static void end_block(sim_sm *sm, sim_block *b) {
    sim_async_finish(b);
    if (sm->hazards) sim_hazard_tmem_finish(b);
    sim_tmem_finish(b);
    b->running = b->ends_in_order = false;
    sm->running--;
    for (uint32_t i = 0; i < b->warp_count; i++)
        sm->waits.longest = fmax(sm->waits.longest, (double)b->warps[i].executed);
}

void sim_sm_forget_places(sim_sm *sm) {
    memset(sm->reaches, 0, sm->grid->program->function->instruction_count * sizeof *sm->reaches);
}

void sim_sm_forget_freed(sim_sm *sm) {
    const sim_grid *g = sm->grid;
    if (!g->heap || !g->check || sm->releases == sim_heap_releases(g->heap)) return;
    sim_sm_forget_places(sm);
    sm->releases = sim_heap_releases(g->heap);
}

/* Returns the i-th of `count` in this round's order. */
static uint32_t in_turn(const sim_sm *sm, uint64_t round, uint32_t i, uint32_t count) {
    switch (sm->grid->schedule.turns) {
    case HAUL_SCHEDULE_REVERSED: return count - 1 - i;
    case HAUL_SCHEDULE_RANDOM: return (uint32_t)sim_shuffled(i, count, sm->grid->schedule.seed + round);
    default: return i;
    }
}

/* Returns the operations of the warp's turn; 0: it sits this round out. Random schedules thereby stop warps at any
 * place, for any time. Lanes that run apart do so again after each operation that they met at. A warp that polls always
 * gets its turn, or its polling in vain would not be noticed. */
static uint64_t turn_of(sim_sm *sm, const sim_warp *w) {
    enum { LENGTHS = 13, SHORTEST = 1 };
    const sim_schedule *s = &sm->grid->schedule;
    if (s->turns == HAUL_SCHEDULE_RANDOM && !w->polls) {
        const uint64_t bits = sim_schedule_bits(s, ++sm->turns);
        if (sm->grid->check) sim_async_meanwhile(w->block, sm->turns);
        return bits & 1 ? 0 : 1ull << (bits >> 1) % LENGTHS;
    }
    return s->is_diverged && !w->polls ? SHORTEST : STRETCH;
}

/* Lanes that poll stay together, so that a deadlock shows as a loop in which nothing changes. */
static void diverge(sim_warp *w) {
    if (w->polls)
        sim_warp_merge(w);
    else
        sim_warp_scatter(w, w->sm->grid->schedule.turns != HAUL_SCHEDULE_REVERSED);
}

enum { HOST_LINE = 64 };

/* Fetches what a warp's turn begins with into the host's caches. */
static void fetch_warp(const sim_block *b, uint32_t index) {
    const unsigned char *from = (const unsigned char *)&b->warps[index];
    if (index >= b->warp_count) return;
    for (size_t at = 0; at < offsetof(sim_warp, paths[1]); at += HOST_LINE) __builtin_prefetch(from + at, 1);
}

/* Gives each warp of the block a turn. Returns whether any warp could run. Sets *useful if one did more than poll, or
 * may do so later. With checks on, a fault that was passed over takes effect when the SM has run far enough behind
 * it. */
static bool run_warps(sim_sm *sm, sim_block *b, bool *useful) {
    bool ran = false;
    const uint64_t executed = sm->executed;
    if (sm->passed.status != HAUL_OK && sm->executed > sm->passes_until) sm->fault = sm->passed;
    for (uint32_t i = 0; i < b->warp_count && sm->fault.status == HAUL_OK; i++) {
        sim_warp *w = &b->warps[in_turn(sm, executed, i, b->warp_count)];
        fetch_warp(b, i + 1);
        if (!w->ready_paths) continue;
        ran = true;
        const uint64_t turn = turn_of(sm, w);
        *useful |= !turn;
        if (!turn) continue;
        if (w->path->state != SIM_PATH_READY) sim_warp_switch(w);
        if (sm->grid->schedule.is_diverged) diverge(w);
        const uint64_t operations = sim_warp_run(w, turn);
        sm->executed += operations;
        if (!w->in_vain) w->executed += operations;
        *useful |= !w->in_vain;
    }
    return ran;
}

/* Gives a block its turn; starts a cluster in its place and ends the block where that is due. A block whose reductions
 * other blocks can see ends in the serial phase only. Returns whether anything ran. */
static bool run_block(sim_sm *sm, sim_block *b, bool *useful) {
    if (!b->warps) return false;
    if (!b->running && !sim_start_cluster(sm, b)) return false;
    bool ran = run_warps(sm, b, useful);
    if (b->live_warps > 0 || b->ends_in_order || sm->fault.status != HAUL_OK) return ran;
    b->ends_in_order = !sm->serial && sim_async_has_reductions(&b->async);
    if (b->ends_in_order)
        sm->ordered++;
    else
        end_block(sm, b);
    *useful = true;
    return true;
}

void sim_sm_begin_epoch(sim_sm *sm, uint64_t end) {
    sm->epoch_end = end;
    sm->gave_way = false;
    sm->vain = 0;
}

/* Counts a round of all blocks in which warps did nothing but poll. The limit doubles from epoch to epoch, since loops
 * may count their iterations. It does not grow if something happens in between. */
static void note_vain_round(sim_sm *sm) {
    if (++sm->vain < sm->vain_rounds) return;
    sm->gave_way = true;
    if (sm->vain_rounds < MOST_VAIN_ROUNDS) sm->vain_rounds = 2 * sm->vain_rounds + 1;
}

bool sim_sm_polls(const sim_sm *sm) {
    if (sm->next_cluster < sm->grid->end_cluster && sm->running < sm->grid->resident) return false;
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            if (sm->blocks[b].warps[i].ready_paths && !sm->blocks[b].warps[i].polls) return false;
    return true;
}

/* Wakes all paths in mbarrier.try_wait; they test the phase again. Returns whether there were any. */
static bool wake_waiters(sim_sm *sm) {
    bool any = false;
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            any |= sim_warp_wake_all(&sm->blocks[b].warps[i], SIM_PATH_AT_MBARRIER);
    return any;
}

/* Called after each round. If nothing ran, and copies may complete that waiters were kept waiting for, lets the waiters
 * try again; returns false if that has been tried, or there are none. `delivered` is one more than the changes at the
 * last try; 0 means that there was none. */
static bool deliver_late(sim_sm *sm, bool ran) {
    sm->delivers = false;
    if (ran || !sim_keeps_waiters_waiting(&sm->grid->schedule) || sm->delivered == sm->changes + 1) return ran;
    sm->delivers = wake_waiters(sm);
    sm->delivered = sm->changes + 1;
    return sm->delivers;
}

bool sim_sm_run(sim_sm *sm, uint64_t end) {
    bool ran = true;
    if (sm->gave_way) return true;
    sim_count_deferred(sm->counting);
    sim_sm_forget_freed(sm);
    while (ran && sm->executed < end && sm->fault.status == HAUL_OK && !sm->gave_way) {
        /* A round: each resident block gets its turn. */
        const uint64_t changes = sm->changes;
        bool useful = false;
        ran = false;
        for (uint32_t b = 0; b < sm->grid->resident; b++) ran |= run_block(sm, &sm->blocks[b], &useful);
        if (useful || sm->changes != changes)
            sm->vain = sm->vain_rounds = 0;
        else if (ran)
            note_vain_round(sm);
        ran = deliver_late(sm, ran);
    }
    sm->stuck = !ran;
    return sm->running > 0 || sm->next_cluster < sm->grid->end_cluster;
}

static bool is_global_atomic(const sim_op *op) {
    return op->memory_class == HAUL_CLASS_GLOBAL_ATOMIC || op->memory_class == HAUL_CLASS_GLOBAL_REDUCTION;
}

/* All other SMs wait meanwhile, so the counting of atomics is deferred. With checks on, a launch that ends here is
 * recorded as far as it ran. Other operations may count at once, after those that were deferred before them. */
static sim_step execute_ordered(sim_sm *sm, sim_warp *w, const sim_op *op) {
    if (sm->hazards || !is_global_atomic(op)) {
        sim_count_deferred(sm->counting);
        return sim_execute(w, op);
    }
    sim_count_begin_deferring(sm->counting);
    const sim_step step = sim_execute(w, op);
    sim_count_end_deferring(sm->counting);
    return step;
}

/* Executes the path's next operation in the serial phase; afterwards the warp goes on as usual. */
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

/* Runs a polling warp until it knows whether this round reads anything new. On the way it may yield, as where it reads
 * the clock. */
static void run_round(sim_sm *sm, sim_warp *w) {
    const uint64_t end = sm->executed + HANDED_OVER;
    bool is_within = true;
    while (is_within && sm->executed < end) {
        if (w->path->state != SIM_PATH_READY) sim_warp_switch(w);
        sm->executed += sim_warp_run(w, end - sm->executed);
        is_within = w->polls && !w->in_vain && w->ready_paths && sm->fault.status == HAUL_OK;
    }
}

/* Lets a polling warp poll once more. If it reads a new value, its block goes on, since other blocks may wait for its
 * next steps. */
static bool poll_again(sim_sm *sm, sim_warp *w) {
    sim_block *b = w->block;
    sim_count_deferred(sm->counting);
    sm->hands_over = true;
    run_round(sm, w);
    const bool news = !w->in_vain;
    const uint64_t end = sm->executed + HANDED_OVER;
    if (news) w->polls = false;
    for (bool ran = news; ran && sm->executed < end && sm->fault.status == HAUL_OK;) {
        ran = false;
        for (uint32_t i = 0; i < b->warp_count && sm->executed < end && sm->fault.status == HAUL_OK; i++) {
            sim_warp *other = &b->warps[i];
            if (!other->ready_paths || other->in_vain) continue;
            if (other->path->state != SIM_PATH_READY) sim_warp_switch(other);
            sm->executed += sim_warp_run(other, end - sm->executed);
            ran = true;
        }
    }
    sm->hands_over = false;
    sm->pollers += !news;
    return news;
}

/* Executes one operation of each path that waits for this phase. Paths that begin to wait meanwhile are not among
 * them. Returns the last of the operations, or `before` if there is none. */
static const sim_op *run_ordered_warp(sim_sm *sm, sim_warp *w, const sim_op *before) {
    const sim_op *last = before;
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        sim_path *p = &w->paths[__builtin_ctz(left)];
        if (p->state != SIM_PATH_AT_ORDER || sm->fault.status != HAUL_OK) continue;
        last = &w->ops[p->pc];
        run_ordered_path(sm, w, p);
    }
    return last;
}

/* Fetches a slot's lanes, of the given width, into the host's caches. */
static void fetch_slot(const unsigned char *regs, uint32_t slot, unsigned width) {
    if (slot < SIM_SLOTS_FIXED) return;
    for (unsigned at = 0; at < width * SIM_LANES; at += HOST_LINE) __builtin_prefetch(regs + slot + at, 1);
}

/* By now other SMs have run, so a warp's data have left the host's nearest caches. Warps mostly wait at one operation:
 * fetches what the next warp needs for it, while this one executes it. */
static void fetch_next_ordered(const sim_block *b, uint32_t index, const sim_op *op) {
    const sim_program *p = b->sm->grid->program;
    const uint32_t next = index + 1;
    if (!op || next >= b->warp_count) return;
    const unsigned char *regs = b->warps[index].regs + p->register_bytes;
    fetch_warp(b, next + 1);
    fetch_slot(regs, op->a, op->flags & SIM_OP_WIDE ? 8 : 4);
    fetch_slot(regs, op->b, op->bytes);
    fetch_slot(regs, op->c, op->bytes);
    fetch_slot(regs, op->d, op->bytes);
}

/* Returns whether the warp's last iterations have read nothing new. */
static bool may_poll_again(const sim_sm *sm, const sim_warp *w) {
    return !sm->hazards && w->polls && w->ready_paths && sm->fault.status == HAUL_OK;
}

bool sim_sm_run_ordered(sim_sm *sm) {
    bool news = false;
    sm->pollers = 0;
    if (sm->ordered == 0) return false;
    /* With one SM only, all phases are serial. */
    bool serial = sm->serial;
    const sim_op *last = NULL;
    sim_sm_forget_freed(sm);
    sm->serial = true;
    sm->ordered = 0;
    for (uint32_t b = 0; b < sm->grid->resident; b++) {
        sim_block *block = &sm->blocks[b];
        for (uint32_t i = 0; block->running && i < block->warp_count; i++) {
            fetch_next_ordered(block, i, last);
            last = run_ordered_warp(sm, &block->warps[i], last);
            if (may_poll_again(sm, &block->warps[i])) news |= poll_again(sm, &block->warps[i]);
        }
        if (!block->running || !block->ends_in_order) continue;
        sim_count_deferred(sm->counting);
        end_block(sm, block);
    }
    sm->serial = serial;
    return news;
}

bool sim_sm_poll_again(sim_sm *sm) {
    const bool serial = sm->serial;
    bool news = false;
    if (!sm->pollers) return false;
    sm->serial = true;
    sm->pollers = 0;
    for (uint32_t b = 0; b < sm->grid->resident; b++) {
        sim_block *block = &sm->blocks[b];
        for (uint32_t i = 0; block->running && i < block->warp_count; i++)
            if (may_poll_again(sm, &block->warps[i])) news |= poll_again(sm, &block->warps[i]);
    }
    sm->serial = serial;
    return news;
}

/* ---- when nothing can run ---- */

/* Lets the paths in mbarrier.try_wait return false, as hardware does after a time that it chooses, and those go on that
 * wait for their warpgroup's other warps. Returns whether there were any. */
static bool time_out_warp(sim_warp *w) {
    bool any = false;
    for (uint32_t left = sim_warp_parked(w); left; left &= left - 1) {
        sim_path *p = &w->paths[__builtin_ctz(left)];
        if (p->state != SIM_PATH_AT_MBARRIER && p->state != SIM_PATH_AT_PRODUCT) continue;
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
