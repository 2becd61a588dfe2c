/* Names of C++ functions, which kernels without extern "C" carry in PTX, and of variables in functions. */
#ifndef HAUL_BASE_MANGLED_H
#define HAUL_BASE_MANGLED_H

#include <stddef.h>

/* The plain name inside a symbol: "saxpy" of "_Z5saxpyifPKfPf", and of a symbol that is not mangled all of it. A name
 * in namespaces is the last part; of a variable in a function ("_ZZ5saxpyifE4tile"), its own. Returns its start within
 * `symbol` and its length. */
const char *mangled_name(const char *symbol, size_t *length);

#endif
