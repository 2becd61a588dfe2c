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
