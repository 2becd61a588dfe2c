/* Copies in flight: their queues, and the moments at which they move their data and complete.
 *
 * cp.async has a queue for each warp, oldest first; an entry is a warp's instruction, with the lanes that still wait
 * for it. Bulk and tensor copies are in one list of the block whose threads wait for them, in the order of issue.
 *
 * A copy completes when it must: at the wait for its group, when a thread waits for its mbarrier, or at the end of the
 * block. That is as late as the rules allow, so a program that forgets to wait reads old bytes. Schedules of checked
 * launches may move the data sooner (`moved`); bookkeeping and checks stay at the completion.
 *
 * Reductions into global memory are atomic towards other blocks. They are never moved early, and their waits are in the
 * serial phase (exec/ops/bulk.c).
 *
 * The instructions are in exec/ops/async.c, bulk.c and tensor.c; bytes of bulk copies are moved in exec/bulk.c. */
#include "exec/async.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/hazard.h"
#include "exec/bulk.h"
#include "exec/mbarrier.h"
#include "exec/paths.h"
#include "exec/products.h"
#include "exec/tmem.h"
#include "state/block.h"
#include "state/lanes.h"

#include <string.h>

/* If a program never waits, its oldest copies complete early, as on hardware. */
enum { QUEUE_LIMIT = 256, QUEUE_LIMIT_CHECKED = 1 << 14 };

haul_status sim_async_create(sim_async *a, size_t warps, size_t threads) {
    a->queues = memory_zeroed(warps, sizeof *a->queues);
    a->bulk_groups = memory_zeroed(threads, sizeof *a->bulk_groups);
    a->queue_count = warps;
    a->thread_count = threads;
    if (a->queues && a->bulk_groups) return HAUL_OK;
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for copies in flight");
}

/* Frees the sources that were read ahead of their stores. */
static void drop_staged(sim_async *a) {
    for (size_t i = 0; i < a->bulk_count; i++) memory_free(a->bulks[i].staged);
}

void sim_async_free(sim_async *a) {
    for (size_t i = 0; a->queues && i < a->queue_count; i++) {
        memory_free(a->queues[i].copies);
        sim_products_drop(&a->queues[i].products);
        memory_free(a->queues[i].products.items);
    }
    drop_staged(a);
    memory_free(a->queues);
    memory_free(a->bulks);
    memory_free(a->bulk_groups);
    *a = (sim_async){0};
}

/* Does nothing if the last block issued no copies, as most do. */
void sim_async_reset(sim_async *a) {
    if (!a->used) return;
    a->used = false;
    for (size_t i = 0; i < a->queue_count; i++) {
        a->queues[i].first = a->queues[i].count = 0;
        sim_products_drop(&a->queues[i].products);
        memset(a->queues[i].committed, 0, sizeof a->queues[i].committed);
    }
    drop_staged(a);
    a->bulk_count = a->reductions = a->issued = 0;
    memset(a->carriers, 0, sizeof a->carriers);
    memset(a->bulk_groups, 0, a->thread_count * sizeof *a->bulk_groups);
}

/* ---- cp.async ---- */

/* `range` is the allocation that the previous lane read; lanes mostly share it. Sources that have been freed since the
 * issue are ignored. The usual sizes are copied with a constant size, which the compiler does in place. */
static void copy_lane(sim_block *b, const sim_copy *c, unsigned lane, sim_range *range) {
    unsigned char *to = b->shared + c->destination[lane];
    uint64_t from = c->source[lane];
    unsigned bytes = c->read[lane];
    if (bytes < c->bytes) memset(to, 0, c->bytes);
    if (bytes == 0) return;
    const void *source = (const void *)(range->host + from);
    if (from < range->from || from + bytes > range->to) {
        *range = (sim_range){0};
        source = sim_memory_find(b->sm->grid->memory, from, range) && bytes <= range->to - from
                     ? (const void *)(range->host + from)
                     : sim_memory_in_pages(b->sm->grid->memory, from, bytes, NULL);
        if (!source) return;
    }
    switch (bytes) {
    case 4: memcpy(to, source, 4); return;
    case 8: memcpy(to, source, 8); return;
    case 16: memcpy(to, source, 16); return;
    default: memcpy(to, source, bytes);
    }
}

