/* Spare SMs: a list with a limit on its length and its memory, most recently used first. Taking searches the list;
 * putting drops the spares at its end until there is room. The limits let a machine full of threads be kept, with all
 * their registers: otherwise a solver's short steps spend most of their time on the pages of new SMs.
 *
 * SMs point to their grid, which dies with its launch. So a spare has a copy of the grid, until the next launch takes
 * it. */
#include "exec/spare_sms.h"

#include "base/memory.h"
#include "exec/sm.h"
#include "machine/host.h"
#include "state/block.h"
#include "state/program.h"

#include <string.h>

/* The most launches of a context whose SMs are kept. A single launch may have half of the bytes. */
enum { MOST_SPARES = 32 };

typedef struct sim_spare {
    sim_grid grid; /* of the launch that has left them */
    sim_sm *sms;
    uint32_t sm_count;
    uint64_t bytes;
    struct sim_spare *next;
} sim_spare;

/* Returns whether the grids' checks need the same code and the same tables. */
static bool is_checked_like(const sim_grid *a, const sim_grid *b) {
    return a->check == b->check && !a->follower == !b->follower && a->schedule.is_unfenced == b->schedule.is_unfenced &&
           a->proxies.spaces == b->proxies.spaces && a->relaxes == b->relaxes && a->has_mbarriers == b->has_mbarriers;
}

/* Returns whether the SMs can run blocks of grid g. */
static bool suits(const sim_spare *spare, const sim_grid *g, bool counted) {
    const sim_grid *a = &spare->grid;
    return a->program == g->program && (spare->sms->counting != NULL) == counted && is_checked_like(a, g) &&
           a->resident == g->resident && a->shared_bytes == g->shared_bytes && a->dynamic_bytes == g->dynamic_bytes &&
           !memcmp(a->block, g->block, sizeof a->block) && !memcmp(a->cluster, g->cluster, sizeof a->cluster);
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
    for (uint32_t i = 0; i < spare->sm_count; i++) sim_sm_free(&spare->sms[i]);
    memory_free(spare->sms);
    memory_free(spare);
}

sim_sm *sim_spares_take(sim_spares *s, const sim_grid *g, bool counted, uint32_t *count) {
    for (sim_spare **at = &s->first; *at; at = &(*at)->next) {
        if (!suits(*at, g, counted)) continue;
        sim_spare *spare = take_out(s, at);
        sim_sm *sms = spare->sms;
        *count = spare->sm_count;
        memory_free(spare);
        for (uint32_t i = 0; i < *count; i++) sms[i].grid = g;
        return sms;
    }
    return NULL;
}

/* Frees the least recently used spares until one more of `bytes` fits. */
static void make_room(sim_spares *s, uint64_t bytes, uint64_t most) {
    while (s->first && (s->count >= MOST_SPARES || s->bytes + bytes > most)) {
        sim_spare **last = &s->first;
        while ((*last)->next) last = &(*last)->next;
        free_spare(take_out(s, last));
    }
}

bool sim_spares_put(sim_spares *s, const sim_grid *g, sim_sm *sms, uint32_t count) {
    const uint64_t most = sim_host_to_spare();
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) bytes += sim_sm_bytes(&sms[i]);
    if (bytes > most / 2) return false;
    sim_spare *spare = memory_alloc(sizeof *spare);
    if (!spare) return false;
    make_room(s, bytes, most);
    *spare = (sim_spare){.grid = *g, .sms = sms, .sm_count = count, .bytes = bytes, .next = s->first};
    /* The launch's own grid is about to disappear. */
    for (uint32_t i = 0; i < count; i++) sms[i].grid = &spare->grid;
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
