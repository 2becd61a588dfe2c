/* Recognizes source files of the toolchain: CUDA's headers, and those of haul's device library. */
#ifndef HAUL_BASE_TOOLCHAIN_H
#define HAUL_BASE_TOOLCHAIN_H

#include <stdbool.h>

/* Decides by the path that a compiler wrote. Users look for their own line, not for an intrinsic's wrapper. */
bool is_toolchain_file(const char *path);

#endif
