/* Tensor maps that the kernel changes. The copy engine caches maps. A change must therefore be released by the
 * tensormap proxy's fence or by tensormap.cp_fenceproxy, and each block that copies with the map must acquire it.
 *
 * The newest few changes of the block's own cluster are tracked. Changes that another cluster has released are news:
 * they concern a copy if they were released in an earlier epoch, as all that is ordered before it was, and the block
 * has not acquired the map since. */
#include "base/memory.h"
#include "check/global_shadow.h"
#include "check/internal.h"
#include "machine/tensor.h"

#include <pthread.h>

/* ---- news of other clusters ---- */

typedef struct map_change {
    uint64_t address;
    uint32_t epoch; /* 0: none */
    uint32_t cluster, instruction;
    uint16_t thread;
} map_change;

/* Several addresses may share a place; then the last change counts. `before` is from an earlier epoch than `newest`:
 * SMs that run at once do not see each other's changes. */
enum { PLACES = 1024 };
typedef struct map_place {
    map_change newest, before;
} map_place;

struct sim_map_news {
    pthread_mutex_t lock;
    map_place places[PLACES];
};

static bool changes_maps(const sim_program *p) {
    for (size_t i = 0; i < p->function->instruction_count; i++) {
        const ptx_op op = p->function->instructions[i].op;
        if (op == PTX_OP_TENSORMAP_COPY || op == PTX_OP_FENCE_TENSORMAP_RELEASE) return true;
    }
    return false;
}

haul_status sim_map_news_create(const sim_program *p, struct sim_map_news **out) {
    if (!changes_maps(p)) return HAUL_OK;
    *out = memory_zeroed(1, sizeof **out);
    if (!*out) return sim_watch_no_memory();
    pthread_mutex_init(&(*out)->lock, NULL);
    return HAUL_OK;
}

void sim_map_news_free(struct sim_map_news *news) {
    if (!news) return;
    pthread_mutex_destroy(&news->lock);
    memory_free(news);
}

static map_place *place_of(struct sim_map_news *news, uint64_t address) {
    return &news->places[address / SIM_TENSOR_MAP_BYTES % PLACES];
}

/* Of changes in one epoch, always the same one is kept, whichever host thread comes last. */
static bool comes_first(const map_change *a, const map_change *b) {
    if (a->address != b->address) return a->address < b->address;
    if (a->cluster != b->cluster) return a->cluster < b->cluster;
    return a->thread < b->thread;
}

/* The cluster has released its change of the map. */
static void tell(const sim_domain *d, const sim_watched_map *m) {
    sim_watch *watch = d->owner->watch;
    if (!watch || !watch->maps) return;
    const map_change new = {m->address, watch->epoch, d->cluster_index, m->instruction, m->thread};
    pthread_mutex_lock(&watch->maps->lock);
    map_place *p = place_of(watch->maps, m->address);
    if (p->newest.epoch != new.epoch) p->before = p->newest;
    if (p->newest.epoch != new.epoch || !comes_first(&p->newest, &new)) p->newest = new;
    pthread_mutex_unlock(&watch->maps->lock);
}

/* Returns the last change of the map in an earlier epoch, by another cluster; its epoch is 0 if there is none. */
static map_change news_of(const sim_domain *d, uint64_t address) {
    sim_watch *watch = d->owner->watch;
    map_change last = {0};
    if (!watch || !watch->maps) return last;
    pthread_mutex_lock(&watch->maps->lock);
    const map_place *p = place_of(watch->maps, address);
    last = p->newest.epoch == watch->epoch ? p->before : p->newest;
    pthread_mutex_unlock(&watch->maps->lock);
    return last.address == address && last.cluster != d->cluster_index ? last : (map_change){0};
}

/* True if the block has acquired the map since that epoch, or may have: the ring forgets. */
static bool has_acquired(const sim_domain *d, uint32_t rank, uint64_t address, uint32_t epoch) {
    for (uint32_t i = 0; i < SIM_HAZARD_MAPS && i < d->acquired_count; i++) {
        const sim_map_acquired *a = &d->acquired[i];
        if (a->address == address && a->rank == rank && a->epoch >= epoch) return true;
    }
    return d->acquired_count > SIM_HAZARD_MAPS;
}

/* Keeps the last time that the block has acquired the map. */
static void note_acquired(sim_domain *d, uint32_t rank, uint64_t address) {
    const sim_map_acquired new = {address, rank, d->owner->watch ? d->owner->watch->epoch : 0};
    for (uint32_t i = 0; i < SIM_HAZARD_MAPS && i < d->acquired_count; i++) {
        if (d->acquired[i].address != address || d->acquired[i].rank != rank) continue;
        d->acquired[i] = new;
        return;
    }
    d->acquired[d->acquired_count++ % SIM_HAZARD_MAPS] = new;
}

