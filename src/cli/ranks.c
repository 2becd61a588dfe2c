#include "cli/ranks.h"

#include "cli/parts.h"

#include <stdlib.h>

/* libhaul_mpi.so lies beside haul, or where an installation has it. Launchers may give ranks a terminal of their own,
 * whose output then goes to a file: colours do not belong there. */
haul_status cli_ranks_open(haul_ranks **ranks) {
    arena memory = {0};
    const haul_status status = haul_ranks_open(cli_find_part("libhaul_mpi.so", &memory), ranks);
    arena_free(&memory);
    if (status == HAUL_OK && haul_ranks_count(*ranks) > 1) (void)setenv("NO_COLOR", "1", 1);
    return status;
}

bool cli_ranks_speaks(const haul_ranks *ranks) {
    return haul_ranks_rank(ranks) == 0;
}
