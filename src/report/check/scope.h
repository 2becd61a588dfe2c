/* Where a rule applies: kernels, files and lines. */
#ifndef HAUL_REPORT_CHECK_SCOPE_H
#define HAUL_REPORT_CHECK_SCOPE_H

#include "report/source.h"

#include <haul/run.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct report_scope {
    const char *kernel;   /* a pattern with * and ?, or NULL: every kernel */
    const char *file;     /* a pattern, or the path that report_source_path() gives if `exact`; NULL: every file */
    uint32_t first, last; /* lines, both included; 0: all lines */
    bool exact;           /* `file` and `kernel` are names, not patterns */
} report_scope;

/* By the symbol or by the plain name inside it. */
bool report_scope_has_kernel(const report_scope *scope, const char *symbol);

/* The place, or one that it was inlined into, lies in the scope's file and lines. A file's pattern is held against the
 * path and against every tail of it that begins behind a slash. `sources` may be NULL if the scope is not exact. */
bool report_scope_has_place(const report_scope *scope, report_sources *sources, const haul_source_place *place);

#endif
