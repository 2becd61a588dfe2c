/* A range of device addresses and the host memory behind it. */
#ifndef HAUL_MACHINE_RANGE_H
#define HAUL_MACHINE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* A live allocation: addresses from .. to-1; address a is at host address `host` + a. */
typedef struct sim_range {
    uint64_t from, to;
    uintptr_t host;
} sim_range;

/* Returns whether `span` bytes from `first` on lie in the allocation. */
static inline bool sim_is_span_inside(const sim_range *range, uint64_t first, uint64_t span) {
    const uint64_t offset = first - range->from, size = range->to - range->from;
    return offset <= size && span <= size - offset;
}

#endif
