/* Which variable of shared memory an address was made from. C's pointers stay within their object; what lies behind it
 * in shared memory is another variable, which no hardware tells apart. */
#ifndef HAUL_CHECK_ORIGIN_H
#define HAUL_CHECK_ORIGIN_H

#include "state/program.h"

/* Where an instruction's access to shared memory has to stay. */
typedef struct sim_origin {
    const ptx_variable *variable; /* NULL: not known */
    uint32_t from, to;            /* its shared addresses */
} sim_origin;

/* By instruction of the program's function, to be freed by the caller; NULL when the kernel has no shared variables of
 * known size. An address has an origin where every way it is computed adds integers to one variable's address. */
haul_status sim_origins_find(const sim_program *p, sim_origin **by_instruction);

#endif
