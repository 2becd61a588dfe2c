/* Looks up addresses in a device's memory, in that of the program's other devices, and in mapped host memory. */
#include "machine/lookup.h"
#include "machine/memory_lists.h"
#include "machine/virtual.h"

void sim_memory_share_lists(void) {
    sim_lookup_share();
}

bool sim_memory_find_in_block(const sim_memory *m, size_t at, uint64_t address, sim_range *range) {
    *range = sim_memory_block_range(m, at);
    return !sim_memory_is_carved(m, address) || m->carving.find(m->carving.context, address, range);
}

/* The device's own memory first, which is the usual case. */
static bool find_listed(const sim_memory *m, uint64_t address, sim_range *range) {
    const size_t at = sim_memory_block_of(m, address);
    if (at != m->count) return sim_memory_find_in_block(m, at, address, range);
    return sim_memory_find_mapped_range(m, address, range) ||
           (m->family && sim_memory_find_in_family(m, address, range));
}

bool sim_memory_find(const sim_memory *m, uint64_t address, sim_range *range) {
    if (sim_is_virtual(address)) return m->sees_virtual && sim_virtual_find(m->device, address, range);
    pthread_rwlock_t *const own = sim_lookup_begin();
    const bool found = find_listed(m, address, range);
    sim_lookup_end(own);
    return found;
}

bool sim_memory_is_read_only(const sim_memory *m, uint64_t address) {
    return m->sees_virtual && sim_is_virtual(address) && sim_virtual_is_read_only(m->device, address);
}

void *sim_memory_at_to_write(const sim_memory *m, uint64_t address, uint64_t bytes) {
    return sim_memory_is_read_only(m, address) ? NULL : sim_memory_at(m, address, bytes);
}

void *sim_memory_at(const sim_memory *m, uint64_t address, uint64_t bytes) {
    sim_range range;
    if (bytes == 0 || !sim_memory_find(m, address, &range) || bytes > range.to - address) return NULL;
    return (void *)(range.host + address);
}

bool sim_memory_before(const sim_memory *m, uint64_t address, sim_range *range) {
    if (sim_is_virtual(address)) return m->sees_virtual && sim_virtual_before(m->device, address, range);
    m = sim_memory_home_of(m, address);
    size_t at = address < m->base ? m->count : sim_memory_locate(m, address - m->base);
    if (at == m->count) return false;
    *range = sim_memory_block_range(m, at);
    if (sim_memory_is_carved(m, address)) return m->carving.before(m->carving.context, address, range);
    return range->to <= address;
}

bool sim_memory_was_freed(const sim_memory *m, uint64_t address, sim_range *range) {
    m = sim_memory_home_of(m, address);
    const uint64_t offset = address - m->base;
    const size_t kept = m->freed_count < SIM_MEMORY_FREED ? m->freed_count : SIM_MEMORY_FREED;
    if (sim_memory_is_carved(m, address)) return m->carving.was_freed(m->carving.context, address, range);
    for (size_t i = 0; i < kept; i++) {
        if (offset < m->freed[i].from || offset >= m->freed[i].to) continue;
        range->from = m->base + m->freed[i].from;
        range->to = m->base + m->freed[i].to;
        return true;
    }
    return false;
}

const char *sim_memory_reason(const sim_memory *m, uint64_t address) {
    const bool known = m->sees_virtual && sim_is_virtual(address);
    const sim_memory *home = sim_memory_home_of(m, address);
    pthread_rwlock_t *const own = sim_lookup_begin();
    const bool is_others = home != m && sim_memory_block_of(home, address) != home->count;
    sim_lookup_end(own);
    if (is_others) return "access to memory of another device without peer access";
    return known ? sim_virtual_reason(m->device, address) : "access outside any allocation";
}

unsigned sim_memory_copies(const sim_memory *m, uint64_t address, unsigned bytes, unsigned char **copies,
                           const char **why) {
    return sim_virtual_copies(m->sees_virtual ? m->device : SIM_VIRTUAL_DEVICES, address, bytes, copies, why);
}

bool sim_memory_own_copy(const sim_memory *m, uint64_t address, uint64_t *own) {
    return m->sees_virtual && sim_virtual_own_copy(m->device, address, own);
}

