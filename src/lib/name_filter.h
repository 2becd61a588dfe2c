/* Filters of kernels and ranges, as profilers have them: a name, or `regex:EXPRESSION`, a POSIX extended regular
 * expression that must match a part. */
#ifndef HAUL_LIB_NAME_FILTER_H
#define HAUL_LIB_NAME_FILTER_H

#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>

/* Checks a pattern. Errors: HAUL_ERROR_ARGUMENT for an invalid expression, as "OPTION: what". */
haul_status name_filter_check(const char *option, const char *pattern);

/* Whether a pattern matches the kernel with this symbol. Names match as in lib/kernel_name.h; expressions match the
 * declaration, or the symbol if there is none. Without patterns all match. */
bool name_filter_takes_kernel(const text_list *patterns, const char *symbol);
/* The same for a plain name. */
bool name_filter_takes(const text_list *patterns, const char *name);

#endif
