#include "cli/ranks.h"

#include "cli/parts.h"

/* libhaul_mpi.so lies beside haul, or where an installation has it. */
haul_status cli_ranks_open(haul_ranks **ranks) {
    arena memory = {0};
    const haul_status status = haul_ranks_open(cli_find_part("libhaul_mpi.so", &memory), ranks);
    arena_free(&memory);
    return status;
}

bool cli_ranks_speaks(const haul_ranks *ranks) {
    return haul_ranks_rank(ranks) == 0;
}
