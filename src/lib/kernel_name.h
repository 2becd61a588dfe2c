/* Names of kernels: the symbol in the PTX, the name in the source, or the C++ declaration. */
#ifndef HAUL_LIB_KERNEL_NAME_H
#define HAUL_LIB_KERNEL_NAME_H

#include "base/text.h"

#include <haul/haul.h>

/* Finds the symbols that a name matches: the identical symbol, or else all whose source name ("ld") or declaration is
 * equal. A declaration matches with or without its parameters, template arguments, result and outer scopes ("ld<float,
 * 4>", "blas::ld<float, 4>(float const*)"). Blanks, suffixes of numbers and the position of const do not matter.
 * Returns how many, and their indices in `found`, which has room for `count`. */
size_t kernel_name_find(const char *name, const char *const *symbols, size_t count, size_t *found);

/* Messages for a name that matches no symbol, or (`found`) several: HAUL_ERROR_NOT_FOUND with similar names,
 * HAUL_ERROR_ARGUMENT with the choices. `in`: the file, or "the PTX files". */
haul_status kernel_name_unknown(const char *name, const char *in, const char *const *symbols, size_t count);
haul_status kernel_name_ambiguous(const char *name, const char *const *symbols, const size_t *found, size_t count);

#endif
