/* The device's heap: malloc() and free() of kernels.
 *
 * The heap is an allocation of global memory, divided into units of 16 bytes. Records of blocks are kept beside it on
 * the host, where kernels cannot overwrite them; pages of records are made by the system as they are needed. Under
 * check the blocks are `apart`: freed ones are not reused while addresses last, so that a use after free is seen, and
 * each begins a line of its own. Copies of the heap let a launch be run again. */
#include "machine/heap.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>
#include <sys/mman.h>

enum { UNIT = 16, LINE = 128, LISTS = 32 };
/* Every POST-th unit inside a block points to the block's start. */
enum { POST = 64 };
/* With blocks apart, the heap takes up to ROOM times its size of addresses, as far as there are any. */
enum { ROOM = 64 };
#define NOWHERE UINT32_MAX

typedef enum unit_state { INSIDE, LIVE, FREE, GONE } unit_state;

/* The heap is a row of blocks up to `top`, with nothing after it. A block's data is kept in its first unit; its other
 * units are INSIDE. GONE: freed, but not reusable yet. */
typedef struct unit {
    uint64_t bytes;  /* requested */
    uint32_t length; /* units */
    uint32_t next;   /* FREE: the next block in its list; post: its block + 1 */
    uint32_t state;
    sim_heap_origin origin;
} unit;

struct sim_heap {
    sim_memory *memory;
    uint64_t base, limit, used, releases;
    uint32_t units, top;
    bool apart;
    bool merged; /* nothing was freed since the last merge */
    unit *unit;
    uint32_t list[LISTS]; /* FREE blocks of 2^k .. 2^(k+1)-1 units */
};

static uint64_t address_of(const sim_heap *h, uint32_t at) {
    return h->base + (uint64_t)at * UNIT;
}

/* ---- finding the block of an address; blocks are apart ---- */

/* Goes back to the block's start: by posts, or unit by unit up to the last post. */
static bool block_at(const sim_heap *h, uint64_t address, uint32_t *at) {
    *at = (uint32_t)((address - h->base) / UNIT);
    if (*at >= h->top) return false;
    while (h->unit[*at].state == INSIDE) *at = h->unit[*at].next ? h->unit[*at].next - 1 : *at - 1;
    return true;
}

static void describe(const sim_heap *h, uint32_t at, sim_range *range) {
    range->from = address_of(h, at);
    range->to = range->from + h->unit[at].bytes;
}

static bool find_live(const void *heap, uint64_t address, sim_range *range) {
    const sim_heap *h = heap;
    uint32_t at;
    if (!block_at(h, address, &at) || h->unit[at].state != LIVE) return false;
    describe(h, at, range);
    return address < range->to;
}

static bool find_gone(const void *heap, uint64_t address, sim_range *range) {
    const sim_heap *h = heap;
    uint32_t at;
    if (!block_at(h, address, &at) || h->unit[at].state != GONE) return false;
    describe(h, at, range);
    return address < range->to;
}

static bool find_before(const void *heap, uint64_t address, sim_range *range) {
    const sim_heap *h = heap;
    uint32_t at;
    if (!block_at(h, address, &at) || h->unit[at].state != LIVE) return false;
    describe(h, at, range);
    return address >= range->to;
}

/* ---- creation and destruction ---- */

/* Addresses are cheap, so a heap with blocks apart takes many more than its size, as far as records can number them. */
static uint64_t room_for(const sim_memory *m, uint64_t bytes, bool apart) {
    const uint64_t numbered = (uint64_t)(NOWHERE - 1) * UNIT, quarter = sim_memory_largest_free(m) / 4;
    const uint64_t most = quarter < numbered ? quarter : numbered, wanted = bytes * ROOM;
    const uint64_t room = !apart || most < bytes ? bytes : wanted < most ? wanted : most;
    return room / SIM_ALLOCATION_UNIT * SIM_ALLOCATION_UNIT;
}

