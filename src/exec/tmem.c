/* Tensor memory: whom its columns belong to, and the queue of work in flight.
 *
 * Columns are allocated in units of 32, each with an owner. Work (products, copies, shifts and commits) waits in a
 * queue of the block that issued it. Nothing there runs by itself. A thread that waits for an mbarrier makes the queue
 * deliver: it finds the first commit on that mbarrier and does all that its thread has issued before, in order.
 * So work is done as late as the rules allow. Schedules may do its data movement at the issue; bookkeeping stays at the
 * commit.
 *
 * The instructions are in exec/ops/tmem*.c. */
#include "exec/tmem.h"

#include "base/memory.h"
#include "check/hazard.h"
#include "exec/mbarrier.h"
#include "exec/paths.h"
#include "state/block.h"
#include "state/mbarrier.h"

#include <string.h>

/* ---- the memory ---- */

/* Unwritten memory reads as NaN. */
enum { UNWRITTEN = 0xff };

/* The memories of all ranks are one array, which is made when a kernel first needs it: most never do. */
sim_tmem *sim_tmem_of(const sim_block *b) {
    sim_sm *sm = b->sm;
    const size_t bytes = sm->grid->cluster_blocks * sizeof(sim_tmem);
    if (!sm->tensor_memory) {
        sm->tensor_memory = memory_alloc(bytes);
        if (!sm->tensor_memory) return NULL;
        memset(sm->tensor_memory, UNWRITTEN, bytes);
        for (uint32_t r = 0; r < sm->grid->cluster_blocks; r++)
            memset(sm->tensor_memory[r].owner, 0, sizeof sm->tensor_memory[r].owner);
    }
    return &sm->tensor_memory[b->rank];
}

void sim_tmems_free(sim_sm *sm) {
    memory_free(sm->tensor_memory);
    sm->tensor_memory = NULL;
}

/* ---- allocation ---- */

/* Returns whether the units are free in all these blocks. */
static bool is_free(const sim_block *first, unsigned blocks, uint32_t unit, uint32_t units) {
    for (unsigned b = 0; b < blocks; b++)
        for (uint32_t u = unit; u < unit + units; u++)
            if (sim_tmem_of(&first[b])->owner[u]) return false;
    return true;
}

/* Gives the units to the block. They hold NaNs again, so that a read before the first write shows. */
static void take(const sim_block *b, uint32_t unit, uint32_t units) {
    sim_tmem *t = sim_tmem_of(b);
    for (uint32_t u = unit; u < unit + units; u++) t->owner[u] = b;
    for (uint32_t lane = 0; lane < SIM_TMEM_LANES; lane++)
        memset(&t->words[lane][unit * SIM_TMEM_UNIT], UNWRITTEN, units * SIM_TMEM_UNIT * sizeof(uint32_t));
}

/* Takes the lowest free columns that begin at a multiple of their number. The ISA does not say which ones hardware
 * takes. */
bool sim_tmem_allocate(sim_block *first, unsigned blocks, uint32_t columns, uint32_t *address) {
    const uint32_t units = columns / SIM_TMEM_UNIT;
    for (uint32_t unit = 0; unit + units <= SIM_TMEM_UNITS; unit += units) {
        if (!is_free(first, blocks, unit, units)) continue;
        for (unsigned b = 0; b < blocks; b++) take(&first[b], unit, units);
        *address = unit * SIM_TMEM_UNIT;
        first->sm->changes++;
        return true;
    }
    return false;
}

void sim_tmem_wake(sim_sm *sm) {
    for (uint32_t b = 0; b < sm->grid->resident; b++) {
        sim_block *block = &sm->blocks[b];
        for (uint32_t i = 0; block->running && i < block->warp_count; i++)
            sim_warp_wake_all(&block->warps[i], SIM_PATH_AT_TENSOR_MEMORY);
    }
}

bool sim_tmem_owns(const sim_block *b, uint32_t column, uint32_t columns) {
    const sim_tmem *t = sim_tmem_of(b);
    if (!t || !columns || (uint64_t)column + columns > SIM_TMEM_COLUMNS) return false;
    for (uint32_t u = column / SIM_TMEM_UNIT; u <= (column + columns - 1) / SIM_TMEM_UNIT; u++)
        if (t->owner[u] != b) return false;
    return true;
}

bool sim_tmem_free(const sim_block *b, uint32_t address, uint32_t columns) {
    if (sim_tmem_lane(address) || address % SIM_TMEM_UNIT || !sim_tmem_owns(b, address, columns)) return false;
    memset(&sim_tmem_of(b)->owner[address / SIM_TMEM_UNIT], 0, columns / SIM_TMEM_UNIT * sizeof(sim_block *));
    b->sm->changes++;
    b->sm->progress++;
    sim_tmem_wake(b->sm);
    return true;
}

/* ---- work in flight ---- */

/* Returns whether the last entry takes effect now. The block's operations keep their order; commits only arrive, at the
 * wait. Work with a number of its own may go early only if all earlier work has had its effect. */
static bool takes_effect_early(sim_block *b) {
    const sim_tmem_queue *q = &b->tensor;
    if (!q->items[q->count - 1].make || !sim_takes_effect_at_issue(&b->sm->grid->schedule, b->async.issued++))
        return false;
    for (size_t i = 0; i + 1 < q->count; i++)
        if (q->items[i].make && q->items[i].effect != SIM_CHECKS_ONLY) return false;
    return true;
}

