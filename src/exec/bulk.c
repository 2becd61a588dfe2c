/* Moves the bytes of bulk and tensor copies, at the moment that async.c chooses.
 *
 * Contiguous copies are one memcpy. A tensor copy is a box of an array: sim_tensor_walk (machine/tensor.h) yields its
 * rows, with the part that is inside the array; the rest of a loaded row is filled. In shared memory 16-byte chunks are
 * swizzled.
 *
 * Sources in shared memory are read through the engine's view, which differs from shared memory only under schedules
 * without fences (exec/unfenced.h). */
#include "exec/bulk.h"

#include "base/memory.h"
#include "check/hazard.h"
#include "exec/atomic.h"
#include "exec/mbarrier.h"
#include "exec/unfenced.h"

#include <string.h>

/* Applies the bulk's operation element by element. The caller sees to it that no other SM interferes. */
static void reduce(const sim_bulk *bulk, unsigned char *to, const unsigned char *from, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += bulk->element) {
        uint64_t operand = 0;
        bool changed;
        memcpy(&operand, from + at, bulk->element);
        sim_atomic_apply((sim_atomic_kind)bulk->atomic, bulk->element, to + at, operand, 0, &changed);
    }
}

/* Stores the bytes that the mask selects; its 16 bits repeat every 16 bytes. */
static void store_some(const sim_bulk *bulk, unsigned char *global, const unsigned char *from, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at++)
        if (bulk->mask >> at % 16 & 1) global[at] = from[at];
}

/* Writes bytes to global memory as the copy says: masked, reduced or plain. */
static void put(const sim_bulk *bulk, unsigned char *global, const unsigned char *from, uint32_t bytes) {
    if (bulk->masked)
        store_some(bulk, global, from, bytes);
    else if (bulk->kind == SIM_BULK_REDUCE)
        reduce(bulk, global, from, bytes);
    else
        memcpy(global, from, bytes);
}

/* ---- where a copy finds its bytes ---- */

/* The part of shared memory that contains the copy's bytes. Swizzling exchanges bytes within 128. */
typedef struct stretch {
    uint32_t from, to;
} stretch;

enum { SWIZZLED = 128 };

/* Returns that part, rounded outwards to whole groups of 128 bytes, but not beyond the block's memory. */
static stretch shared_stretch(const sim_block *b, const sim_bulk *bulk) {
    const uint64_t box = bulk->tensor.rank ? sim_tensor_shared_bytes(&bulk->tensor) : 0;
    const uint64_t end = bulk->shared + (box > bulk->bytes ? box : bulk->bytes) + SWIZZLED - 1;
    const uint32_t limit = b->sm->grid->shared_bytes;
    return (stretch){bulk->shared / SWIZZLED * SWIZZLED, end < limit ? (uint32_t)(end / SWIZZLED * SWIZZLED) : limit};
}

/* The source of a store, at that address of shared memory. Staged bytes begin where the stretch does. */
static const unsigned char *source_at(const sim_block *b, const sim_bulk *bulk, uint32_t address) {
    if (!bulk->staged) return b->engine_view + address;
    return bulk->staged + (address - shared_stretch(b, bulk).from);
}

/* ---- tensor copies, row by row ---- */

enum { CHUNK = 16 };

/* Writes a chunk at its swizzled place. One kind of swizzle also exchanges the chunk's halves. */
static void put_chunk(sim_block *b, const sim_tensor *t, uint32_t shared, const unsigned char *from) {
    const size_t half = sim_tensor_flips(t, shared) ? CHUNK / 2 : 0;
    unsigned char *to = b->shared + sim_tensor_swizzle(t, shared);
    memcpy(to, from + half, CHUNK / 2);
    memcpy(to + CHUNK / 2, from + CHUNK / 2 - half, CHUNK / 2);
}

/* Fills a row with the map's fill value, copies the part inside the array over it, and writes it chunk by chunk. */
static void load_row(sim_block *b, const sim_bulk *bulk, const sim_tensor_row *row) {
    unsigned char line[SIM_TENSOR_MOST_ROW];
    const uint32_t inside = row->to - row->from;
    const unsigned char *global = inside ? sim_memory_at_or_in_pages(b->sm->grid->memory, row->global, inside) : NULL;
    sim_tensor_fill(&bulk->tensor, line, row->bytes);
    if (global) {
        memcpy(line + row->from, global, inside);
        sim_unfenced_hide(b, row->global, line + row->from, inside);
        sim_tensor_convert(&bulk->tensor, line + row->from, inside);
    }
    for (uint32_t at = 0; at < row->bytes; at += CHUNK)
        put_chunk(b, &bulk->tensor, bulk->shared + row->offset + at, line + at);
}

