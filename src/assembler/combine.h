/* Loads and stores that machine code combines, narrows or drops. */
#ifndef HAUL_ASSEMBLER_COMBINE_H
#define HAUL_ASSEMBLER_COMBINE_H

#include "assembler/assembler.h"
#include "assembler/values.h"

/* Sets the parts of loads and stores; other instructions keep theirs. */
void sim_combine_accesses(const ptx_function *function, const sim_values *values, arena *memory,
                          sim_assembled *assembled);

/* Return the bytes of one element, and the number of elements, of a load or store. */
unsigned sim_element_bytes(const ptx_instruction *instruction);
unsigned sim_element_count(const ptx_instruction *instruction);

#endif
