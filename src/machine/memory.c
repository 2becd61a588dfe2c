/* A device's global memory: allocations, host memory that is mapped to it, and what several devices and processes
 * share.
 *
 * A device has a range of addresses of its own. Its memory lies elsewhere on the host, reserved as a whole and
 * committed by the system as it is written; an address is translated by the range that contains it. Only managed memory
 * is also at its own address on the host. Allocations are a sorted list. Under check they are kept apart: a gap follows
 * each, freed ones are remembered, and marks.h knows which bytes were written. */
#include "machine/memory.h"

#include "base/memory.h"
#include "base/number.h"
#include "base/search.h"
#include "base/status.h"
#include "machine/host.h"
#include "machine/lookup.h"
#include "machine/regions.h"
#include "machine/virtual.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Allocations of at least a PAGE, the size of hardware's large pages, start on one. */
enum { PAGE = 2 << 20, HOST_PAGE = 4096 };
/* With allocations kept apart: the gap between them, and the number of freed ones remembered. */
enum { GAP = 64 << 10, FREED = 64 };

/* Live allocations, sorted by address; the space between them is free. */
struct sim_memory {
    uint64_t base; /* of the device's addresses */
    unsigned char *host;
    bool reserved; /* the host uses none of the device's addresses */
    uint64_t bytes, used;
    struct {
        uint64_t from, bytes, asked, number;
        bool managed; /* the host accesses it at the same address */
        bool chosen;  /* `visible` says which devices have access, not `peers` */
        uint64_t visible;
        bool imported; /* its pages belong to another process */
    } * blocks;
    size_t count, capacity;
    bool apart;
    bool maps_pages;    /* see sim_memory_map_pages() */
    sim_marks *written; /* NULL unless memory is kept apart */
    uint64_t high;      /* end of everything ever allocated from the start of memory */
    struct {
        uint64_t from, to;
    } freed[FREED];
    size_t freed_count; /* ever freed; the last FREED are kept */
    struct {
        uint64_t from, bytes, number;
        unsigned char *host;
        bool owned; /* made for the device, at its address */
    } * mapped;     /* host memory, sorted by address */
    size_t mapped_count, mapped_capacity;
    uint64_t numbers; /* the last number given */
    sim_carving carving;
    sim_regions *regions; /* NULL until needed */
    bool sees_virtual;
    unsigned device;            /* in virtual memory */
    sim_marks *virtual_written; /* for all its addresses */
    sim_memory *const *family;  /* all devices of the program; NULL: only this one */
    unsigned family_count, place;
    uint64_t peers; /* bit p: the device at place p has access */
    int file;       /* with the memory, for other processes; 0: none */
};

/* ---- addresses ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sim_memory *memories[SIM_MOST_MEMORIES]; /* indexed by range of addresses */

/* The device's memory and the room for host memory behind it. */
static uint64_t all_bytes(const sim_memory *m) {
    return number_align(m->bytes, PAGE) + SIM_HOST_BYTES;
}

/* Finds the family's memory whose range contains the address; `m` if none does. */
static const sim_memory *home_of(const sim_memory *m, uint64_t address) {
    for (unsigned i = 0; i < m->family_count; i++)
        if (address - m->family[i]->base < SIM_GLOBAL_STRIDE) return m->family[i];
    return m;
}

/* Reserves the device's range of host addresses. If the host uses it, or there are more devices than ranges, kernels
 * see the same addresses, but the host has no memory there. */
static void take_addresses(sim_memory *m) {
    size_t i = 0;
    pthread_mutex_lock(&lock);
    while (i < SIM_MOST_MEMORIES && memories[i]) i++;
    m->base = SIM_GLOBAL_BASE + (i < SIM_MOST_MEMORIES ? i : 0) * SIM_GLOBAL_STRIDE;
    void *wanted = (void *)(uintptr_t)m->base;
    if (i < SIM_MOST_MEMORIES) {
        memories[i] = m;
        void *at = mmap(wanted, all_bytes(m), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        m->reserved = at == wanted;
        if (at != MAP_FAILED && !m->reserved) munmap(at, all_bytes(m)); /* this kernel does not know the flag */
    }
    pthread_mutex_unlock(&lock);
}

/* Gives the range back. */
static void give_addresses(sim_memory *m) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < SIM_MOST_MEMORIES; i++)
        if (memories[i] == m) memories[i] = NULL;
    if (m->reserved) munmap((void *)(uintptr_t)m->base, all_bytes(m));
    pthread_mutex_unlock(&lock);
}

