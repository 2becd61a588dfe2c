/* Modifiers, types and operands that the rows of isa.def allow one by one and that do not go together. */
#ifndef HAUL_PTX_FORMS_H
#define HAUL_PTX_FORMS_H

#include "ptx/ir.h"

/* What is wrong with the instruction, as ptxas 13.0 sees it; NULL: nothing. */
const char *ptx_form_fault(const ptx_instruction *i);

#endif
