/* Reserved ranges of virtual addresses.
 *
 * A range of the device's addresses gets as many of the host's, which are reserved without memory until something is
 * mapped. */
#include "base/memory.h"
#include "base/number.h"
#include "base/search.h"
#include "base/status.h"
#include "machine/virtual_lists.h"

#include <string.h>
#include <sys/mman.h>

/* Sorted by address. Reservations do not move, since mappings point to them. */
static struct {
    sim_reservation **items;
    size_t count, capacity;
} list;

/* The number of reservations that begin at or before the address. */
static size_t reservations_until(uint64_t address) {
    size_t until;
    SEARCH_FIRST(until, list.count, k, list.items[k]->from <= address);
    return until;
}

const sim_reservation *sim_reservation_at(uint64_t address) {
    const size_t until = reservations_until(address);
    const sim_reservation *r = until ? list.items[until - 1] : NULL;
    return r && address - r->from < r->bytes ? r : NULL;
}

/* Whether the range lies in the device's virtual addresses and touches no reservation. */
static bool is_free(uint64_t from, uint64_t bytes) {
    if (from < SIM_VIRTUAL_BASE || bytes > SIM_VIRTUAL_BYTES) return false;
    if (from - SIM_VIRTUAL_BASE > SIM_VIRTUAL_BYTES - bytes) return false;
    const size_t until = reservations_until(from + bytes - 1);
    return until == 0 || list.items[until - 1]->from + list.items[until - 1]->bytes <= from;
}

/* The first free range; 0 if there is none. */
static uint64_t find_place(uint64_t bytes, uint64_t alignment) {
    uint64_t from = SIM_VIRTUAL_BASE;
    for (size_t i = 0; i <= list.count; i++) {
        from = number_align(from, alignment);
        if (is_free(from, bytes)) return from;
        if (i < list.count) from = list.items[i]->from + list.items[i]->bytes;
    }
    return 0;
}

/* Keeps the list sorted. */
static haul_status add_reservation(uint64_t from, uint64_t bytes) {
    char text[32];
    sim_reservation **grown = memory_grow(list.items, list.count, &list.capacity, sizeof *list.items);
    if (!grown) return sim_virtual_no_host_memory();
    list.items = grown;
    sim_reservation *r = memory_zeroed(1, sizeof *r);
    if (!r) return sim_virtual_no_host_memory();
    void *host = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        memory_free(r);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: the host has no %s of address space",
                         number_format_bytes((double)bytes, text));
    }
    *r = (sim_reservation){from, bytes, host};
    const size_t at = reservations_until(from);
    memmove(list.items + at + 1, list.items + at, (list.count++ - at) * sizeof *list.items);
    list.items[at] = r;
    return HAUL_OK;
}

haul_status sim_virtual_reserve(uint64_t bytes, uint64_t alignment, uint64_t wanted, uint64_t *address) {
    SIM_VIRTUAL_CHANGES();
    char text[32];
    HAUL_TRY(sim_virtual_check_pages(0, bytes));
    if (alignment & (alignment - 1))
        return sim_virtual_wrong("alignment %llu: must be a power of two", (unsigned long long)alignment);
    if (alignment < SIM_VIRTUAL_PAGE) alignment = SIM_VIRTUAL_PAGE;
    const bool fits = wanted % alignment == 0 && is_free(wanted, bytes);
    const uint64_t from = fits ? wanted : find_place(bytes, alignment);
    if (!from)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "virtual memory: no %s of contiguous addresses are left",
                         number_format_bytes((double)bytes, text));
    HAUL_TRY(add_reservation(from, bytes));
    *address = from;
    return HAUL_OK;
}

/* The host's addresses go with it. */
static void remove_at(size_t at) {
    sim_reservation *r = list.items[at];
    munmap(r->host, r->bytes);
    memory_free(r);
    list.count--;
    memmove(list.items + at, list.items + at + 1, (list.count - at) * sizeof *list.items);
}

haul_status sim_virtual_unreserve(uint64_t address, uint64_t bytes) {
    SIM_VIRTUAL_CHANGES();
    const size_t at = reservations_until(address);
    sim_reservation *r = at ? list.items[at - 1] : NULL;
    if (!r || r->from != address || r->bytes != bytes)
        return sim_virtual_wrong("%llu bytes at 0x%llx are not one reservation", (unsigned long long)bytes,
                                 (unsigned long long)address);
    const sim_mapping *m = sim_mapping_before(address + bytes - 1);
    if (m && m->in == r)
        return sim_virtual_wrong("0x%llx: something is still mapped there", (unsigned long long)m->from);
    remove_at(at - 1);
    return HAUL_OK;
}

bool sim_virtual_is_used(void) {
    return list.count > 0;
}

void sim_reservations_end(void) {
    while (list.count) remove_at(list.count - 1);
    memory_free(list.items);
    list.items = NULL;
    list.capacity = 0;
}
