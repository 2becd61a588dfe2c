/* How large a kernel becomes by the calls that are put in line, found before any is. */
#ifndef HAUL_PTX_GROWTH_H
#define HAUL_PTX_GROWTH_H

#include "ptx/far.h"

/* The most that all bodies of a kernel may weigh together (ptx_weigh()). */
enum { PTX_MOST_WEIGHT = 1 << 23 };
/* The most bodies that may lie within each other. */
enum { PTX_MOST_DEPTH = 128 };

/* Sets *called, by ptx_function.index, to the functions that are to be called although nothing else asks for it: in
 * line they would be too many or too deep in each other. NULL: all may be put in line. False: the kernel is too large
 * either way. Allocates in `memory`; ptx_find_far() has been called. */
bool ptx_choose_called(const ptx_module *module, const ptx_function *entry, arena *memory, const bool **called);

#endif
