/* The runtime's library that programs link with or ask the loader for, as libcudart.so.12: a filter (DT_FILTER), so
 * that each of its names means the function of libhaul_standin.so, which lies beside it. No function here is ever
 * called. */
enum { STUB_LIBRARY = 34 };

#define RUNTIME(name)                                      \
    __attribute__((visibility("default"))) int name(void); \
    int name(void) {                                       \
        return STUB_LIBRARY;                               \
    }
#define MISSING RUNTIME
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
