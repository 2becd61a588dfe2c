/* Instructions on tensor memory: how many registers they have, and which forms there are. */
#ifndef HAUL_PTX_TCGEN05_H
#define HAUL_PTX_TCGEN05_H

#include "ptx/ir.h"

bool ptx_is_tcgen05(const ptx_instruction *i);
/* The products among them. */
bool ptx_is_tensor_product(const ptx_instruction *i);

/* Returns the registers of a lane for tcgen05.ld and .st. */
unsigned ptx_tmem_registers(const ptx_instruction *i);

/* Returns a message if the modifiers and operands do not go together; NULL if they do. */
const char *ptx_tcgen05_fault(const ptx_instruction *i);

/* Columns of tensor memory are allocated by powers of two from 32 to 512. */
static inline bool ptx_is_column_count(uint64_t columns) {
    return columns >= 32 && columns <= 512 && (columns & (columns - 1)) == 0;
}

#endif
