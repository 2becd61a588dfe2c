/* Rules in comments of CUDA source: a comment that begins with `haul:`.
 *
 *     // haul: expect sectors/request <= 4, l1_hit >= 40%
 *     // haul: ignore race-global the count is only a hint
 *
 * Where a comment applies:
 *   - alone above the definition of a function, or after the brace that opens it with no code between: to the function.
 * For a
 *     kernel (`__global__`) that means whole launches of it, for others all lines of its body, wherever it was inlined;
 *   - beside code on its line: to that line;
 *   - alone anywhere else: to the following statement, up to the line of its semicolon or opening brace.
 * Comments and preprocessor lines between a comment and its target do not matter. */
#ifndef HAUL_REPORT_CHECK_ANNOTATIONS_H
#define HAUL_REPORT_CHECK_ANNOTATIONS_H

#include "report/check/rules.h"

/* Appends the rules in a file's text. `path` is report_source_path() of the file; `name` is its name in messages.
 * Errors:
 * HAUL_ERROR_SYNTAX as "name:line: what". */
haul_status report_read_annotations(report_rules *rules, const char *name, const char *path, const char *source);

#endif