static void move_lanes(sim_block *b, const sim_copy *c, uint32_t lanes) {
    sim_range range = {0};
    const unsigned turn = sim_store_turn(c->bytes);
    for (lanes = sim_turn_lanes(lanes, turn); lanes; lanes &= lanes - 1)
        copy_lane(b, c, (unsigned)__builtin_ctz(lanes) ^ turn, &range);
}

/* cp.async.mbarrier.arrive: without .noinc, its issue has raised the pending count. Now the arrival takes effect. */
static void arrive_for_lanes(sim_block *b, const sim_copy *c, uint32_t lanes) {
    for (; lanes; lanes &= lanes - 1) {
        uint64_t *object = sim_mbarrier_at(b, c->destination[__builtin_ctz(lanes)]);
        if (object) sim_mbarrier_update(b, object, 1, 0);
    }
}

/* `barrier`: completes the copies for the waiters of that mbarrier; NULL: for their own thread. Entries without bytes
 * are arrivals on an mbarrier. */
static void complete_lanes(sim_block *b, size_t warp, sim_copy *c, uint32_t lanes, const uint32_t *barrier) {
    c->lanes &= ~lanes;
    b->sm->changes += lanes != 0;
    if (c->bytes == 0) {
        arrive_for_lanes(b, c, lanes);
        return;
    }
    if (b->sm->hazards && lanes) sim_hazard_copied(b, (uint32_t)warp, c, lanes, barrier);
    if (!c->moved) move_lanes(b, c, lanes);
}

/* Removes completed entries from the front; those after an entry that still waits stay. */
static void drop_finished(sim_copy_queue *q) {
    while (q->count && q->copies[q->first].lanes == 0) q->first++, q->count--;
    if (q->count == 0) q->first = 0;
}

/* Moves the entries to the front of the array if more than half of it is free there; else grows it. */
static bool make_room(sim_copy_queue *q) {
    if (q->first + q->count < q->capacity) return true;
    if (q->first > q->capacity / 2) {
        memmove(q->copies, q->copies + q->first, q->count * sizeof *q->copies);
        q->first = 0;
        return true;
    }
    sim_copy *copies = memory_grow(q->copies, q->first + q->count, &q->capacity, sizeof *copies);
    if (copies) q->copies = copies;
    return copies != NULL;
}

/* A full queue completes its oldest copy first. */
sim_copy *sim_async_add(sim_warp *w) {
    sim_copy_queue *q = &w->block->async.queues[w->index];
    /* Checks record which wait completed a copy, so they allow more copies in flight. */
    if (q->count >= (w->sm->hazards ? QUEUE_LIMIT_CHECKED : QUEUE_LIMIT)) {
        complete_lanes(w->block, w->index, &q->copies[q->first], q->copies[q->first].lanes, NULL);
        drop_finished(q);
    }
    if (!make_room(q)) return NULL;
    w->block->async.used = true;
    w->sm->changes++;
    return &q->copies[q->first + q->count++];
}

void sim_async_issued(sim_warp *w, sim_copy *c) {
    sim_block *b = w->block;
    if (c->bytes == 0 || !sim_takes_effect_at_issue(&w->sm->grid->schedule, b->async.issued++)) return;
    move_lanes(b, c, c->lanes);
    c->moved = true;
}

void sim_async_commit(sim_warp *w, uint32_t active) {
    sim_copy_queue *q = &w->block->async.queues[w->index];
    w->block->async.used = true;
    for (unsigned l = 0; l < SIM_LANES; l++) q->committed[l] += active >> l & 1;
    w->sm->changes++;
}

