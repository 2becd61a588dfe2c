/* Strongly connected components: blocks that can reach each other. */
#ifndef HAUL_PTX_COMPONENTS_H
#define HAUL_PTX_COMPONENTS_H

#include "ptx/edges.h"

/* Returns a number for each block; blocks that reach each other, such as a loop with its inner loops, have the same.
 * Allocates in `memory`, which has a jump point. */
uint32_t *ptx_components_find(const ptx_function *function, arena *memory);

/* Returns, by block, whether a path leads from it back to it. */
bool *ptx_find_looping(const ptx_function *function, const uint32_t *components, arena *memory);

#endif
