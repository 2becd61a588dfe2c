/* The kernels that ship with haul, as PTX embedded in the program: one module for each kernels/NAME.cu, or two, if the
 * newer architecture is worth a separate compilation. */
#ifndef HAUL_KERNELS_KERNELS_H
#define HAUL_KERNELS_KERNELS_H

#include <stddef.h>
#include <stdint.h>

typedef struct haul_kernel_module {
    const char *name;      /* "saxpy" for kernels/saxpy.cu */
    uint32_t architecture; /* the architecture that it is compiled for: 80 for sm_80 */
    const char *ptx;       /* text, with a NUL at `end` */
    const char *end;
} haul_kernel_module;

/* Modules of one name are in the order of their architecture, the oldest first. */
extern const haul_kernel_module haul_kernel_modules[];
extern const size_t haul_kernel_module_count;

/* The module for a device of that architecture (90 for sm_90): the newest that it can run. If only newer architectures
 * have one, that is returned, and loading it reports the error. NULL if there is no module of that name. */
const haul_kernel_module *haul_kernel_module_find(const char *name, uint32_t architecture);

#endif
