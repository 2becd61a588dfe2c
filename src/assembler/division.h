/* Which parts machine code has of a division of integers. */
#ifndef HAUL_ASSEMBLER_DIVISION_H
#define HAUL_ASSEMBLER_DIVISION_H

#include "assembler/loop.h"

/* A quotient or remainder of 32 bits is a reciprocal of the divisor as a float, and products that correct it. */
typedef enum sim_division {
    SIM_NO_DIVISION,
    SIM_DIVISION_WHOLE,
    SIM_DIVISION_WITHOUT_RECIPROCAL, /* it is there already: of a division before, or before a loop */
    SIM_DIVISION_AGAIN               /* so is the quotient of the same numbers */
} sim_division;

/* Returns the parts by instruction, in `memory`. */
const uint8_t *sim_find_divisions(const ptx_function *function, const sim_writers *writers, arena *memory);

#endif