const sim_memory *sim_memory_at_address(uint64_t address) {
    const uint64_t i = (address - SIM_GLOBAL_BASE) / SIM_GLOBAL_STRIDE;
    return address >= SIM_GLOBAL_BASE && i < SIM_MOST_MEMORIES ? memories[i] : NULL;
}

static uint64_t host_pages(uint64_t bytes) {
    return number_align(bytes, HOST_PAGE);
}

/* Makes host memory at the address, in the reserved range. */
static bool show_to_host(const sim_memory *m, uint64_t address, uint64_t bytes) {
    void *wanted = (void *)(uintptr_t)address;
    return m->reserved && mmap(wanted, host_pages(bytes), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == wanted;
}

/* Leaves the addresses reserved, without memory. */
static void hide_from_host(uint64_t address, uint64_t bytes) {
    (void)mmap((void *)(uintptr_t)address, host_pages(bytes), PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void sim_memory_share_lists(void) {
    sim_lookup_share();
}

haul_status sim_memory_create(uint64_t bytes, sim_memory **out) {
    *out = NULL;
    sim_memory *m = memory_zeroed(1, sizeof *m);
    if (!m) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device: no memory for its description");
    m->bytes = bytes;
    /* Reserved, not committed: pages are committed as they are written. */
    m->host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (m->host == MAP_FAILED) {
        memory_free(m);
        char text[32];
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY,
                         "device memory: cannot reserve %s of address space: open the device with less",
                         number_format_bytes((double)bytes, text));
    }
    take_addresses(m);
    *out = m;
    return HAUL_OK;
}

void sim_memory_free(sim_memory *m) {
    if (!m) return;
    munmap(m->host, m->bytes);
    if (m->file) close(m->file);
    give_addresses(m);
    sim_marks_free(m->written);
    if (m->sees_virtual) sim_virtual_detach(m);
    sim_marks_free(m->virtual_written);
    memory_free(m->blocks);
    memory_free(m->mapped);
    sim_regions_free(m->regions);
    memory_free(m);
}

/* Called by virtual memory when bytes get or lose their contents. */
static void mark_virtual(void *memory, uint64_t address, uint64_t bytes, bool written) {
    (written ? sim_memory_mark_written : sim_memory_forget_written)(memory, address, bytes);
}

haul_status sim_memory_see_virtual(sim_memory *m, unsigned device) {
    HAUL_TRY(sim_virtual_attach((sim_virtual_user){m, mark_virtual}));
    m->sees_virtual = true;
    m->device = device;
    return HAUL_OK;
}

static uint64_t used_virtual(const sim_memory *m) {
    return m->sees_virtual ? sim_virtual_used(m->device) : 0;
}

static haul_status make_room(sim_memory *m) {
    void *blocks = memory_grow(m->blocks, m->count, &m->capacity, sizeof *m->blocks);
    if (!blocks)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: no host memory for the list of allocations");
    m->blocks = blocks;
    return HAUL_OK;
}

/* Aligns like the driver: large allocations start on a page of their own. */
static uint64_t alignment_of(uint64_t bytes) {
    return bytes >= PAGE ? PAGE : SIM_ALLOCATION_UNIT;
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
    const bool large = bytes >= PAGE, after_large = i && m->blocks[i - 1].bytes >= PAGE;
    *from = number_align(low, large || after_large ? PAGE : SIM_ALLOCATION_UNIT);
    if (!large && *from / PAGE != (*from + bytes - 1) / PAGE) *from = number_align(*from, PAGE);
    return *from + (large ? number_align(bytes, PAGE) : bytes) <= high;
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

void sim_memory_keep_apart(sim_memory *m) {
    m->apart = true;
    if (m->written) return;
    m->written = sim_marks_create(all_bytes(m));
    for (size_t i = 0; m->written && i < m->mapped_count; i++)
        sim_memory_mark_written(m, m->mapped[i].from, m->mapped[i].bytes);
    sim_memory_mark_all_written(m);
}

uint64_t sim_memory_place(const sim_memory *m) {
    return m->high;
}

void sim_memory_go_back(sim_memory *m, uint64_t place) {
    m->high = place;
    for (size_t i = 0; i < FREED; i++)
        if (m->freed[i].from >= place) m->freed[i].from = m->freed[i].to = 0;
}

/* Without it, writes are not followed. */
static void follow_virtual(sim_memory *m) {
    if (m->apart && m->sees_virtual && !m->virtual_written && sim_virtual_is_used())
        m->virtual_written = sim_marks_create(SIM_VIRTUAL_BYTES);
}

void sim_memory_prepare_written(sim_memory *m) {
    follow_virtual(m);
    sim_memory_settle_written(m);
}

void sim_memory_settle_written(const sim_memory *m) {
    sim_marks_settle(m->written);
    sim_marks_settle(m->virtual_written);
}

sim_marks *sim_memory_written(const sim_memory *m, uint64_t address, uint64_t *at) {
    if (sim_is_virtual(address)) {
        *at = address - SIM_VIRTUAL_BASE;
        return m->virtual_written;
    }
    m = home_of(m, address);
    *at = address - m->base;
    return *at < all_bytes(m) ? m->written : NULL;
}

void sim_memory_mark_written(sim_memory *m, uint64_t address, uint64_t bytes) {
    uint64_t at;
    if (sim_is_virtual(address)) follow_virtual(m);
    sim_marks *written = sim_memory_written(m, address, &at);
    if (written) sim_marks_add(written, at, bytes);
}

void sim_memory_mark_all_written(sim_memory *m) {
    for (size_t i = 0; i < m->count; i++) sim_memory_mark_written(m, m->base + m->blocks[i].from, m->blocks[i].asked);
}

void sim_memory_forget_written(sim_memory *m, uint64_t address, uint64_t bytes) {
    uint64_t at;
    sim_marks *written = sim_memory_written(m, address, &at);
    if (written) sim_marks_remove(written, at, bytes);
}

void sim_memory_carve(sim_memory *m, const sim_carving *carving) {
    m->carving = *carving;
}

sim_regions **sim_memory_regions(sim_memory *m) {
    return &m->regions;
}

/* Whether the address is in the device's heap, which knows its own blocks. */
static bool is_carved(const sim_memory *m, uint64_t address) {
    return address >= m->carving.from && address < m->carving.to;
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
    return (m->apart && find_end(m, bytes, GAP, at, from)) || find_end(m, bytes, 0, at, from);
}

uint64_t sim_memory_largest_free(const sim_memory *m) {
    uint64_t largest = 0;
    for (size_t i = 0; i <= m->count; i++) {
        uint64_t low, high;
        free_stretch(m, i, &low, &high);
        if (high - low > largest) largest = high - low;
    }
    return largest;
}

/* Says what was asked for and what is left in one piece. */
static haul_status no_room(const sim_memory *m, uint64_t bytes, const char *what) {
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

/* Finds whole pages for managed memory. */
static bool find_pages(const sim_memory *m, uint64_t bytes, size_t *at, uint64_t *from) {
    for (size_t i = 0; i <= m->count; i++) {
        uint64_t low, high;
        free_stretch(m, i, &low, &high);
        low = number_align(low, bytes >= PAGE ? PAGE : HOST_PAGE);
        if (low > high || high - low < host_pages(bytes)) continue;
        *at = i;
        *from = low;
        return true;
    }
    return false;
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

/* `find` decides where. The limit is what the device has and what the host can commit. */
static haul_status allocate(sim_memory *m, uint64_t asked, find_fn find, uint64_t *address) {
    size_t at;
    uint64_t from;
    uint64_t left, all;
    sim_memory_usage(m, &left, &all);
    if (asked > left) return no_room(m, asked, "device memory");
    uint64_t bytes = number_align(asked ? asked : 1, find == find_pages ? HOST_PAGE : SIM_ALLOCATION_UNIT);
    const bool fresh = m->apart && find == find_first && find_fresh(m, bytes + GAP, &at, &from);
    if (!fresh && !find(m, bytes, &at, &from)) return no_room(m, asked, "device memory");
    const uint64_t available = sim_host_available();
    if (bytes > available) return no_host_memory(asked, available);
    HAUL_TRY(insert_block(m, at, from, bytes, asked));
    m->used += bytes;
    memory_prefer_large_pages(m->host + from, bytes); /* kernels access it with any stride */
    if (find != find_last && from + bytes + GAP > m->high) m->high = from + bytes + GAP;
    *address = m->base + from;
    return HAUL_OK;
}

haul_status sim_memory_allocate(sim_memory *m, uint64_t bytes, uint64_t *address) {
    return allocate(m, bytes, find_first, address);
}

haul_status sim_memory_allocate_last(sim_memory *m, uint64_t bytes, uint64_t *address) {
    return allocate(m, bytes, find_last, address);
}

/* The index of the last allocation that starts at or before `offset`; count if there is none. */
static size_t locate(const sim_memory *m, uint64_t offset) {
    size_t at;
    SEARCH_FIRST(at, m->count, k, m->blocks[k].from <= offset);
    return at ? at - 1 : m->count;
}

haul_status sim_memory_allocate_managed(sim_memory *m, uint64_t bytes, uint64_t *address) {
    HAUL_TRY(allocate(m, bytes, find_pages, address));
    if (!show_to_host(m, *address, bytes)) {
        (void)sim_memory_release(m, *address);
        return haul_fail(HAUL_ERROR_UNSUPPORTED, "managed memory: the host has something else at 0x%llx",
                         (unsigned long long)*address);
    }
    sim_lookup_keep_out();
    m->blocks[locate(m, *address - m->base)].managed = true;
    sim_lookup_let_in();
    memory_prefer_large_pages((void *)(uintptr_t)*address, bytes);
    sim_memory_mark_written(m, *address, bytes);
    return HAUL_OK;
}

/* Maps the memory's own pages over whatever is there. */
static bool show_own_pages(const sim_memory *m, uint64_t from, uint64_t bytes) {
    const int flags = m->file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return mmap(m->host + from, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, m->file ? m->file : -1,
                m->file ? (off_t)from : 0) != MAP_FAILED;
}

haul_status sim_memory_release(sim_memory *m, uint64_t address) {
    uint64_t offset = address - m->base;
    size_t at = locate(m, offset);
    if (at == m->count || m->blocks[at].from != offset)
        return haul_fail(HAUL_ERROR_ARGUMENT, "device memory: 0x%llx is not the start of an allocation",
                         (unsigned long long)address);
    uint64_t bytes = m->blocks[at].bytes;
    sim_memory_forget_written(m, address, bytes);
    if (m->regions) sim_regions_forget(m->regions, address, bytes);
    if (m->blocks[at].managed) hide_from_host(address, bytes);
    m->freed[m->freed_count % FREED].from = offset;
    m->freed[m->freed_count++ % FREED].to = offset + m->blocks[at].asked;
    /* Returns whole pages to the system; they read as zero when used again. */
    uint64_t page = 4096, first = (offset + page - 1) / page * page, last = (offset + bytes) / page * page;
    if (m->blocks[at].imported) (void)show_own_pages(m, first, last - first);
    if (last > first) madvise(m->host + first, last - first, m->file ? MADV_REMOVE : MADV_DONTNEED);
    m->used -= bytes;
    sim_lookup_keep_out();
    m->count--;
    memmove(m->blocks + at, m->blocks + at + 1, (m->count - at) * sizeof *m->blocks);
    sim_lookup_let_in();
    return HAUL_OK;
}

void sim_memory_usage(const sim_memory *m, uint64_t *free, uint64_t *total) {
    const uint64_t used = m->used + used_virtual(m);
    *free = used < m->bytes ? m->bytes - used : 0;
    *total = m->bytes;
}

/* The bytes that the program asked for, without padding. */
static sim_range block_range(const sim_memory *m, size_t at) {
    const uint64_t from = m->base + m->blocks[at].from;
    const uintptr_t host = m->blocks[at].managed ? 0 : (uintptr_t)m->host - m->base;
    return (sim_range){.from = from, .to = from + m->blocks[at].asked, .host = host};
}

/* The index of the allocation that contains the address; m->count if there is none. */
static size_t block_of(const sim_memory *m, uint64_t address) {
    const size_t at = address < m->base ? m->count : locate(m, address - m->base);
    const bool within = at != m->count && address - m->base - m->blocks[at].from < m->blocks[at].asked;
    return within ? at : m->count;
}

bool sim_memory_is_managed(const sim_memory *m, uint64_t address) {
    m = home_of(m, address);
    const size_t at = block_of(m, address);
    return at != m->count && m->blocks[at].managed;
}

bool sim_memory_before(const sim_memory *m, uint64_t address, sim_range *range) {
    if (sim_is_virtual(address)) return m->sees_virtual && sim_virtual_before(m->device, address, range);
    m = home_of(m, address);
    size_t at = address < m->base ? m->count : locate(m, address - m->base);
    if (at == m->count) return false;
    *range = block_range(m, at);
    if (is_carved(m, address)) return m->carving.before(m->carving.context, address, range);
    return range->to <= address;
}

/* ---- several processes of one program ---- */

/* Pages that were never written need not be copied. */
static bool is_zero(const unsigned char *bytes) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, HOST_PAGE - 1) == 0;
}

/* Copies the allocation's pages; its first and last page may be shared with others. */
static bool write_pages(const sim_memory *m, size_t at, int file) {
    const uint64_t from = m->blocks[at].from / HOST_PAGE * HOST_PAGE;
    const uint64_t to = number_align(m->blocks[at].from + m->blocks[at].bytes, HOST_PAGE);
    for (uint64_t page = from; page < to; page += HOST_PAGE)
        if (!is_zero(m->host + page) && pwrite(file, m->host + page, HOST_PAGE, (off_t)page) != HOST_PAGE) return false;
    return true;
}

/* Copies all allocations to the file. */
static bool write_all(const sim_memory *m, int file) {
    for (size_t i = 0; i < m->count; i++)
        if (!m->blocks[i].imported && !write_pages(m, i, file)) return false;
    return true;
}

/* Maps the file over everything except imported allocations, which are whole pages. */
static bool show_file(const sim_memory *m) {
    uint64_t from = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->blocks[i].imported) continue;
        if (m->blocks[i].from > from && !show_own_pages(m, from, m->blocks[i].from - from)) return false;
        from = m->blocks[i].from + m->blocks[i].bytes;
    }
    return from >= m->bytes || show_own_pages(m, from, m->bytes - from);
}

/* Moves private memory into a file, which only takes memory for written pages, too. */
static haul_status use_file(sim_memory *m) {
    if (m->file) return HAUL_OK;
    const int file = memfd_create("haul-device", MFD_CLOEXEC);
    if (file > 0 && ftruncate(file, (off_t)m->bytes) == 0 && write_all(m, file)) {
        m->file = file;
        if (show_file(m)) return HAUL_OK;
    } else if (file > 0) {
        close(file);
    }
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: the host has no memory that processes can share");
}

haul_status sim_memory_share(sim_memory *m, uint64_t address, int *file, uint64_t *place, uint64_t *bytes) {
    const size_t at = block_of(m, address);
    if (at == m->count || m->blocks[at].managed || m->blocks[at].imported)
        return haul_fail(HAUL_ERROR_ARGUMENT, "device memory: 0x%llx: only memory from cudaMalloc() can be shared",
                         (unsigned long long)address);
    HAUL_TRY(use_file(m));
    *file = m->file;
    *place = m->blocks[at].from;
    *bytes = m->blocks[at].asked;
    sim_memory_mark_written(m, m->base + m->blocks[at].from, m->blocks[at].asked); /* others may write it */
    return HAUL_OK;
}

haul_status sim_memory_import(sim_memory *m, int file, uint64_t place, uint64_t bytes, uint64_t *address) {
    const uint64_t within = place % HOST_PAGE;
    HAUL_TRY(allocate(m, within + bytes, find_pages, address));
    unsigned char *host = m->host + (*address - m->base);
    if (mmap(host, host_pages(within + bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)(place - within)) == MAP_FAILED) {
        (void)sim_memory_release(m, *address);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: the memory of another process cannot be mapped");
    }
    m->blocks[locate(m, *address - m->base)].imported = true;
    sim_memory_mark_written(m, *address, within + bytes);
    *address += within;
    return HAUL_OK;
}

/* ---- mapped host memory ---- */

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
    uint64_t from = m->base + number_align(m->bytes, PAGE);
    const uint64_t end = m->base + all_bytes(m);
    for (size_t i = 0; i < m->mapped_count && m->mapped[i].from < from + within + bytes + GAP; i++)
        if (m->mapped[i].from >= m->base) from = number_align(m->mapped[i].from + m->mapped[i].bytes + GAP, PAGE);
    if (bytes > SIM_HOST_BYTES || from + within + bytes + GAP > end) return no_room(m, bytes, "mapped memory");
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
    if (!is_plain(*address, bytes)) HAUL_TRY(find_gap(m, (uintptr_t)host % PAGE, bytes, address));
    insert_mapped(m, *address, host, bytes, false);
    return HAUL_OK;
}

