/* Reductions over the threads of a tile or of coalesced threads. */
#ifndef HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_REDUCE_H
#define HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDA__)

namespace cooperative_groups {

#define HAUL_OPERATION(name, expression)                                                \
    template <class T = void> struct name {                                             \
        __host__ __device__ HAUL_TC_INLINE T operator()(const T &a, const T &b) const { \
            return expression;                                                          \
        }                                                                               \
    };
HAUL_OPERATION(plus, a + b)
HAUL_OPERATION(less, b < a ? b : a)
HAUL_OPERATION(greater, a < b ? b : a)
HAUL_OPERATION(bit_and, a &b)
HAUL_OPERATION(bit_or, a | b)
HAUL_OPERATION(bit_xor, a ^ b)
#undef HAUL_OPERATION

/* The result is every thread's. */
template <unsigned int Size, class Parent, class T, class Operation>
HAUL_TC_DEVICE T reduce(const thread_block_tile<Size, Parent> &tile, T value, Operation operation) {
    for (unsigned int by = Size / 2; by; by /= 2) value = operation(value, tile.shfl_xor(value, by));
    return value;
}
template <class T, class Operation>
HAUL_TC_DEVICE T reduce(const coalesced_group &group, T value, Operation operation) {
    T result = group.shfl(value, 0);
    for (unsigned int i = 1; i < group.size(); i++) result = operation(result, group.shfl(value, i));
    return result;
}

#define HAUL_UPDATE(name, change)                                                                  \
    template <class Group, class T> HAUL_TC_DEVICE void name(const Group &group, T *to, T value) { \
        const T sum = reduce(group, value, plus<T>());                                             \
        if (group.thread_rank() == 0) change;                                                      \
    }
HAUL_UPDATE(reduce_add_async, atomicAdd(to, sum))
#undef HAUL_UPDATE

} // namespace cooperative_groups

#endif
#endif
