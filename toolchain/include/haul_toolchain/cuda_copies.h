/* Shared by <cuda/barrier> and <cuda/pipeline>: scopes, sizes whose alignment is known, asynchronous copies. */
#ifndef HAUL_TOOLCHAIN_CUDA_COPIES_H
#define HAUL_TOOLCHAIN_CUDA_COPIES_H

#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__)

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

template <size_t alignment> struct aligned_size_t {
    static constexpr size_t align = alignment;
    size_t value;
    __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
    __host__ __device__ constexpr operator size_t() const {
        return value;
    }
};

} // namespace cuda

/* Pieces of so many bytes may be copied on their own. */
HAUL_TC_DEVICE size_t haul_tc_piece(const void *to, const void *from, size_t bytes) {
    const size_t all = (size_t)to | (size_t)from | bytes;
    return all & 3 ? 1 : all & 7 ? 4 : all & 15 ? 8 : 16;
}

/* One thread's copy into shared memory, in pieces as large as both addresses and the size allow. */
HAUL_TC_DEVICE void haul_tc_copy(void *to, const void *from, size_t bytes) {
    const size_t all = (size_t)to | (size_t)from | bytes;
    char *const target = (char *)to;
    const char *const source = (const char *)from;
    size_t at = 0;
    if (__isShared(to) && !(all & 15))
        for (; at < bytes; at += 16) __pipeline_memcpy_async(target + at, source + at, 16);
    else if (__isShared(to) && !(all & 7))
        for (; at < bytes; at += 8) __pipeline_memcpy_async(target + at, source + at, 8);
    else if (__isShared(to) && !(all & 3))
        for (; at < bytes; at += 4) __pipeline_memcpy_async(target + at, source + at, 4);
    else
        for (; at < bytes; at++) target[at] = source[at];
}

#endif
#endif
