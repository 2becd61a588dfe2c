/* Mappings of virtual memory, and the devices' access to them.
 *
 * All devices of the process share the address range and this list. A mapping shows physical memory (physical.c) at
 * reserved addresses (reservation.c); a device may use it once access was given. Adjacent mappings with the same access
 * look like one range to kernels. */
#include "base/memory.h"
#include "base/search.h"
#include "base/status.h"
#include "machine/virtual_lists.h"

#include <string.h>

/* Sorted by address. */
static struct {
    sim_mapping *items;
    size_t count, capacity;
} list;

/* The number of mappings that begin at or before the address. */
static size_t mappings_until(uint64_t address) {
    size_t until;
    SEARCH_FIRST(until, list.count, k, list.items[k].from <= address);
    return until;
}

sim_mapping *sim_mapping_before(uint64_t address) {
    const size_t until = mappings_until(address);
    return until ? &list.items[until - 1] : NULL;
}

sim_mapping *sim_mapping_at(uint64_t address) {
    sim_mapping *m = sim_mapping_before(address);
    return m && address - m->from < m->bytes ? m : NULL;
}

/* Multicast objects are used by multimem instructions only. */
static bool is_usable(const sim_mapping *m, unsigned device) {
    return (m->allowed >> device & 1) && !sim_physical_is_multicast(m->memory);
}

/* Returns whether, for a device, b continues a. */
static bool goes_on(const sim_mapping *a, const sim_mapping *b, unsigned device) {
    const bool differs = (a->read_only ^ b->read_only) >> device & 1;
    return a->in == b->in && a->from + a->bytes == b->from && is_usable(b, device) && is_usable(a, device) && !differs;
}

bool sim_virtual_find(unsigned device, uint64_t address, sim_range *range) {
    const sim_mapping *m = sim_mapping_at(address), *end = list.items + list.count;
    if (!m || !is_usable(m, device)) return false;
    const sim_mapping *first = m, *last = m;
    while (first > list.items && goes_on(first - 1, first, device)) first--;
    while (last + 1 < end && goes_on(last, last + 1, device)) last++;
    *range = (sim_range){first->from, last->from + last->bytes, (uintptr_t)m->in->host - m->in->from};
    return true;
}

bool sim_virtual_before(unsigned device, uint64_t address, sim_range *range) {
    const sim_reservation *r = sim_reservation_at(address);
    for (size_t i = mappings_until(address); r && i-- > 0 && list.items[i].in == r;)
        if (sim_virtual_find(device, list.items[i].from, range)) return range->to <= address;
    return false;
}

const char *sim_virtual_reason(unsigned device, uint64_t address) {
    const sim_mapping *m = sim_mapping_at(address);
    if (!sim_reservation_at(address)) return "access to addresses that are not reserved";
    if (!m) return "access to reserved addresses without a mapping";
    if (!(m->allowed >> device & 1)) return "access to mapped memory without access rights of the device";
    if (m->read_only >> device & 1) return "write to mapped memory that the device may only read";
    return sim_physical_is_multicast(m->memory)
               ? "access to a multicast address, which only multimem instructions may use"
               : "access beyond the mapped memory";
}

haul_status sim_virtual_retain(uint64_t address, uint64_t *handle) {
    SIM_VIRTUAL_CHANGES();
    const sim_mapping *m = sim_mapping_at(address);
    if (!m) return sim_virtual_wrong("0x%llx: nothing is mapped there", (unsigned long long)address);
    m->memory->held++;
    *handle = m->memory->handle;
    return HAUL_OK;
}

void sim_mapping_stop_following(sim_physical *p) {
    for (size_t i = 0; i < list.count; i++) {
        const sim_mapping *m = &list.items[i];
        if (m->memory == p && !sim_physical_is_multicast(p)) sim_virtual_mark(m->from, m->bytes, true);
    }
    p->was_mapped = true;
}

bool sim_mapping_find(const sim_physical *memory, uint64_t offset, unsigned device, uint64_t *address) {
    for (size_t i = 0; i < list.count; i++) {
        const sim_mapping *m = &list.items[i];
        if (m->memory != memory || !is_usable(m, device)) continue;
        *address = m->from + (offset - m->offset);
        if (offset >= m->offset && offset - m->offset < m->bytes) return true;
    }
    return false;
}

/* Ordinary memory is mapped whole, as the driver requires. */
static haul_status check_mapping(const sim_physical *p, const sim_reservation *r, uint64_t address, uint64_t bytes,
                                 uint64_t offset) {
    HAUL_TRY(sim_virtual_check_pages(address, bytes));
    if (!sim_physical_is_multicast(p) && (offset || bytes != p->bytes))
        return haul_fail(HAUL_ERROR_UNSUPPORTED,
                         "virtual memory: %llu bytes from %llu on of memory that has %llu: it can only be mapped whole",
                         (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)p->bytes);
    if (offset % SIM_VIRTUAL_PAGE || offset > p->bytes || bytes > p->bytes - offset)
        return sim_virtual_wrong("%llu bytes from %llu on of memory that has %llu", (unsigned long long)bytes,
                                 (unsigned long long)offset, (unsigned long long)p->bytes);
    if (!r || bytes > r->bytes - (address - r->from))
        return sim_virtual_wrong("0x%llx: %llu bytes from there on are not reserved", (unsigned long long)address,
                                 (unsigned long long)bytes);
    const sim_mapping *last = sim_mapping_before(address + bytes - 1);
    if (last && last->from + last->bytes > address)
        return sim_virtual_wrong("0x%llx: something is mapped there", (unsigned long long)last->from);
    return HAUL_OK;
}

