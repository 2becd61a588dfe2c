/* Allocations of a device's memory: where they lie, as the driver would place them, and what it keeps of them. */
#include "base/memory.h"
#include "base/status.h"
#include "machine/host.h"
#include "machine/lookup.h"
#include "machine/memory_lists.h"
#include "machine/regions.h"

#include <string.h>
#include <sys/mman.h>

/* ---- places ---- */

/* Aligns like the driver: large allocations start on a page of their own. */
static uint64_t alignment_of(uint64_t bytes) {
    return bytes >= SIM_MEMORY_PAGE ? SIM_MEMORY_PAGE : SIM_ALLOCATION_UNIT;
}

/* The free range before allocation `i`, or after the last one if i == count. */
static void free_stretch(const sim_memory *m, size_t i, uint64_t *from, uint64_t *to) {
    *from = i ? m->blocks[i - 1].from + m->blocks[i - 1].bytes : 0;
    *to = i < m->count ? m->blocks[i].from : m->bytes;
}

/* Finds where an allocation starts in the free range before block `i`. As in the driver, a large one has its pages for
 * itself, and small ones share pages, but none reaches into a second one. */
static bool place_in_pages(const sim_memory *m, size_t i, uint64_t bytes, uint64_t *from) {
    uint64_t low, high;
    free_stretch(m, i, &low, &high);
    const bool large = bytes >= SIM_MEMORY_PAGE, after_large = i && m->blocks[i - 1].bytes >= SIM_MEMORY_PAGE;
    *from = number_align(low, large || after_large ? SIM_MEMORY_PAGE : SIM_ALLOCATION_UNIT);
    if (!large && *from / SIM_MEMORY_PAGE != (*from + bytes - 1) / SIM_MEMORY_PAGE)
        *from = number_align(*from, SIM_MEMORY_PAGE);
    return *from + (large ? number_align(bytes, SIM_MEMORY_PAGE) : bytes) <= high;
}

/* Finds where an allocation starts in the free range before block `i` if pages are short. */
static bool place_anywhere(const sim_memory *m, size_t i, uint64_t bytes, uint64_t *from) {
    uint64_t low, high;
    free_stretch(m, i, &low, &high);
    *from = number_align(low, alignment_of(bytes));
    return *from <= high && high - *from >= bytes;
}

/* Takes the first range that is large enough. Reuse keeps addresses, and so cache behaviour, the same from run to
 * run. */
static bool find_first(const sim_memory *m, uint64_t bytes, size_t *at, uint64_t *from) {
    for (*at = 0; *at <= m->count; ++*at)
        if (place_in_pages(m, *at, bytes, from)) return true;
    for (*at = 0; *at <= m->count; ++*at)
        if (place_anywhere(m, *at, bytes, from)) return true;
    return false;
}

/* Takes memory after everything ever allocated. */
static bool find_fresh(const sim_memory *m, uint64_t bytes, size_t *at, uint64_t *from) {
    *from = number_align(m->high, alignment_of(bytes));
    size_t i = 0;
    while (i < m->count && m->blocks[i].from < *from) i++;
    const uint64_t end = i < m->count ? m->blocks[i].from : m->bytes;
    *at = i;
    return *from <= end && end - *from >= bytes;
}

/* Takes the end of the last range that is large enough, and leaves a gap behind it. */
static bool find_end(const sim_memory *m, uint64_t bytes, uint64_t gap, size_t *at, uint64_t *from) {
    for (size_t i = m->count + 1; i-- > 0;) {
        uint64_t low, high;
        free_stretch(m, i, &low, &high);
        if (high - low < bytes + gap) continue;
        *at = i;
        *from = (high - bytes - gap) / SIM_ALLOCATION_UNIT * SIM_ALLOCATION_UNIT;
        if (*from >= low) return true;
    }
    return false;
}

/* Finds room at the end, for memory that is not the program's, such as variables of modules. */
static bool find_last(const sim_memory *m, uint64_t bytes, size_t *at, uint64_t *from) {
    return (m->apart && find_end(m, bytes, SIM_MEMORY_GAP, at, from)) || find_end(m, bytes, 0, at, from);
}

/* Finds whole pages for managed memory. */
static bool find_pages(const sim_memory *m, uint64_t bytes, size_t *at, uint64_t *from) {
    for (size_t i = 0; i <= m->count; i++) {
        uint64_t low, high;
        free_stretch(m, i, &low, &high);
        low = number_align(low, bytes >= SIM_MEMORY_PAGE ? SIM_MEMORY_PAGE : SIM_MEMORY_HOST_PAGE);
        if (low > high || high - low < sim_memory_host_pages(bytes)) continue;
        *at = i;
        *from = low;
        return true;
    }
    return false;
}

uint64_t sim_memory_place(const sim_memory *m) {
    return m->high;
}

void sim_memory_go_back(sim_memory *m, uint64_t place) {
    m->high = place;
    for (size_t i = 0; i < SIM_MEMORY_FREED; i++)
        if (m->freed[i].from >= place) m->freed[i].from = m->freed[i].to = 0;
}

/* ---- the list ---- */

uint64_t sim_memory_largest_free(const sim_memory *m) {
    uint64_t largest = 0;
    for (size_t i = 0; i <= m->count; i++) {
        uint64_t low, high;
        free_stretch(m, i, &low, &high);
        if (high - low > largest) largest = high - low;
    }
    return largest;
}

haul_status sim_memory_no_room(const sim_memory *m, uint64_t bytes, const char *what) {
    char asked[32], left[32];
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: %s asked for, %s left in one piece", what,
                     number_format_bytes((double)bytes, asked),
                     number_format_bytes((double)sim_memory_largest_free(m), left));
}

