/* Addresses of a kernel's shared variables, as the assembler assigns them. Banks and alignment depend on them, and so
 * do counters. */
#ifndef HAUL_ASSEMBLER_SHARED_LAYOUT_H
#define HAUL_ASSEMBLER_SHARED_LAYOUT_H

#include "base/pointer_map.h"
#include "ptx/ir.h"

/* The system reserves the first KiB of a block's shared memory, as on sm_80 and later. */
enum { SIM_SHARED_START = 1024 };

typedef struct sim_shared_place {
    const ptx_variable *variable;
    uint64_t at; /* shared address */
} sim_shared_place;

typedef struct sim_shared_layout {
    sim_shared_place *places;
    size_t count, capacity;
    pointer_map by_variable;
    uint64_t end;     /* the address after the last variable */
    uint64_t dynamic; /* start of dynamic memory: of the last of the `extern` arrays, which mostly are one */
} sim_shared_layout;

/* Lays out the function's own variables first, then those of the module that it names. Each follows in the order of
 * declaration, at the next address that its alignment allows. The `extern` arrays come last. `memory` has a jump
 * point. */
void sim_shared_layout_find(const ptx_function *function, arena *memory, sim_shared_layout *layout);

/* Returns 0 if the variable is not in the layout. */
uint64_t sim_shared_layout_at(const sim_shared_layout *layout, const ptx_variable *variable);

#endif
