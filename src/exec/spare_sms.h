/* Spare SMs: kept after their launch for the next launch of the same kernel and block shape. That launch saves their
 * allocation and the setup that is the same for all blocks. Only SMs of uncounted launches that need little memory are
 * kept. */
#ifndef HAUL_EXEC_SPARE_SMS_H
#define HAUL_EXEC_SPARE_SMS_H

#include "state/block.h"

/* The spare SMs of a context, most recently used first. All zero: there are none. */
typedef struct sim_spares {
    struct sim_spare *first; /* the one that was put last */
    size_t count;
    uint64_t bytes; /* of host memory, in all of them */
} sim_spares;

/* Returns the grid's SMs as sim_sm_create() makes them, in an array that the caller owns; NULL if there are none. */
sim_sm *sim_spares_take(sim_spares *spares, const sim_grid *grid);
/* Keeps the SMs of a launch that has succeeded. Returns false if it does not; then the caller still owns them. */
bool sim_spares_put(sim_spares *spares, const sim_grid *grid, sim_sm *sms);
/* Frees the SMs of a program, or all (NULL). */
void sim_spares_forget(sim_spares *spares, const sim_program *program);

#endif
