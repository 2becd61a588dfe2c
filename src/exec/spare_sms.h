/* Spare SMs: kept after their launch for the next launch of the same kernel and block shape. That launch saves their
 * allocation and the setup that is the same for all blocks. Its grid may be smaller or larger: programs launch one
 * kernel on grids of many sizes, such as the diagonals of a matrix. SMs that need much memory are not kept. */
#ifndef HAUL_EXEC_SPARE_SMS_H
#define HAUL_EXEC_SPARE_SMS_H

#include "state/block.h"

/* The spare SMs of a context, most recently used first. All zero: there are none. */
typedef struct sim_spares {
    struct sim_spare *first; /* the one that was put last */
    size_t count;
    uint64_t bytes; /* of host memory, in all of them */
} sim_spares;

/* Returns *count SMs that fit the grid and are counted or not as it is, in an array that the caller owns and that has
 * room for all SMs of the machine; NULL if there are none. They may be fewer or more than the grid uses.
 * sim_sm_prepare() gets each ready. */
sim_sm *sim_spares_take(sim_spares *spares, const sim_grid *grid, bool counted, uint32_t *count);
/* Keeps `count` SMs after a launch that has succeeded. Returns false if it does not; then the caller still owns
 * them. */
bool sim_spares_put(sim_spares *spares, const sim_grid *grid, sim_sm *sms, uint32_t count);
/* Frees the SMs of a program, or all (NULL). */
void sim_spares_forget(sim_spares *spares, const sim_program *program);

#endif
