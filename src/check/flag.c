/* Synchronisation by flags: a fence, then a strong write; a strong read of it, then a fence. Release and acquire
 * replace the fences. The scopes must reach the other thread.
 *
 * A read-modify-write counts as an acquire by itself: tickets and locks without a fence after them are common, and
 * work. */
#include "base/memory.h"
#include "check/flag_words.h"
#include "check/internal.h"
#include "check/lock.h"
#include "check/node.h"

#include <string.h>

/* Values of sim_releases.reach. FOR_BLOCK + rank: published for that block only. */
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

static bool has_released(const sim_domain *d) {
    return d->releases && d->releases->used;
}

/* ---- what a view acquires ---- */

/* Makes known what the cluster had released up to that number. */
static void learn_near(sim_domain *d, sim_view *v, uint32_t number) {
    const sim_known *known = sim_history_at(&d->releases->history, number, d->actors);
    if (known) sim_known_join(v->order, known, d->actors);
    sim_floor_raise(&v->floor, d->releases->floor);
    v->heard.near = 0;
}

/* The same for the grid. */
static void learn_far(sim_view *v, uint32_t number) {
    const uint32_t from = v->heard.from;
    sim_floor_raise(&v->floor, (sim_floor){.all = number, .reads = number, .all_from = from, .reads_from = from});
    v->heard.far = v->heard.from = 0;
}

static void learn_heard(sim_domain *d, sim_view *v, uint8_t scope) {
    const bool near = v->heard.near, far = v->heard.far && scope >= SIM_SCOPE_GPU;
    if (!near && !far) return;
    if (near) learn_near(d, v, v->heard.near);
    if (far) learn_far(v, v->heard.far);
    sim_view_refresh(d, v);
    d->now++;
}

/* ---- fences ---- */

/* Adds the lanes' own accesses to `known`. */
static void add_self(const sim_domain *d, const sim_warp *w, uint32_t lanes, sim_known *known) {
    const bool whole = (w->live & ~lanes) == 0;
    sim_known_add(&known[sim_actor(w)], (sim_known){.all = whole ? d->now : 0, .some = d->now, .lanes = lanes});
}

/* Adds to `known` what the lanes know. */
static void gather(const sim_domain *d, const sim_warp *w, uint32_t lanes, sim_known *known) {
    sim_views *views = &d->views[sim_actor(w)];
    for (uint32_t i = 0; i < views->count; i++)
        if (sim_view_at(views, i)->lanes & lanes) sim_known_join(known, sim_view_at(views, i)->order, d->actors);
}

/* Returns the vector, or NULL if the host has run out of memory. */
static sim_known *vector(sim_domain *d, sim_known **known) {
    if (!*known) *known = memory_zeroed(d->actors, sizeof **known);
    d->owner->failed |= !*known;
    return *known;
}

void sim_hazard_fence(sim_warp *w, uint32_t active, uint8_t scope) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t actor = sim_actor(w);
    if (d->fenced[actor] < scope) d->fenced[actor] = scope;
    for (uint32_t i = 0; i < d->views[actor].count; i++) {
        sim_view *v = sim_view_at(&d->views[actor], i);
        if (!(v->lanes & active)) continue;
        learn_heard(d, v, scope);
        v->lacks &= scope >= SIM_SCOPE_GPU ? 0 : SIM_LACKS_GRIDS_FENCE;
    }
    for (unsigned kind = 0; kind < SIM_FENCES; kind++)
        if ((kind == SIM_FENCES_NEAR || scope >= SIM_SCOPE_GPU) && vector(d, &d->fences[kind])) {
            gather(d, w, active, d->fences[kind]);
            add_self(d, w, active, d->fences[kind]);
        }
    d->now++; /* accesses after the fence are not passed on */
    sim_relaxed_fence(w, active, scope);
    if (w->sm->grid->node && scope == SIM_SCOPE_SYSTEM)
        sim_hazard_log_event(w, 0, (unsigned)__builtin_ctz(active), 0, SIM_NODE_FENCE);
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

