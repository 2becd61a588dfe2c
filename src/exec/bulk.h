/* What a bulk copy does when it is done at last. */
#ifndef HAUL_EXEC_BULK_H
#define HAUL_EXEC_BULK_H

#include "state/block.h"

/* Moves (or reduces) the bytes and completes the transaction on the mbarrier. Addresses were checked at issue. */
void sim_bulk_perform(sim_block *b, const sim_bulk *bulk);

#endif
