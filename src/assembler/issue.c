/* Which block issues the cp.async instructions of a short path: machine code has predicates there instead of a branch.
 *
 * A warp then issues such a copy even if none of its lanes takes the path, and the counters count it. A path is
 * predicated if it is light enough, has one edge in and one out, and its join is not a short block that branches
 * again. */
#include "assembler/issue.h"

#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/traits.h"

/* The most weight of a path around which machine code predicates a branch, and the weights of instructions. A copy has
 * three fillers before it; a source size in a register takes arithmetic. Read off ptxas 13.0's machine code for sm_90
 * of 400 kernels, in which one component at a time grew. */
enum { MOST_WEIGHT = 23, COPY_WEIGHT = 4, SIZED_COPY_WEIGHT = 10, ACCESS_WEIGHT = 2, DIVISION_WEIGHT = 20 };
/* A path that only some lanes of a warp may take stays behind its branch in two cases: the block where both paths meet
 * is this short, or it stores and ends with a branch of its own. */
enum { SHORT_JOIN = 4 };

typedef struct issuing {
    const ptx_function *function;
    ptx_predecessors above;
    sim_values values;
    uint32_t *issuer; /* by block */
    bool all;         /* looks at all paths, not only those with copies */
} issuing;

static bool is_copy(const ptx_instruction *i) {
    return i->op == PTX_OP_CP_ASYNC;
}

/* A source size in a register, which takes arithmetic in machine code. */
static bool is_sized(const ptx_instruction *i) {
    return i->operand_count > 3 && i->operands[3].kind == PTX_REGISTER;
}

/* Instructions that become none. */
static bool is_free(const ptx_instruction *i) {
    return ptx_has(i->op, PTX_TRAIT_MOVES) || ptx_loads_parameter(i);
}

/* Returns the machine instructions for it; more than MOST_WEIGHT if it cannot be predicated. */
static unsigned weight(const ptx_instruction *i) {
    if (is_free(i)) return 0;
    if (is_copy(i)) return is_sized(i) ? SIZED_COPY_WEIGHT : COPY_WEIGHT;
    if (i->op == PTX_OP_LD || i->op == PTX_OP_ST) return ACCESS_WEIGHT;
    if (i->op == PTX_OP_BRA && !i->guarded) return 0;
    if (ptx_has(i->op, PTX_TRAIT_DIVIDES)) return ptx_bits(i->type) == 64 ? MOST_WEIGHT + 1 : DIVISION_WEIGHT;
    return ptx_is_pure(i->op) && !sim_is_call(i) ? 1 : MOST_WEIGHT + 1;
}

static unsigned path_weight(const ptx_function *f, uint32_t block) {
    unsigned sum = 0;
    for (uint32_t k = f->blocks[block].first; k < f->blocks[block].end && sum <= MOST_WEIGHT; k++)
        sum += weight(&f->instructions[k]);
    return sum;
}

static bool has_copies(const ptx_function *f, uint32_t block) {
    for (uint32_t k = f->blocks[block].first; k < f->blocks[block].end; k++)
        if (is_copy(&f->instructions[k])) return true;
    return false;
}

static const ptx_instruction *last_of(const ptx_function *f, uint32_t block) {
    return &f->instructions[f->blocks[block].end - 1];
}

static bool is_branch(const ptx_instruction *i) {
    return i->guarded && (i->op == PTX_OP_BRA || ptx_is(i->op, PTX_KIND_END));
}

/* A block that only jumps leads to its target; nvcc writes such blocks for the other path. */
static uint32_t after_jumps(const ptx_function *f, uint32_t block) {
    while (block != PTX_NO_BLOCK && f->blocks[block].end == f->blocks[block].first + 1 &&
           last_of(f, block)->op == PTX_OP_BRA && !last_of(f, block)->guarded && f->blocks[block].next != block)
        block = f->blocks[block].next;
    return block;
}

/* Returns whether an edge does not count as a forward branch: it goes back to a loop's start, or around what is itself
 * predicated. */
static bool is_harmless(const issuing *s, uint32_t join, uint32_t to) {
    const uint32_t behind = after_jumps(s->function, to);
    return behind != PTX_NO_BLOCK && (behind <= join || s->issuer[behind] == join);
}

