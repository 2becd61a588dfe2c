/* Finds states that recur. Registers, paths and joins of all running warps are hashed, in quiet epochs only: memory,
 * barriers and copies do not change in these, so they need no hash. One hash is kept, from an epoch whose number is a
 * power of two, and compared with those of the next WINDOW epochs (Brent's method). */
#include "exec/cycle.h"

#include <string.h>

/* States are compared in quiet epochs 64 to 128, 128 to 192, 256 to 320 and so on. Sooner or later a loop's length
 * divides one of the distances. Kernels that compute for long without a store slow down only slightly. */
enum { WINDOW = 64 };

/* Hashes whole words; `count` is a multiple of 8. */
static uint64_t hash_words(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (; count >= 8; at += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    return hash;
}

/* Returns false if lanes wait at joins: a spinning path releases them eventually. Constants and special registers,
 * after `constants_at`, never change. */
static bool hash_warp(const sim_warp *w, uint64_t *hash) {
    if (w->at_joins) return false;
    const uint64_t turn = (uint64_t)(w->path - w->paths) << 32 | w->turns;
    *hash = hash_words(*hash, &turn, sizeof turn);
    *hash = hash_words(*hash, w->paths, sizeof w->paths);
    *hash = hash_words(*hash, w->joins, sizeof w->joins);
    *hash = hash_words(*hash, w->regs, w->sm->grid->program->constants_at);
    return true;
}

/* Hashes the resident blocks. Returns false if some warp's state cannot be compared. */
static bool hash_sm(const sim_sm *sm, uint64_t *hash) {
    for (uint32_t b = 0; b < sm->grid->resident; b++)
        for (uint32_t i = 0; sm->blocks[b].running && i < sm->blocks[b].warp_count; i++)
            if (!hash_warp(&sm->blocks[b].warps[i], hash)) return false;
    return true;
}

/* A kept 0 stands for a state that could not be hashed; hashes begin with 1. */
bool sim_cycle_found(sim_cycle *c, const sim_sm *sms, uint32_t count) {
    uint64_t changes = 0, hash = 1;
    for (uint32_t i = 0; i < count; i++) changes += sms[i].changes;
    c->quiet = changes == c->changes ? c->quiet + 1 : 0;
    c->changes = changes;
    /* A power of two: the distance to later states grows, so that long loops are found, too. */
    const bool keeps = c->quiet >= WINDOW && (c->quiet & (c->quiet - 1)) == 0;
    if (c->quiet < WINDOW || (!keeps && c->quiet - c->kept_at > WINDOW)) return false;
    bool whole = true;
    for (uint32_t i = 0; whole && i < count; i++) whole = hash_sm(&sms[i], &hash);
    if (keeps) {
        c->kept_at = c->quiet;
        c->kept = whole ? hash : 0;
        return false;
    }
    if (!whole || hash != c->kept) return false;
    c->kept_at = c->quiet; /* if the launch goes on all the same, the next check finds it soon */
    return true;
}
