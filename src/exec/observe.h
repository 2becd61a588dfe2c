/* A warp's accesses to memory as events. Each is reported once, before the access; the checks and the counters take
 * what they need. Every access of an instruction goes through here.
 *
 * `action` is HAUL_ACTION_READ, _WRITE or _ATOMIC. Addresses have been checked: they are in bounds and aligned. */
#ifndef HAUL_EXEC_OBSERVE_H
#define HAUL_EXEC_OBSERVE_H

#include "check/follow.h"
#include "check/global.h"
#include "check/hazard.h"
#include "check/texels.h"
#include "count/count.h"
#include "count/texels.h"
#include "exec/unfenced.h"
#include "machine/memory.h"
#include "state/lanes.h"

#define SIM_IS_CHECKED(w) __builtin_expect((w)->sm->hazards != NULL, 0)
#define SIM_IS_FOLLOWED(w) __builtin_expect((w)->sm->follower != NULL, 0)

/* Reports to the checks an access through which threads may synchronise. `op->y` of an atomic: its result is unused. */
static inline void sim_observe_strong(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                                      haul_action action) {
    if (action == HAUL_ACTION_ATOMIC)
        sim_hazard_strong(w, op, active, address, !op->y, true);
    else if (op->flags & SIM_OP_STRONG)
        sim_hazard_strong(w, op, active, address, action == HAUL_ACTION_READ, action == HAUL_ACTION_WRITE);
}

/* Reports global memory to the checks only. An atomic publishes before it accesses, other accesses afterwards. The
 * order that an atomic finds does not hold for its own access: a chance decides who comes first at a word. */
static inline void sim_observe_global_checks(sim_warp *w, const sim_op *op, uint32_t active,
                                             const uint64_t address[SIM_LANES], haul_action action) {
    if (action == HAUL_ACTION_ATOMIC) sim_observe_strong(w, op, active, address, action);
    if (w->sm->grid->schedule.is_unfenced && action != HAUL_ACTION_READ) sim_unfenced_store(w, op, active, address);
    sim_hazard_global(w, op, active, address, action);
    if (action == HAUL_ACTION_ATOMIC)
        sim_hazard_acquire(w, op, active);
    else
        sim_observe_strong(w, op, active, address, action);
}

/* The same, or what a launch that is not checked has to say. */
static inline void sim_observe_global_watched(sim_warp *w, const sim_op *op, uint32_t active,
                                              const uint64_t address[SIM_LANES], haul_action action) {
    if (SIM_IS_CHECKED(w)) sim_observe_global_checks(w, op, active, address, action);
    if (SIM_IS_FOLLOWED(w)) sim_follow_lanes(w, op, active, address, action);
}

/* A load of constant memory: no kernel writes there, so that one of each element by the SM says all. */
static inline void sim_observe_constant_watched(sim_warp *w, const sim_op *op, uint32_t active,
                                                const uint64_t address[SIM_LANES]) {
    if (SIM_IS_CHECKED(w)) active = sim_hazard_new_constants(w, op, active, address);
    if (active) sim_observe_global_watched(w, op, active, address, HAUL_ACTION_READ);
}

static inline void sim_observe_global(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                                      haul_action action) {
    sim_observe_global_watched(w, op, active, address, action);
    if (w->sm->counting) sim_count_global(w->sm->counting, w, op, active, address);
}

/* Reports shared memory of block `b` to the checks only. */
static inline void sim_observe_shared_checks(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                                             const uint32_t address[SIM_LANES], haul_action action) {
    uint64_t in_window[SIM_LANES];
    const bool is_atomic = action == HAUL_ACTION_ATOMIC;
    if (b != w->block) sim_hazard_remote(w, op, active, b, action);
    SIM_EACH_LANE(l) in_window[l] = address[l] | SIM_SHARED_WINDOW;
    if (is_atomic) sim_observe_strong(w, op, active, in_window, action);
    if (is_atomic)
        sim_hazard_atomic(w, op, active, b, address);
    else if (action == HAUL_ACTION_WRITE)
        sim_hazard_store(w, op, active, b, address);
    else
        sim_hazard_load(w, op, active, b, address);
    if (is_atomic)
        sim_hazard_acquire(w, op, active);
    else
        sim_observe_strong(w, op, active, in_window, action);
}

/* Counters count an SM's own shared memory only. */
static inline void sim_observe_shared(sim_warp *w, const sim_op *op, uint32_t active, sim_block *b,
                                      const uint32_t address[SIM_LANES], haul_action action) {
    if (SIM_IS_CHECKED(w)) sim_observe_shared_checks(w, op, active, b, address, action);
    if (b == w->block) sim_count_shared(w->sm->counting, w, op, active, address);
}

/* ldmatrix and stmatrix: 16 bytes of the block's own memory from the address of each lane in `lanes`. */
static inline void sim_observe_load_matrix(sim_warp *w, const sim_op *op, uint32_t lanes,
                                           const uint32_t address[SIM_LANES]) {
    if (SIM_IS_CHECKED(w)) sim_hazard_load(w, op, lanes, w->block, address);
    sim_count_matrices(w->sm->counting, op, lanes, address);
}

static inline void sim_observe_store_matrix(sim_warp *w, const sim_op *op, uint32_t lanes,
                                            const uint32_t address[SIM_LANES], const unsigned char *rows) {
    if (SIM_IS_CHECKED(w)) sim_hazard_store_rows(w, op, lanes, address, rows);
    sim_count_matrices(w->sm->counting, op, lanes, address);
}

/* The threads' frames. Parameters of inlined calls have no class: hardware keeps them in registers. */
static inline void sim_observe_local(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t offset[SIM_LANES],
                                     haul_action action) {
    if (SIM_IS_CHECKED(w)) sim_hazard_local(w, op, active, offset, action == HAUL_ACTION_WRITE);
    if (op->memory_class != HAUL_CLASS_NONE) sim_count_local(w->sm->counting, w, op, active, offset);
}

/* Constant memory, and parameters at a computed address. Nobody writes there, so the checks do not need it. */
static inline void sim_observe_constant(sim_warp *w, const sim_op *op, uint32_t active,
                                        const uint64_t address[SIM_LANES]) {
    sim_count_constant(w->sm->counting, w, op, active, address);
}

static inline void sim_observe_texels(sim_warp *w, const sim_op *op, uint32_t active, const sim_texel_access *access,
                                      haul_action action) {
    if (SIM_IS_CHECKED(w) || SIM_IS_FOLLOWED(w)) sim_hazard_texels(w, op, active, access, action);
    sim_count_texels(w->sm->counting, op, active, access);
}

#endif
