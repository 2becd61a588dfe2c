/* Far calls: functions that cannot be inlined. */
#ifndef HAUL_PTX_FAR_H
#define HAUL_PTX_FAR_H

#include "ptx/ir.h"

/* Sets is_recursive and is_addressed of the module's functions, once. Functions on a path between recursive ones count
 * as recursive too. Allocates in the module's arena. */
void ptx_find_far(ptx_module *module);

/* Returns whether there are such functions, and any function has .local variables. */
bool ptx_needs_stack(const ptx_module *module);

/* The cost of a copy of a function's body: its instructions, operands, labels, table entries and places. ptx/growth.h
 * limits their sum. */
uint64_t ptx_weigh(const ptx_module *module, const ptx_function *function);

/* Returns the function that a name means: the alias's target, or itself. */
static inline ptx_function *ptx_meant(ptx_function *f) {
    return f->alias_of ? (ptx_function *)f->alias_of : f;
}

#endif
