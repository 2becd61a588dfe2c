/* Suggestions for misspelled names. */
#ifndef HAUL_BASE_NEAREST_H
#define HAUL_BASE_NEAREST_H

#include <stddef.h>

/* Returns the name in `names` that is nearest to `name`, if near enough to be what was meant; else NULL. */
const char *nearest_name(const char *name, const char *const *names, size_t count);

#endif
