/* PTX text out of the IR. What is printed parses to the same module again, and prints the same again. Nested scopes
 * come out flat, and what has no effect (debug sections, pragmas but "nounroll", pointer hints, unused registers of a
 * range) not at all. */
#ifndef HAUL_PTX_PRINT_H
#define HAUL_PTX_PRINT_H

#include "base/text.h"
#include "ptx/ir.h"

void ptx_print_module(const ptx_module *module, text *out);
void ptx_print_function(const ptx_module *module, const ptx_function *function, text *out);
/* Without indent and newline: `@%p1 ld.global.f32 %f1, [%rd1+4];` */
void ptx_print_instruction(const ptx_module *module, const ptx_function *function, const ptx_instruction *instruction,
                           text *out);
/* `.noreturn`, `.maxntid 64, 1, 1` and the like, each behind `before` (parse_property.c). */
void ptx_print_properties(const ptx_function *function, const char *before, text *out);
/* `ld.global.f32` */
void ptx_print_opcode(const ptx_instruction *instruction, text *out);

#endif
