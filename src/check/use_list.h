/* Which bytes of global memory a checked launch has read and written, for checks between launches. */
#ifndef HAUL_CHECK_USE_LIST_H
#define HAUL_CHECK_USE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_watch;

/* sim_use.instruction: it is not known which. */
#define SIM_NO_INSTRUCTION UINT32_MAX

typedef struct sim_use {
    uint64_t from, to;
    uint32_t instruction; /* one that has accessed these bytes, or others of their line in the same way */
    bool writes;
    bool strong; /* by atomics, volatile or ordered accesses that reach the whole GPU: these may meet their like */
} sim_use;

/* In the order of addresses, once it is complete. */
typedef struct sim_use_list {
    sim_use *items;
    size_t count, capacity;
    bool failed;                  /* the host ran out of memory */
    struct sim_early_uses *early; /* what was used before griddepcontrol.wait (check/early_uses.h); NULL: nobody asks */
} sim_use_list;

/* Appends a range that is not empty, or joins it to the last one if they belong together. */
void sim_use_list_add(sim_use_list *f, const sim_use *reach);
/* Sorts by address and joins what belongs together. */
void sim_use_list_sort(sim_use_list *f);
/* Leaves `early` alone. */
void sim_use_list_free(sim_use_list *f);
/* Reads the accesses that the shadow of global memory has kept, in the order of addresses. A byte that was written
 * counts as written only, whoever reads it. Lines that the shadow has given up are left out. */
void sim_watch_uses(const struct sim_watch *watch, sim_use_list *f);

#endif
