/* Domains, views and gates: which thread knows of which others; see known.h. */
#include "base/memory.h"
#include "base/status.h"
#include "check/internal.h"
#include "check/lock.h"
#include "state/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- views ---- */

sim_view *sim_view_of(sim_domain *d, uint32_t actor, unsigned lane) {
    sim_views *v = &d->views[actor];
    for (uint32_t i = 0; i < v->count; i++)
        if (sim_view_at(v, i)->lanes >> lane & 1) return sim_view_at(v, i);
    return sim_view_at(v, 0);
}

/* Recomputes `least` after the view has learned something, and drops its snapshot. What only a wait for a product has
 * told stays above `least`, where sim_relies_on_own_wait() is asked. */
void sim_view_refresh(const sim_domain *d, sim_view *v) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < d->actors; i++) least = v->order[i].all < least ? v->order[i].all : least;
    if (v->products && least == v->products) least--;
    v->least = least;
    v->kept_in = 0;
}

void sim_view_forget(const sim_domain *d, sim_view *v, uint32_t actor) {
    v->order[actor] = (sim_known){.all = d->start};
    for (uint32_t i = 0; i < d->proxies; i++) v->proxy[i * sim_domain_capacity(d) + actor] = v->order[actor];
}

/* Resets what is known of all actors. */
static void forget_all(const sim_domain *d, const sim_view *v) {
    const sim_known start = {.all = d->start};
    for (uint32_t i = 0; i < d->actors; i++) v->order[i] = start;
    for (uint32_t p = 0; p < d->proxies; p++)
        memcpy(v->proxy + (size_t)p * sim_domain_capacity(d), v->order, d->actors * sizeof *v->order);
}

static bool view_has_memory(sim_domain *d, sim_view *v) {
    const size_t capacity = sim_domain_capacity(d);
    if (!v->order) v->order = memory_zeroed((1 + d->proxies) * capacity, sizeof *v->order);
    v->proxy = v->order ? v->order + capacity : NULL;
    if (!v->order) d->owner->failed = true;
    return v->order != NULL;
}

static void copy_view(const sim_domain *d, sim_view *to, const sim_view *from) {
    memcpy(to->order, from->order, d->used * sizeof *to->order);
    memcpy(to->proxy, from->proxy, d->proxies * sim_domain_capacity(d) * sizeof *to->proxy);
    to->least = from->least;
    to->floor = from->floor;
    to->heard = from->heard;
    to->kept_in = 0;
    to->lock = from->lock;
    to->lock_lane = from->lock_lane;
    to->lacks = from->lacks;
    to->products = from->products;
}

sim_view *sim_view_split(sim_domain *d, uint32_t actor, sim_view *from, uint32_t lanes) {
    sim_views *v = &d->views[actor];
    if ((from->lanes & ~lanes) == 0) return from;
    if (v->count == SIM_LANES) return from;
    if (!v->more) v->more = memory_zeroed(SIM_LANES - 1, sizeof *v->more);
    if (!v->more) {
        d->owner->failed = true;
        return NULL;
    }
    sim_view *new = sim_view_at(v, v->count);
    if (!view_has_memory(d, new)) return NULL;
    copy_view(d, new, from);
    new->lanes = from->lanes &lanes;
    from->lanes &= ~lanes;
    sim_view *without_lock = new->lanes >> new->lock_lane & 1 ? from : new;
    without_lock->lock = 0;
    v->count++;
    return new;
}

/* Adds to `to` all that `from` knows. */
static void join_views(const sim_domain *d, sim_view *to, const sim_view *from) {
    sim_known_join(to->order, from->order, d->used);
    sim_proxies_join(d, to->proxy, from->proxy);
    sim_floor_raise(&to->floor, from->floor);
    sim_heard_raise(&to->heard, from->heard);
    if (to->lock || !from->lock) return;
    to->lock = from->lock;
    to->lock_lane = from->lock_lane;
    to->lacks = from->lacks;
}

static void drop_view(sim_views *v, uint32_t index) {
    const sim_view dropped = *sim_view_at(v, index);
    sim_view *last = sim_view_at(v, --v->count);
    *sim_view_at(v, index) = *last;
    *last = dropped; /* the unused view keeps its memory */
    last->lanes = 0;
}

