/* Which variable an address was computed from. A C pointer must stay within its object, but what follows it in shared
 * memory is another variable, and no hardware notices the difference. Nor does it notice stores to constant memory. */
#ifndef HAUL_CHECK_ORIGIN_H
#define HAUL_CHECK_ORIGIN_H

#include "state/program.h"

/* The range an instruction's access to shared memory must stay in, or the constant variable that it writes. */
typedef struct sim_origin {
    const ptx_variable *variable; /* NULL: not known */
    uint32_t from, to;            /* its shared addresses */
} sim_origin;

/* Returns a table by instruction, which the caller frees; NULL if the kernel has no shared variables of known size and
 * its module has no constant ones. An address has an origin if all paths that compute it add integers to the address of
 * one variable. */
haul_status sim_origins_find(const sim_program *p, sim_origin **by_instruction);

#endif
