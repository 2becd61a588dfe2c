/* Lines of source files, which are read once and cached. */
#ifndef HAUL_REPORT_SOURCE_H
#define HAUL_REPORT_SOURCE_H

#include "base/arena.h"

#include <haul/run.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct report_source_file report_source_file;

typedef struct report_sources {
    arena memory;
    report_source_file *files;
    const char *const *folders; /* further folders to search by the file's last part */
    size_t folder_count;
    bool folders_first; /* they are searched before the file's own path, if that is relative */
} report_sources;

/* The folders are not copied. */
void report_sources_init(report_sources *s, const char *const *folders, size_t folder_count);
void report_sources_free(report_sources *s);

/* The trimmed line, or NULL if there is no such file or line. Lines count from 1. */
const char *report_source_line(report_sources *s, const char *file, uint32_t line);

/* The whole file; NULL if it was not found. */
const char *report_source_text(report_sources *s, const char *file);

/* The path relative to the current folder, if it lies there. Points into `file`. */
const char *report_local_name(const char *file);

/* The part after the last slash. */
const char *report_file_name(const char *file);

/* The innermost place that is not in a header of the toolchain or of the device library: users want their own line, not
 * the wrapper of an intrinsic. */
const haul_source_place *report_user_place(const haul_source_place *place);

/* Where the file was found, the same path for all names of one file; NULL if it was not found. */
const char *report_source_path(report_sources *s, const char *file);

#endif
