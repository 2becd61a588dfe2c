/* The scope of a rule: kernels, files and lines. */
#ifndef HAUL_REPORT_CHECK_SCOPE_H
#define HAUL_REPORT_CHECK_SCOPE_H

#include "report/source.h"

#include <haul/run.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct report_scope {
    const char *kernel;   /* a pattern with * and ?, or NULL: every kernel */
    const char *file;     /* a pattern, or the path of report_source_path() if `exact`; NULL: every file */
    uint32_t first, last; /* lines, both included; 0: all lines */
    bool exact;           /* `file` and `kernel` are names, not patterns */
} report_scope;

/* Whether the kernel matches, by its symbol or by its plain name. */
bool report_scope_has_kernel(const report_scope *scope, const char *symbol);

/* Whether the place, or one that it was inlined into, lies in the scope's file and lines. A file's pattern is matched
 * against the path and every tail of it that begins after a slash. `sources` may be NULL if the scope is not exact. */
bool report_scope_has_place(const report_scope *scope, report_sources *sources, const haul_source_place *place);

#endif
