/* Values of literals. */
#ifndef HAUL_PTX_LITERAL_H
#define HAUL_PTX_LITERAL_H

#include "ptx/ir.h"

/* A floating literal's bits in a type of so many bytes, rounded to nearest even where it is narrower. */
uint64_t ptx_float_bits(const ptx_operand *operand, unsigned bytes);

#endif
