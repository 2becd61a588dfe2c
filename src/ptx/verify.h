/* Declarations shared by the verifier's files. verify.c checks a function instruction by instruction, verify_operands.c
 * each operand against its slot in isa.def, verify_rules.c the rules that isa.def cannot express. */
#ifndef HAUL_PTX_VERIFY_H
#define HAUL_PTX_VERIFY_H

#include "base/status.h"
#include "ptx/ir.h"

/* The instruction being checked. */
typedef struct ptx_check {
    const ptx_module *module;
    const ptx_function *function;
    const ptx_instruction *instruction;
    unsigned number; /* of the operand, from 1; 0: none */
} ptx_check;

/* Fails with HAUL_ERROR_SYNTAX: "file:line:column: operand n of 'add': message". */
haul_status ptx_check_fail(const ptx_check *c, ptx_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Checks matrix products and copies: valid shapes and types, and their targets. */
haul_status ptx_check_matrix(const ptx_check *c);
/* Checks kinds, types and spaces of all operands; the instruction is not a call. */
haul_status ptx_check_operands(ptx_check *c);
/* Checks combinations within one instruction. */
haul_status ptx_check_rules(const ptx_check *c);

#endif
