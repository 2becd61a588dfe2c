/* Tensor maps that the kernel changes. The copy engine caches maps. A change must therefore be released by the
 * tensormap proxy's fence or by tensormap.cp_fenceproxy, and each block that copies with the map must acquire it. The
 * newest few changes of the block's own cluster are tracked. */
#include "check/internal.h"
#include "machine/tensor.h"

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
}

void sim_hazard_map_release(sim_warp *w, uint32_t active) {
    sim_domain *d = sim_domain_of(w->block);
    for (uint32_t i = 0; i < SIM_HAZARD_MAPS; i++) {
        sim_watched_map *m = &d->maps[i];
        if (m->thread / SIM_LANES == sim_actor(w) && active >> m->thread % SIM_LANES & 1) m->released = true;
    }
}

void sim_hazard_map_acquire(sim_warp *w, uint64_t address) {
    sim_watched_map *m = find(sim_domain_of(w->block), address);
    if (m && m->released) m->acquired |= 1u << w->block->rank;
}

void sim_hazard_map_used(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const sim_watched_map *m = find(sim_domain_of(w->block), address);
    if (!m || m->acquired >> w->block->rank & 1) return;
    const sim_suspect s = {.kind = HAUL_FINDING_MISSING_PROXY_FENCE,
                           .action = HAUL_ACTION_ASYNC_READ,
                           .other_action = HAUL_ACTION_WRITE,
                           .instruction = op->instruction,
                           .other_instruction = m->instruction,
                           .lanes = 1u << lane,
                           .thread = m->thread,
                           .space = HAUL_SPACE_GLOBAL,
                           .address = address,
                           .bytes = SIM_TENSOR_MAP_BYTES};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f)
        sim_hazard_say(f, m->released ? "the tensor map was changed, and the block has not executed "
                                        "fence.proxy.tensormap::generic.acquire since, so the copy engine may use the "
                                        "old one"
                                      : "the tensor map was changed without fence.proxy.tensormap::generic.release "
                                        "or tensormap.cp_fenceproxy after it");
}
