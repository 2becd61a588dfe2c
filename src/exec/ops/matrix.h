/* Functions that matrix instructions share. */
#ifndef HAUL_EXEC_OPS_MATRIX_H
#define HAUL_EXEC_OPS_MATRIX_H

#include "check/hazard.h"
#include "exec/ops/lanes.h"
#include "exec/paths.h"
#include "ptx/matrix.h"

/* Gathers the whole warp for a matrix instruction. Returns the lanes that have reached it, or 0 with *step set if some
 * are missing. Lanes that have ended are not waited for, but PTX asks for all. */
static inline uint32_t sim_whole_warp(sim_warp *w, const sim_op *op, uint32_t active, sim_step *step) {
    uint32_t everyone[SIM_LANES];
    *step = SIM_NEXT;
    if (active == SIM_ALL_LANES) return active;
    memset(everyone, 0xff, sizeof everyone);
    const uint32_t there = sim_warp_gather(w, op, active, everyone, step);
    if (w->sm->hazards && there && there != SIM_ALL_LANES) sim_hazard_part_of_warp(w, op, there);
    return there;
}

/* Fragments are laid out in groups of four lanes. A group holds a row or a column, and each lane a part of it. */
enum { SIM_GROUP_LANES = 4, SIM_GROUPS = SIM_LANES / SIM_GROUP_LANES };

static inline unsigned sim_group(unsigned lane) {
    return lane / SIM_GROUP_LANES;
}

static inline unsigned sim_in_group(unsigned lane) {
    return lane % SIM_GROUP_LANES;
}

/* Appends the slots of a fragment's registers to the pool. */
static inline uint32_t sim_pool_fragment(sim_lowering *l, const ptx_operand *o, bool destination, ptx_type type) {
    uint32_t first = 0;
    for (uint32_t r = 0; r < o->part_count; r++) {
        const uint32_t slot =
            destination ? sim_destination(l, &o->parts[r]) : sim_source(l, &o->parts[r], ptx_fragment_type(type));
        const uint32_t at = sim_pool(l, &slot, 1);
        if (r == 0) first = at;
    }
    return first;
}

/* Loads or stores `bytes` per lane in the instruction's address space, at the 64-bit addresses in slot `address`.
 * `data` has lanes of `lane_bytes`. In ops/memory.c. */
typedef struct sim_element_access {
    uint32_t address, data;
    unsigned bytes, lane_bytes;
    bool loads;
    bool uncounted; /* the caller emits the counting */
} sim_element_access;

#define SIM_ELEMENT_ACCESS SIM_PASTE(sim_emit_element_access, SIM_VARIANT)
haul_status SIM_ELEMENT_ACCESS(sim_lowering *l, const ptx_instruction *i, const sim_element_access *access);

#endif
