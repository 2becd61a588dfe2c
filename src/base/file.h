/* Reading and writing of whole files. */
#ifndef HAUL_BASE_FILE_H
#define HAUL_BASE_FILE_H

#include "base/text.h"

#include <haul/status.h>

/* Appends the contents of a regular file or a pipe ("-": standard input). Errors: HAUL_ERROR_FILE with the path, for
 * directories too; HAUL_ERROR_LIMIT above 4 GiB, or 256 MiB of a pipe; HAUL_ERROR_OUT_OF_MEMORY. */
haul_status file_read(const char *path, text *content);

/* Checks that the file can be written later, before long work starts. The file is left unchanged, or absent; pipes and
 * devices are not tried. Errors: HAUL_ERROR_FILE. */
haul_status file_check_output(const char *path);

/* Replaces the file's contents ("-": standard output). If `content` has failed, returns HAUL_ERROR_OUT_OF_MEMORY. */
haul_status file_write(const char *path, const text *content);

/* The folder for temporary files: TMPDIR, or /tmp. The string belongs to the environment. */
const char *file_temporary(void);

#endif
