/* Which source files are the toolchain's: CUDA's headers, and those of haul's device library. */
#ifndef HAUL_BASE_TOOLCHAIN_H
#define HAUL_BASE_TOOLCHAIN_H

#include <stdbool.h>

/* By the path that a compiler wrote. Users look for their own line, not for the wrapper of an intrinsic. */
bool is_toolchain_file(const char *path);

#endif
