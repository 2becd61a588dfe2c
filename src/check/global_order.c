#include "check/global_order.h"

/* Returns the lanes of another cluster's actor whose accesses up to that time have been published up to a release. */
static uint32_t lanes_published(const sim_watch *watch, uint32_t cluster, uint32_t actor, uint32_t time,
                                sim_publication kind, uint32_t release) {
    const sim_history *histories = watch->histories[kind];
    const sim_grid *g = watch->grid;
    if (!histories || time == 0) return SIM_ALL_LANES;
    const sim_known *known = sim_history_at(&histories[cluster], release, g->warps * g->cluster_blocks);
    return known ? sim_known_lanes(&known[actor], time) : 0;
}

uint32_t sim_order_lanes(const sim_watch *watch, const sim_logged *e, uint32_t cluster, uint32_t actor, uint32_t time,
                         unsigned action) {
    const sim_publication kind = action == HAUL_ACTION_READ ? SIM_PUBLISHED_READS : SIM_PUBLISHED_ALL;
    return lanes_published(watch, cluster, actor, time, kind, sim_order_floor(e, cluster, action));
}

uint32_t sim_order_seen_lanes(const sim_watch *watch, const sim_logged *e, uint64_t address, const sim_touch *t) {
    const uint32_t release = sim_order_floor(e, t->cluster, HAUL_ACTION_READ);
    if (e->floor.flag != sim_flag_number(address) || !t->strong || t->action == HAUL_ACTION_READ) return 0;
    const uint32_t published = t->time - 1; /* a strong write publishes what comes just before it */
    if (!release || !published) return 0;
    return lanes_published(watch, t->cluster, t->actor, published, SIM_PUBLISHED_READS, release);
}

bool sim_order_was_told(const sim_watch *watch, const sim_logged *e, const sim_touch *t) {
    const uint16_t *uses = watch->grid->uses;
    if (!uses || (t->cluster == e->cluster && t->actor == e->actor) || t->epoch > e->floor.told) return false;
    if (!(e->floor.reads_from & sim_source_bit(t->cluster))) return false;
    if (!(uses[e->instruction] & SIM_USE_LOADS_VOLATILE) || !(uses[t->instruction] & SIM_USE_STORES_VOLATILE))
        return false;
    const uint32_t behind = t->time + 1; /* the flag itself is no data */
    return lanes_published(watch, t->cluster, t->actor, behind, SIM_PUBLISHED_READS, e->floor.told) != 0;
}

sim_missing_fence sim_order_missing_fence(const sim_watch *watch, const sim_logged *e, const sim_touch *t) {
    const bool writes = t->action == HAUL_ACTION_WRITE || t->action == HAUL_ACTION_ATOMIC;
    if (!writes || t->cluster == e->cluster) return SIM_FENCE_UNKNOWN;
    const uint32_t seen = sim_order_floor(e, t->cluster, HAUL_ACTION_READ);
    if (t->epoch > seen || !lanes_published(watch, t->cluster, t->actor, t->time, SIM_PUBLISHED_READS, seen))
        return SIM_FENCE_UNKNOWN;
    return lanes_published(watch, t->cluster, t->actor, t->time, SIM_PUBLISHED_ALL, seen) ? SIM_FENCE_OF_READER
                                                                                          : SIM_FENCE_OF_WRITER;
}

bool sim_order_hides(const sim_watch *watch, const sim_logged *e, const sim_touch *t) {
    if (!e->strong || t->strong || !t->epoch || t->action != HAUL_ACTION_WRITE) return false;
    const uint32_t before = e->age < 2 ? 0 : e->age - 2; /* this access may itself be the last release */
    return t->cluster == e->cluster && t->actor == e->actor &&
           !lanes_published(watch, t->cluster, t->actor, t->time, SIM_PUBLISHED_ALL, before);
}