/* Returns what the lanes pass on: with `fences` only what some fence comes after. Returns NULL without memory. */
static const sim_known *passed_on(sim_domain *d, const sim_warp *w, uint32_t lanes, const sim_known *fences) {
    sim_views *views = &d->views[sim_actor(w)];
    if (!vector(d, &d->released)) return NULL;
    if (views->count == 1) { /* the usual case needs no join */
        memcpy(d->released, sim_view_at(views, 0)->order, d->actors * sizeof *d->released);
    } else {
        memset(d->released, 0, d->actors * sizeof *d->released);
        gather(d, w, lanes, d->released);
    }
    add_self(d, w, lanes, d->released);
    for (uint32_t a = 0; fences && a < d->actors; a++) d->released[a] = sim_known_meet(d->released[a], fences[a]);
    return d->released;
}

/* Records that the words were written after a fence or by a release: for the block, the cluster or all blocks. */
static void publish_near(sim_domain *d, const sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES],
                         uint8_t released, uint8_t scope) {
    if (!d->releases) d->releases = memory_zeroed(1, sizeof *d->releases);
    sim_releases *r = d->releases;
    const sim_known *known = r ? passed_on(d, w, lanes, released ? NULL : d->fences[SIM_FENCES_NEAR]) : NULL;
    sim_views *views = &d->views[sim_actor(w)];
    bool added;
    d->owner->failed |=
        !known || !sim_history_add(&r->history, r->count + 1, known, d->actors, SIM_MOST_RELEASES, &added);
    if (d->owner->failed) return;
    r->count += added;
    r->used = true;
    for (uint32_t i = 0; i < views->count; i++)
        if (sim_view_at(views, i)->lanes & lanes) sim_floor_raise(&r->floor, sim_view_at(views, i)->floor);
    for (; lanes; lanes &= lanes - 1) {
        const size_t place = place_of(address[__builtin_ctz(lanes)]);
        if (scope == SIM_SCOPE_BLOCK && r->reach[place] != FOR_ALL)
            r->reach[place] = (uint8_t)(FOR_BLOCK + w->block->rank);
        if (scope > SIM_SCOPE_BLOCK) r->reach[place] = FOR_ALL;
        r->by[place] = r->count;
    }
}

/* True if the view knows all that is in the vector. */
static bool knows_all(const sim_domain *d, const sim_view *v, const sim_known *known) {
    for (uint32_t a = 0; a < d->actors; a++) {
        sim_known joined = v->order[a];
        sim_known_add(&joined, known[a]);
        if (memcmp(&joined, &v->order[a], sizeof joined)) return false;
    }
    return true;
}

static void learn_from(sim_domain *d, uint32_t actor, unsigned lane, const sim_known *known) {
    sim_view *v = sim_view_of(d, actor, lane);
    if (knows_all(d, v, known)) return;
    v = sim_view_split(d, actor, v, 1u << lane);
    if (!v) return;
    sim_known_join(v->order, known, d->actors);
    sim_view_refresh(d, v);
}

/* Lanes that change a word together take turns. The last of them has read what the others wrote, so it knows what
 * publish_near() has passed on, as the thread that arrives last at a counter does. */
static void learn_in_turn(sim_domain *d, const sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES]) {
    while (lanes & (lanes - 1)) {
        const unsigned last = 31u - (unsigned)__builtin_clz(lanes);
        uint32_t together = 0;
        for (uint32_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            if (address[lane] == address[last]) together |= 1u << lane;
        }
        if (together & (together - 1) && !d->owner->failed) learn_from(d, sim_actor(w), last, d->released);
        lanes &= ~together;
    }
}

/* Returns what the lanes know of other clusters' releases, and their own cluster among the sources. */
static sim_floor known_releases(const sim_domain *d, const sim_warp *w, uint32_t lanes) {
    sim_views *views = &d->views[sim_actor(w)];
    const uint32_t own = sim_source_bit(d->cluster_index);
    sim_floor floor = {.all_from = own, .reads_from = own};
    for (uint32_t i = 0; i < views->count; i++)
        if (sim_view_at(views, i)->lanes & lanes) sim_floor_raise(&floor, sim_view_at(views, i)->floor);
    return floor;
}

