/* Banks of registers that the assembler prefers. */
#ifndef HAUL_ASSEMBLER_REGISTER_BANKS_H
#define HAUL_ASSEMBLER_REGISTER_BANKS_H

#include "base/arena.h"
#include "ptx/ir.h"

typedef enum sim_register_bank { SIM_ANY_BANK, SIM_EVEN_BANK, SIM_ODD_BANK } sim_register_bank;

/* Returns a sim_register_bank for each register: registers of 32 bits that an instruction reads together are put in
 * different banks, so that it reads both at once. Which of the two banks is called even does not matter. */
uint8_t *sim_register_banks_find(const ptx_function *function, arena *memory);

#endif
