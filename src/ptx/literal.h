/* Values of floating literals. */
#ifndef HAUL_PTX_LITERAL_H
#define HAUL_PTX_LITERAL_H

#include "ptx/ir.h"

/* Returns a floating literal's bits in a type of `bytes` bytes, rounded to nearest even if that is narrower. */
uint64_t ptx_float_bits(const ptx_operand *operand, unsigned bytes);

#endif
