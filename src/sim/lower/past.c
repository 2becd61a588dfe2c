/* Barriers that threads can go round: where those who did are for good. */
#include "ptx/edges.h"
#include "sim/lower/internal.h"

#include <string.h>

typedef struct flow {
    const ptx_function *f;
    ptx_predecessors above;
    uint32_t *work;
    bool *before, *around; /* by block: leads to the barrier; can be reached without it */
} flow;

static flow make_flow(sim_lowering *l) {
    const ptx_function *f = l->function;
    flow x = {.f = f,
              .work = ARENA_ARRAY(l->memory, f->block_count + 1, uint32_t),
              .before = ARENA_ARRAY(l->memory, f->block_count + 1, bool),
              .around = ARENA_ARRAY(l->memory, f->block_count + 1, bool)};
    ptx_predecessors_find(f, l->memory, &x.above);
    return x;
}

static void find_before(flow *x, uint32_t barrier) {
    uint32_t count = 0;
    memset(x->before, 0, x->f->block_count * sizeof *x->before);
    x->work[count++] = barrier;
    while (count) {
        const uint32_t b = x->work[--count];
        for (uint32_t i = x->above.first[b]; i < x->above.first[b + 1]; i++) {
            const uint32_t above = x->above.blocks[i];
            if (x->before[above]) continue;
            x->before[above] = true;
            x->work[count++] = above;
        }
    }
}

static void find_around(flow *x, uint32_t barrier) {
    uint32_t count = 0;
    memset(x->around, 0, x->f->block_count * sizeof *x->around);
    if (barrier == 0) return;
    x->around[0] = true;
    x->work[count++] = 0;
    while (count) {
        const ptx_block *b = &x->f->blocks[x->work[--count]];
        for (uint32_t k = 0; k < ptx_edge_count(b); k++) {
            const uint32_t to = ptx_edge(b, k);
            if (to == PTX_NO_BLOCK || to == barrier || x->around[to]) continue;
            x->around[to] = true;
            x->work[count++] = to;
        }
    }
}

static bool only_ends(const ptx_function *f, uint32_t block) {
    const unsigned op = f->instructions[f->blocks[block].first].op;
    return op == PTX_OP_RET || op == PTX_OP_EXIT;
}

/* The nearest place that all come to who have passed the barrier, that others come to without, or from a loop without
 * as many turns, and that does not lead back to it. To end at once is to go nowhere. */
static uint32_t place_past(const flow *x, uint32_t barrier) {
    const bool loops = x->before[barrier];
    for (uint32_t b = x->f->blocks[barrier].join; b != PTX_NO_BLOCK; b = x->f->blocks[b].join)
        if ((loops || x->around[b]) && !x->before[b] && !only_ends(x->f, b)) return b;
    return PTX_NO_BLOCK;
}

bool sim_waits_for_block(const ptx_instruction *i) {
    switch (i->op) {
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BARRIER_SYNC: return i->operand_count < 2;
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_RED_POPC:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_RED_POPC: return i->operand_count < 4;
    default: return false;
    }
}

static bool has_barrier(const ptx_function *f, const ptx_block *b) {
    for (uint32_t i = b->first; i < b->end; i++)
        if (sim_waits_for_block(&f->instructions[i])) return true;
    return false;
}

void sim_find_past(sim_lowering *l, uint32_t *past, bool *is_past) {
    const ptx_function *f = l->function;
    flow x = {0};
    const uint32_t own = f->callee_count ? f->callees[0].block : (uint32_t)f->block_count;
    for (uint32_t b = 0; b < f->block_count; b++) {
        past[b] = PTX_NO_BLOCK;
        if (b >= own) continue; /* who leaves a function may call it again */
        if (!has_barrier(f, &f->blocks[b])) continue;
        if (!x.f) x = make_flow(l);
        find_before(&x, b);
        find_around(&x, b);
        past[b] = place_past(&x, b);
        if (past[b] != PTX_NO_BLOCK) is_past[past[b]] = true;
    }
}
