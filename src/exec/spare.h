/* SMs that are kept when their launch has ended, for the next launch of the same kernel and shape: their memory is
 * there then, and what is the same for all blocks is in it. Of launches that are not counted, and small. */
#ifndef HAUL_EXEC_SPARE_H
#define HAUL_EXEC_SPARE_H

#include "state/block.h"

/* A context's, the one used last in front. All zero: there are none. */
typedef struct sim_spares {
    struct sim_spare *first;
    size_t count;
    uint64_t bytes;
} sim_spares;

/* The grid's SMs as sim_sm_create() makes them, in an array that becomes the caller's; NULL: there are none. */
sim_sm *sim_spares_take(sim_spares *spares, const sim_grid *grid);
/* Keeps the SMs of a launch that has ended well. False: they stay the caller's. */
bool sim_spares_put(sim_spares *spares, const sim_grid *grid, sim_sm *sms);
/* Frees those of a program, or all (NULL). */
void sim_spares_forget(sim_spares *spares, const sim_program *program);

#endif
