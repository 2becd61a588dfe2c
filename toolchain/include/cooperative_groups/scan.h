/* Sums of a thread's value and of those of lower ranks, or other operations. */
#ifndef HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_SCAN_H
#define HAUL_TOOLCHAIN_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__)

namespace cooperative_groups {

template <class Group, class T, class Operation>
HAUL_TC_DEVICE T inclusive_scan(const Group &group, T value, Operation operation) {
    const unsigned int rank = group.thread_rank();
    for (unsigned int by = 1; by < group.size(); by *= 2) {
        const T below = group.shfl_up(value, by);
        if (rank >= by) value = operation(below, value);
    }
    return value;
}
template <class Group, class T> HAUL_TC_DEVICE T inclusive_scan(const Group &group, T value) {
    return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Operation>
HAUL_TC_DEVICE T exclusive_scan(const Group &group, T value, Operation operation) {
    const T below = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() ? below : T();
}
template <class Group, class T> HAUL_TC_DEVICE T exclusive_scan(const Group &group, T value) {
    return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups

#endif
#endif
