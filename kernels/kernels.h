/* The kernels that ship with haul, as PTX embedded in the program: one module for each kernels/NAME.cu. */
#ifndef HAUL_KERNELS_KERNELS_H
#define HAUL_KERNELS_KERNELS_H

#include <stddef.h>

typedef struct haul_kernel_module {
    const char *name; /* "saxpy" for kernels/saxpy.cu */
    const char *ptx;  /* text with a closing NUL at `end` */
    const char *end;
} haul_kernel_module;

extern const haul_kernel_module haul_kernel_modules[];
extern const size_t haul_kernel_module_count;

/* NULL when there is no module of that name. */
const haul_kernel_module *haul_kernel_module_find(const char *name);

#endif