/* Returns the lanes of the copy whose group is old enough. A group is due if at least `keep` groups were closed after
 * it. */
static uint32_t due_lanes(const sim_copy_queue *q, const sim_copy *c, uint32_t active, uint32_t keep) {
    uint32_t due = 0;
    for (unsigned l = 0; l < SIM_LANES; l++)
        due |= (uint32_t)((int64_t)c->group + keep < (int64_t)q->committed[l]) << l;
    return due & c->lanes & active;
}

/* Counts a wait for the estimate of time. */
static void count_wait(sim_waits *waits, uint32_t keep) {
    waits->memory += keep == 0;
    waits->staged += keep > 0;
    waits->staged_groups += keep;
}

void sim_async_wait(sim_warp *w, uint32_t active, uint32_t keep, bool everything) {
    count_wait(&w->sm->waits, keep);
    sim_copy_queue *q = &w->block->async.queues[w->index];
    for (size_t i = q->first; i < q->first + q->count; i++) {
        sim_copy *c = &q->copies[i];
        complete_lanes(w->block, w->index, c, everything ? c->lanes & active : due_lanes(q, c, active, keep), NULL);
    }
    drop_finished(q);
}

/* ---- mbarriers on which copies complete ---- */

static uint64_t *carrier_word(sim_async *a, uint32_t barrier) {
    return &a->carriers[barrier / sizeof(uint64_t) % SIM_CARRIERS / 64];
}

static uint64_t carrier_bit(uint32_t barrier) {
    return UINT64_C(1) << barrier / sizeof(uint64_t) % 64;
}

void sim_async_carries(sim_async *a, uint32_t barrier) {
    *carrier_word(a, barrier) |= carrier_bit(barrier);
}

/* ---- bulk copies ---- */

/* Moves the data of a copy that has just been issued if the schedule says so. Reductions in global memory are atomic
 * towards other blocks: they are left to the serial phase. */
static void take_effect_early(sim_block *b, sim_bulk *bulk) {
    bulk->number = b->async.issued++;
    if (bulk->kind == SIM_BULK_REDUCE || !sim_takes_effect_at_issue(&b->sm->grid->schedule, bulk->number)) return;
    sim_bulk_move(b, bulk);
    bulk->moved = true;
}

/* The pointer into the list is valid until the next one is added. */
bool sim_async_add_bulk(sim_block *b, const sim_bulk *bulk) {
    sim_async *a = &b->async;
    sim_bulk *bulks = memory_grow(a->bulks, a->bulk_count, &a->bulk_capacity, sizeof *bulks);
    if (!bulks) return false;
    a->bulks = bulks;
    a->bulks[a->bulk_count++] = *bulk;
    take_effect_early(b, &a->bulks[a->bulk_count - 1]);
    a->used = true;
    b->sm->changes++;
    a->reductions += bulk->kind == SIM_BULK_REDUCE;
    if (bulk->kind == SIM_BULK_LOAD) sim_async_carries(a, bulk->barrier);
    /* Threads that already wait for the mbarrier get the copy now. */
    if (bulk->kind == SIM_BULK_LOAD) sim_block_wake_mbarrier_waiters(b);
    return true;
}

bool sim_async_has_reductions(const sim_async *a) {
    return a->reductions > 0;
}

/* Completes the bulk copies that `is_due` selects, in issue order, and keeps the others. */
typedef bool (*bulk_test)(const sim_bulk *bulk, uint32_t key, uint32_t limit);

/* A completion may wake threads, but runs none, so the list does not change meanwhile. */
static void complete_bulks(sim_block *b, bulk_test is_due, uint32_t key, uint32_t limit) {
    sim_async *a = &b->async;
    size_t kept = 0;
    for (size_t i = 0; i < a->bulk_count; i++) {
        sim_bulk *bulk = &a->bulks[i];
        if (!is_due(bulk, key, limit)) {
            a->bulks[kept++] = *bulk;
            continue;
        }
        a->reductions -= bulk->kind == SIM_BULK_REDUCE;
        b->sm->changes++;
        sim_bulk_complete(b, bulk);
    }
    a->bulk_count = kept;
}

