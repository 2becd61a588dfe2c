/* Spare SMs: a list with a limit on its length and its memory, most recently used first. Taking searches the list;
 * putting drops the spares at its end until there is room. SMs that need much memory are not worth keeping.
 *
 * SMs point to their grid, which dies with its launch. So a spare has a copy of the grid, until the next launch takes
 * it. */
#include "exec/spare_sms.h"

#include "base/memory.h"
#include "exec/sm.h"
#include "state/block.h"
#include "state/program.h"

#include <string.h>

enum { MOST_SPARES = 32, MOST_BYTES = 128 << 20, MOST_BYTES_EACH = 64 << 20 };

typedef struct sim_spare {
    sim_grid grid; /* of the launch that has left them */
    sim_sm *sms;
    uint64_t bytes;
    struct sim_spare *next;
} sim_spare;

/* Returns whether the SMs can run grid g. */
static bool suits(const sim_spare *spare, const sim_grid *g) {
    const sim_grid *a = &spare->grid;
    bool fits = a->program == g->program && a->resident == g->resident && a->used_sms == g->used_sms &&
                a->shared_bytes == g->shared_bytes && a->dynamic_bytes == g->dynamic_bytes &&
                !memcmp(a->block, g->block, sizeof a->block) && !memcmp(a->cluster, g->cluster, sizeof a->cluster);
    for (uint32_t i = 0; fits && i < g->used_sms; i++) fits = sim_sm_has_room(&spare->sms[i], g);
    return fits;
}

/* Removes *at from the list. */
static sim_spare *take_out(sim_spares *s, sim_spare **at) {
    sim_spare *taken = *at;
    *at = taken->next;
    s->count--;
    s->bytes -= taken->bytes;
    return taken;
}

/* Frees the SMs of a spare that has been taken out. */
static void free_spare(sim_spare *spare) {
    for (uint32_t i = 0; i < spare->grid.used_sms; i++) sim_sm_free(&spare->sms[i]);
    memory_free(spare->sms);
    memory_free(spare);
}

sim_sm *sim_spares_take(sim_spares *s, const sim_grid *g) {
    for (sim_spare **at = &s->first; *at; at = &(*at)->next) {
        if (!suits(*at, g)) continue;
        sim_spare *spare = take_out(s, at);
        sim_sm *sms = spare->sms;
        memory_free(spare);
        for (uint32_t i = 0; i < g->used_sms; i++) sim_sm_renew(g, &sms[i]);
        return sms;
    }
    return NULL;
}

/* Frees the least recently used spares until one more of `bytes` fits. */
static void make_room(sim_spares *s, uint64_t bytes) {
    while (s->first && (s->count >= MOST_SPARES || s->bytes + bytes > MOST_BYTES)) {
        sim_spare **last = &s->first;
        while ((*last)->next) last = &(*last)->next;
        free_spare(take_out(s, last));
    }
}

bool sim_spares_put(sim_spares *s, const sim_grid *g, sim_sm *sms) {
    const uint64_t bytes = g->used_sms * sim_sm_bytes(&sms[0]); /* the first has the most room */
    if (bytes > MOST_BYTES_EACH) return false;
    sim_spare *spare = memory_alloc(sizeof *spare);
    if (!spare) return false;
    make_room(s, bytes);
    *spare = (sim_spare){.grid = *g, .sms = sms, .bytes = bytes, .next = s->first};
    /* The launch's own grid is about to disappear. */
    for (uint32_t i = 0; i < g->used_sms; i++) sms[i].grid = &spare->grid;
    s->first = spare;
    s->count++;
    s->bytes += bytes;
    return true;
}

void sim_spares_forget(sim_spares *s, const sim_program *program) {
    for (sim_spare **at = &s->first; *at;)
        if (!program || (*at)->grid.program == program)
            free_spare(take_out(s, at));
        else
            at = &(*at)->next;
}
