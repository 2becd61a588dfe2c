/* The ranks of an MPI program, for commands that share their work out. */
#ifndef HAUL_CLI_RANKS_H
#define HAUL_CLI_RANKS_H

#include "base/text.h"

#include <haul/ranks.h>

/* Opens the ranks; one, without MPI, unless an MPI launcher has started haul. Close them at the end. */
haul_status cli_ranks_open(haul_ranks **ranks);
/* Whether this process speaks for all: it prints the output. */
bool cli_ranks_speaks(const haul_ranks *ranks);

#endif
