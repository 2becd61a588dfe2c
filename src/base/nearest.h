/* What was probably meant by a name that does not exist. */
#ifndef HAUL_BASE_NEAREST_H
#define HAUL_BASE_NEAREST_H

#include <stddef.h>

/* The name of `names` that is nearest to `name`, if it is near enough to be what was meant; else NULL. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