/* The lanes have reconverged: they know what any of them knew, and with `orders` each other's own accesses. */
static void reconverge(sim_domain *d, const sim_warp *w, uint32_t lanes, bool orders) {
    const uint32_t actor = sim_actor(w);
    sim_views *v = &d->views[actor];
    sim_view *joined = NULL;
    for (uint32_t i = 0; i < v->count; i++) {
        if (!(sim_view_at(v, i)->lanes & lanes)) continue;
        joined = sim_view_split(d, actor, sim_view_at(v, i), lanes);
        break;
    }
    if (!joined) return;
    for (uint32_t i = v->count; i-- > 0;) {
        sim_view *other = sim_view_at(v, i);
        const uint32_t shared = other->lanes & lanes;
        if (other == joined || !shared) continue;
        join_views(d, joined, other);
        joined->lanes |= shared;
        other->lanes &= ~shared;
        if (other->lanes) continue;
        if (joined == sim_view_at(v, v->count - 1)) joined = other;
        drop_view(v, i);
    }
    const bool whole = (w->live & ~lanes) == 0;
    const sim_known self = {.all = whole ? d->now : 0, .some = d->now, .lanes = lanes};
    if (orders) sim_known_add(&joined->order[actor], self);
    sim_view_refresh(d, joined);
}

void sim_hazard_warp_sync(sim_warp *w, uint32_t lanes, bool orders) {
    sim_domain *d = sim_domain_of(w->block);
    reconverge(d, w, lanes, orders);
    d->now++;
}

/* ---- gates ---- */

bool sim_gate_open(sim_domain *d, sim_gate *g) {
    if (g->gathered) return true;
    const size_t capacity = sim_domain_capacity(d), proxies = d->proxies * capacity;
    g->gathered = memory_zeroed(2 * (capacity + proxies), sizeof *g->gathered);
    if (!g->gathered) {
        d->owner->failed = true;
        return false;
    }
    g->gathered_proxy = g->gathered + capacity;
    g->open = g->gathered_proxy + proxies;
    g->open_proxy = g->open + capacity;
    return true;
}

void sim_gate_clear(const sim_domain *d, sim_gate *g) {
    if (!g->gathered) return;
    memset(g->gathered, 0, 2 * (1 + d->proxies) * sim_domain_capacity(d) * sizeof *g->gathered);
    g->gathered_floor = g->open_floor = (sim_floor){0};
    g->gathered_heard = g->open_heard = (sim_heard){0};
}

void sim_gate_arrive(sim_domain *d, sim_gate *g, const sim_warp *w, uint32_t lanes) {
    const uint32_t actor = sim_actor(w);
    if (!sim_gate_open(d, g)) return;
    for (uint32_t i = 0; i < d->views[actor].count; i++) {
        const sim_view *v = sim_view_at(&d->views[actor], i);
        if (!(v->lanes & lanes)) continue;
        sim_known_join(g->gathered, v->order, d->used);
        sim_proxies_join(d, g->gathered_proxy, v->proxy);
        sim_floor_raise(&g->gathered_floor, v->floor);
        sim_heard_raise(&g->gathered_heard, v->heard);
    }
    const bool whole = (w->live & ~lanes) == 0;
    sim_known_add(&g->gathered[actor], (sim_known){.all = whole ? d->now : 0, .some = d->now, .lanes = lanes});
}

void sim_gate_release(sim_domain *d, sim_gate *g) {
    if (!sim_gate_open(d, g)) return;
    sim_known_join(g->open, g->gathered, d->used);
    sim_proxies_join(d, g->open_proxy, g->gathered_proxy);
    sim_floor_raise(&g->open_floor, g->gathered_floor);
    sim_heard_raise(&g->open_heard, g->gathered_heard);
    memset(g->gathered, 0, (1 + d->proxies) * sim_domain_capacity(d) * sizeof *g->gathered);
}

void sim_gate_pass(sim_domain *d, const sim_gate *g, uint32_t actor, uint32_t lanes) {
    sim_views *v = &d->views[actor];
    if (!g->gathered) return;
    for (uint32_t i = 0, count = v->count; i < count; i++) {
        if (!(sim_view_at(v, i)->lanes & lanes)) continue;
        sim_view *mine = sim_view_split(d, actor, sim_view_at(v, i), lanes);
        if (!mine) return;
        sim_known_join(mine->order, g->open, d->used);
        sim_proxies_join(d, mine->proxy, g->open_proxy);
        sim_floor_raise(&mine->floor, g->open_floor);
        sim_heard_raise(&mine->heard, g->open_heard);
        mine->lacks &= SIM_LACKS_GRIDS_FENCE; /* a barrier orders the threads of a block, as their fence does */
        sim_view_refresh(d, mine);
    }
}