/* Whether the join branches again so soon that the path stays behind its branch. */
static bool ends_too_soon(const issuing *s, uint32_t block, uint32_t join) {
    const ptx_function *f = s->function;
    const ptx_block *b = &f->blocks[join];
    unsigned instructions = 0;
    if (s->values.uniform[last_of(f, block)->guard] || !is_branch(last_of(f, join)) || is_harmless(s, join, b->next) ||
        is_harmless(s, join, b->taken))
        return false;
    for (uint32_t k = b->first; k + 1 < b->end; k++) {
        if (f->instructions[k].op == PTX_OP_ST) return true;
        instructions += !is_free(&f->instructions[k]);
    }
    return instructions <= SHORT_JOIN;
}

/* Returns whether the block has one edge in and one out, and machine code may predicate it. */
static bool is_plain_path(const issuing *s, uint32_t block) {
    if (block == PTX_NO_BLOCK) return false;
    const ptx_block *b = &s->function->blocks[block];
    return b->taken == PTX_NO_BLOCK && !b->table_count && ptx_predecessor_count(&s->above, block) == 1 &&
           path_weight(s->function, block) <= MOST_WEIGHT;
}

/* Returns the block after the path. */
static uint32_t after_path(const issuing *s, uint32_t path) {
    return after_jumps(s->function, s->function->blocks[path].next);
}

/* An if with an else needs room for both paths. */
static bool has_room(const issuing *s, uint32_t a, uint32_t b) {
    return path_weight(s->function, a) + path_weight(s->function, b) <= MOST_WEIGHT;
}

/* Lets `block` issue the path's instructions. */
static void predicate(issuing *s, uint32_t block, uint32_t path) {
    if (s->all || has_copies(s->function, path)) s->issuer[path] = block;
}

/* Handles `if` with or without `else`. */
static void look_at_branch(issuing *s, uint32_t block) {
    const ptx_function *f = s->function;
    const ptx_block *b = &f->blocks[block];
    if (b->end == b->first || last_of(f, block)->op != PTX_OP_BRA || !last_of(f, block)->guarded) return;
    const uint32_t next = after_jumps(f, b->next), taken = after_jumps(f, b->taken);
    const bool skips_next = is_plain_path(s, next) && after_path(s, next) == taken && taken != PTX_NO_BLOCK;
    const bool skips_taken = is_plain_path(s, taken) && after_path(s, taken) == next && next != PTX_NO_BLOCK;
    if (skips_next && !ends_too_soon(s, block, taken)) predicate(s, block, next);
    if (skips_taken && !ends_too_soon(s, block, next)) predicate(s, block, taken);
    if (skips_next || skips_taken || !is_plain_path(s, next) || !is_plain_path(s, taken) || !has_room(s, next, taken))
        return;
    const uint32_t join = after_path(s, next);
    if (join == PTX_NO_BLOCK || join != after_path(s, taken) || ends_too_soon(s, block, join)) return;
    predicate(s, block, next);
    predicate(s, block, taken);
}

/* Ends of joins must be known when their branches are looked at. */
static void look_at_all(issuing *s, arena *memory, arena *scratch) {
    const ptx_function *f = s->function;
    ptx_predecessors_find(f, scratch, &s->above);
    sim_values_find(f, scratch, &s->values);
    s->issuer = ARENA_ARRAY(memory, f->block_count + 1, uint32_t);
    for (uint32_t b = 0; b < f->block_count; b++) s->issuer[b] = b;
    for (uint32_t b = (uint32_t)f->block_count; b-- > 0;) look_at_branch(s, b);
}

const uint32_t *sim_issuing_blocks(const ptx_function *f, arena *memory, arena *scratch) {
    issuing s = {.function = f};
    bool any = false;
    for (uint32_t b = 0; b < f->block_count && !any; b++) any = has_copies(f, b);
    if (!any) return NULL;
    look_at_all(&s, memory, scratch);
    return s.issuer;
}

const bool *sim_predicated_blocks(const ptx_function *f, arena *memory, arena *scratch) {
    issuing s = {.function = f, .all = true};
    bool *predicated = ARENA_ARRAY(memory, f->block_count + 1, bool);
    look_at_all(&s, scratch, scratch);
    for (uint32_t b = 0; b < f->block_count; b++) predicated[b] = s.issuer[b] != b;
    return predicated;
}
