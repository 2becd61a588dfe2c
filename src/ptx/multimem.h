/* multimem: which operations, types, vectors and precisions go together. */
#ifndef HAUL_PTX_MULTIMEM_H
#define HAUL_PTX_MULTIMEM_H

#include "ptx/ir.h"

/* What is wrong with the instruction, one of multimem or not; NULL: nothing. */
const char *ptx_multimem_fault(const ptx_instruction *i);

#endif
