/* C++ declarations of mangled symbols, as `c++filt` prints them, by the demangler of the machine's C++ library. */
#ifndef HAUL_BASE_DEMANGLE_H
#define HAUL_BASE_DEMANGLE_H

#include "base/text.h"

/* Appends a line for each symbol: its declaration, such as "void ld<float, 4>(float*, int)". The line is empty if the
 * symbol is not mangled, if its declaration is longer than 4,000 characters, or if there is no C++ library. A short
 * symbol can stand for a declaration of any length, so a separate process demangles, for at most a second. */
void demangle_all(const char *const *symbols, size_t count, text *lines);

#endif
