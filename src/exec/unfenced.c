/* Stores that no proxy fence has published yet, for schedules in which the copy engine does not see them.
 *
 * For global memory, each block has a hash table of the words that it has stored to since its last fence, with their
 * values before. When the engine reads for the block, those values replace the bytes that it has read
 * (sim_unfenced_hide()). So only the block's own stores are hidden from its copies.
 *
 * Shared memory is small enough for a second view, which the engine reads; a fence copies shared memory into it.
 *
 * If the host has no memory for the table, a store is seen at once; the schedule then shows fewer defects. */
#include "exec/unfenced.h"

#include "base/memory.h"
#include "machine/memory.h"
#include "state/lanes.h"

#include <string.h>

enum { WORD = 4, SMALLEST = 256 };

typedef struct old_word {
    uint64_t address; /* 0: free */
    uint32_t value;
} old_word;

/* Open addressing by address, at most half full. */
struct sim_unfenced {
    old_word *words;
    size_t size, count; /* size: a power of two */
};

/* Returns the word's entry, or the free one where it would go. */
static old_word *find(const struct sim_unfenced *u, uint64_t address) {
    size_t at = (size_t)(address / WORD * 0x9e3779b97f4a7c15ull >> 20) & (u->size - 1);
    while (u->words[at].address && u->words[at].address != address) at = (at + 1) & (u->size - 1);
    return &u->words[at];
}

/* Keeps the table at most half full. Returns false if the host has no memory. */
static bool make_room(struct sim_unfenced *u) {
    if (2 * u->count < u->size) return true;
    struct sim_unfenced larger = {.size = u->size ? 2 * u->size : SMALLEST, .count = u->count};
    larger.words = memory_zeroed(larger.size, sizeof *larger.words);
    if (!larger.words) return false;
    for (size_t i = 0; i < u->size; i++)
        if (u->words[i].address) *find(&larger, u->words[i].address) = u->words[i];
    memory_free(u->words);
    *u = larger;
    return true;
}

/* Keeps the word's present value, unless an older one is kept already. */
static void keep_word(sim_block *b, uint64_t address) {
    struct sim_unfenced *u = b->unfenced;
    const void *now = sim_memory_at(b->sm->grid->memory, address, WORD);
    if (!now || !make_room(u)) return;
    old_word *old = find(u, address);
    if (old->address) return;
    old->address = address;
    memcpy(&old->value, now, WORD);
    u->count++;
}

/* Words are the table's unit, so bytes beside the stored ones are hidden, too. */
void sim_unfenced_store(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    sim_block *b = w->block;
    if (!b->unfenced) b->unfenced = memory_zeroed(1, sizeof *b->unfenced);
    if (!b->unfenced) return;
    SIM_EACH_LANE(l) {
        if (!(active >> l & 1)) continue;
        for (uint64_t at = address[l] / WORD * WORD; at < address[l] + op->bytes; at += WORD) keep_word(b, at);
    }
}

void sim_unfenced_reset(sim_block *b) {
    if (!b->unfenced || !b->unfenced->count) return;
    memset(b->unfenced->words, 0, b->unfenced->size * sizeof *b->unfenced->words);
    b->unfenced->count = 0;
}

void sim_unfenced_free(sim_block *b) {
    if (b->unfenced) memory_free(b->unfenced->words);
    memory_free(b->unfenced);
    b->unfenced = NULL;
}

/* All blocks of the cluster, since a block may store to the shared memory of another. */
void sim_unfenced_fence(sim_block *b, bool shared, bool global) {
    for (uint32_t r = 0; r < b->sm->grid->cluster_blocks; r++) {
        sim_block *each = &b->cluster[r];
        if (shared && each->engine_view != each->shared)
            memcpy(each->engine_view, each->shared, b->sm->grid->shared_bytes);
        if (global) sim_unfenced_reset(each);
    }
}

/* Byte by byte, as a range need not begin at a word. */
void sim_unfenced_hide(const sim_block *b, uint64_t address, unsigned char *bytes, uint32_t count) {
    if (!b->unfenced || !b->unfenced->count) return;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t at = address + i, word = at / WORD * WORD;
        const old_word *old = find(b->unfenced, word);
        if (old->address) bytes[i] = (unsigned char)(old->value >> 8 * (at - word));
    }
}

void sim_unfenced_before_write(const sim_block *b, uint32_t at, uint32_t count, unsigned char *before) {
    memcpy(before, b->shared + at, count);
}

/* A byte that differed from the view was stored without a fence: it may come after the engine's byte, so it stays. The
 * view gets the engine's. */
void sim_unfenced_after_write(sim_block *b, uint32_t at, uint32_t count, const unsigned char *before) {
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *byte = &b->shared[at + i], *seen = &b->engine_view[at + i];
        const unsigned char written = *byte;
        if (before[i] != *seen) *byte = before[i];
        *seen = written;
    }
}
