#include "machine/host.h"

#include <unistd.h>

uint64_t sim_host_available(void) {
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    uint64_t free_now = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
    long all = sysconf(_SC_PHYS_PAGES);
    uint64_t total = all > 0 && size > 0 ? (uint64_t)all * (uint64_t)size : UINT64_MAX;
    /* Page cache counts as free: at least half of all memory is taken to be available. */
    return free_now > total / 2 ? free_now : total / 2;
}

/* On a small host it is one part in PARTS of what that can give. */
uint64_t sim_host_to_spare(void) {
    enum { MOST_BYTES = 512 << 20, PARTS = 16 };
    const uint64_t part = sim_host_available() / PARTS;
    return part < MOST_BYTES ? part : MOST_BYTES;
}
