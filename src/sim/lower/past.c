/* Barriers that threads can go round: where those who did are for good. */
#include "sim/lower/internal.h"

#include <string.h>

/* Control flow both ways. */
typedef struct flow {
    const ptx_function *f;
    uint32_t *edges, *first_in; /* by block: predecessors are edges[first_in[b]] .. edges[first_in[b + 1] - 1] */
    uint32_t *work;
    bool *before, *around; /* by block: leads to the barrier; can be reached without it */
} flow;

typedef void edge_fn(flow *x, uint32_t from, uint32_t to);

static void each_edge_of(flow *x, uint32_t from, edge_fn *visit) {
    const ptx_block *b = &x->f->blocks[from];
    if (b->next != PTX_NO_BLOCK) visit(x, from, b->next);
    if (b->taken != PTX_NO_BLOCK) visit(x, from, b->taken);
    for (uint32_t i = 0; i < b->table_count; i++) visit(x, from, b->table[i]);
}

static void count_edge(flow *x, uint32_t from, uint32_t to) {
    (void)from;
    x->first_in[to + 1]++;
}

static void add_edge(flow *x, uint32_t from, uint32_t to) {
    x->edges[x->work[to]++] = from;
}

static flow make_flow(sim_lowering *l) {
    const ptx_function *f = l->function;
    const uint32_t count = (uint32_t)f->block_count;
    flow x = {.f = f,
              .first_in = ARENA_ARRAY(l->memory, count + 2, uint32_t),
              .work = ARENA_ARRAY(l->memory, count + 1, uint32_t),
              .before = ARENA_ARRAY(l->memory, count + 1, bool),
              .around = ARENA_ARRAY(l->memory, count + 1, bool)};
    for (uint32_t b = 0; b < count; b++) each_edge_of(&x, b, count_edge);
    for (uint32_t b = 0; b < count; b++) x.first_in[b + 1] += x.first_in[b];
    x.edges = ARENA_ARRAY(l->memory, x.first_in[count] + 1, uint32_t);
    memcpy(x.work, x.first_in, count * sizeof *x.work);
    for (uint32_t b = 0; b < count; b++) each_edge_of(&x, b, add_edge);
    return x;
}

static void find_before(flow *x, uint32_t barrier) {
    uint32_t count = 0;
    memset(x->before, 0, x->f->block_count * sizeof *x->before);
    x->work[count++] = barrier;
    while (count) {
        const uint32_t b = x->work[--count];
        for (uint32_t i = x->first_in[b]; i < x->first_in[b + 1]; i++) {
            if (x->before[x->edges[i]]) continue;
            x->before[x->edges[i]] = true;
            x->work[count++] = x->edges[i];
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
        for (uint32_t i = 0; i < b->table_count + 2; i++) {
            const uint32_t to = i == 0 ? b->next : i == 1 ? b->taken : b->table[i - 2];
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
