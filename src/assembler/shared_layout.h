/* Where a kernel's shared variables lie: as the assembler places them, since banks, alignment and so counters depend on
 * it. */
#ifndef HAUL_ASSEMBLER_SHARED_LAYOUT_H
#define HAUL_ASSEMBLER_SHARED_LAYOUT_H

#include "base/pointer_map.h"
#include "ptx/ir.h"

/* The first KiB of a block's shared memory is the system's, as on sm_80 and later. */
enum { SIM_SHARED_START = 1024 };

typedef struct sim_shared_place {
    const ptx_variable *variable;
    uint64_t at; /* shared address */
} sim_shared_place;

typedef struct sim_shared_layout {
    sim_shared_place *places;
    size_t count, capacity;
    pointer_map by_variable;
    uint64_t end;     /* the address behind the last one */
    uint64_t dynamic; /* where dynamic memory begins: that of the last of the `extern` arrays, which mostly are one */
} sim_shared_layout;

/* The function's own variables come first, then those of the module that it names, each in the order of declaration and
 * at the next address that its alignment allows, and behind them its `extern` arrays. `memory` has a jump point. */
void sim_shared_layout_find(const ptx_function *function, arena *memory, sim_shared_layout *layout);

/* 0 when the variable is not in the layout. */
uint64_t sim_shared_layout_at(const sim_shared_layout *layout, const ptx_variable *variable);

#endif
