/* State spaces: conversions between generic and window addresses, and the questions which space an address is in. */
#ifndef HAUL_TOOLCHAIN_ADDRESS_H
#define HAUL_TOOLCHAIN_ADDRESS_H

#include "device.h"

/* ROW(name, clang's address space, PTX name) */
#define HAUL_SPACES(ROW) ROW(global, 1, global) ROW(shared, 3, shared) ROW(constant, 4, const) ROW(local, 5, local)

#define HAUL_CONVERSIONS(name, space, ptx)                                          \
    HAUL_TC_DEVICE size_t __cvta_generic_to_##name(const void *generic) {           \
        return (size_t)(__attribute__((address_space(space))) const void *)generic; \
    }                                                                               \
    HAUL_TC_DEVICE void *__cvta_##name##_to_generic(size_t raw) {                   \
        return (void *)(__attribute__((address_space(space))) void *)raw;           \
    }
HAUL_SPACES(HAUL_CONVERSIONS)
#undef HAUL_CONVERSIONS
#undef HAUL_SPACES

#define HAUL_IS_SPACE(name, ptx)                                                                           \
    HAUL_TC_DEVICE unsigned int __is##name(const void *generic) {                                          \
        unsigned int yes;                                                                                  \
        asm("{ .reg .pred p; isspacep." ptx " p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "l"(generic)); \
        return yes;                                                                                        \
    }
HAUL_IS_SPACE(Global, "global")
HAUL_IS_SPACE(Shared, "shared")
HAUL_IS_SPACE(Constant, "const")
HAUL_IS_SPACE(Local, "local")
#undef HAUL_IS_SPACE

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
HAUL_TC_DEVICE size_t __cvta_generic_to_grid_constant(const void *generic) {
    size_t raw;
    asm("cvta.to.param.u64 %0, %1;" : "=l"(raw) : "l"(generic));
    return raw;
}
HAUL_TC_DEVICE void *__cvta_grid_constant_to_generic(size_t raw) {
    void *generic;
    asm("cvta.param.u64 %0, %1;" : "=l"(generic) : "l"(raw));
    return generic;
}
HAUL_TC_DEVICE unsigned int __isGridConstant(const void *generic) {
    unsigned int yes;
    asm("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "l"(generic));
    return yes;
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
HAUL_TC_DEVICE unsigned int __isClusterShared(const void *generic) {
    unsigned int yes;
    asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(yes) : "l"(generic));
    return yes;
}
#endif

#endif