/* Returns the host's pointer to the address. */
static unsigned char *host_of(const sim_reservation *r, uint64_t address) {
    return r->host + (address - r->from);
}

haul_status sim_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset, uint64_t handle) {
    SIM_VIRTUAL_CHANGES();
    sim_physical *p = sim_physical_of(handle);
    const sim_reservation *r = sim_reservation_at(address);
    if (!p) return HAUL_ERROR_ARGUMENT;
    HAUL_TRY(check_mapping(p, r, address, bytes, offset));
    sim_mapping *grown = memory_grow(list.items, list.count, &list.capacity, sizeof *list.items);
    if (!grown) return sim_virtual_no_host_memory();
    list.items = grown;
    HAUL_TRY(sim_physical_show(p, host_of(r, address), offset, bytes));
    const size_t at = mappings_until(address);
    memmove(list.items + at + 1, list.items + at, (list.count++ - at) * sizeof *list.items);
    list.items[at] = (sim_mapping){.from = address, .bytes = bytes, .in = r, .memory = p, .offset = offset};
    p->used++;
    sim_virtual_mark(address, bytes, false);
    if (p->was_mapped) sim_mapping_stop_following(p);
    p->was_mapped = true;
    return HAUL_OK;
}

/* Finds the mappings in these bytes, adjacent or not: sets *first and returns their number. Returns 0, with a message,
 * if there are none or one reaches beyond the bytes. */
static size_t whole_mappings(uint64_t address, uint64_t bytes, size_t *first) {
    const uint64_t end = address + bytes;
    size_t at = mappings_until(address), count = 0;
    if (at && list.items[at - 1].from + list.items[at - 1].bytes > address) at--;
    *first = at;
    while (at + count < list.count && list.items[at + count].from < end) count++;
    const sim_mapping *last = count ? &list.items[at + count - 1] : NULL;
    if (last && list.items[at].from >= address && last->from + last->bytes <= end) return count;
    (void)sim_virtual_wrong("%llu bytes at 0x%llx: must be whole mappings", (unsigned long long)bytes,
                            (unsigned long long)address);
    return 0;
}

/* Does the same, but fails if there are gaps. */
static size_t dense_mappings(uint64_t address, uint64_t bytes, size_t *first) {
    const size_t count = whole_mappings(address, bytes, first);
    uint64_t next = address;
    for (size_t i = *first; i < *first + count && list.items[i].from == next; i++) next += list.items[i].bytes;
    if (count && next == address + bytes) return count;
    if (count) (void)sim_virtual_wrong("0x%llx: nothing is mapped there", (unsigned long long)next);
    return 0;
}

/* Whether anything is mapped in these bytes. */
static bool has_mapping(uint64_t address, uint64_t bytes) {
    const sim_mapping *last = sim_mapping_before(address + bytes - 1);
    return last && last->from + last->bytes > address;
}

static void remove_mappings(size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        const sim_mapping m = list.items[i];
        sim_physical_hide(m.memory, host_of(m.in, m.from), m.bytes);
        sim_physical_drop(m.memory);
    }
    list.count -= count;
    memmove(list.items + first, list.items + first + count, (list.count - first) * sizeof *list.items);
}

/* Unmapping may find nothing to unmap, as with an H100's driver. */
haul_status sim_virtual_unmap(uint64_t address, uint64_t bytes) {
    SIM_VIRTUAL_CHANGES();
    size_t first;
    if (bytes && sim_reservation_at(address) && !has_mapping(address, bytes)) return HAUL_OK;
    const size_t count = whole_mappings(address, bytes, &first);
    if (count) remove_mappings(first, count);
    return count ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

/* Memory that several devices reach is not followed for uninitialised reads. */
static void set_access(sim_mapping *m, unsigned device, sim_virtual_access access) {
    const uint64_t bit = UINT64_C(1) << device;
    if (access != SIM_VIRTUAL_NONE && (m->allowed & ~bit)) sim_mapping_stop_following(m->memory);
    m->allowed = access != SIM_VIRTUAL_NONE ? m->allowed | bit : m->allowed & ~bit;
    m->read_only = access == SIM_VIRTUAL_READ ? m->read_only | bit : m->read_only & ~bit;
}

haul_status sim_virtual_allow(uint64_t address, uint64_t bytes, unsigned device, sim_virtual_access access) {
    SIM_VIRTUAL_CHANGES();
    size_t first;
    const size_t count = dense_mappings(address, bytes, &first);
    for (size_t i = first; i < first + count; i++) set_access(&list.items[i], device, access);
    return count ? HAUL_OK : HAUL_ERROR_ARGUMENT;
}

haul_status sim_virtual_access_of(uint64_t address, unsigned device, sim_virtual_access *access) {
    SIM_VIRTUAL_READS();
    const sim_mapping *m = sim_mapping_at(address);
    *access = SIM_VIRTUAL_NONE;
    if (!m) return sim_virtual_wrong("0x%llx: nothing is mapped there", (unsigned long long)address);
    if (m->allowed >> device & 1) *access = m->read_only >> device & 1 ? SIM_VIRTUAL_READ : SIM_VIRTUAL_WRITE;
    return HAUL_OK;
}

bool sim_virtual_is_read_only(unsigned device, uint64_t address) {
    const sim_mapping *m = sim_mapping_at(address);
    return m && (m->read_only >> device & 1);
}

void sim_mappings_end(void) {
    if (list.count) remove_mappings(0, list.count);
    memory_free(list.items);
    list.items = NULL;
    list.capacity = 0;
}
