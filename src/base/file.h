/* Whole files in and out. */
#ifndef HAUL_BASE_FILE_H
#define HAUL_BASE_FILE_H

#include "base/text.h"

#include <haul/status.h>

/* Appends the contents of a regular file or a pipe ("-" is standard input). Errors: HAUL_ERROR_FILE (with the path;
 * directories too), HAUL_ERROR_LIMIT (more than 4 GiB, of a pipe 256 MiB), HAUL_ERROR_OUT_OF_MEMORY. */
haul_status file_read(const char *path, text *content);

/* Whether the file can be written later, so that what takes long need not be done in vain. Leaves it as it is, or not
 * there; pipes and devices are not tried. Errors: HAUL_ERROR_FILE. */
haul_status file_check_output(const char *path);

/* Replaces the file's contents ("-" is standard output). `content` may have failed: that is HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status file_write(const char *path, const text *content);

#endif
