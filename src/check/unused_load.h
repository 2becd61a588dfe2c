/* Loads whose value some threads cannot use. Triton has every warp of a block load what one of them then updates in
 * place: the other warps may see the old or the new value, but only the one that stores depends on it. Such loads of
 * those threads take no part in races. A lane's value may reach others of its warp by shuffles: then none of these may
 * use it either. A product of wgmma is such a load if none of its warp's lanes uses the sums:
 * tiles of fewer than 64 rows lie in front of what the product reads as further rows. */
#ifndef HAUL_CHECK_UNUSED_LOAD_H
#define HAUL_CHECK_UNUSED_LOAD_H

#include "state/block.h"
#include "state/program.h"

/* A lane executes the use only if each of these predicates has its value. A branch is a use if the thread alone does
 * not decide its predicate. */
typedef struct sim_load_guard {
    uint32_t reg;
    bool is_true, is_branch;
    bool ends_use; /* the last one of this use */
} sim_load_guard;

/* By instruction, of ordinary loads from global memory and of products. */
typedef struct sim_unused_load {
    uint32_t first, end; /* in `guards`; equal: every lane may use the value */
    uint32_t reach;      /* lane l's value reaches lanes l ^ b, with b any of these bits; 0: it stays where it is */
} sim_unused_load;

typedef struct sim_unused_loads {
    sim_unused_load *of;
    sim_load_guard *guards;
    uint32_t *writer; /* by register: the index + 1 of the only instruction that writes it */
} sim_unused_loads;

/* The table is NULL if every lane may use all that it loads. */
haul_status sim_unused_loads_find(const sim_program *p, sim_unused_loads **out);
void sim_unused_loads_free(sim_unused_loads *loads);

/* Returns whether some lanes may not use what the instruction loads. */
static inline bool sim_load_may_be_unused(const sim_grid *g, uint32_t instruction) {
    return g->unused && g->unused->of[instruction].first != g->unused->of[instruction].end;
}
/* Returns lanes of the warp that do not use what the instruction loads. */
uint32_t sim_lanes_without_use(const sim_warp *w, uint32_t instruction);

#endif
