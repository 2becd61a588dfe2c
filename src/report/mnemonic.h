/* Finds recorded instructions in the table of instructions, by their mnemonics. */
#ifndef HAUL_REPORT_MNEMONIC_H
#define HAUL_REPORT_MNEMONIC_H

#include "ptx/traits.h"

#include <haul/run.h>

/* Returns PTX_KIND_OTHER if the table has no such instruction. */
ptx_kind report_ptx_kind(const haul_instruction_record *instruction);

/* Returns the instruction's modifier of the slot, a ptx_modifier; 0 if it has none. */
unsigned report_ptx_modifier(const haul_instruction_record *instruction, unsigned slot);

#endif
