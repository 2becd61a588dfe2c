/* Plain names of mangled C++ functions, as kernels without extern "C" have in PTX, and of variables in functions. */
#ifndef HAUL_BASE_MANGLED_H
#define HAUL_BASE_MANGLED_H

#include <stddef.h>

/* Finds the plain name inside a symbol: "saxpy" in "_Z5saxpyifPKfPf", or all of an unmangled symbol. With namespaces it
 * is the last part; for a variable in a function ("_ZZ5saxpyifE4tile") it is the variable's name. Returns its start
 * within `symbol` and sets its length. */
const char *mangled_name(const char *symbol, size_t *length);

/* Writes that name as a string, cut to `size` - 1 characters. Returns `to`. */
const char *mangled_copy(const char *symbol, char *to, size_t size);

#endif
