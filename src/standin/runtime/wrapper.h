/* Functions of the toolkit's headers that wrap one of the runtime's, such as cudaMalloc() for typed pointers. Without
 * optimisation the compiler makes functions of them, so that a call of the runtime returns to the wrapper. */
#ifndef HAUL_STANDIN_RUNTIME_WRAPPER_H
#define HAUL_STANDIN_RUNTIME_WRAPPER_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the length of the source name in a C++ symbol, and sets *name to it: 10 and "cudaMalloc..." for
 * _Z10cudaMallocIfE9cudaErrorPPT_m. What is local to a function has its name. 0 if it is none of a plain function. */
unsigned standin_source_name(const char *symbol, const char **name);
/* Remembers the code of a wrapper. Without memory it counts as the program's own code. */
void standin_note_wrapper(uintptr_t first, uint64_t bytes);
/* Whether a call that returns to the address was made by a wrapper. */
bool standin_is_wrapper(const void *address);

#endif
