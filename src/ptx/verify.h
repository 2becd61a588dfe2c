/* What the verifier's files share: verify.c looks at a function, instruction by instruction, verify_operands.c at each
 * operand by what its slot in isa.def says, verify_rules.c at what isa.def cannot say. */
#ifndef HAUL_PTX_VERIFY_H
#define HAUL_PTX_VERIFY_H

#include "base/status.h"
#include "ptx/ir.h"

/* One instruction under examination. */
typedef struct ptx_check {
    const ptx_module *module;
    const ptx_function *function;
    const ptx_instruction *instruction;
    unsigned number; /* of the operand, from 1; 0: none */
} ptx_check;

/* HAUL_ERROR_SYNTAX: "file:line:column: operand n of 'add': message" */
haul_status ptx_check_fail(const ptx_check *c, ptx_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Products and copies of matrices: shapes and types that go together, and who has them. */
haul_status ptx_check_matrix(const ptx_check *c);
/* All operands of the instruction, which is no call: kinds, types, spaces. */
haul_status ptx_check_operands(ptx_check *c);
/* What goes together in one instruction. */
haul_status ptx_check_rules(const ptx_check *c);

#endif
