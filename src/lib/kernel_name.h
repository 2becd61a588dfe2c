/* What people call kernels: by the symbol in the PTX, by the name in the source, or by the C++ declaration. */
#ifndef HAUL_LIB_KERNEL_NAME_H
#define HAUL_LIB_KERNEL_NAME_H

#include "base/text.h"

#include <haul/haul.h>

/* Which of the symbols a name means: the symbol that is the same, or else all whose source name is ("ld"), or whose
 * declaration is, with or without its parameters, template arguments, result and outer scopes ("ld<float, 4>",
 * "blas::ld<float, 4>(float const*)"). Blanks, the suffixes of numbers and the place of const do not matter. Returns
 * how many, and their indices in `found`, which has room for `count`. */
size_t kernel_name_find(const char *name, const char *const *symbols, size_t count, size_t *found);

/* Says that a name means none of the symbols, or (`found`) all of these: HAUL_ERROR_NOT_FOUND with what is near,
 * HAUL_ERROR_ARGUMENT with what to choose from. `in`: the file, or "the PTX files". */
haul_status kernel_name_unknown(const char *name, const char *in, const char *const *symbols, size_t count);
haul_status kernel_name_ambiguous(const char *name, const char *const *symbols, const size_t *found, size_t count);

/* The one kernel of a module that has the name; the name itself where haul could not read the PTX. Errors: the above.
 */
haul_status kernel_name_in_module(const haul_module *module, const char *name, const char **symbol);

#endif
