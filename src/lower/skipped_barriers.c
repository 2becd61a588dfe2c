/* Barriers that threads can skip: finds the block where threads that skipped one will never come back to it. */
#include "lower/internal.h"
#include "ptx/components.h"
#include "ptx/dominators.h"
#include "ptx/pattern.h"
#include "ptx/traits.h"

#define UNKNOWN (PTX_NO_BLOCK - 1)

typedef struct flow {
    const ptx_function *f;
    const uint32_t *component;
    const bool *looping;
    ptx_tree_times dominators; /* of the blocks reachable from the entry */
    uint32_t *behind_loop;     /* by block: its first join that does not lead back to it; or UNKNOWN */
    uint32_t *beyond;          /* by block: its first join that the entry also reaches without it; or UNKNOWN */
    uint32_t *behind_ends;     /* by block: itself, or its first join, where threads do more than end; or UNKNOWN */
    uint32_t *work;
} flow;

/* ---- dominators of the reachable blocks ---- */

static ptx_graph make_graph(const ptx_function *f, arena *memory) {
    const uint32_t blocks = (uint32_t)f->block_count;
    uint32_t edges = 0;
    for (uint32_t b = 0; b < blocks; b++) edges += ptx_edge_count(&f->blocks[b]);
    ptx_graph g = {.count = blocks,
                   .first = ARENA_ARRAY(memory, blocks + 1, uint32_t),
                   .to = ARENA_ARRAY(memory, edges + 1, uint32_t)};
    for (uint32_t b = 0; b < blocks; b++) {
        g.first[b + 1] = g.first[b];
        for (uint32_t k = 0; k < ptx_edge_count(&f->blocks[b]); k++)
            if (ptx_edge(&f->blocks[b], k) != PTX_NO_BLOCK) g.to[g.first[b + 1]++] = ptx_edge(&f->blocks[b], k);
    }
    return g;
}

/* Lists the reachable blocks, each after its dominator. */
static uint32_t order_tree(const uint32_t *dominator, uint32_t blocks, arena *memory, uint32_t *order) {
    uint32_t *first = ARENA_ARRAY(memory, blocks + 2, uint32_t), *child = ARENA_ARRAY(memory, blocks + 1, uint32_t);
    uint32_t count = 0;
    for (uint32_t b = 1; b < blocks; b++)
        if (dominator[b] != PTX_NO_BLOCK) first[dominator[b] + 2]++;
    for (uint32_t b = 1; b < blocks + 2; b++) first[b] += first[b - 1];
    for (uint32_t b = 1; b < blocks; b++)
        if (dominator[b] != PTX_NO_BLOCK) child[first[dominator[b] + 1]++] = b;
    order[count++] = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t c = first[order[k]]; c < first[order[k] + 1]; c++) order[count++] = child[c];
    return count;
}

static uint32_t *new_row(uint32_t blocks, arena *memory) {
    uint32_t *row = ARENA_ARRAY(memory, blocks, uint32_t);
    for (uint32_t b = 0; b < blocks; b++) row[b] = UNKNOWN;
    return row;
}

static flow make_flow(sim_lowering *l) {
    const ptx_function *f = l->function;
    const uint32_t blocks = (uint32_t)f->block_count;
    flow x = {.f = f,
              .component = ptx_components_find(f, l->scratch),
              .behind_loop = new_row(blocks, l->scratch),
              .beyond = new_row(blocks, l->scratch),
              .behind_ends = new_row(blocks, l->scratch),
              .work = ARENA_ARRAY(l->scratch, blocks, uint32_t)};
    x.looping = ptx_find_looping(f, x.component, l->scratch);
    const ptx_graph g = make_graph(f, l->scratch), back = ptx_graph_reversed(&g, l->scratch);
    const uint32_t *dominator = ptx_dominators_find(&g, &back, 0, l->scratch);
    uint32_t *order = ARENA_ARRAY(l->scratch, blocks + 1, uint32_t);
    const uint32_t count = order_tree(dominator, blocks, l->scratch, order);
    x.dominators = ptx_tree_times_find(order, count, dominator, blocks, l->scratch);
    return x;
}

/* ---- joins ---- */

static bool only_ends(const ptx_function *f, uint32_t block) {
    return ptx_is(f->instructions[f->blocks[block].first].op, PTX_KIND_END);
}

/* A step computes a block's entry from its join's. */
typedef uint32_t step(const flow *x, uint32_t block, uint32_t join);

static uint32_t step_behind_loop(const flow *x, uint32_t block, uint32_t join) {
    return join != PTX_NO_BLOCK && x->component[join] == x->component[block] ? x->behind_loop[join] : join;
}

/* The block also dominates what its join dominates. */
static uint32_t step_beyond(const flow *x, uint32_t block, uint32_t join) {
    while (join != PTX_NO_BLOCK && ptx_is_above(&x->dominators, block, join)) join = x->beyond[join];
    return join;
}

static uint32_t step_behind_ends(const flow *x, uint32_t block, uint32_t join) {
    return !only_ends(x->f, block) ? block : join == PTX_NO_BLOCK ? join : x->behind_ends[join];
}

/* Returns the block's entry; PTX_NO_BLOCK if there is none. */
static uint32_t look_up(const flow *x, uint32_t *known, step *next, uint32_t block) {
    uint32_t depth = 0;
    for (uint32_t b = block; b != PTX_NO_BLOCK && known[b] == UNKNOWN; b = x->f->blocks[b].join) x->work[depth++] = b;
    while (depth) {
        const uint32_t b = x->work[--depth];
        known[b] = next(x, b, x->f->blocks[b].join);
    }
    return block == PTX_NO_BLOCK ? block : known[block];
}

/* The nearest block that all threads reach after the barrier, that others reach without it (or from a loop with fewer
 * iterations), and that does not lead back to it. Blocks that just end do not count. */
static uint32_t skip_target(const flow *x, uint32_t barrier) {
    const uint32_t place = x->looping[barrier] ? look_up(x, x->behind_loop, step_behind_loop, barrier)
                                               : look_up(x, x->beyond, step_beyond, barrier);
    return look_up(x, x->behind_ends, step_behind_ends, place);
}

bool sim_waits_for_block(const ptx_instruction *i) {
    const bool waits = ptx_is(i->op, PTX_KIND_BARRIER) && ptx_has(i->op, PTX_TRAIT_STOPS);
    return waits && i->operand_count < ptx_pattern_of(i->op)->operand_count; /* names no number of threads */
}

static bool has_barrier(const ptx_function *f, const ptx_block *b) {
    for (uint32_t i = b->first; i < b->end; i++)
        if (sim_waits_for_block(&f->instructions[i])) return true;
    return false;
}

void sim_find_skip_targets(sim_lowering *l, uint32_t *past, bool *is_target) {
    const ptx_function *f = l->function;
    flow x = {0};
    const uint32_t own = f->callee_count ? f->callees[0].block : (uint32_t)f->block_count;
    for (uint32_t b = 0; b < f->block_count; b++) {
        past[b] = PTX_NO_BLOCK;
        if (b >= own) continue; /* threads that leave a function may call it again */
        if (!has_barrier(f, &f->blocks[b])) continue;
        if (!x.f) x = make_flow(l);
        past[b] = skip_target(&x, b);
        if (past[b] != PTX_NO_BLOCK) is_target[past[b]] = true;
    }
}
