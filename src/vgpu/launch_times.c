/* Times of a kernel's launches, by shape (launch_times.h).
 *
 * Each kernel has a small hash table. A program may launch ever new shapes, so a kernel keeps at most MOST_SHAPES of
 * them; further ones have no times. */
#include "vgpu/launch_times.h"

#include "base/memory.h"
#include "vgpu/work.h"

#include <string.h>

enum { MOST_SHAPES = 4096 };

static sim_launch_shape shape_of(const sim_work *w) {
    sim_launch_shape s = {.shared_bytes = w->config.shared_bytes};
    memcpy(s.grid, w->config.grid, sizeof s.grid);
    memcpy(s.block, w->config.block, sizeof s.block);
    memcpy(s.cluster, w->cluster, sizeof s.cluster);
    return s;
}

/* Shapes that differ only in their cluster share a row. */
static size_t row_of(const sim_launch_shape *s) {
    const uint32_t *word = s->grid;
    uint64_t hash = s->shared_bytes;
    for (unsigned k = 0; k < 3; k++) hash = (hash * 31 + word[k]) * 31 + s->block[k];
    return (size_t)(hash * 0x9e3779b97f4a7c15ull >> 58) % SIM_TIMES_ROWS;
}

/* New times are all zero: nothing was counted. */
sim_launch_times *sim_launch_times_of(const sim_work *w) {
    const CUfunction f = w->function;
    const sim_launch_shape shape = shape_of(w);
    sim_launch_times **row = &f->times[row_of(&shape)];
    for (sim_launch_times *t = *row; t; t = t->next)
        if (!memcmp(&t->shape, &shape, sizeof shape)) return t;
    sim_launch_times *t = f->times_count < MOST_SHAPES ? memory_zeroed(1, sizeof *t) : NULL;
    if (!t) return NULL;
    t->shape = shape;
    t->next = *row;
    f->times_count++;
    return *row = t;
}

/* The load is the last one's, the time a sum. */
void sim_launch_times_add(sim_launch_times *t, double us, const sim_kernel_load *load) {
    t->counted++;
    t->us += us;
    t->load = *load;
}

/* When the kernel's module ends. */
void sim_forget_launch_times(CUfunction f) {
    for (size_t r = 0; r < SIM_TIMES_ROWS; r++)
        while (f->times[r]) {
            sim_launch_times *t = f->times[r];
            f->times[r] = t->next;
            memory_free(t);
        }
    f->times_count = 0;
}