/* Returns whether it is a store or reduction of the thread's first `groups` groups. */
static bool is_of_group(const sim_bulk *bulk, uint32_t thread, uint32_t groups) {
    return bulk->kind != SIM_BULK_LOAD && bulk->thread == thread && bulk->group < groups;
}

static bool is_for_barrier(const sim_bulk *bulk, uint32_t barrier, uint32_t unused) {
    (void)unused;
    return bulk->kind == SIM_BULK_LOAD && bulk->barrier == barrier;
}

static bool is_any(const sim_bulk *bulk, uint32_t unused, uint32_t unused_too) {
    (void)bulk, (void)unused, (void)unused_too;
    return true;
}

void sim_async_commit_bulk(sim_warp *w, uint32_t active) {
    w->sm->changes++;
    w->block->async.used = true;
    for (; active; active &= active - 1)
        w->block->async.bulk_groups[w->index * SIM_LANES + (unsigned)__builtin_ctz(active)]++;
}

/* Reads the sources of the thread's stores that write later, if the schedule has such. If the host has no memory, they
 * write now. */
static void stage_bulks(sim_block *b, uint32_t thread, uint32_t groups) {
    for (size_t i = 0; i < b->async.bulk_count; i++) {
        sim_bulk *bulk = &b->async.bulks[i];
        if (!is_of_group(bulk, thread, groups) || bulk->moved || bulk->staged) continue;
        if (!sim_arrives_after_read(&b->sm->grid->schedule, bulk->number) || !sim_bulk_stage(b, bulk)) continue;
        if (b->sm->hazards) sim_hazard_bulk_done(b, bulk);
    }
}

/* A staged store has been read already, and is left for the wait for its writes. */
static bool is_unread(const sim_bulk *bulk, uint32_t thread, uint32_t groups) {
    return is_of_group(bulk, thread, groups) && !bulk->staged;
}

/* Threads wait one after the other, in lane order. */
void sim_async_wait_bulk(sim_warp *w, uint32_t active, uint32_t keep, bool read) {
    count_wait(&w->sm->waits, keep);
    for (; active; active &= active - 1) {
        uint32_t thread = w->index * SIM_LANES + (uint32_t)__builtin_ctz(active);
        uint32_t closed = w->block->async.bulk_groups[thread];
        if (closed <= keep) continue;
        if (read) stage_bulks(w->block, thread, closed - keep);
        complete_bulks(w->block, read ? is_unread : is_of_group, thread, closed - keep);
    }
}

/* Copies in flight that complete on other mbarriers are later stages of a pipeline. Those of a stage are issued one
 * after the other. */
typedef struct stages {
    uint32_t barrier, last; /* the mbarrier that was waited for; that of the copy before */
    uint32_t count;
} stages;

static void add_stage(stages *s, uint32_t barrier) {
    if (barrier == s->last) return;
    s->last = barrier;
    s->count += barrier != s->barrier;
}

static void add_bulk_stages(const sim_async *a, stages *s) {
    for (size_t i = 0; i < a->bulk_count; i++)
        if (a->bulks[i].kind == SIM_BULK_LOAD) add_stage(s, a->bulks[i].barrier);
}

/* A thread's copies belong to the stage of its next arrival. */
static void add_copy_stages(const sim_copy_queue *q, stages *s) {
    for (size_t i = q->first; i < q->first + q->count; i++) {
        const sim_copy *c = &q->copies[i];
        if (c->bytes == 0 && c->lanes) add_stage(s, c->destination[__builtin_ctz(c->lanes)]);
    }
}