haul_status sim_memory_map_new(sim_memory *m, uint64_t bytes, void **host, uint64_t *address) {
    HAUL_TRY(make_mapping_room(m));
    HAUL_TRY(find_gap(m, 0, bytes, address));
    const bool owned = show_to_host(m, *address, bytes);
    *host = owned ? (void *)(uintptr_t)*address : aligned_alloc(HOST_PAGE, host_pages(bytes));
    if (!*host)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "pinned memory: the host has no %llu bytes left",
                         (unsigned long long)bytes);
    insert_mapped(m, *address, *host, bytes, owned);
    return HAUL_OK;
}

/* Finds the mapped host memory that contains the address. */
static bool find_mapped(const sim_memory *m, uint64_t address, size_t *at) {
    size_t behind;
    SEARCH_FIRST(behind, m->mapped_count, k, m->mapped[k].from <= address);
    *at = behind - 1;
    return behind && address - m->mapped[behind - 1].from < m->mapped[behind - 1].bytes;
}

/* Numbers tell allocations apart even if addresses are reused; 0: none. */
uint64_t sim_memory_number(const sim_memory *m, uint64_t address) {
    const uint64_t series = (uint64_t)m->place << 48;
    size_t at = block_of(m, address);
    if (at != m->count) return series | m->blocks[at].number;
    return find_mapped(m, address, &at) ? series | m->mapped[at].number : 0;
}