void sim_gate_pass_on(const sim_warp *w, const sim_op *op, sim_gate *gate, uint32_t lanes, int reach) {
    if (sim_is_relaxed(w, op))
        sim_relaxed_arrive(w, gate, reach);
    else
        sim_gate_arrive(sim_domain_of(w->block), gate, w, lanes);
}

/* ---- block barriers and the cluster's ---- */

static sim_gate *gate_of(const sim_block *b, uint32_t id) {
    sim_domain *d = sim_domain_of(b);
    d->has_barriers = true;
    return &d->barriers[b->rank * SIM_BARRIERS + id];
}

/* Reports a barrier that is used with different thread counts at the same time. */
static void check_count(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes) {
    const sim_barrier *bar = &w->block->barriers[id];
    const uint32_t live = w->block->live_warps * SIM_LANES, theirs = bar->expected ? bar->expected * SIM_LANES : live;
    if (!expected) expected = live;
    if (!bar->warps || expected == theirs) return;
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_BARRIER_MISUSE, HAUL_ACTION_SYNC);
    if (f)
        sim_hazard_say(f, "barrier %u is for %u threads here, but others have arrived at it with %u", id, expected,
                       theirs);
}

void sim_hazard_barrier_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t expected, uint32_t lanes,
                               bool waits) {
    sim_domain *d = sim_domain_of(w->block);
    sim_peek_settle(w, op->instruction, lanes);
    sim_stale_progress(w);
    check_count(w, op, id, expected, lanes);
    sim_skipped_arrive(w, op, lanes);
    sim_skipped_check_warp(w, op, id, lanes);
    if (expected) sim_group_arrive(w, op, id, lanes);
    sim_gate_arrive(d, gate_of(w->block, id), w, lanes);
    d->now += !waits;
}

void sim_hazard_barrier_open(sim_block *b, uint32_t id) {
    sim_domain *d = sim_domain_of(b);
    sim_gate_release(d, gate_of(b, id));
    d->now++;
    sim_group_open(b, id);
}

void sim_hazard_barrier_pass(sim_warp *w, uint32_t id, uint32_t lanes) {
    sim_domain *d = sim_domain_of(w->block);
    sim_gate_pass(d, gate_of(w->block, id), sim_actor(w), lanes);
    if (d->views[sim_actor(w)].count == 1) return;
    reconverge(d, w, lanes, true);
    d->now++; /* the lanes know of each other's accesses up to here, not of those behind the barrier */
}

/* An mbarrier with its own fence is known to all threads after a relaxed barrier. */
static void pass_on_mbarriers(const sim_warp *w, uint32_t lanes) {
    sim_domain *d = sim_domain_of(w->block);
    for (uint32_t i = 0; i < d->mbarrier_count; i++) {
        sim_watched_mbarrier *m = &d->mbarriers[i];
        if (m->fenced && m->thread / SIM_LANES == sim_actor(w) && lanes >> m->thread % SIM_LANES & 1)
            m->time = d->start;
    }
}

/* A thread may arrive only once before the barrier completes, that is, before all that arrived have waited. */
static void check_second_arrival(sim_warp *w, const sim_op *op, uint32_t lanes) {
    uint32_t *arrived = &sim_domain_of(w->block)->arrived[sim_actor(w)];
    const sim_suspect s = {.kind = HAUL_FINDING_BARRIER_MISUSE,
                           .action = HAUL_ACTION_SYNC,
                           .instruction = op->instruction,
                           .lanes = *arrived & lanes,
                           .thread = SIM_NO_THREAD};
    sim_finding *f = s.lanes ? sim_hazard_report(w, &s) : NULL;
    if (f)
        sim_hazard_say(f, "the thread has arrived at the cluster's barrier before and not waited for it since: put "
                          "barrier.cluster.wait between the two");
    *arrived |= lanes;
}

