/* The library that programs link with or ask the loader for, as libcuda.so.1: a filter (DT_FILTER), so that each of its
 * names means the function of libhaul_standin.so, which lies beside it. What stands here is never called. */
enum { STUB_LIBRARY = 34 };

#define NAME(name, version)                                \
    __attribute__((visibility("default"))) int name(void); \
    int name(void) {                                       \
        return STUB_LIBRARY;                               \
    }
#include "standin/cuda/names.def"
#undef NAME
