/* All types that CUDA source knows without asking. */
#ifndef HAUL_TOOLCHAIN_BUILTIN_TYPES_H
#define HAUL_TOOLCHAIN_BUILTIN_TYPES_H

#include "driver_types.h"
#include "texture_types.h"
#include "vector_types.h"

static inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    struct cudaExtent extent = {width, height, depth};
    return extent;
}
static inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos position = {x, y, z};
    return position;
}
static inline struct cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t width, size_t height) {
    struct cudaPitchedPtr pitched = {memory, pitch, width, height};
    return pitched;
}

#endif
