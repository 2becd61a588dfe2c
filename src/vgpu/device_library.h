/* Functions that NVIDIA's libcudadevrt.a has and a kernel may call. The linker adds them where they are missing. */
#ifndef HAUL_VGPU_DEVICE_LIBRARY_H
#define HAUL_VGPU_DEVICE_LIBRARY_H

#include <stdbool.h>

/* Returns whether the library has the function. */
bool sim_library_has(const char *function);
/* The library's PTX. */
extern const char sim_library[];

#endif