void sim_hazard_cluster_arrive(sim_warp *w, const sim_op *op, uint32_t lanes) {
    sim_domain *d = sim_domain_of(w->block);
    check_second_arrival(w, op, lanes);
    sim_peek_settle(w, op->instruction, lanes);
    sim_stale_progress(w);
    sim_gate_pass_on(w, op, &d->cluster, lanes, SIM_REACH_CLUSTER);
    if (sim_is_relaxed(w, op)) pass_on_mbarriers(w, lanes);
    d->now++;
}

void sim_hazard_cluster_open(sim_block *cluster) {
    sim_domain *d = sim_domain_of(cluster);
    sim_gate_release(d, &d->cluster);
}

void sim_hazard_cluster_pass(sim_warp *w, uint32_t lanes) {
    sim_domain *d = sim_domain_of(w->block);
    sim_gate_pass(d, &d->cluster, sim_actor(w), lanes);
    d->arrived[sim_actor(w)] &= ~lanes;
}

/* ---- reports ---- */

void sim_hazard_say(sim_finding *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->what, sizeof f->what, format, arguments);
    va_end(arguments);
}

void sim_hazard_say_lanes(sim_finding *f, unsigned a, unsigned b, const char *more) {
    f->finding.between_lanes = true;
    sim_hazard_say(f, "lanes %u and %u of one warp: nothing orders them, %s", a, b, more);
}

static void concern(const sim_domain *d, uint32_t actor, uint32_t lanes) {
    sim_findings_concern(&d->owner->findings, (uint64_t)d->cluster_index * d->actors + actor, lanes);
}

void sim_hazard_concerns(const sim_warp *w, uint32_t lanes) {
    concern(sim_domain_of(w->block), sim_actor(w), lanes);
}

void sim_hazard_join(sim_domain *d, const sim_threads *threads) {
    sim_findings *f = &d->owner->findings;
    if (f->last < f->count) f->failed |= !sim_threads_join(&f->items[f->last].threads, threads);
}

/* Describes the suspect's other access; a copy engine's access has no thread of its own. */
static haul_finding_access other_access(const sim_domain *d, const sim_suspect *s) {
    const uint32_t actor = s->thread / SIM_LANES;
    const sim_block *b = actor < d->actors ? d->first + actor / d->warps : d->first;
    const uint32_t thread = actor < d->actors ? actor % d->warps * SIM_LANES + s->thread % SIM_LANES : 0;
    return sim_finding_access(s->other_action, s->other_instruction, b, thread);
}

sim_finding *sim_hazard_report(sim_warp *w, const sim_suspect *s) {
    sim_domain *d = sim_domain_of(w->block);
    const uint32_t lanes = s->lanes ? s->lanes : 1;
    if (sim_stale_explains(w, s)) return NULL;
    haul_finding found = {.kind = s->kind,
                          .grade = s->is_advice    ? HAUL_GRADE_ADVICE
                                   : s->is_warning ? HAUL_GRADE_WARNING
                                                   : haul_finding_kinds[s->kind].grade,
                          .space = s->space,
                          .address = s->address,
                          .bytes = s->bytes};
    found.access =
        sim_finding_access(s->action, s->instruction, w->block, w->index * SIM_LANES + (unsigned)__builtin_ctz(lanes));
    if (s->elsewhere)
        found.other = *s->elsewhere;
    else if (s->thread != SIM_NO_THREAD)
        found.other = other_access(d, s);
    sim_finding *f = sim_findings_add(&d->owner->findings, &found);
    concern(d, sim_actor(w), lanes);
    const bool is_threads = s->thread != SIM_NO_THREAD && s->thread / SIM_LANES < d->actors; /* not the copy engine */
    if (is_threads) concern(d, s->thread / SIM_LANES, 1u << s->thread % SIM_LANES);
    if (f) sim_finding_locate(w->sm->grid, f);
    return f;
}

sim_finding *sim_hazard_report_lanes(sim_warp *w, const sim_op *op, uint32_t lanes, haul_finding_kind kind,
                                     haul_action action) {
    const sim_suspect s = {
        .kind = kind, .action = action, .instruction = op->instruction, .lanes = lanes, .thread = SIM_NO_THREAD};
    return sim_hazard_report(w, &s);
}

void sim_hazard_mask(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t members) {
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_SHUFFLE_MASK, HAUL_ACTION_SYNC);
    if (!f) return;
    if (lanes & ~members)
        sim_hazard_say(f, "the mask 0x%08x leaves out lanes that execute it: 0x%08x", members, lanes & ~members);
    else
        sim_hazard_say(f, "the mask 0x%08x names lanes that do not arrive: 0x%08x", members, members & ~lanes);
}