/* Back to an empty heap. */
static void forget_blocks(sim_heap *h) {
    memset(h->unit, 0, h->top * sizeof *h->unit);
    h->top = 0;
    for (unsigned k = 0; k < LISTS; k++) h->list[k] = NOWHERE;
    h->merged = true;
}

/* Records are one more than units, so that the end can be asked for. */
static haul_status take_memory(sim_heap *h, uint64_t bytes) {
    const uint64_t room = room_for(h->memory, bytes, h->apart);
    if (room / UNIT >= NOWHERE) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device heap: it can have at most 64 GiB");
    HAUL_TRY(sim_memory_reserve_last(h->memory, room, bytes, &h->base));
    h->units = (uint32_t)(room / UNIT);
    h->unit = mmap(NULL, (h->units + 1) * sizeof *h->unit, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (h->unit != MAP_FAILED) return HAUL_OK;
    sim_memory_release(h->memory, h->base);
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device heap: the host has no memory for its records");
}

haul_status sim_heap_create(sim_memory *m, uint64_t bytes, bool apart, sim_heap **heap) {
    *heap = NULL;
    sim_heap *h = memory_zeroed(1, sizeof *h);
    if (!h) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device heap: the host has no memory for it");
    h->memory = m;
    h->limit = bytes;
    h->apart = apart;
    const haul_status status = take_memory(h, bytes);
    if (status != HAUL_OK) {
        memory_free(h);
        return status;
    }
    forget_blocks(h);
    if (apart)
        sim_memory_carve(m, &(sim_carving){.from = h->base,
                                           .to = address_of(h, h->units),
                                           .context = h,
                                           .find = find_live,
                                           .was_freed = find_gone,
                                           .before = find_before});
    *heap = h;
    return HAUL_OK;
}

void sim_heap_end(sim_heap *h) {
    if (!h) return;
    if (h->apart) sim_memory_carve(h->memory, &(sim_carving){0});
    sim_memory_release(h->memory, h->base);
    munmap(h->unit, (h->units + 1) * sizeof *h->unit);
    memory_free(h);
}

/* ---- free blocks ---- */

/* The list of a length: its binary logarithm. */
static unsigned list_of(uint32_t length) {
    return 31 - (unsigned)__builtin_clz(length);
}

static void add_free(sim_heap *h, uint32_t at, uint32_t length) {
    if (!length) return;
    const unsigned k = list_of(length);
    h->unit[at] = (unit){.length = length, .next = h->list[k], .state = FREE};
    h->list[k] = at;
}

/* Merges adjacent free blocks; free units at the end leave the heap. */
static void merge_free(sim_heap *h) {
    uint32_t last = NOWHERE;
    for (unsigned k = 0; k < LISTS; k++) h->list[k] = NOWHERE;
    for (uint32_t at = 0, length; at < h->top; at += length) {
        const bool is_free = h->unit[at].state == FREE;
        length = h->unit[at].length;
        if (is_free) h->unit[at] = (unit){0};
        if (!is_free && last != NOWHERE) add_free(h, last, at - last);
        last = !is_free ? NOWHERE : last == NOWHERE ? at : last;
    }
    if (last != NOWHERE) h->top = last;
    h->merged = true;
}

/* Units before the first aligned address in a block at `at`. */
static uint32_t skipped(const sim_heap *h, uint32_t at, uint64_t alignment) {
    return (uint32_t)((0 - address_of(h, at)) % alignment / UNIT);
}

/* Takes the first block of the list that has room at the alignment; what is left on both sides becomes free blocks. */
static bool take_from(sim_heap *h, uint32_t *link, uint32_t length, uint64_t alignment, uint32_t *at) {
    for (; *link != NOWHERE; link = &h->unit[*link].next) {
        const uint32_t from = *link, all = h->unit[from].length, skip = skipped(h, from, alignment);
        if (all < length || all - length < skip) continue;
        *link = h->unit[from].next;
        h->unit[from] = (unit){0};
        add_free(h, from, skip);
        add_free(h, from + skip + length, all - skip - length);
        *at = from + skip;
        return true;
    }
    return false;
}

static bool take_free(sim_heap *h, uint32_t length, uint64_t alignment, uint32_t *at) {
    for (unsigned k = list_of(length); k < LISTS; k++)
        if (take_from(h, &h->list[k], length, alignment, at)) return true;
    return false;
}

/* Takes units from the end of the heap. */
static bool take_fresh(sim_heap *h, uint32_t length, uint64_t alignment, uint32_t *at) {
    const uint32_t skip = skipped(h, h->top, alignment), left = h->units - h->top;
    if (left < length || left - length < skip) return false;
    if (h->apart && skip)
        h->unit[h->top] = (unit){.length = skip, .state = GONE};
    else
        add_free(h, h->top, skip);
    *at = h->top + skip;
    h->top = *at + length;
    return true;
}

/* With blocks apart, fresh addresses come first; otherwise freed blocks do. */
static bool take(sim_heap *h, uint32_t length, uint64_t alignment, uint32_t *at) {
    if (h->apart) return take_fresh(h, length, alignment, at) || take_free(h, length, alignment, at);
    if (take_free(h, length, alignment, at) || take_fresh(h, length, alignment, at)) return true;
    if (h->merged) return false;
    merge_free(h);
    return take_free(h, length, alignment, at) || take_fresh(h, length, alignment, at);
}

/* ---- blocks ---- */

static void set_posts(sim_heap *h, uint32_t at) {
    const uint32_t end = at + h->unit[at].length;
    for (uint32_t post = (at / POST + 1) * POST; post < end; post += POST) h->unit[post].next = at + 1;
}

/* The bytes that a block counts against the limit. */
static uint64_t cost_of(uint64_t bytes) {
    return (bytes + UNIT - 1) / UNIT * UNIT + UNIT;
}

/* Freed blocks may be reused between launches, once half of the addresses are gone. */
void sim_heap_begin_launch(sim_heap *h) {
    if (!h->apart || h->top < h->units / 2) return;
    for (uint32_t at = 0; at < h->top; at += h->unit[at].length)
        if (h->unit[at].state == GONE) h->unit[at].state = FREE;
    merge_free(h);
}

uint64_t sim_heap_allocate(sim_heap *h, uint64_t asked, uint64_t alignment, const sim_heap_origin *origin) {
    const uint64_t bytes = asked ? asked : 1, unit_bytes = h->apart ? LINE : UNIT;
    uint32_t at;
    if (bytes > h->limit || cost_of(bytes) > h->limit - h->used) return 0;
    const uint32_t length = (uint32_t)((cost_of(bytes) + unit_bytes - 1) / unit_bytes * (unit_bytes / UNIT));
    if (alignment > h->limit) return 0;
    if (!take(h, length, alignment < unit_bytes ? unit_bytes : alignment, &at)) return 0;
    h->unit[at] = (unit){.bytes = bytes, .length = length, .state = LIVE};
    if (origin) h->unit[at].origin = *origin;
    h->used += cost_of(bytes);
    if (h->apart) {
        set_posts(h, at);
        sim_memory_forget_written(h->memory, address_of(h, at), bytes);
    }
    return address_of(h, at);
}

/* Tells a double free from an address that never was a block. */
sim_heap_free sim_heap_release(sim_heap *h, uint64_t address) {
    if (!sim_heap_contains(h, address) || (address - h->base) % UNIT) return SIM_HEAP_NO_BLOCK;
    const uint32_t at = (uint32_t)((address - h->base) / UNIT);
    unit *u = &h->unit[at];
    if (at >= h->top || u->state == INSIDE || (u->state == GONE && !u->bytes)) return SIM_HEAP_NO_BLOCK;
    if (u->state != LIVE) return SIM_HEAP_WAS_FREE;
    h->used -= cost_of(u->bytes);
    h->releases++;
    h->merged = false;
    if (h->apart)
        u->state = GONE;
    else if (h->used == 0)
        forget_blocks(h);
    else
        add_free(h, at, u->length);
    return SIM_HEAP_FREED;
}

uint64_t sim_heap_releases(const sim_heap *h) {
    return h->releases;
}

bool sim_heap_contains(const sim_heap *h, uint64_t address) {
    return address - h->base < (uint64_t)h->units * UNIT;
}

bool sim_heap_next(const sim_heap *h, sim_heap_block *b) {
    uint32_t at = b->address ? (uint32_t)((b->address - h->base) / UNIT) : 0;
    if (b->address) at += h->unit[at].length;
    while (at < h->top && h->unit[at].state != LIVE) at += h->unit[at].length;
    if (at >= h->top) return false;
    *b = (sim_heap_block){.address = address_of(h, at), .bytes = h->unit[at].bytes, .origin = h->unit[at].origin};
    return true;
}

/* ---- copies ---- */

struct sim_heap_copy {
    sim_heap heap; /* its numbers */
    unit *unit;
    unsigned char *bytes, *written; /* contents (NULL: no block is live); which were written (NULL: not known) */
};

void sim_heap_copy_free(sim_heap_copy *copy) {
    if (!copy) return;
    memory_free(copy->unit);
    memory_free(copy->bytes);
    memory_free(copy->written);
    memory_free(copy);
}

/* Returns where the host has the heap's bytes; NULL if no block is live, so that they mean nothing. */
static unsigned char *host_of(const sim_heap *h) {
    sim_heap_block live = {0};
    sim_range range;
    if (!sim_heap_next(h, &live) || !sim_memory_find(h->memory, live.address, &range)) return NULL;
    return (unsigned char *)(range.host + h->base);
}

static void *copy_of(const void *from, size_t bytes) {
    void *copy = memory_alloc(bytes + 1);
    return copy ? memcpy(copy, from, bytes) : NULL;
}

/* Returns whether it has copied which bytes were written, or need not. */
static bool copy_written(const sim_heap *h, sim_heap_copy *c) {
    uint64_t at;
    const size_t bytes = (size_t)h->top * UNIT;
    const sim_marks *written = sim_memory_written(h->memory, h->base, &at);
    if (!written) return true;
    c->written = memory_alloc(bytes / SIM_MARK_WORD + 1);
    if (c->written) sim_marks_save(written, at, bytes, c->written);
    return c->written;
}

haul_status sim_heap_copy_make(const sim_heap *h, sim_heap_copy **copy) {
    const size_t bytes = (size_t)h->top * UNIT;
    sim_heap_copy *c = *copy = memory_zeroed(1, sizeof *c);
    if (!c) return haul_no_memory("the device's heap");
    c->heap = *h;
    c->unit = copy_of(h->unit, h->top * sizeof *h->unit);
    const unsigned char *host = host_of(h);
    if (host) c->bytes = copy_of(host, bytes);
    const bool whole = c->unit && (c->bytes || !host) && copy_written(h, c);
    return whole ? HAUL_OK : haul_no_memory("the device's heap");
}

/* NULL restores an empty heap. */
void sim_heap_copy_restore(sim_heap *h, const sim_heap_copy *c) {
    const uint32_t top = h->top;
    forget_blocks(h);
    h->used = 0;
    h->releases++; /* addresses that were valid may be invalid now */
    sim_memory_forget_written(h->memory, h->base, (uint64_t)top * UNIT);
    if (!c) return;
    h->used = c->heap.used;
    h->top = c->heap.top;
    h->merged = c->heap.merged;
    memcpy(h->list, c->heap.list, sizeof h->list);
    memcpy(h->unit, c->unit, h->top * sizeof *h->unit);
    if (c->bytes) memcpy(host_of(h), c->bytes, (size_t)h->top * UNIT);
    uint64_t at;
    sim_marks *written = sim_memory_written(h->memory, h->base, &at);
    if (c->written && written) sim_marks_restore(written, at, (uint64_t)h->top * UNIT, c->written);
}
