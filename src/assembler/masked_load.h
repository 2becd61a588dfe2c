/* Loads that the compiler made for all lanes though only some need the value. */
#ifndef HAUL_ASSEMBLER_MASKED_LOAD_H
#define HAUL_ASSEMBLER_MASKED_LOAD_H

#include "assembler/pass.h"

/* Gives a load a guard if its value is used only for a predicate that another one outweighs:
 *
 *     ld.shared r, [flag];              @!q ld.shared r, [flag];
 *     setp.eq p, r, 0;         becomes  setp.eq p, r, 0;
 *     or.pred s, q, p;                  or.pred s, q, p;
 *
 * nvcc writes the left for `if (!q && flag)`: it loads the second operand before it tests the first. In lanes where q
 * decides, the program does not read the flag, so another thread may write it. Results are the same. */
sim_pass_fn sim_mask_loads;

#endif