void sim_hazard_part_of_warp(sim_warp *w, const sim_op *op, uint32_t lanes) {
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_SHUFFLE_MASK, HAUL_ACTION_SYNC);
    if (f) sim_hazard_say(f, "the whole warp must execute it, but lanes 0x%08x have ended", ~lanes);
}

/* ---- life ---- */

static void free_shadow(sim_shadow *s, uint32_t actors) {
    for (uint32_t a = 0; s->reads && a < actors; a++) memory_free(s->reads[a]);
    for (uint32_t a = 0; s->line_reads && a < actors; a++) {
        for (uint32_t i = 0; i < s->line_reads[a].late_count; i++) sim_part_list_drop(s->line_reads[a].late[i].list);
        memory_free(s->line_reads[a].first);
        memory_free(s->line_reads[a].more);
    }
    memory_free(s->lines);
    memory_free(s->more_rows);
    memory_free(s->line_reads);
    memory_free(s->reads);
    memory_free(s->cells);
    memory_free(s->bytes);
    memory_free(s->leaving);
    memory_free(s->leaving_thread);
    memory_free(s->passages);
    for (uint32_t i = 0; i < s->contest_count; i++) sim_threads_free(&s->contests[i].threads);
    memory_free(s->contests);
    memory_free(s->local);
}

static void free_views(sim_views *v) {
    for (uint32_t i = 0; i < (v->more ? SIM_LANES : 1); i++) memory_free(sim_view_at(v, i)->order);
    memory_free(v->more);
}

static void free_domain(sim_domain *d, uint32_t blocks) {
    for (uint32_t a = 0; d->views && a < d->actors; a++) free_views(&d->views[a]);
    for (uint32_t i = 0; d->barriers && i < blocks * SIM_BARRIERS; i++) memory_free(d->barriers[i].gathered);
    for (uint32_t i = 0; d->mbarriers && i < SIM_HAZARD_MBARRIERS; i++) {
        memory_free(d->mbarriers[i].gate.gathered);
        memory_free(d->mbarriers[i].passed);
        memory_free(d->mbarriers[i].fed);
        memory_free(d->mbarriers[i].began);
        memory_free(d->mbarriers[i].passes);
    }
    memory_free(d->mbarriers);
    memory_free(d->cluster.gathered);
    for (uint32_t b = 0; d->shadows && b < blocks; b++) free_shadow(&d->shadows[b], d->actors);
    for (uint32_t b = 0; d->flights && b < blocks; b++) memory_free(d->flights[b].list);
    memory_free(d->flights);
    memory_free(d->remote);
    if (d->skipped) sim_skipped_start(d);
    memory_free(d->skipped);
    memory_free(d->steps);
    memory_free(d->tensor);
    memory_free(d->peeks);
    for (uint32_t a = 0; d->taints && a < d->actors; a++) memory_free(d->taints[a]);
    memory_free(d->taints);
    memory_free(d->choices);
    memory_free(d->views);
    memory_free(d->fenced);
    sim_flags_free(d);
    memory_free(d->faulted);
    memory_free(d->progress);
    memory_free(d->early);
    memory_free(d->arrived);
    sim_relaxed_free(d);
    memory_free(d->barriers);
    memory_free(d->groups);
    memory_free(d->shadows);
}

/* Allocates a cluster's domain, in zeroed memory: what it does not use is not touched. Larger tables that few kernels
 * need are allocated when first used. */