static void publish_far(sim_domain *d, const sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES],
                        uint8_t released, bool publishes_all) {
    sim_watch *watch = d->owner->watch;
    const sim_known *all = NULL;
    if (publishes_all) all = passed_on(d, w, lanes, released >= SIM_SCOPE_GPU ? NULL : d->fences[SIM_FENCES_FAR]);
    if (all) d->owner->failed |= !sim_watch_release(watch, d->cluster_index, all, SIM_PUBLISHED_ALL);
    const sim_known *reads = passed_on(d, w, lanes, NULL);
    if (reads) d->owner->failed |= !sim_watch_release(watch, d->cluster_index, reads, SIM_PUBLISHED_READS);
    const sim_floor floor = known_releases(d, w, lanes);
    for (; lanes; lanes &= lanes - 1) {
        const size_t place = place_of(address[__builtin_ctz(lanes)]);
        sim_watch_publish(watch, place, SIM_PUBLISHED_READS, floor.reads_from);
        if (publishes_all) sim_watch_publish(watch, place, SIM_PUBLISHED_ALL, floor.all_from);
    }
    sim_watch_next(watch, w->sm->serial);
}

/* Returns what a read of the word hears. */
static sim_heard heard_at(const sim_domain *d, const sim_block *b, size_t place, bool shared) {
    const sim_watch *watch = d->owner->watch;
    const uint8_t reach = d->releases ? d->releases->reach[place] : 0;
    const bool hears = reach == FOR_ALL || reach == FOR_BLOCK + b->rank;
    sim_heard heard = {.near = hears ? d->releases->by[place] : 0};
    if (shared) return heard;
    heard.far = sim_watch_published(watch, place, SIM_PUBLISHED_ALL);
    heard.from = heard.far ? sim_watch_sources(watch, place, SIM_PUBLISHED_ALL) : 0;
    return heard;
}

/* Returns whose reads a read of the word by other clusters knows to be over. */
static sim_floor seen_at(const sim_watch *watch, size_t place, bool is_far) {
    if (!is_far) return (sim_floor){0};
    return (sim_floor){.reads = sim_watch_published(watch, place, SIM_PUBLISHED_READS),
                       .reads_from = sim_watch_sources(watch, place, SIM_PUBLISHED_READS)};
}

void sim_flag_hears(const sim_warp *w, uint64_t address, sim_heard *heard, sim_floor *seen) {
    const sim_domain *d = sim_domain_of(w->block);
    const bool shared = sim_is_shared_address(address);
    *heard = heard_at(d, w->block, place_of(address), shared);
    *seen = seen_at(d->owner->watch, place_of(address), !shared);
}

/* A store waits for the values it depends on, so without a fence it comes after the reads that a flag publishes. */
static void learn_of_reads(sim_views *v, uint32_t lanes, sim_floor floor) {
    for (uint32_t i = 0; i < v->count; i++)
        if (sim_view_at(v, i)->lanes & lanes) sim_floor_raise(&sim_view_at(v, i)->floor, floor);
}

static bool is_used(const sim_warp *w, const sim_op *op, uint16_t use) {
    const uint16_t *uses = w->sm->grid->uses;
    return uses && uses[op->instruction] & use;
}

/* ---- what a flag tells without fences ---- */

/* Records what the lanes know when they write. */
static void tell(sim_domain *d, const sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES]) {
    if (!d->telling) d->telling = memory_zeroed(1, sizeof *d->telling);
    const sim_known *known = d->telling ? passed_on(d, w, lanes, NULL) : NULL;
    bool added;
    d->owner->failed |= !known || !sim_history_add(&d->telling->history, d->telling->writes + 1, known, d->actors,
                                                   SIM_MOST_RELEASES, &added);
    if (d->owner->failed) return;
    d->telling->writes += added;
    for (; lanes; lanes &= lanes - 1) d->telling->by[place_of(address[__builtin_ctz(lanes)])] = d->telling->writes;
}

