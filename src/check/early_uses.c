/* Uses of global memory before griddepcontrol.wait (early_uses.h). */
#include "check/early_uses.h"

#include "base/memory.h"
#include "check/global.h"

#include <pthread.h>
#include <stdlib.h>

/* A list of so many uses is joined: all blocks may read the same weights. If that leaves more than half, the kernel
 * uses too many places, and the rest is left out. */
enum { MOST_USES = 1 << 16 };

struct sim_early_uses {
    pthread_mutex_t lock;
    bool *instructions;
    sim_use_list uses;
    bool is_full;
};

sim_early_uses *sim_early_uses_create(size_t instructions) {
    sim_early_uses *e = memory_zeroed(1, sizeof *e);
    if (!e) return NULL;
    pthread_mutex_init(&e->lock, NULL);
    e->instructions = memory_zeroed(instructions + 1, sizeof *e->instructions);
    if (e->instructions) return e;
    sim_early_uses_free(e);
    return NULL;
}

void sim_early_uses_free(sim_early_uses *e) {
    if (!e) return;
    sim_use_list_free(&e->uses);
    memory_free(e->instructions);
    pthread_mutex_destroy(&e->lock);
    memory_free(e);
}

const bool *sim_early_uses_instructions(const sim_early_uses *e) {
    return e->instructions;
}

/* By instruction and kind, and then by address. */
static int by_kind(const void *a, const void *b) {
    const sim_use *x = a, *y = b;
    if (x->instruction != y->instruction) return x->instruction < y->instruction ? -1 : 1;
    if (x->strong != y->strong) return x->strong ? 1 : -1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return 0;
}

/* Joins uses of one instruction that overlap or lie side by side. */
static void join(sim_use_list *f) {
    size_t kept = 0;
    if (!f->count) return;
    qsort(f->items, f->count, sizeof *f->items, by_kind);
    for (size_t i = 1; i < f->count; i++) {
        sim_use *last = &f->items[kept];
        const sim_use *u = &f->items[i];
        const bool is_same = last->instruction == u->instruction && last->strong == u->strong;
        if (is_same && u->from <= last->to && last->writes == u->writes) {
            if (u->to > last->to) last->to = u->to;
        } else {
            f->items[++kept] = *u;
        }
    }
    f->count = kept + 1;
}

const sim_use_list *sim_early_uses_list(sim_early_uses *e) {
    join(&e->uses);
    return &e->uses;
}

static void add(sim_early_uses *e, const sim_use *use) {
    if (e->is_full) return;
    sim_use_list_add(&e->uses, use);
    if (e->uses.count < MOST_USES) return;
    join(&e->uses);
    e->is_full = e->uses.count > MOST_USES / 2;
}

void sim_early_uses_note(const sim_warp *w, const sim_op *op, uint32_t lanes, const uint64_t address[SIM_LANES],
                         haul_action action) {
    sim_early_uses *e = w->sm->grid->early;
    sim_use use = {.instruction = op->instruction,
                   .writes = action != HAUL_ACTION_READ,
                   .strong = sim_strength_of(w, op, action) == SIM_STRONG};
    pthread_mutex_lock(&e->lock);
    e->instructions[op->instruction] = true;
    for (uint32_t left = lanes; left; left &= left - 1) {
        use.from = address[__builtin_ctz(left)];
        use.to = use.from + op->bytes;
        add(e, &use);
    }
    pthread_mutex_unlock(&e->lock);
}