uint64_t sim_memory_first_mapped(const sim_memory *m, uint64_t *end) {
    if (m->family) m = m->family[0];
    if (!m->mapped_count) return 0;
    *end = number_align(m->mapped[m->mapped_count - 1].from + m->mapped[m->mapped_count - 1].bytes, PAGE);
    return m->mapped[0].from / PAGE * PAGE;
}

void sim_memory_unmap(sim_memory *m, uint64_t address) {
    size_t at;
    if (!find_mapped(m, address, &at)) return;
    sim_memory_forget_written(m, m->mapped[at].from, m->mapped[at].bytes);
    if (m->mapped[at].owned) hide_from_host(m->mapped[at].from, m->mapped[at].bytes);
    m->mapped_count--;
    memmove(m->mapped + at, m->mapped + at + 1, (m->mapped_count - at) * sizeof *m->mapped);
}

/* The heap is an allocation that is searched further. */
static bool find_in_block(const sim_memory *m, size_t at, uint64_t address, sim_range *range) {
    *range = block_range(m, at);
    return !is_carved(m, address) || m->carving.find(m->carving.context, address, range);
}

static bool find_mapped_range(const sim_memory *m, uint64_t address, sim_range *range) {
    size_t at;
    if (!find_mapped(m, address, &at)) return false;
    range->from = m->mapped[at].from;
    range->to = range->from + m->mapped[at].bytes;
    range->host = (uintptr_t)m->mapped[at].host - range->from;
    return true;
}

