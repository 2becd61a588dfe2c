/* Rules in comments of CUDA source: a comment that begins with `haul:`.
 *
 *     // haul: expect sectors/request <= 4, l1_hit >= 40%
 *     // haul: ignore race-global the count is only a hint
 *
 * Where a comment applies:
 *   - alone above the definition of a function, or behind the brace that opens it with no code between: to the
 *     function, which for a kernel (`__global__`) means whole launches of it, for any other all lines of its body,
 *     wherever it was inlined;
 *   - beside code on its line: to that line;
 *   - alone anywhere else: to the statement that follows, up to the line of its semicolon or of its opening brace.
 * Comments and lines for the preprocessor between it and what it applies to do not count. */
#ifndef HAUL_REPORT_CHECK_ANNOTATIONS_H
#define HAUL_REPORT_CHECK_ANNOTATIONS_H

#include "report/check/rules.h"

/* Appends the rules in a file's text. `path` is what report_source_path() gives for it, `name` stands for it in
 * messages. Errors: HAUL_ERROR_SYNTAX as "name:line: what". */
haul_status report_read_annotations(report_rules *rules, const char *name, const char *path, const char *source);

#endif
