/* Copies that a group starts together and waits for. */
#ifndef HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDA__)

namespace cooperative_groups {

namespace details {
template <unsigned int piece>
HAUL_TC_DEVICE void copy_pieces(unsigned int rank, unsigned int threads, char *to, const char *from, size_t bytes) {
    for (size_t at = (size_t)rank * piece; at < bytes; at += (size_t)threads * piece)
        __pipeline_memcpy_async(to + at, from + at, piece);
}
} // namespace details

/* By asynchronous copies of 16, 8 or 4 bytes where both addresses and the length allow it. */
template <class Group, class T>
HAUL_TC_DEVICE void memcpy_async(const Group &group, T *to, const T *from, size_t bytes) {
    const unsigned int rank = (unsigned int)group.thread_rank(), threads = (unsigned int)group.size();
    const size_t all = (size_t)to | (size_t)from | bytes;
    char *const target = (char *)to;
    const char *const source = (const char *)from;
    if (!__isShared(to) || all & 3)
        for (size_t at = rank; at < bytes; at += threads) target[at] = source[at];
    else if (all & 7)
        details::copy_pieces<4>(rank, threads, target, source, bytes);
    else if (all & 15)
        details::copy_pieces<8>(rank, threads, target, source, bytes);
    else
        details::copy_pieces<16>(rank, threads, target, source, bytes);
    __pipeline_commit();
}
template <class Group, class T>
HAUL_TC_DEVICE void memcpy_async(const Group &group, T *to, size_t to_count, const T *from, size_t from_count) {
    memcpy_async(group, to, from, (to_count < from_count ? to_count : from_count) * sizeof(T));
}
template <class Group> HAUL_TC_DEVICE void wait(const Group &group) {
    __pipeline_wait_prior(0);
    group.sync();
}
template <unsigned int stages, class Group> HAUL_TC_DEVICE void wait_prior(const Group &group) {
    __pipeline_wait_prior(stages);
    group.sync();
}

} // namespace cooperative_groups

#endif
#endif
