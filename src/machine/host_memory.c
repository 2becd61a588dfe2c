/* Host memory that is mapped to a device: at its own address or, if that means something else to kernels, behind the
 * device's memory. */
#include "base/memory.h"
#include "base/status.h"
#include "machine/memory_lists.h"

#include <stdlib.h>
#include <string.h>

static haul_status make_mapping_room(sim_memory *m) {
    void *mapped = memory_grow(m->mapped, m->mapped_count, &m->mapped_capacity, sizeof *m->mapped);
    if (!mapped) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "mapped memory: no host memory for its list");
    m->mapped = mapped;
    return HAUL_OK;
}

/* Keeps the list sorted. Host memory counts as written. */
static void insert_mapped(sim_memory *m, uint64_t from, void *host, uint64_t bytes, bool owned) {
    size_t at;
    SEARCH_FIRST(at, m->mapped_count, k, m->mapped[k].from <= from);
    memmove(m->mapped + at + 1, m->mapped + at, (m->mapped_count - at) * sizeof *m->mapped);
    m->mapped[at].from = from;
    m->mapped[at].bytes = bytes;
    m->mapped[at].host = host;
    m->mapped[at].owned = owned;
    m->mapped[at].number = ++m->numbers;
    m->mapped_count++;
    sim_memory_mark_written(m, from, bytes);
}

/* Finds the first gap after the device's memory that is large enough; the offset in a page is kept. */
static haul_status find_gap(const sim_memory *m, uint64_t within, uint64_t bytes, uint64_t *address) {
    uint64_t from = m->base + number_align(m->bytes, SIM_MEMORY_PAGE);
    const uint64_t end = m->base + sim_memory_all_bytes(m);
    for (size_t i = 0; i < m->mapped_count && m->mapped[i].from < from + within + bytes + SIM_MEMORY_GAP; i++)
        if (m->mapped[i].from >= m->base)
            from = number_align(m->mapped[i].from + m->mapped[i].bytes + SIM_MEMORY_GAP, SIM_MEMORY_PAGE);
    if (bytes > SIM_HOST_BYTES || from + within + bytes + SIM_MEMORY_GAP > end)
        return sim_memory_no_room(m, bytes, "mapped memory");
    *address = from + within;
    return HAUL_OK;
}

/* Returns whether the addresses stand for nothing but host memory in a kernel. */
static bool is_plain(uint64_t from, uint64_t bytes) {
    const uint64_t to = from + bytes, windows = SIM_SHARED_WINDOW, behind = SIM_FUNCTION_WINDOW + ~SIM_WINDOW_MASK + 1;
    const uint64_t devices = SIM_GLOBAL_BASE + SIM_MOST_MEMORIES * SIM_GLOBAL_STRIDE;
    return to > from && (to <= windows || from >= behind) && (to <= SIM_GLOBAL_BASE || from >= devices);
}

haul_status sim_memory_map(sim_memory *m, void *host, uint64_t bytes, uint64_t *address) {
    *address = (uintptr_t)host;
    HAUL_TRY(make_mapping_room(m));
    if (!is_plain(*address, bytes)) HAUL_TRY(find_gap(m, (uintptr_t)host % SIM_MEMORY_PAGE, bytes, address));
    insert_mapped(m, *address, host, bytes, false);
    return HAUL_OK;
}

haul_status sim_memory_map_new(sim_memory *m, uint64_t bytes, void **host, uint64_t *address) {
    HAUL_TRY(make_mapping_room(m));
    HAUL_TRY(find_gap(m, 0, bytes, address));
    const bool owned = sim_memory_show_to_host(m, *address, bytes);
    *host = owned ? (void *)(uintptr_t)*address : aligned_alloc(SIM_MEMORY_HOST_PAGE, sim_memory_host_pages(bytes));
    if (!*host)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pinned memory: the host has no %llu bytes left",
                         (unsigned long long)bytes);
    insert_mapped(m, *address, *host, bytes, owned);
    return HAUL_OK;
}

bool sim_memory_find_mapped(const sim_memory *m, uint64_t address, size_t *at) {
    size_t behind;
    SEARCH_FIRST(behind, m->mapped_count, k, m->mapped[k].from <= address);
    *at = behind - 1;
    return behind && address - m->mapped[behind - 1].from < m->mapped[behind - 1].bytes;
}

bool sim_memory_find_mapped_range(const sim_memory *m, uint64_t address, sim_range *range) {
    size_t at;
    if (!sim_memory_find_mapped(m, address, &at)) return false;
    range->from = m->mapped[at].from;
    range->to = range->from + m->mapped[at].bytes;
    range->host = (uintptr_t)m->mapped[at].host - range->from;
    return true;
}

uint64_t sim_memory_first_mapped(const sim_memory *m, uint64_t *end) {
    if (m->family) m = m->family[0];
    if (!m->mapped_count) return 0;
    *end = number_align(m->mapped[m->mapped_count - 1].from + m->mapped[m->mapped_count - 1].bytes, SIM_MEMORY_PAGE);
    return m->mapped[0].from / SIM_MEMORY_PAGE * SIM_MEMORY_PAGE;
}

void sim_memory_unmap(sim_memory *m, uint64_t address) {
    size_t at;
    if (!sim_memory_find_mapped(m, address, &at)) return;
    sim_memory_forget_written(m, m->mapped[at].from, m->mapped[at].bytes);
    if (m->mapped[at].owned) sim_memory_hide_from_host(m->mapped[at].from, m->mapped[at].bytes);
    m->mapped_count--;
    memmove(m->mapped + at, m->mapped + at + 1, (m->mapped_count - at) * sizeof *m->mapped);
}
