/* Blocks that can reach each other. */
#ifndef HAUL_PTX_COMPONENTS_H
#define HAUL_PTX_COMPONENTS_H

#include "ptx/edges.h"

/* By block a number that those have in common which lead to each other: the blocks of a loop, with all loops in it.
 * Allocates in `memory`, which has a jump point. */
uint32_t *ptx_components_find(const ptx_function *function, arena *memory);

/* By block: a way leads from it back to it. */
bool *ptx_find_looping(const ptx_function *function, const uint32_t *components, arena *memory);

#endif
