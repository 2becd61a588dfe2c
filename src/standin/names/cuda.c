/* The library that programs link with or open as libcuda.so.1. It is a filter (DT_FILTER): each of its names resolves
 * to the function of libhaul_standin.so beside it. The code here is never called. */
enum { STUB_LIBRARY = 34 };

#define NAME(name, version)                                \
    __attribute__((visibility("default"))) int name(void); \
    int name(void) {                                       \
        return STUB_LIBRARY;                               \
    }
#include "standin/cuda/names.def"
#undef NAME
