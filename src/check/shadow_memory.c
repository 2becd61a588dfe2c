#include "check/shadow_memory.h"

#include "base/memory.h"
#include "machine/host.h"

#include <pthread.h>
#include <stdbool.h>

enum { REGION = 8 << 20 };

/* The first `used` regions are the launch's. Of the last of those, `left` bytes from `at` on are unused. */
struct sim_shadow_memory {
    pthread_mutex_t lock;
    void **regions;
    size_t count, capacity, used;
    char *at;
    size_t left;
};

sim_shadow_memory *sim_shadow_memory_create(void) {
    sim_shadow_memory *m = memory_zeroed(1, sizeof *m);
    if (m) pthread_mutex_init(&m->lock, NULL);
    return m;
}

static bool add_region(sim_shadow_memory *m) {
    void **grown = memory_grow(m->regions, m->count, &m->capacity, sizeof *grown);
    if (!grown) return false;
    m->regions = grown;
    void *region = memory_large_pages(REGION);
    if (region) m->regions[m->count++] = region;
    return region;
}

static bool next_region(sim_shadow_memory *m) {
    if (m->used == m->count && !add_region(m)) return false;
    m->at = m->regions[m->used++];
    m->left = REGION;
    return true;
}

void *sim_shadow_memory_take(sim_shadow_memory *m, size_t bytes) {
    char *taken = NULL;
    pthread_mutex_lock(&m->lock);
    if (m->left >= bytes || next_region(m)) {
        taken = m->at;
        m->at += bytes;
        m->left -= bytes;
    }
    pthread_mutex_unlock(&m->lock);
    return taken;
}

static void keep_regions(sim_shadow_memory *m, size_t count) {
    while (m->count > count) memory_free(m->regions[--m->count]);
    m->used = m->left = 0;
}

void sim_shadow_memory_end_launch(sim_shadow_memory *m) {
    const size_t most = (size_t)(sim_host_to_spare() / REGION);
    keep_regions(m, m->used < most ? m->used : most);
}

void sim_shadow_memory_free(sim_shadow_memory *m) {
    if (!m) return;
    keep_regions(m, 0);
    memory_free(m->regions);
    pthread_mutex_destroy(&m->lock);
    memory_free(m);
}
