/* Loads that only the lanes make whose selection takes their value. */
#ifndef HAUL_ASSEMBLER_SELECTED_LOAD_H
#define HAUL_ASSEMBLER_SELECTED_LOAD_H

#include "assembler/pass.h"

/* Gives the later of two selected values a guard if it is a load:
 *
 *     ld.global a, [x];             ld.global a, [x];
 *     ld.global b, [y];    becomes  @!p ld.global b, [y];
 *     selp d, a, b, p;              selp d, a, b, p;
 *
 * Machine code has no selection then: the guarded load writes to the register that holds the other value. So that value
 * may have no use behind the selection, the loaded one none but the selection, and nothing between the two may change
 * memory. Values of 64 bits are selected. Parameters and constants are, too, as it is then they that are moved under a
 * guard. */
sim_pass_fn sim_guard_selected_loads;

#endif
