#include "check/texels.h"

#include "check/follow.h"
#include "check/global.h"
#include "check/internal.h"
#include "state/texels.h"

/* Returns sim_op.x for a texel: 16 bytes are four channels of a word each; smaller texels are one element. */
static uint32_t element_shift(unsigned bytes) {
    return bytes == 16 ? 2 : 31;
}

void sim_hazard_texels(sim_warp *w, const sim_op *op, uint32_t active, const sim_texel_access *a, haul_action action) {
    sim_op part = *op;
    part.bytes = (uint8_t)a->bytes;
    part.count = 0; /* stored values are not compared */
    part.x = element_shift(a->bytes);
    for (uint32_t k = 0; k < SIM_MOST_TEXELS; k++) {
        uint64_t address[SIM_LANES] = {0};
        uint32_t lanes = 0;
        for (uint32_t left = active; left; left &= left - 1) {
            const unsigned l = (unsigned)__builtin_ctz(left);
            if (a->lanes[l].count <= k) continue;
            address[l] = a->lanes[l].texels[k].address;
            lanes |= 1u << l;
        }
        if (!lanes) return;
        if (w->sm->follower)
            sim_follow_lanes(w, &part, lanes, address, action);
        else
            sim_hazard_global(w, &part, lanes, address, action);
    }
}

void sim_hazard_texture_range(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t texels) {
    sim_finding *f = sim_hazard_report_lanes(w, op, lanes, HAUL_FINDING_TEXTURE_RANGE, HAUL_ACTION_READ);
    if (f) sim_hazard_say(f, "lanes 0x%08x fetch outside the %u texels of linear memory", lanes, texels);
}