/* Collects a row from its swizzled chunks and writes the part inside the array. */
static void store_row(sim_block *b, const sim_bulk *bulk, const sim_tensor_row *row) {
    unsigned char line[SIM_TENSOR_MOST_ROW];
    const uint32_t inside = row->to - row->from;
    unsigned char *global = inside ? sim_memory_at_or_in_pages(b->sm->grid->memory, row->global, inside) : NULL;
    if (!global) return;
    for (uint32_t at = 0; at < row->bytes; at += CHUNK)
        memcpy(line + at, source_at(b, bulk, sim_tensor_swizzle(&bulk->tensor, bulk->shared + row->offset + at)),
               CHUNK);
    put(bulk, global, line + row->from, inside);
}

/* Moves a box row by row; the walk says which bytes of a row are in the array. */
static void copy_box(sim_block *b, const sim_bulk *bulk) {
    sim_tensor_walk walk;
    sim_tensor_row row;
    sim_tensor_walk_start(&walk, &bulk->tensor, bulk->at, bulk->kind != SIM_BULK_LOAD);
    while (sim_tensor_walk_next(&walk, &row)) {
        if (bulk->kind == SIM_BULK_LOAD)
            load_row(b, bulk, &row);
        else
            store_row(b, bulk, &row);
    }
}

/* ---- both kinds ---- */

/* Copies contiguous bytes: a value (st.async), bytes from another block, or between global and shared memory. */
static void copy_bytes(sim_block *b, const sim_bulk *bulk) {
    unsigned char *shared = b->shared + bulk->shared;
    if (bulk->has_value) {
        if (bulk->atomic == SIM_ATOMIC_NONE)
            memcpy(shared, bulk->value, bulk->bytes);
        else
            reduce(bulk, shared, bulk->value, bulk->bytes);
        return;
    }
    if (bulk->source) {
        const unsigned char *from = bulk->source->engine_view + bulk->global;
        if (bulk->atomic == SIM_ATOMIC_NONE)
            memmove(shared, from, bulk->bytes);
        else
            reduce(bulk, shared, from, bulk->bytes);
        return;
    }
    const uint64_t address = bulk->global + bulk->left;
    const uint32_t bytes = sim_bulk_read(bulk);
    unsigned char *global = bytes ? sim_memory_at_or_in_pages(b->sm->grid->memory, address, bytes) : NULL;
    if (!global) return; /* freed meanwhile by the host; ignored */
    if (bulk->kind == SIM_BULK_LOAD) {
        memcpy(shared + bulk->left, global, bytes);
        sim_unfenced_hide(b, address, shared + bulk->left, bytes);
    } else {
        put(bulk, global, source_at(b, bulk, bulk->shared), bytes);
    }
}

static void move(sim_block *to, const sim_bulk *bulk) {
    if (bulk->tensor.rank)
        copy_box(to, bulk);
    else
        copy_bytes(to, bulk);
}

/* Loads under a schedule in which the engine has a view of its own. The copy writes shared memory and the view; stores
 * that no fence has published stay hidden from the view. Returns false if the host has no memory. */
static bool load_into_view(sim_block *to, const sim_bulk *bulk) {
    const stretch s = shared_stretch(to, bulk);
    unsigned char *before = memory_alloc(s.to - s.from + 1);
    if (!before) return false;
    sim_unfenced_before_write(to, s.from, s.to - s.from, before);
    move(to, bulk);
    sim_unfenced_after_write(to, s.from, s.to - s.from, before);
    memory_free(before);
    return true;
}

void sim_bulk_move(sim_block *b, const sim_bulk *bulk) {
    sim_block *to = bulk->destination ? bulk->destination : b;
    const bool is_seen_apart = bulk->kind == SIM_BULK_LOAD && to->engine_view != to->shared;
    if (!is_seen_apart || !load_into_view(to, bulk)) move(to, bulk);
}

bool sim_bulk_stage(sim_block *b, sim_bulk *bulk) {
    const stretch s = shared_stretch(b, bulk);
    bulk->staged = memory_alloc(s.to - s.from);
    if (bulk->staged) memcpy(bulk->staged, b->engine_view + s.from, s.to - s.from);
    return bulk->staged != NULL;
}

/* A multicast with .cta_group::2 may deliver into a block other than the one that waits; the checks follow none of
 * these. */
void sim_bulk_complete(sim_block *b, sim_bulk *bulk) {
    const bool is_here = !bulk->destination || bulk->destination == b;
    if (b->sm->hazards && is_here && !bulk->staged) sim_hazard_bulk_done(b, bulk);
    if (!bulk->moved) sim_bulk_move(b, bulk);
    memory_free(bulk->staged);
    uint64_t *object = bulk->kind == SIM_BULK_LOAD ? sim_mbarrier_at(b, bulk->barrier) : NULL;
    if (object) sim_mbarrier_update(b, object, 0, -(int64_t)bulk->bytes);
}
