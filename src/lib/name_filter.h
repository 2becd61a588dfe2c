/* Which kernels and ranges are meant, as profilers' users say it: by a name, or by `regex:EXPRESSION`, a POSIX extended
 * regular expression that has to match a part. */
#ifndef HAUL_LIB_NAME_FILTER_H
#define HAUL_LIB_NAME_FILTER_H

#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>

/* Errors: HAUL_ERROR_ARGUMENT, for an expression that is none, as "OPTION: what". */
haul_status name_filter_check(const char *option, const char *pattern);

/* One of the patterns means the kernel with the symbol: names as lib/kernel_name.h has them; expressions are held
 * against the declaration, or the symbol where it has none. No pattern means all. */
bool name_filter_takes_kernel(const text_list *patterns, const char *symbol);
/* The same for a name that is just that. */
bool name_filter_takes(const text_list *patterns, const char *name);

#endif