static void learn_told(sim_domain *d, const sim_warp *w, uint32_t lanes, const uint64_t address[SIM_LANES]) {
    sim_views *views = &d->views[sim_actor(w)];
    for (uint32_t left = d->telling ? lanes : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        for (uint32_t i = 0; i < views->count; i++)
            if (sim_view_at(views, i)->lanes >> lane & 1)
                sim_heard_raise(&sim_view_at(views, i)->heard,
                                (sim_heard){.told = d->telling->by[place_of(address[lane])]});
    }
}

bool sim_was_told(const sim_visit *k, uint32_t actor, uint32_t time, uint32_t instruction) {
    const uint16_t *uses = k->w->sm->grid->uses;
    if (!k->d->telling || k->action != HAUL_ACTION_READ || actor == k->actor || actor >= k->d->actors) return false;
    if (!(uses[k->instruction] & SIM_USE_LOADS_VOLATILE) || !(uses[instruction] & SIM_USE_STORES_VOLATILE))
        return false;
    const sim_known *known = sim_history_at(&k->d->telling->history, k->v->heard.told, k->d->actors);
    return known && sim_known_lanes(&known[actor], time + 1); /* the flag itself is no data */
}

/* ---- strong accesses of any kind ---- */

/* Lanes that read a flag know more than the others of their warp. Where many lanes do so one by one, as with a lock for
 * each, following each of them would take much time: those of one view then learn together. */
enum { MOST_APART = 2 };

static void hear(sim_domain *d, const sim_warp *w, const sim_op *op, uint32_t lanes, sim_heard heard, bool writes) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    sim_views *views = &d->views[sim_actor(w)];
    for (uint32_t k = 0, count = views->count; k < count; k++) {
        sim_view *v = sim_view_at(views, k);
        if (!(v->lanes & lanes)) continue;
        if (views->count < MOST_APART) v = sim_view_split(d, sim_actor(w), v, lanes);
        if (!v) return;
        sim_heard_raise(&v->heard, heard);
        if (writes || ptx_acquires(i)) learn_heard(d, v, writes ? SIM_SCOPE_GPU : sim_scope_of(i));
    }
}

static void acquire(sim_domain *d, const sim_warp *w, const sim_op *op, uint32_t lanes, const sim_read_words *read,
                    bool writes) {
    if (read->seen.reads) learn_of_reads(&d->views[sim_actor(w)], lanes, read->seen);
    if (read->heard.near || read->heard.far) hear(d, w, op, lanes, read->heard, writes);
}

void sim_hazard_acquire(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_domain *d = sim_domain_of(w->block);
    acquire(d, w, op, active, &d->read, true);
    d->read = (sim_read_words){0};
}

/* True if the lane's compare and swap is about to fail: it publishes nothing. Of several lanes an earlier one may make
 * it succeed. */
static bool swap_fails(const sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    if (!sim_is_compare_and_swap(sim_instruction_of(w, op->instruction)) || active & (active - 1)) return false;
    const unsigned lane = (unsigned)__builtin_ctz(active);
    return sim_flag_compare(w, op, lane, address[lane]) == SIM_FLAG_OTHER;
}

