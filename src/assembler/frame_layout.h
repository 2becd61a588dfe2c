/* Offsets of a function's local variables in a thread's frame. */
#ifndef HAUL_ASSEMBLER_FRAME_LAYOUT_H
#define HAUL_ASSEMBLER_FRAME_LAYOUT_H

#include "base/pointer_map.h"
#include "ptx/ir.h"

typedef struct sim_frame_layout {
    pointer_map by_variable;
    uint64_t end;       /* the offset after the last variable */
    uint64_t alignment; /* of the frame */
} sim_frame_layout;

/* Lays out the variables in the order of declaration, each at the next offset that its alignment allows. `memory` has a
 * jump point. */
void sim_frame_layout_find(const ptx_function *function, arena *memory, sim_frame_layout *layout);

/* Returns NULL if the variable is not one of the function's local ones. */
static inline const uint64_t *sim_frame_layout_at(const sim_frame_layout *layout, const ptx_variable *variable) {
    return pointer_map_find(&layout->by_variable, variable);
}

#endif
