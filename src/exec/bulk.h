/* Completion of a bulk copy. */
#ifndef HAUL_EXEC_BULK_H
#define HAUL_EXEC_BULK_H

#include "state/block.h"

/* Moves or reduces the bytes and completes the transaction on the mbarrier. The issue has checked the addresses. */
void sim_bulk_perform(sim_block *b, const sim_bulk *bulk);

#endif