/* `publishes`: it changes the word. */
static void synchronise(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool reads,
                        bool writes, bool publishes) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_watch *watch = d->owner->watch;
    const bool shared = sim_is_shared_address(address[__builtin_ctz(active)]);
    const uint8_t own = sim_scope_of(sim_instruction_of(w, op->instruction)), fenced = d->fenced[sim_actor(w)];
    const uint8_t released = op->flags & SIM_OP_RELEASES ? own : SIM_SCOPE_NONE;
    const uint8_t scope = released > fenced ? released : fenced;
    const bool is_far = !shared && own >= SIM_SCOPE_GPU; /* threads of other clusters see it */
    sim_heard heard = {0};
    sim_floor seen = {0};
    const bool tells = publishes && is_used(w, op, SIM_USE_TELLS);
    if (tells) tell(d, w, active, address);
    if (reads && is_used(w, op, SIM_USE_WAITS)) learn_told(d, w, active, address);
    if (shared && scope == SIM_SCOPE_NONE && !has_released(d)) { /* no flag of shared memory has been written */
        d->now += tells;
        return;
    }
    if (w->sm->grid->node && !shared) log_flags(w, op, active, address, reads, writes);
    for (uint32_t left = reads ? active : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        const size_t place = place_of(address[lane]);
        sim_heard lanes_heard = heard_at(d, w->block, place, shared);
        sim_floor lanes_seen = seen_at(watch, place, is_far);
        if (!writes && w->sm->grid->conditions)
            sim_flag_words_early(w, op, lane, address[lane], &lanes_heard, &lanes_seen);
        sim_heard_raise(&heard, lanes_heard);
        sim_floor_raise(&seen, lanes_seen);
    }
    if (publishes && scope > SIM_SCOPE_NONE) publish_near(d, w, active, address, released, scope);
    if (publishes && scope > SIM_SCOPE_NONE && reads) learn_in_turn(d, w, active, address);
    if (publishes && is_far) publish_far(d, w, active, address, released, scope >= SIM_SCOPE_GPU);
    if (publishes && (is_far || released || tells)) d->now++; /* accesses after the flag are not published */
    if (is_used(w, op, SIM_USE_WAITS)) {
        seen.told = seen.reads;
        seen.flag = sim_flag_number(address[__builtin_ctz(active)]);
    }
    if (reads && writes)
        d->read = (sim_read_words){.heard = heard, .seen = seen};
    else
        acquire(d, w, op, active, &(sim_read_words){.heard = heard, .seen = seen}, writes);
}

/* The same for a kernel with waits whose words' values are remembered. */
static __attribute__((noinline)) void synchronise_by_words(sim_warp *w, const sim_op *op, uint32_t active,
                                                           const uint64_t address[SIM_LANES], bool reads, bool writes,
                                                           bool publishes) {
    const sim_domain *d = sim_domain_of(w->block);
    const uint32_t time = d->now, age = sim_watch_age(d->owner->watch);
    if (!publishes) sim_flag_words_read(w, op, active, address);
    synchronise(w, op, active, address, reads, writes, publishes);
    if (publishes) sim_flag_words_written(w, op, active, address, time, age);
}

void sim_hazard_strong(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES], bool reads,
                       bool writes) {
    const bool publishes = writes && !swap_fails(w, op, active, address);
    if (w->sm->grid->locked) sim_lock_visit(w, op, active, address, writes);
    if (w->sm->grid->conditions)
        synchronise_by_words(w, op, active, address, reads, writes, publishes);
    else
        synchronise(w, op, active, address, reads, writes, publishes);
}

/* ---- life ---- */

void sim_flags_start(sim_domain *d) {
    if (has_released(d)) {
        memset(d->releases->reach, 0, sizeof d->releases->reach);
        sim_history_clear(&d->releases->history);
        d->releases->floor = (sim_floor){0};
        d->releases->used = false;
    }
    if (d->telling) sim_history_clear(&d->telling->history);
    sim_flag_words_clear(d->flag_words);
    for (unsigned kind = 0; kind < SIM_FENCES; kind++)
        if (d->fences[kind]) memset(d->fences[kind], 0, d->actors * sizeof **d->fences);
}

void sim_flags_free(sim_domain *d) {
    for (unsigned kind = 0; kind < SIM_FENCES; kind++) memory_free(d->fences[kind]);
    memory_free(d->released);
    if (d->releases) sim_history_free(&d->releases->history);
    memory_free(d->releases);
    if (d->telling) sim_history_free(&d->telling->history);
    memory_free(d->telling);
    memory_free(d->flag_words);
}
