/* The loops of a kernel, and the instructions that use its registers: several facts are found from them. */
#ifndef HAUL_CHECK_LOOPS_H
#define HAUL_CHECK_LOOPS_H

#include "ptx/components.h"
#include "ptx/users.h"

typedef struct sim_loops {
    const ptx_function *function;
    const uint32_t *component; /* by block (ptx/components.h) */
    const bool *looping;       /* by block */
    ptx_users readers, writers;
} sim_loops;

/* Allocates in `memory`, which has a jump point. */
static inline sim_loops sim_loops_find(const ptx_function *f, arena *memory) {
    sim_loops loops = {.function = f, .component = ptx_components_find(f, memory)};
    loops.looping = ptx_find_looping(f, loops.component, memory);
    ptx_users_find(f, memory, &loops.readers, &loops.writers);
    return loops;
}

#endif
