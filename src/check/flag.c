/* Synchronisation by flags: a fence, then a strong write; a strong read of it, then a fence. Release and acquire
 * replace the fences. The scopes must reach the other thread.
 *
 * A read-modify-write counts as an acquire by itself: tickets and locks without a fence after them are common, and
 * work. */
#include "check/internal.h"
#include "check/node.h"

/* Values of sim_domain.published. FOR_BLOCK + rank: published for that block only. */
enum { FOR_ALL = 1, FOR_BLOCK = 2 };

static size_t place_of(uint64_t address) {
    return (size_t)(address / 4 * 0x9e3779b97f4a7c15ull >> 40) % SIM_PLACES;
}

uint8_t sim_scope_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_SCOPE]) {
    case PTX_MOD_SCOPE_CTA: return SIM_SCOPE_BLOCK;
    case PTX_MOD_SCOPE_CLUSTER: return SIM_SCOPE_CLUSTER;
    case PTX_MOD_SCOPE_SYS: return SIM_SCOPE_SYSTEM;
    default: return SIM_SCOPE_GPU;
    }
}

bool sim_reaches_grid(const ptx_instruction *i) {
    return sim_scope_of(i) >= SIM_SCOPE_GPU;
}

/* ---- what a view acquires ---- */

static void raise_floor(const sim_domain *d, sim_view *v, uint32_t all) {
    sim_floor_raise(&v->floor, (sim_floor){.all = all, .reads = d->owner->log.epoch});
}

/* Makes known what was heard in flags: all accesses of the cluster so far, or all that other clusters have
 * published. */
static void learn(sim_domain *d, sim_view *v, unsigned heard) {
    if (heard & SIM_HEARD_CLUSTER)
        for (uint32_t a = 0; a < d->actors; a++) sim_known_add(&v->order[a], (sim_known){.all = d->now});
    if (heard & SIM_HEARD_GPU) raise_floor(d, v, d->owner->log.epoch);
    v->heard &= (uint8_t)~heard;
    sim_view_refresh(d, v);
    d->now++;
}

static void learn_heard(sim_domain *d, sim_view *v, uint8_t scope) {
    const unsigned heard = v->heard & (scope >= SIM_SCOPE_GPU ? SIM_HEARD_CLUSTER | SIM_HEARD_GPU : SIM_HEARD_CLUSTER);
    if (heard) learn(d, v, heard);
}

void sim_hazard_fence(sim_warp *w, uint32_t active, uint8_t scope) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    if (d->fenced[actor] < scope) d->fenced[actor] = scope;
    sim_relaxed_fence(w, active, scope);
    if (w->sm->grid->node && scope == SIM_SCOPE_SYSTEM)
        sim_hazard_log_event(w, 0, (unsigned)__builtin_ctz(active), 0, SIM_NODE_FENCE);
    for (uint32_t i = 0; i < d->views[actor].count; i++)
        if (d->views[actor].list[i].lanes & active) learn_heard(d, &d->views[actor].list[i], scope);
}

void sim_hazard_stored(sim_warp *w) {
    sim_domain_of(w->block)->fenced[sim_actor(w)] = SIM_SCOPE_NONE;
}

/* ---- strong accesses ---- */

/* Volatile loads and stores count as relaxed ones at the scope of the system, atomics without a scope as those of the
 * GPU. */
static bool reaches_devices(const ptx_instruction *i) {
    const bool is_volatile = i->mods[PTX_SLOT_ORDER] == PTX_MOD_VOLATILE;
    return i->mods[PTX_SLOT_SCOPE] == PTX_MOD_SCOPE_SYS || is_volatile;
}

/* A read-modify-write counts as an acquire, as within a device. */
static void log_flags(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool reads,
                      bool writes) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    const bool acquires = reads && (writes || ptx_acquires(i)), releases = writes && op->flags & SIM_OP_RELEASES;
    const unsigned node = (reads ? SIM_NODE_READS : 0u) | (writes ? SIM_NODE_WRITES : 0u) |
                          (acquires ? SIM_NODE_ACQUIRES : 0u) | (releases ? SIM_NODE_RELEASES : 0u) |
                          (reaches_devices(i) ? 0u : SIM_NODE_NARROW);
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        sim_hazard_log_event(w, op->instruction, lane, address[lane], (uint8_t)node);
    }
}