static bool create_domain(sim_hazards *h, const sim_grid *g, sim_block *first, sim_domain *d) {
    d->owner = h;
    d->first = first;
    d->now = 1;
    d->warps = g->warps;
    d->actors = d->used = g->warps * g->cluster_blocks;
    if (g->has_mbarriers) d->mbarriers = memory_zeroed(SIM_HAZARD_MBARRIERS, sizeof *d->mbarriers);
    if (g->has_mbarriers && !d->mbarriers) return false;
    d->views = memory_zeroed(d->actors, sizeof *d->views);
    d->barriers = memory_zeroed(g->cluster_blocks * SIM_BARRIERS, sizeof *d->barriers);
    d->shadows = memory_zeroed(g->cluster_blocks, sizeof *d->shadows);
    d->proxies = g->proxies.spaces;
    d->skipped = memory_zeroed(d->actors, sizeof *d->skipped);
    d->remote = memory_zeroed(g->cluster_blocks > 1 ? g->cluster_blocks * d->actors : 1, sizeof *d->remote);
    d->flights = memory_zeroed(g->cluster_blocks, sizeof *d->flights);
    d->fenced = memory_zeroed(d->actors, sizeof *d->fenced);
    d->faulted = memory_zeroed(d->actors, sizeof *d->faulted);
    d->progress = memory_zeroed(d->actors, sizeof *d->progress);
    d->early = memory_zeroed(d->actors, sizeof *d->early);
    d->arrived = memory_zeroed(d->actors, sizeof *d->arrived);
    d->taints = memory_zeroed(d->actors, sizeof *d->taints);
    d->choices = memory_zeroed(d->actors, sizeof *d->choices);
    if (!sim_relaxed_create(d, g) || !d->taints || !d->choices || !d->skipped || !d->remote || !d->flights ||
        !d->fenced || !d->faulted || !d->progress || !d->early || !d->arrived || !d->views || !d->barriers ||
        !d->shadows)
        return false;
    for (uint32_t b = 0; b < g->cluster_blocks; b++) {
        sim_shadow *s = &d->shadows[b];
        s->lines = memory_zeroed(g->shared_bytes / SIM_FOOTPRINT_LINE + 1, sizeof *s->lines);
        s->line_reads = memory_zeroed(d->actors, sizeof *s->line_reads);
        s->reads = memory_zeroed(d->actors, sizeof(sim_read *));
        if (!s->lines || !s->line_reads || !s->reads) return false;
        first[b].domain = d;
    }
    for (uint32_t a = 0; a < d->actors; a++)
        if (!view_has_memory(d, sim_view_at(&d->views[a], 0))) return false;
    return true;
}

haul_status sim_hazards_create(sim_sm *sm) {
    const sim_grid *g = sm->grid;
    sim_hazards *h = memory_zeroed(1, sizeof *h);
    sm->hazards = h;
    if (h) h->findings.places = g->places;
    if (h) h->domains = memory_zeroed(g->resident / g->cluster_blocks, sizeof *h->domains);
    bool made = h && h->domains && sim_footprints_create(&h->footprints, g->program->function->instruction_count);
    for (uint32_t b = 0; made && b < g->resident && sm->blocks[b].warps; b += g->cluster_blocks)
        made = create_domain(h, g, &sm->blocks[b], &h->domains[h->domain_count++]);
    return made ? HAUL_OK : haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "launch: the host has not enough memory for checks");
}

/* A domain's clock goes on from launch to launch. It must not overflow in this one. */
enum { LATEST_START = INT32_MAX };

/* The domains need no reset: a cluster's start sets up all that its threads can see. */
bool sim_hazards_renew(sim_sm *sm) {
    sim_hazards *h = sm->hazards;
    for (uint32_t i = 0; i < h->domain_count; i++)
        if (h->domains[i].now > LATEST_START) return false;
    sim_findings_free(&h->findings);
    h->findings.places = sm->grid->places;
    sim_access_log_empty(&h->log, 0);
    sim_accessor_finder_clear(&h->accessors);
    memset(h->constants, 0, sizeof h->constants);
    memset(h->unused, 0, sizeof h->unused);
    return true;
}

static uint64_t shadow_bytes(const sim_shadow *s, const sim_grid *g, uint32_t actors) {
    const uint64_t words = sim_shadow_words(g), lines = g->shared_bytes / SIM_FOOTPRINT_LINE + 1;
    uint64_t bytes = lines * sizeof *s->lines;
    if (s->more_rows) bytes += lines * (SIM_LINE_WRITERS - SIM_LINE_FIRST_WRITERS) * sizeof *s->more_rows;
    if (s->cells) bytes += words * sizeof *s->cells;
    if (s->bytes) bytes += 4 * words * sizeof *s->bytes;
    if (s->local) bytes += g->threads * g->program->frame_bytes / 4;
    for (uint32_t a = 0; a < actors; a++) {
        if (s->reads[a]) bytes += words * sizeof *s->reads[a];
        if (s->line_reads[a].first) bytes += lines * SIM_LINE_FIRST_READERS * sizeof(sim_read_row);
        if (s->line_reads[a].more) bytes += lines * (SIM_LINE_READERS - SIM_LINE_FIRST_READERS) * sizeof(sim_read_row);
    }
    return bytes;
}

