/* Combinations of modifiers, types and operands that isa.def allows one by one but not together. */
#ifndef HAUL_PTX_FORMS_H
#define HAUL_PTX_FORMS_H

#include "ptx/ir.h"

/* Returns what is wrong with the instruction, as ptxas 13.0 judges; NULL if nothing is. */
const char *ptx_form_fault(const ptx_instruction *i);

#endif
