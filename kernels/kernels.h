/* The kernels that ship with haul, as PTX embedded in the program: one module for each kernels/NAME.cu, or two, where
 * the newer architecture is worth a compilation of its own. */
#ifndef HAUL_KERNELS_KERNELS_H
#define HAUL_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct haul_kernel_module {
    const char *name;      /* "saxpy" for kernels/saxpy.cu */
    uint32_t architecture; /* what it is compiled for: 80 for sm_80 */
    const char *ptx;       /* text with a closing NUL at `end` */
    const char *end;
} haul_kernel_module;

/* Of one name, the oldest architecture comes first. */
extern const haul_kernel_module haul_kernel_modules[];
extern const size_t haul_kernel_module_count;

/* The module for a device of that architecture (90 for sm_90): the newest that it runs. A module that only newer ones
 * run is found all the same; loading it says so. NULL when there is no module of that name. */
const haul_kernel_module *haul_kernel_module_find(const char *name, uint32_t architecture);

#endif
