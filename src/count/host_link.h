/* What a kernel moves over the host link when it reads and writes mapped host memory. */
#ifndef HAUL_COUNT_HOST_LINK_H
#define HAUL_COUNT_HOST_LINK_H

#include "count/l2_log.h"

#include <stdint.h>

/* Sectors that reached L2 on their way to host memory. Repeated reads count each time, since L2 keeps little of it. */
typedef struct sim_link {
    uint64_t first_line, end_line; /* of host memory, as logs number lines within a slice */
    uint64_t read, written;
} sim_link;

/* Host memory lies at `address` to `end` - 1. */
static inline sim_link sim_link_between(uint64_t address, uint64_t end) {
    return (sim_link){.first_line = sim_log_local(address / 128), .end_line = sim_log_local(end / 128)};
}

/* Adds the log's requests. */
void sim_link_count(sim_link *link, const sim_log *log);

#endif
