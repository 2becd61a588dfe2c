/* Matrix products in flight: a queue for each warp, whose entries are done at the first wait of its warpgroup for their
 * group.
 *
 * An entry names a function that does the work (`make`), so wgmma, loads and stores of tensor memory share the queue. A
 * schedule may let an entry take effect at its issue; it then stays in the queue for its checks. An entry owns its
 * `data`, which is freed when it is done or dropped.
 *
 * The products themselves are in exec/ops/wgmma.c and tmem.c. Matrix descriptors are read at the end of this file, for
 * both wgmma and tcgen05. */
#include "exec/products.h"

#include "base/memory.h"
#include "check/hazard.h"
#include "exec/paths.h"
#include "state/block.h"

/* Returns whether the last entry takes effect now. The warp's operations keep their order, which products of the same
 * sums rely on. */
static bool takes_effect_early(sim_warp *w, const sim_product_queue *q) {
    const bool is_next = q->count < 2 || q->items[q->count - 2].effect >= SIM_CHECKS_ONLY;
    return sim_takes_effect_at_issue(&w->sm->grid->schedule, w->block->async.issued++) && is_next;
}

/* The entry belongs to the group that the next commit closes. */
bool sim_products_add(sim_warp *w, const sim_pending_product *p) {
    sim_product_queue *q = sim_products_of(w);
    if (q->count == q->capacity) {
        const size_t capacity = q->capacity ? 2 * q->capacity : 16;
        sim_pending_product *items = memory_resize(q->items, capacity * sizeof *items);
        if (!items) return false;
        q->items = items;
        q->capacity = capacity;
    }
    w->block->async.used = true;
    q->items[q->count] = *p;
    sim_pending_product *added = &q->items[q->count++];
    added->group = q->closed;
    if (takes_effect_early(w, q)) {
        added->effect = SIM_EFFECT_ONLY;
        p->make(w, added);
        added->effect = SIM_CHECKS_ONLY;
    }
    w->sm->changes++;
    return true;
}

static sim_warp *warpgroup_of(sim_warp *w) {
    return &w->block->warps[w->index / SIM_WARPGROUP * SIM_WARPGROUP];
}

/* A block without a whole warpgroup has no products. */
void sim_products_wake(sim_warp *w) {
    const uint32_t first = w->index / SIM_WARPGROUP * SIM_WARPGROUP, count = w->block->warp_count;
    for (uint32_t i = first; w->block->async.used && i < first + SIM_WARPGROUP && i < count; i++)
        sim_warp_wake_all(&w->block->warps[i], SIM_PATH_AT_PRODUCT);
}

void sim_products_commit(sim_warp *w) {
    sim_products_of(w)->closed++;
    w->sm->changes++;
    sim_products_wake(w);
}

/* Does the work, or the rest of it, and frees the entry's data. */
static void make(sim_warp *w, sim_pending_product *p) {
    if (p->effect != SIM_EFFECT_MADE) p->make(w, p);
    memory_free(p->data);
}

/* The queue has `kept` entries left after `made` were done; tells the checks, which watch the registers in flight. */
static void keep_from(sim_warp *w, sim_product_queue *q, size_t made, size_t kept) {
    q->count = kept;
    w->sm->changes += made != 0;
    if (made && w->sm->hazards) sim_hazard_products(w);
}

/* Does the first `count` entries, in the order of their issue. */
static void make_first(sim_warp *w, size_t count) {
    sim_product_queue *q = sim_products_of(w);
    for (size_t i = 0; i < count; i++) make(w, &q->items[i]);
    for (size_t i = count; i < q->count; i++) q->items[i - count] = q->items[i];
    keep_from(w, q, count, q->count - count);
}

/* Executes the products of one kind, or (NULL) everything except stores. */
static void make_some(sim_warp *w, sim_product_maker kind) {
    sim_product_queue *q = sim_products_of(w);
    size_t kept = 0;
    for (size_t i = 0; i < q->count; i++) {
        if (kind ? q->items[i].make == kind : !q->items[i].is_store)
            make(w, &q->items[i]);
        else
            q->items[kept++] = q->items[i];
    }
    keep_from(w, q, q->count - kept, kept);
}

/* ---- waits for groups ---- */

/* Groups are closed in order, so the entries of the first `groups` are the first ones. Returns their number. */
static size_t count_due(const sim_product_queue *q, uint32_t groups) {
    size_t due = 0;
    while (due < q->count && q->items[due].group < groups) due++;
    return due;
}

static bool have_all_closed(const sim_warp *group, uint32_t groups) {
    for (uint32_t i = 0; i < SIM_WARPGROUP; i++)
        if (group[i].live && sim_products_of(&group[i])->closed < groups) return false;
    return true;
}

/* Does what is due of all four warps. The entries stay in their queues, until their own warp waits. */
static void make_group(sim_warp *group, uint32_t groups) {
    const uint32_t made = group->sm->hazards ? sim_hazard_products_made(group) : 0;
    for (uint32_t i = 0; i < SIM_WARPGROUP; i++) {
        sim_product_queue *q = sim_products_of(&group[i]);
        for (size_t n = 0, due = count_due(q, groups); n < due; n++) {
            sim_pending_product *p = &q->items[n];
            if (p->effect == SIM_EFFECT_MADE) continue;
            p->make(&group[i], p);
            p->effect = SIM_EFFECT_MADE;
            p->made = made;
        }
    }
}

bool sim_products_wait(sim_warp *w, uint32_t keep, bool anyhow) {
    const sim_product_queue *q = sim_products_of(w);
    const uint32_t groups = q->closed > keep ? q->closed - keep : 0;
    const size_t due = count_due(q, groups);
    if (!due) return true;
    if (!anyhow && !have_all_closed(warpgroup_of(w), groups)) return false;
    make_group(warpgroup_of(w), groups);
    if (w->sm->hazards) sim_hazard_products_waited(w, q->items[due - 1].made);
    make_first(w, due);
    return true;
}

void sim_products_finish(sim_warp *w) {
    make_some(w, NULL);
}

void sim_products_finish_kind(sim_warp *w, sim_product_maker kind) {
    make_some(w, kind);
}

void sim_products_drop(sim_product_queue *q) {
    for (size_t i = 0; i < q->count; i++) memory_free(q->items[i].data);
    q->count = q->closed = 0;
}

/* Bits 0 to 13 hold the address, 16 to 29 and 32 to 45 the two strides, all in units of 16 bytes. Bits 49 to 51 hold
 * the base, 62 and 63 the swizzle: none, 128, 64, 32 bytes. */
sim_descriptor sim_descriptor_of(uint64_t bits, bool transposed) {
    static const uint32_t widths[] = {16, 128, 64, 32};
    enum { FIELD = 0x3fff };
    return (sim_descriptor){
        .start = (uint32_t)(bits & FIELD) * SIM_CHUNK,
        .leading = (uint32_t)(bits >> 16 & FIELD) * SIM_CHUNK,
        .stride = (uint32_t)(bits >> 32 & FIELD) * SIM_CHUNK,
        .base = (uint32_t)(bits >> 49 & 7),
        .width = widths[bits >> 62],
        .transposed = transposed,
    };
}