/* An mbarrier on which no copy completes, and at which all threads of the block arrive, is a barrier of the block. */
static bool is_block_barrier(sim_block *b, uint32_t barrier) {
    const uint64_t *object = sim_mbarrier_at(b, barrier);
    if (!object || *carrier_word(&b->async, barrier) & carrier_bit(barrier)) return false;
    return sim_mbarrier_unpack(*object).expected >= b->async.thread_count;
}

void sim_async_passed(sim_warp *w, uint32_t barrier) {
    if (is_block_barrier(w->block, barrier)) {
        w->sm->waits.barriers++;
        return;
    }
    const sim_async *a = &w->block->async;
    stages s = {.barrier = barrier, .last = barrier};
    add_bulk_stages(a, &s);
    add_copy_stages(&a->queues[w->index], &s);
    count_wait(&w->sm->waits, s.count);
}

/* Moves those of the queue's copies that the schedule picks in this turn. *number counts them over all queues. */
static void move_copies(sim_block *b, sim_copy_queue *q, uint64_t turn, uint64_t *number) {
    for (size_t i = q->first; i < q->first + q->count; i++) {
        sim_copy *c = &q->copies[i];
        if (c->moved || !c->bytes || !sim_takes_effect_meanwhile(&b->sm->grid->schedule, turn, (*number)++)) continue;
        move_lanes(b, c, c->lanes);
        c->moved = true;
    }
}

/* Only random schedules do this; a copy may then arrive at any time between issue and wait. */
void sim_async_meanwhile(sim_block *b, uint64_t turn) {
    uint64_t number = 0;
    if (!b->async.used) return;
    for (size_t q = 0; q < b->async.queue_count; q++) move_copies(b, &b->async.queues[q], turn, &number);
    for (size_t i = 0; i < b->async.bulk_count; i++) {
        sim_bulk *bulk = &b->async.bulks[i];
        const bool waits = bulk->kind == SIM_BULK_REDUCE || bulk->moved || bulk->staged;
        if (waits || !sim_takes_effect_meanwhile(&b->sm->grid->schedule, turn, number++)) continue;
        sim_bulk_move(b, bulk);
        bulk->moved = true;
    }
}

/* Bulk copies first, then arrivals with the cp.asyncs before them, then commits of tensor memory. */
void sim_async_deliver(sim_block *b, uint32_t address) {
    const uint64_t *object = sim_mbarrier_at(b, address);
    const uint32_t phase = object ? sim_mbarrier_unpack(*object).phase : 0;
    complete_bulks(b, is_for_barrier, address, 0);
    for (size_t q = 0; q < b->async.queue_count; q++) {
        sim_copy_queue *queue = &b->async.queues[q];
        for (size_t i = queue->first; i < queue->first + queue->count; i++) {
            const sim_copy *c = &queue->copies[i];
            if (c->bytes || !c->lanes || c->destination[__builtin_ctz(c->lanes)] != address) continue;
            /* The arrival comes after the thread's earlier copies, so those complete first. */
            uint32_t lanes = c->lanes;
            for (size_t k = queue->first; k <= i; k++)
                complete_lanes(b, q, &queue->copies[k], queue->copies[k].lanes & lanes, &address);
        }
        drop_finished(queue);
    }
    sim_tmem_deliver(b, address, phase);
}

/* Nobody waits any more, so the checks report first what was never waited for. */
void sim_async_finish(sim_block *b) {
    if (b->sm->hazards) sim_hazard_finish(b);
    for (size_t q = 0; q < b->async.queue_count; q++) {
        sim_copy_queue *queue = &b->async.queues[q];
        for (size_t i = queue->first; i < queue->first + queue->count; i++)
            complete_lanes(b, q, &queue->copies[i], queue->copies[i].lanes, NULL);
        queue->first = queue->count = 0;
    }
    complete_bulks(b, is_any, 0, 0);
}
