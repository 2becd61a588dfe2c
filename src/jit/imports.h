/* Functions that a loaded library imports. */
#ifndef HAUL_JIT_IMPORTS_H
#define HAUL_JIT_IMPORTS_H

#include <stdbool.h>
#include <stdint.h>

/* Makes a library, as dlopen() returned it, call `function` in place of the imported one of that name. Affects calls
 * made from now on. Returns false if the library does not import it, or its table of imports cannot be written. */
bool sim_replace_import(void *library, const char *name, uintptr_t function);

#endif
