/* The runtime's library that programs link with or open as libcudart.so.12. It is a filter (DT_FILTER): each of its
 * names resolves to the function of libhaul_standin.so beside it. The code here is never called.
 *
 * It is built three times, as libcudart.so.11.0, .12 and .13, with the symbol version of each (cudart*.map). */
enum { STUB_LIBRARY = 34 };

#define RUNTIME(name)                                      \
    __attribute__((visibility("default"))) int name(void); \
    int name(void) {                                       \
        return STUB_LIBRARY;                               \
    }
#define MISSING(name, reason) RUNTIME(name)
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