/* ---- several devices of one program ---- */

/* Returns whether the device at the place has access to the allocation. */
static bool is_for(const sim_memory *m, size_t at, unsigned place) {
    const uint64_t places = m->blocks[at].chosen ? m->blocks[at].visible : m->peers;
    return m->blocks[at].managed || (places >> place & 1);
}

/* Finds what other devices of the program have there. */
static bool find_in_family(const sim_memory *m, uint64_t address, sim_range *range) {
    const sim_memory *home = home_of(m, address);
    const size_t at = home == m ? home->count : block_of(home, address);
    if (at != home->count) return is_for(home, at, m->place) && find_in_block(home, at, address, range);
    for (unsigned i = 0; i < m->family_count; i++)
        if (m->family[i] != m && find_mapped_range(m->family[i], address, range)) return true;
    return false;
}

void sim_memory_join(sim_memory *m, sim_memory *const *family, unsigned count, unsigned place) {
    m->family = family;
    m->family_count = count;
    m->place = place;
}

bool sim_memory_set_peer(sim_memory *m, unsigned place, bool reaches) {
    const uint64_t bit = UINT64_C(1) << place, peers = reaches ? m->peers | bit : m->peers & ~bit;
    const bool changes = peers != m->peers;
    m->peers = peers;
    return changes;
}

