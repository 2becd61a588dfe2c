/* Functions whose calls cannot be put in line. */
#ifndef HAUL_PTX_FAR_H
#define HAUL_PTX_FAR_H

#include "ptx/ir.h"

/* Sets is_recursive and is_addressed of the module's functions, when that has not been done yet. Functions on a way
 * from one recursion to another count as recursive too. Allocates in the module's arena. */
void ptx_find_far(ptx_module *module);

/* Whether any of those functions is there, and any function has .local variables. */
bool ptx_needs_stack(const ptx_module *module);

/* The cost of a copy of a function's body: the number of its instructions, operands, labels, table entries and places.
 * ptx/growth.h limits its sum. */
uint64_t ptx_weigh(const ptx_module *module, const ptx_function *function);

/* The function that is meant where this one is named. */
static inline ptx_function *ptx_meant(ptx_function *f) {
    return f->alias_of ? (ptx_function *)f->alias_of : f;
}

#endif
