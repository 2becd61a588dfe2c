/* Completion of a bulk copy. */
#ifndef HAUL_EXEC_BULK_H
#define HAUL_EXEC_BULK_H

#include "state/block.h"

/* Moves or reduces the bytes. The issue has checked the addresses. */
void sim_bulk_move(sim_block *b, const sim_bulk *bulk);
/* Reads the source of a bulk store, or reduction, into memory of its own; sim_bulk_move() then takes the bytes from
 * there. Returns false if the host has no memory. */
bool sim_bulk_stage(sim_block *b, sim_bulk *bulk);
/* Ends the copy at its wait: moves the bytes unless that is done, and completes the transaction on the mbarrier. */
void sim_bulk_complete(sim_block *b, sim_bulk *bulk);

#endif