void sim_memory_set_visible(sim_memory *m, uint64_t address, uint64_t places) {
    const size_t at = block_of(m, address);
    if (at == m->count) return;
    sim_lookup_keep_out();
    m->blocks[at].chosen = true;
    m->blocks[at].visible = places;
    sim_lookup_let_in();
}

/* Whether this very device has memory at the address. */
static bool has(const sim_memory *m, uint64_t address) {
    sim_range range;
    if (sim_is_virtual(address)) return m->sees_virtual && sim_virtual_find(m->device, address, &range);
    return block_of(m, address) != m->count || find_mapped_range(m, address, &range);
}

sim_memory *sim_memory_owner(sim_memory *m, uint64_t address) {
    if (!m->family || has(m, address)) return m;
    for (unsigned i = 0; i < m->family_count; i++)
        if (has(m->family[i], address)) return m->family[i];
    return m;
}

bool sim_memory_is_shared(const sim_memory *m) {
    uint64_t places = m->peers;
    for (size_t i = 0; i < m->count; i++)
        if (m->blocks[i].chosen) places |= m->blocks[i].visible;
    return places & ~(UINT64_C(1) << m->place);
}

bool sim_memory_peer(const sim_memory *m, unsigned k, uint64_t *from, uint64_t *to) {
    if (k >= m->family_count) return false;
    const sim_memory *other = m->family[k];
    *from = *to = other->base;
    if (other != m) *to += other->bytes;
    return true;
}

