/* The library that programs open as libnvidia-ml.so.1: a filter like libcuda.so.1 (cuda.c).
 *
 * Every function returns the same, though some have other types: the loader takes only the names from here. */
enum { UNINITIALIZED = 1 };

#define NVML_MISSING(name)                                 \
    __attribute__((visibility("default"))) int name(void); \
    int name(void) {                                       \
        return UNINITIALIZED;                              \
    }
#define NVML(name, parameters) NVML_MISSING(name)
#include "standin/runtime/nvml.def"
NVML_MISSING(nvmlErrorString)
