/* Accesses of memory whose use the program restricts by NVTX (machine/regions.h). Hardware does not notice them, so the
 * access is done all the same. */
#include "check/internal.h"
#include "machine/regions.h"

static unsigned use_of(haul_action action) {
    switch (action) {
    case HAUL_ACTION_ATOMIC: return SIM_REGION_ATOMIC;
    case HAUL_ACTION_WRITE:
    case HAUL_ACTION_ASYNC_WRITE: return SIM_REGION_WRITE;
    default: return SIM_REGION_READ;
    }
}

static haul_finding_kind kind_of(sim_region_verdict verdict) {
    switch (verdict) {
    case SIM_REGION_GONE: return HAUL_FINDING_USE_AFTER_FREE;
    case SIM_REGION_FORBIDDEN: return HAUL_FINDING_ILLEGAL_ACCESS;
    default: return HAUL_FINDING_OUT_OF_BOUNDS;
    }
}

static void say(sim_finding *f, sim_region_verdict verdict, haul_action action, uint64_t address,
                const sim_range *near) {
    const unsigned long long size = near->to - near->from;
    if (verdict == SIM_REGION_FORBIDDEN)
        sim_hazard_say(f, "the permissions that the program has given these bytes allow no %s%s",
                       haul_action_names[action], action == HAUL_ACTION_ATOMIC ? " operation" : "");
    else if (verdict == SIM_REGION_GONE)
        sim_hazard_say(f, "the program has unregistered the region of %llu bytes that held this, before the launch",
                       size);
    else if (address < near->to)
        sim_hazard_say(f, "the access begins in a region of %llu bytes and ends behind it", size);
    else if (size)
        sim_hazard_say(f, "%llu bytes past the end of a region of %llu bytes, in no region of the program's heap",
                       (unsigned long long)(address - near->to), size);
    else
        sim_hazard_say(f, "in no region of the program's heap");
}

static void report(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, haul_action action,
                   sim_region_verdict verdict, const sim_range *near) {
    const sim_suspect s = {.kind = kind_of(verdict),
                           .action = action,
                           .instruction = op->instruction,
                           .lanes = 1u << lane,
                           .thread = SIM_NO_THREAD,
                           .space = HAUL_SPACE_GLOBAL,
                           .address = address,
                           .bytes = op->bytes};
    sim_finding *f = sim_hazard_report(w, &s);
    if (f) say(f, verdict, action, address, near);
}

void sim_regions_check(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       haul_action action) {
    sim_range near;
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const sim_region_verdict verdict =
            sim_regions_judge(w->sm->grid->regions, address[l], op->bytes, use_of(action), &near);
        if (verdict != SIM_REGION_GOOD) report(w, op, l, address[l], action, verdict, &near);
    }
}
