/* Loads and stores that machine code combines with others, narrows or leaves out. */
#ifndef HAUL_ASSEMBLER_COMBINE_H
#define HAUL_ASSEMBLER_COMBINE_H

#include "assembler/assembler.h"
#include "assembler/values.h"

/* Sets the parts of loads and stores; all others keep theirs. */
void sim_combine_accesses(const ptx_function *function, const sim_values *values, arena *memory,
                          sim_assembled *assembled);

/* Bytes of one element, and how many of them a load or a store names. */
unsigned sim_element_bytes(const ptx_instruction *instruction);
unsigned sim_element_count(const ptx_instruction *instruction);

#endif
