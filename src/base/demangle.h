/* C++ declarations of mangled symbols, as `c++filt` prints them, by the demangler of the C++ library that is on the
 * machine. */
#ifndef HAUL_BASE_DEMANGLE_H
#define HAUL_BASE_DEMANGLE_H

#include "base/text.h"

/* Appends a line for each symbol: its declaration, such as "void ld<float, 4>(float*, int)", or nothing where there is
 * none: it is not mangled, its declaration is longer than 4,000 characters, or there is no C++ library. A short symbol
 * can stand for a declaration of any length, so a process of its own demangles, for a second at most. */
void demangle_all(const char *const *symbols, size_t count, text *lines);

#endif
