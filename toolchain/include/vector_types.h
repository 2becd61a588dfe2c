/* Built-in vector types (char1 ... double4) and dim3, with the alignment that the CUDA guide gives them. */
#ifndef HAUL_TOOLCHAIN_VECTOR_TYPES_H
#define HAUL_TOOLCHAIN_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* programs ask for it */

#include "host_defines.h"
#include "haul_toolchain/vectors.def" /* HAUL_VECTORS, HAUL_WIDE_VECTORS */

/* Copying a 16-byte vector from memory to memory has to be one 16-byte load and one 16-byte store. For a plain
 * struct clang copies two halves, so in device code these types assign component by component, all loads before
 * all stores, which the load-store vectoriser then joins. The price is that a union which holds such a vector
 * cannot be assigned as a whole; cu2ptx compiles such source with HAUL_TRIVIAL_VECTORS. */
#if defined(__CUDA_ARCH__) && !defined(HAUL_TRIVIAL_VECTORS)
#define HAUL_ASSIGN_2(name, scalar)                                        \
    __host__ __device__ HAUL_TC_INLINE name &operator=(const name &from) { \
        const scalar vx = from.x, vy = from.y;                             \
        x = vx, y = vy;                                                    \
        return *this;                                                      \
    }
#define HAUL_ASSIGN_4(name, scalar)                                        \
    __host__ __device__ HAUL_TC_INLINE name &operator=(const name &from) { \
        const scalar vx = from.x, vy = from.y, vz = from.z, vw = from.w;   \
        x = vx, y = vy, z = vz, w = vw;                                    \
        return *this;                                                      \
    }
#else
#define HAUL_ASSIGN_2(name, scalar)
#define HAUL_ASSIGN_4(name, scalar)
#endif
#define HAUL_PLAIN(name, scalar)

#define HAUL_VECTOR_STRUCTS(name, scalar, align2, assign2, align4, assign4) \
    struct name##1 {                                                        \
        scalar x;                                                           \
    };                                                                      \
    struct __align__(align2) name##2 {                                      \
        scalar x, y;                                                        \
        assign2(name##2, scalar)                                            \
    };                                                                      \
    struct name##3 {                                                        \
        scalar x, y, z;                                                     \
    };                                                                      \
    struct __align__(align4) name##4 {                                      \
        scalar x, y, z, w;                                                  \
        assign4(name##4, scalar)                                            \
    };                                                                      \
    typedef struct name##1 name##1;                                         \
    typedef struct name##2 name##2;                                         \
    typedef struct name##3 name##3;                                         \
    typedef struct name##4 name##4;
HAUL_VECTORS(HAUL_VECTOR_STRUCTS)
#undef HAUL_VECTOR_STRUCTS

#define HAUL_WIDE_VECTOR_STRUCT(name, scalar, align) \
    struct __align__(align) name {                   \
        scalar x, y, z, w;                           \
        HAUL_ASSIGN_4(name, scalar)                  \
    };                                               \
    typedef struct name name;
HAUL_WIDE_VECTORS(HAUL_WIDE_VECTOR_STRUCT)
#undef HAUL_WIDE_VECTOR_STRUCT
#undef HAUL_ASSIGN_2
#undef HAUL_ASSIGN_4
#undef HAUL_PLAIN

typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
        : x(vx), y(vy), z(vz) {}
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __host__ __device__ constexpr operator uint3() const {
        return uint3{x, y, z};
    }
#endif
} dim3;

#endif