/* Work that goes early is made twice: now for its data only, at the commit for the checks only. */
bool sim_tmem_add(sim_block *b, const sim_tmem_work *work) {
    sim_tmem_queue *q = &b->tensor;
    if (q->count == q->capacity) {
        const size_t capacity = q->capacity ? 2 * q->capacity : 16;
        sim_tmem_work *items = memory_resize(q->items, capacity * sizeof *items);
        if (!items) return false;
        q->items = items;
        q->capacity = capacity;
    }
    q->items[q->count++] = *work;
    if (takes_effect_early(b)) {
        sim_tmem_work *added = &q->items[q->count - 1];
        added->effect = SIM_EFFECT_ONLY;
        added->make(b, added);
        added->effect = SIM_CHECKS_ONLY;
    }
    b->sm->changes++;
    if (work->make) return true;
    /* Threads that already wait for the mbarrier get the commit now. */
    for (uint32_t r = 0; r < b->sm->grid->cluster_blocks; r++)
        if (work->ranks >> r & 1) sim_block_wake_mbarrier_waiters(&b->cluster[r]);
    return true;
}

/* Tells the checks that the commit arrives, and when it was issued. */
static void tell_of_commit(sim_block *b, const sim_tmem_work *commit, sim_block *at) {
    sim_warp *w = &b->warps[commit->thread / SIM_LANES];
    const unsigned lane = commit->thread % SIM_LANES;
    sim_hazard_tmem_committed(w, commit->issued, at, commit->barrier);
    sim_hazard_mbarrier_begin(w);
    sim_hazard_mbarrier_arrive(w, commit->op, lane, at, commit->barrier);
}

/* Arrives at the commit's mbarrier in each block that it names. An address that no block has is ignored here: the issue
 * has checked its own. */
static void arrive(sim_block *b, const sim_tmem_work *commit) {
    for (uint32_t r = 0; r < b->sm->grid->cluster_blocks; r++) {
        uint64_t *object = commit->ranks >> r & 1 ? sim_mbarrier_at(&b->cluster[r], commit->barrier) : NULL;
        if (!object) continue;
        /* Waiters know that the factors have been read; that became true only now. */
        if (b->sm->hazards) tell_of_commit(b, commit, &b->cluster[r]);
        sim_mbarrier_update(&b->cluster[r], object, 1, 0);
    }
}

/* Does one item of work, or lets a commit arrive. */
static void make(sim_block *b, const sim_tmem_work *work) {
    if (work->make)
        work->make(b, work);
    else
        arrive(b, work);
    b->sm->changes++;
}

/* Performs the work that the thread has issued, up to item `last`. Other threads' items before it stay, in their order:
 * commits cover their own thread's work only. */
static void make_until(sim_block *b, size_t last) {
    sim_tmem_queue *q = &b->tensor;
    const uint32_t thread = q->items[last].thread;
    size_t kept = 0;
    for (size_t i = 0; i <= last; i++) {
        if (q->items[i].thread == thread)
            make(b, &q->items[i]);
        else
            q->items[kept++] = q->items[i];
    }
    memmove(q->items + kept, q->items + last + 1, (q->count - last - 1) * sizeof *q->items);
    q->count -= last + 1 - kept;
}

/* Performs the first commit of block `from` on that mbarrier of the block of rank `rank`. Returns false if there is
 * none. Work in flight of any block of the cluster may arrive there. */
static bool make_first_commit(sim_block *from, uint32_t rank, uint32_t address) {
    const sim_tmem_queue *q = &from->tensor;
    for (size_t i = 0; i < q->count; i++) {
        const sim_tmem_work *work = &q->items[i];
        if (work->make || work->barrier != address || !(work->ranks >> rank & 1)) continue;
        make_until(from, i);
        return true;
    }
    return false;
}

/* One commit may complete the phase; later ones belong to later phases and have to wait. */
void sim_tmem_deliver(sim_block *b, uint32_t address, uint32_t phase) {
    const uint64_t *object = sim_mbarrier_at(b, address);
    for (uint32_t r = 0; object && r < b->sm->grid->cluster_blocks; r++)
        while (sim_mbarrier_unpack(*object).phase == phase && make_first_commit(&b->cluster[r], b->rank, address)) {
        }
}

/* Columns that the program has not freed return to the SM: other blocks may wait for them. */
void sim_tmem_finish(sim_block *b) {
    for (size_t i = 0; i < b->tensor.count; i++) make(b, &b->tensor.items[i]);
    b->tensor.count = 0;
    bool owned = false;
    for (unsigned u = 0; b->sm->tensor_memory && u < SIM_TMEM_UNITS; u++) {
        const sim_block **owner = &b->sm->tensor_memory[b->rank].owner[u];
        owned |= *owner == b;
        if (*owner == b) *owner = NULL;
    }
    if (owned) sim_tmem_wake(b->sm);
}

void sim_tmem_reset(sim_block *b) {
    b->tensor.count = 0;
    b->tensor.relinquished = false;
    b->tensor.requested = b->tensor.granted = 0;
}
