/* Prints the IR as PTX text. The text parses to the same module and prints the same again. Nested scopes are flattened.
 * Things without effect (debug sections, pragmas other than "nounroll", pointer hints, unused registers of a range) are
 * omitted. */
#ifndef HAUL_PTX_PRINT_H
#define HAUL_PTX_PRINT_H

#include "base/text.h"
#include "ptx/ir.h"

void ptx_print_module(const ptx_module *module, text *out);
void ptx_print_function(const ptx_module *module, const ptx_function *function, text *out);
/* Prints without indent and newline: `@%p1 ld.global.f32 %f1, [%rd1+4];`. */
void ptx_print_instruction(const ptx_module *module, const ptx_function *function, const ptx_instruction *instruction,
                           text *out);
/* Prints `.noreturn`, `.maxntid 64, 1, 1` and the like, each after `before` (parse_property.c). */
void ptx_print_properties(const ptx_function *function, const char *before, text *out);
/* Prints `ld.global.f32`. */
void ptx_print_opcode(const ptx_instruction *instruction, text *out);

#endif
