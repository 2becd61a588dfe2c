/* Structure of haul_ranks; <haul/ranks.h> has the contracts. */
#ifndef HAUL_LIB_RANKS_RANKS_H
#define HAUL_LIB_RANKS_RANKS_H

#include "lib/ranks/engine.h"

#include <haul/ranks.h>

struct haul_ranks {
    const ranks_engine *engine; /* NULL: this process is alone */
    uint32_t rank, count, local, locals;
    bool has_asked, has_nccl; /* of a real GPU: whether device_open() was called, and its answer */
};

/* Turns the engine's answer into a status: "rank 2: WHAT: the engine's words". */
haul_status ranks_check(const haul_ranks *ranks, int result, const char *what);

#endif