/* Returns what a strong write of scope `own` after a fence or release of `scope` publishes to all blocks. */
static uint8_t published_by(bool shared, uint8_t own, uint8_t scope) {
    if (shared) return 0;
    if (scope >= SIM_SCOPE_GPU) return SIM_PUBLISHED_ALL | SIM_PUBLISHED_READS;
    return own >= SIM_SCOPE_GPU ? SIM_PUBLISHED_READS : 0;
}

/* Records that a word was written after a fence, for the block, the cluster or all blocks. */
static void publish(sim_domain *d, const sim_block *b, size_t place, uint8_t scope, uint8_t published) {
    d->publishes |= scope > SIM_SCOPE_NONE;
    if (scope == SIM_SCOPE_BLOCK && d->published[place] != FOR_ALL)
        d->published[place] = (uint8_t)(FOR_BLOCK + b->rank);
    if (scope > SIM_SCOPE_BLOCK) d->published[place] = FOR_ALL;
    if (published) sim_watch_published(d->owner->watch)[place] |= published;
}

/* Returns what a read of the word hears: SIM_HEARD_*. */
static unsigned heard_at(const sim_domain *d, const sim_block *b, size_t place, bool shared) {
    const uint8_t near = d->published[place];
    const bool hears = near == FOR_ALL || near == FOR_BLOCK + b->rank;
    return (hears ? SIM_HEARD_CLUSTER : 0) |
           (!shared && sim_watch_published(d->owner->watch)[place] & SIM_PUBLISHED_ALL ? SIM_HEARD_GPU : 0);
}

/* A store waits for the values it depends on, so without a fence it comes after the reads that a flag publishes. */
static void learn_of_reads(const sim_domain *d, sim_views *v, uint32_t lanes) {
    for (uint32_t i = 0; i < v->count; i++)
        if (v->list[i].lanes & lanes) raise_floor(d, &v->list[i], 0);
}

void sim_hazard_strong(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool reads,
                       bool writes) {
    sim_domain *d = sim_domain_of(w->block);
    const ptx_instruction *instruction = sim_instruction_of(w, op->instruction);
    const uint32_t actor = sim_actor(w);
    const bool shared = (address[__builtin_ctz(active)] & SIM_WINDOW_MASK) == SIM_SHARED_WINDOW;
    const uint8_t own = sim_scope_of(instruction), released = op->flags & SIM_OP_RELEASES ? own : SIM_SCOPE_NONE;
    const uint8_t scope = released > d->fenced[actor] ? released : d->fenced[actor];
    const uint8_t published = published_by(shared, own, scope);
    unsigned heard = 0, seen = 0;
    if (shared && scope == SIM_SCOPE_NONE && !d->publishes) return; /* no flag of shared memory has been written */
    if (w->sm->grid->node && !shared) log_flags(w, op, active, address, reads, writes);
    for (uint32_t left = active; left; left &= left - 1) {
        const size_t place = place_of(address[__builtin_ctz(left)]);
        if (reads) heard |= heard_at(d, w->block, place, shared);
        if (reads && !shared && own >= SIM_SCOPE_GPU) seen |= sim_watch_published(d->owner->watch)[place];
        if (writes) publish(d, w->block, place, scope, published);
    }
    if (writes && published) {
        sim_watch_release(d->owner->watch, w, active, published);
        d->now++; /* accesses after the flag are not published */
    }
    if (seen) learn_of_reads(d, &d->views[actor], active);
    for (uint32_t i = 0; heard && i < d->views[actor].count; i++) {
        sim_view *v = &d->views[actor].list[i];
        if (!(v->lanes & active)) continue;
        v->heard |= (uint8_t)heard;
        if (writes || ptx_acquires(instruction)) learn_heard(d, v, writes ? SIM_SCOPE_GPU : own);
    }
}
