/* make_char1 ... make_double4: the makers of the built-in vector types. */
#ifndef HAUL_TOOLCHAIN_VECTOR_FUNCTIONS_H
#define HAUL_TOOLCHAIN_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ /* programs ask for it */

#include "vector_types.h"

#define HAUL_MAKER static __host__ __device__ HAUL_TC_INLINE

#define HAUL_VECTOR_MAKERS(name, scalar, align2, assign2, align4, assign4)      \
    HAUL_MAKER name##1 make_##name##1(scalar x) {                               \
        name##1 v = {x};                                                        \
        return v;                                                               \
    }                                                                           \
    HAUL_MAKER name##2 make_##name##2(scalar x, scalar y) {                     \
        name##2 v = {x, y};                                                     \
        return v;                                                               \
    }                                                                           \
    HAUL_MAKER name##3 make_##name##3(scalar x, scalar y, scalar z) {           \
        name##3 v = {x, y, z};                                                  \
        return v;                                                               \
    }                                                                           \
    HAUL_MAKER name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { \
        name##4 v = {x, y, z, w};                                               \
        return v;                                                               \
    }
HAUL_VECTORS(HAUL_VECTOR_MAKERS)
#undef HAUL_VECTOR_MAKERS

#define HAUL_WIDE_VECTOR_MAKER(name, scalar, align)                       \
    HAUL_MAKER name make_##name(scalar x, scalar y, scalar z, scalar w) { \
        name v = {x, y, z, w};                                            \
        return v;                                                         \
    }
HAUL_WIDE_VECTORS(HAUL_WIDE_VECTOR_MAKER)
#undef HAUL_WIDE_VECTOR_MAKER
#undef HAUL_MAKER

#endif
