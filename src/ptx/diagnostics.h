/* Failure in the front end. The first error is recorded, and control returns to ptx_module_parse() at once, so the code
 * in between reads as if nothing could fail. Everything that was built lies in arenas and ends with them. */
#ifndef HAUL_PTX_DIAGNOSTICS_H
#define HAUL_PTX_DIAGNOSTICS_H

#include "ptx/ir.h"

typedef struct ptx_diagnostics {
    const char *name; /* of the file */
    jmp_buf unwind;
    haul_status status;
} ptx_diagnostics;

/* Records `name:line:column: what` and jumps to `unwind`. */
_Noreturn void ptx_fail(ptx_diagnostics *d, haul_status status, ptx_position at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define ptx_fail_syntax(d, at, ...) ptx_fail((d), HAUL_ERROR_SYNTAX, (at), __VA_ARGS__)

#endif
