/* The size of a kernel after inlining, found before any call is inlined. */
#ifndef HAUL_PTX_GROWTH_H
#define HAUL_PTX_GROWTH_H

#include "ptx/far.h"

/* The most that all bodies of a kernel may weigh together (ptx_weigh()). */
enum { PTX_MOST_WEIGHT = 1 << 23 };
/* The most bodies that may nest. */
enum { PTX_MOST_DEPTH = 128 };

/* Sets *called, by ptx_function.index, to functions that must be called only because inlining all would be too large or
 * nest too deeply; NULL: all may be inlined. Returns false if the kernel is too large either way. Allocates in
 * `memory`; ptx_find_far() must have been called. */
bool ptx_choose_called(const ptx_module *module, const ptx_function *entry, arena *memory, const bool **called);

#endif