/* `bytes` is more than the host can commit. */
static haul_status no_host_memory(uint64_t bytes, uint64_t available) {
    char asked[32], most[32];
    return haul_fail(
        HAUL_ERROR_OUT_OF_MEMORY,
        "device memory: %s asked for, but the host can give %s; run with --memory BYTES, so that the program sees a "
        "smaller GPU",
        number_format_bytes((double)bytes, asked), number_format_bytes((double)available, most));
}

static haul_status make_room(sim_memory *m) {
    void *blocks = memory_grow(m->blocks, m->count, &m->capacity, sizeof *m->blocks);
    if (!blocks)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: no host memory for the list of allocations");
    m->blocks = blocks;
    return HAUL_OK;
}

/* Keeps the list sorted. */
static haul_status insert_block(sim_memory *m, size_t at, uint64_t from, uint64_t bytes, uint64_t asked) {
    sim_lookup_keep_out();
    const haul_status status = make_room(m);
    if (status == HAUL_OK) {
        memmove(m->blocks + at + 1, m->blocks + at, (m->count - at) * sizeof *m->blocks);
        m->blocks[at].from = from;
        m->blocks[at].bytes = bytes;
        m->blocks[at].asked = asked;
        m->blocks[at].managed = m->blocks[at].chosen = m->blocks[at].imported = false;
        m->blocks[at].number = ++m->numbers;
        m->count++;
    }
    sim_lookup_let_in();
    return status;
}

typedef bool (*find_fn)(const sim_memory *m, uint64_t bytes, size_t *at, uint64_t *from);

/* `find` decides where. The device must have all that is asked for; the host must be able to commit `committed` of it.
 */
static haul_status allocate(sim_memory *m, uint64_t asked, uint64_t committed, find_fn find, uint64_t *address) {
    size_t at;
    uint64_t from;
    uint64_t left, all;
    sim_memory_usage(m, &left, &all);
    if (asked > left) return sim_memory_no_room(m, asked, "device memory");
    uint64_t bytes = number_align(asked ? asked : 1, find == find_pages ? SIM_MEMORY_HOST_PAGE : SIM_ALLOCATION_UNIT);
    const bool fresh = m->apart && find == find_first && find_fresh(m, bytes + SIM_MEMORY_GAP, &at, &from);
    if (!fresh && !find(m, bytes, &at, &from)) return sim_memory_no_room(m, asked, "device memory");
    const uint64_t available = sim_host_available();
    if (committed > available) return no_host_memory(committed, available);
    HAUL_TRY(insert_block(m, at, from, bytes, asked));
    m->used += bytes;
    memory_prefer_large_pages(m->host + from, bytes); /* kernels access it with any stride */
    if (find != find_last && from + bytes + SIM_MEMORY_GAP > m->high) m->high = from + bytes + SIM_MEMORY_GAP;
    *address = m->base + from;
    return HAUL_OK;
}

haul_status sim_memory_allocate(sim_memory *m, uint64_t bytes, uint64_t *address) {
    return allocate(m, bytes, bytes, find_first, address);
}

haul_status sim_memory_allocate_last(sim_memory *m, uint64_t bytes, uint64_t *address) {
    return allocate(m, bytes, bytes, find_last, address);
}

haul_status sim_memory_reserve_last(sim_memory *m, uint64_t bytes, uint64_t committed, uint64_t *address) {
    return allocate(m, bytes, committed, find_last, address);
}

haul_status sim_memory_allocate_pages(sim_memory *m, uint64_t bytes, uint64_t *address) {
    return allocate(m, bytes, bytes, find_pages, address);
}

haul_status sim_memory_allocate_managed(sim_memory *m, uint64_t bytes, uint64_t *address) {
    HAUL_TRY(sim_memory_allocate_pages(m, bytes, address));
    if (!sim_memory_show_to_host(m, *address, bytes)) {
        (void)sim_memory_release(m, *address);
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "managed memory: the host has something else at 0x%llx",
                         (unsigned long long)*address);
    }
    sim_lookup_keep_out();
    m->blocks[sim_memory_locate(m, *address - m->base)].managed = true;
    sim_lookup_let_in();
    memory_prefer_large_pages((void *)(uintptr_t)*address, bytes);
    sim_memory_mark_written(m, *address, bytes);
    return HAUL_OK;
}

haul_status sim_memory_release(sim_memory *m, uint64_t address) {
    uint64_t offset = address - m->base;
    size_t at = sim_memory_locate(m, offset);
    if (at == m->count || m->blocks[at].from != offset)
        return haul_fail(HAUL_ERROR_ARGUMENT, "device memory: 0x%llx is not the start of an allocation",
                         (unsigned long long)address);
    uint64_t bytes = m->blocks[at].bytes;
    sim_memory_forget_written(m, address, bytes);
    if (m->regions) sim_regions_forget(m->regions, address, bytes);
    if (m->blocks[at].managed) sim_memory_hide_from_host(address, bytes);
    m->freed[m->freed_count % SIM_MEMORY_FREED].from = offset;
    m->freed[m->freed_count++ % SIM_MEMORY_FREED].to = offset + m->blocks[at].asked;
    /* Returns whole pages to the system; they read as zero when used again. */
    uint64_t page = 4096, first = (offset + page - 1) / page * page, last = (offset + bytes) / page * page;
    if (m->blocks[at].imported) (void)sim_memory_show_own_pages(m, first, last - first);
    if (last > first) madvise(m->host + first, last - first, m->file ? MADV_REMOVE : MADV_DONTNEED);
    m->used -= bytes;
    sim_lookup_keep_out();
    m->count--;
    memmove(m->blocks + at, m->blocks + at + 1, (m->count - at) * sizeof *m->blocks);
    sim_lookup_let_in();
    return HAUL_OK;
}