bool sim_memory_is_managed(const sim_memory *m, uint64_t address) {
    m = sim_memory_home_of(m, address);
    const size_t at = sim_memory_block_of(m, address);
    return at != m->count && m->blocks[at].managed;
}

/* Numbers tell allocations apart even if addresses are reused; 0: none. */
uint64_t sim_memory_number(const sim_memory *m, uint64_t address) {
    const uint64_t series = (uint64_t)m->place << 48;
    size_t at = sim_memory_block_of(m, address);
    if (at != m->count) return series | m->blocks[at].number;
    return sim_memory_find_mapped(m, address, &at) ? series | m->mapped[at].number : 0;
}

/* ---- after allocations ---- */

void sim_memory_map_pages(sim_memory *m) {
    m->maps_pages = true;
}

/* Returns whether an allocation of the device lies in, or overlaps, the large page. */
static bool is_page_mapped(const sim_memory *m, uint64_t offset) {
    const uint64_t page = offset / SIM_MEMORY_PAGE * SIM_MEMORY_PAGE;
    for (size_t k = sim_memory_locate(m, page + SIM_MEMORY_PAGE - 1);
         k < m->count && m->blocks[k].from + m->blocks[k].bytes > page; k--) {
        if (!m->blocks[k].managed) return true;
        if (!k) return false;
    }
    return false;
}

/* Hardware maps whole pages, so bytes after an allocation may be accessible. */
static void *in_device_pages(const sim_memory *m, uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - m->base;
    if (address < m->base || offset >= m->bytes || bytes > m->bytes - offset) return NULL;
    const size_t at = sim_memory_locate(m, offset);
    if (at != m->count && m->blocks[at].managed && offset + bytes <= m->blocks[at].from + m->blocks[at].bytes)
        return (void *)(uintptr_t)address;
    for (uint64_t page = offset / SIM_MEMORY_PAGE * SIM_MEMORY_PAGE; page < offset + bytes; page += SIM_MEMORY_PAGE)
        if (!is_page_mapped(m, page)) return NULL;
    return m->host + offset;
}

/* The list is sorted by address. */
static void *in_host_pages(const sim_memory *m, uint64_t address, uint64_t bytes) {
    size_t at;
    SEARCH_FIRST(at, m->mapped_count, k, m->mapped[k].from <= address);
    if (!at--) return NULL;
    unsigned char *host = m->mapped[at].host + (address - m->mapped[at].from);
    const uint64_t end = number_align((uintptr_t)m->mapped[at].host + m->mapped[at].bytes, SIM_MEMORY_HOST_PAGE);
    return (uintptr_t)host + bytes <= end ? host : NULL;
}

/* Says how far an access lies after or before an allocation. */
static void describe_beyond(const sim_memory *m, uint64_t address, uint64_t bytes, sim_beyond *how) {
    sim_range range = {0};
    *how = (sim_beyond){.side = SIM_BEHIND};
    if (sim_memory_was_freed(m, address, &range)) {
        *how = (sim_beyond){SIM_FREED, address + bytes - range.from, range.to - range.from};
    } else if (find_listed(m, address, &range) || sim_memory_before(m, address, &range)) {
        *how = (sim_beyond){SIM_BEHIND, address + bytes - range.to, range.to - range.from};
    } else if (address - m->base < m->bytes && m->count) {
        range = sim_memory_block_range(m, 0);
        *how = (sim_beyond){SIM_BEFORE, range.from - address, range.to - range.from};
    }
}

void *sim_memory_in_pages(const sim_memory *m, uint64_t address, uint64_t bytes, sim_beyond *how) {
    if (!m->maps_pages || sim_is_virtual(address)) return NULL;
    pthread_rwlock_t *const own = sim_lookup_begin();
    void *place = in_device_pages(m, address, bytes);
    if (!place) place = in_host_pages(m->family ? m->family[0] : m, address, bytes);
    if (place && how) describe_beyond(m, address, bytes, how);
    sim_lookup_end(own);
    return place;
}

void *sim_memory_at_or_in_pages(const sim_memory *m, uint64_t address, uint64_t bytes) {
    void *place = sim_memory_at(m, address, bytes);
    return place || !bytes ? place : sim_memory_in_pages(m, address, bytes, NULL);
}
