/* multimem: valid combinations of operations, types, vectors and precisions. */
#ifndef HAUL_PTX_MULTIMEM_H
#define HAUL_PTX_MULTIMEM_H

#include "ptx/ir.h"

/* Returns what is wrong with the instruction, of multimem or not; NULL if nothing is. */
const char *ptx_multimem_fault(const ptx_instruction *i);

#endif