uint64_t sim_hazards_bytes(const sim_sm *sm) {
    const sim_hazards *h = sm->hazards;
    uint64_t bytes = sizeof *h + sim_access_log_room(&h->log);
    for (uint32_t i = 0; i < h->domain_count; i++) {
        const sim_domain *d = &h->domains[i];
        for (uint32_t b = 0; b < sm->grid->cluster_blocks; b++)
            bytes += shadow_bytes(&d->shadows[b], sm->grid, d->actors);
        for (uint32_t a = 0; a < d->actors; a++)
            bytes += (1 + d->proxies) * sim_domain_capacity(d) * sizeof(sim_known) * (d->views[a].more ? SIM_LANES : 1);
        if (d->mbarriers) bytes += SIM_HAZARD_MBARRIERS * sizeof *d->mbarriers;
    }
    return bytes;
}

void sim_hazards_free(sim_sm *sm) {
    sim_hazards *h = sm->hazards;
    if (!h) return;
    for (uint32_t i = 0; i < h->domain_count; i++) free_domain(&h->domains[i], sm->grid->cluster_blocks);
    memory_free(h->domains);
    sim_findings_free(&h->findings);
    sim_access_log_free(&h->log);
    sim_accessor_finder_free(&h->accessors);
    sim_footprints_free(&h->footprints);
    memory_free(h);
    sm->hazards = NULL;
}

/* Fetches a small block's lines: it mostly uses them soon, and the host's caches do not hold those of all blocks. */
static void fetch_lines(const sim_shadow *s, const sim_grid *g) {
    enum { MOST_LINES = 64, HOST_LINE = 64 };
    const uint32_t lines = g->shared_bytes / SIM_FOOTPRINT_LINE + 1;
    if (!g->shared_bytes || lines > MOST_LINES) return;
    const char *end = (const char *)(s->lines + lines);
    for (const char *at = (const char *)s->lines; at < end; at += HOST_LINE) __builtin_prefetch(at, 1);
}

/* A cluster starts. What earlier blocks did in its place lies before the start, which all threads know, so it no longer
 * counts. */
void sim_hazard_start(sim_block *first) {
    sim_domain *d = sim_domain_of(first);
    d->start = d->settled = ++d->now;
    d->now++;
    for (uint32_t i = 0; d->has_barriers && i < first->sm->grid->cluster_blocks * SIM_BARRIERS; i++)
        sim_gate_clear(d, &d->barriers[i]);
    sim_gate_clear(d, &d->cluster);
    if (d->map_count) memset(d->maps, 0, sizeof d->maps);
    d->mbarrier_count = d->map_count = d->acquired_count = 0;
    d->has_stale = false;
    memset(d->remote, 0,
           (d->first->sm->grid->cluster_blocks > 1 ? d->actors * (d->actors / d->warps) : 1) * sizeof *d->remote);
    sim_relaxed_start(d);
    sim_skipped_start(d);
    sim_warpgroups_start(d);
    sim_groups_start(d, first->sm->grid->cluster_blocks);
    sim_tmem_order_start(d);
    sim_peeks_start(d);
    d->cluster_index = (uint32_t)first->cluster_index;
    d->has_looked = d->has_fenced = false;
    for (uint32_t b = 0; b < first->sm->grid->cluster_blocks; b++) {
        sim_hazard_local_start(&first[b]);
        sim_passages_start(&d->shadows[b]);
        fetch_lines(&d->shadows[b], first->sm->grid);
    }
    memset(d->fenced, 0, d->actors * sizeof *d->fenced);
    memset(d->faulted, 0, d->actors * sizeof *d->faulted);
    memset(d->early, 0, d->actors * sizeof *d->early);
    memset(d->arrived, 0, d->actors * sizeof *d->arrived);
    sim_flags_start(d);
    d->used = d->actors;
    for (uint32_t a = 0; a < d->actors; a++) {
        sim_views *v = &d->views[a];
        v->count = 1;
        sim_view *view = sim_view_at(v, 0);
        view->lanes = SIM_ALL_LANES;
        view->least = d->start;
        view->floor = (sim_floor){0};
        view->kept_in = 0;
        view->heard = (sim_heard){0};
        view->lock = 0;
        forget_all(d, view);
    }
}