/* ---- looking up addresses ---- */

/* The device's own memory first, which is the usual case. */
static bool find_listed(const sim_memory *m, uint64_t address, sim_range *range) {
    const size_t at = block_of(m, address);
    if (at != m->count) return find_in_block(m, at, address, range);
    return find_mapped_range(m, address, range) || (m->family && find_in_family(m, address, range));
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

const char *sim_memory_reason(const sim_memory *m, uint64_t address) {
    const bool known = m->sees_virtual && sim_is_virtual(address);
    const sim_memory *home = home_of(m, address);
    pthread_rwlock_t *const own = sim_lookup_begin();
    const bool is_others = home != m && block_of(home, address) != home->count;
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

bool sim_memory_was_freed(const sim_memory *m, uint64_t address, sim_range *range) {
    m = home_of(m, address);
    const uint64_t offset = address - m->base;
    const size_t kept = m->freed_count < FREED ? m->freed_count : FREED;
    if (is_carved(m, address)) return m->carving.was_freed(m->carving.context, address, range);
    for (size_t i = 0; i < kept; i++) {
        if (offset < m->freed[i].from || offset >= m->freed[i].to) continue;
        range->from = m->base + m->freed[i].from;
        range->to = m->base + m->freed[i].to;
        return true;
    }
    return false;
}

void *sim_memory_at(const sim_memory *m, uint64_t address, uint64_t bytes) {
    sim_range range;
    if (bytes == 0 || !sim_memory_find(m, address, &range) || bytes > range.to - address) return NULL;
    return (void *)(range.host + address);
}

/* ---- after allocations ---- */

void sim_memory_map_pages(sim_memory *m) {
    m->maps_pages = true;
}

/* Returns whether an allocation of the device lies in, or overlaps, the large page. */
static bool is_page_mapped(const sim_memory *m, uint64_t offset) {
    const uint64_t page = offset / PAGE * PAGE;
    for (size_t k = locate(m, page + PAGE - 1); k < m->count && m->blocks[k].from + m->blocks[k].bytes > page; k--) {
        if (!m->blocks[k].managed) return true;
        if (!k) return false;
    }
    return false;
}

/* Hardware maps whole pages, so bytes after an allocation may be accessible. */
static void *in_device_pages(const sim_memory *m, uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - m->base;
    if (address < m->base || offset >= m->bytes || bytes > m->bytes - offset) return NULL;
    const size_t at = locate(m, offset);
    if (at != m->count && m->blocks[at].managed && offset + bytes <= m->blocks[at].from + m->blocks[at].bytes)
        return (void *)(uintptr_t)address;
    for (uint64_t page = offset / PAGE * PAGE; page < offset + bytes; page += PAGE)
        if (!is_page_mapped(m, page)) return NULL;
    return m->host + offset;
}

/* The list is sorted by address. */
static void *in_host_pages(const sim_memory *m, uint64_t address, uint64_t bytes) {
    size_t at;
    SEARCH_FIRST(at, m->mapped_count, k, m->mapped[k].from <= address);
    if (!at--) return NULL;
    unsigned char *host = m->mapped[at].host + (address - m->mapped[at].from);
    const uint64_t end = number_align((uintptr_t)m->mapped[at].host + m->mapped[at].bytes, HOST_PAGE);
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
        range = block_range(m, 0);
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