/* ---- changes of the own cluster ---- */

static sim_watched_map *find(sim_domain *d, uint64_t address) {
    for (uint32_t i = 0; i < SIM_HAZARD_MAPS; i++)
        if (d->maps[i].live && d->maps[i].address == address) return &d->maps[i];
    return NULL;
}

static sim_watched_map *place_for(sim_domain *d, uint64_t address) {
    sim_watched_map *m = find(d, address);
    return m ? m : &d->maps[d->map_count++ % SIM_HAZARD_MAPS];
}

void sim_hazard_map_changed(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, bool released) {
    sim_domain *d = sim_domain_of(w->block);
    sim_flight_check_map(w, op, lane, address);
    *place_for(d, address) = (sim_watched_map){.live = true,
                                               .released = released,
                                               .address = address,
                                               .instruction = op->instruction,
                                               .thread = (uint16_t)(sim_actor(w) * SIM_LANES + lane)};
    if (released) tell(d, find(d, address));
}

void sim_hazard_map_release(sim_warp *w, uint32_t active) {
    sim_domain *d = sim_domain_of(w->block);
    for (uint32_t i = 0; i < SIM_HAZARD_MAPS; i++) {
        sim_watched_map *m = &d->maps[i];
        if (!m->live || m->thread / SIM_LANES != sim_actor(w) || !(active >> m->thread % SIM_LANES & 1)) continue;
        if (!m->released) tell(d, m);
        m->released = true;
    }
}

void sim_hazard_map_acquire(sim_warp *w, uint64_t address) {
    sim_domain *d = sim_domain_of(w->block);
    sim_watched_map *m = find(d, address);
    if (m && m->released) m->acquired |= 1u << w->block->rank;
    note_acquired(d, w->block->rank, address);
}

/* ---- use ---- */

static const char not_acquired[] =
    "the tensor map was changed, and the block has not executed "
    "fence.proxy.tensormap::generic.acquire since, so the copy engine may use the old one";

static sim_suspect suspect_use(const sim_op *op, unsigned lane, uint64_t address) {
    return (sim_suspect){.kind = HAUL_FINDING_MISSING_PROXY_FENCE,
                         .action = HAUL_ACTION_ASYNC_READ,
                         .other_action = HAUL_ACTION_WRITE,
                         .instruction = op->instruction,
                         .lanes = 1u << lane,
                         .thread = SIM_NO_THREAD,
                         .space = HAUL_SPACE_GLOBAL,
                         .address = address,
                         .bytes = SIM_TENSOR_MAP_BYTES};
}

static void check_news(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const sim_domain *d = sim_domain_of(w->block);
    const map_change last = news_of(d, address);
    if (!last.epoch || has_acquired(d, w->block->rank, address, last.epoch)) return;
    const haul_finding_access change =
        sim_watch_access(d->owner->watch, last.cluster, last.thread, HAUL_ACTION_WRITE, last.instruction);
    sim_suspect s = suspect_use(op, lane, address);
    s.elsewhere = &change;
    sim_finding *f = sim_hazard_report(w, &s);
    if (f) sim_hazard_say(f, "%s", not_acquired);
}

/* Logs that the engine reads the map. If the block has not acquired it at all, any store of the launch to its bytes is
 * one that the engine need not have seen. */
static void log_use(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const sim_domain *d = sim_domain_of(w->block);
    sim_range range;
    if (has_acquired(d, w->block->rank, address, 0) || !sim_memory_find(w->sm->grid->memory, address, &range)) return;
    sim_hazard_global_range(w->block, w->index * SIM_LANES + lane, op->instruction, address, SIM_TENSOR_MAP_BYTES,
                            HAUL_ACTION_ASYNC_READ, SIM_RANGE_MAP);
}

void sim_hazard_map_used(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const sim_watched_map *m = find(sim_domain_of(w->block), address);
    if (!m) {
        check_news(w, op, lane, address);
        log_use(w, op, lane, address);
        return;
    }
    if (m->acquired >> w->block->rank & 1) return;
    sim_suspect s = suspect_use(op, lane, address);
    s.other_instruction = m->instruction;
    s.thread = m->thread;
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f, "%s",
                       m->released ? not_acquired
                                   : "the tensor map was changed without fence.proxy.tensormap::generic.release or "
                                     "tensormap.cp_fenceproxy after it");
}
