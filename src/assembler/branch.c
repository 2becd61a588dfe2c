/* Read off machine code of ptxas 13.0 for runs of up to sixteen stores and atomics that follow each other under one
 * guard. At first, each of them is a path of its own after a branch. An atomic stays one; a store becomes predicated.
 * But the first two paths that follow each other become one before that, and of three the last two if the first can be
 * predicated. */
#include "assembler/branch.h"

#include "ptx/traits.h"

enum { PAIR = 2 };

typedef struct branching {
    arena *memory;
    const ptx_function *from;
    ptx_function *to;
    size_t instructions, labels; /* capacity */
    uint32_t *moved;             /* by old instruction, and their end: its new position */
    bool changed;
} branching;

static bool is_atomic(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION);
}

static bool is_candidate(const ptx_instruction *i) {
    return i->guarded && (ptx_is(i->op, PTX_KIND_STORE) || is_atomic(i));
}

static bool has_guard_of(const ptx_instruction *i, const ptx_instruction *of) {
    return i->guard == of->guard && i->guard_negated == of->guard_negated;
}

/* Returns how many candidates with one guard follow each other from k on. */
static uint32_t run_length(const ptx_function *f, const ptx_block *b, uint32_t k) {
    uint32_t end = k;
    while (end < b->end && is_candidate(&f->instructions[end]) &&
           has_guard_of(&f->instructions[end], &f->instructions[k]))
        end++;
    return end - k;
}

/* Whether the instruction before is a branch or return with the opposite guard, as early_exit.c makes. */
static bool follows_branch(const ptx_function *f, uint32_t k) {
    if (k == 0) return false;
    const ptx_instruction *i = &f->instructions[k], *before = &f->instructions[k - 1];
    return before->guarded && ptx_is(before->op, PTX_KIND_END | PTX_KIND_BRANCH) && before->guard == i->guard &&
           before->guard_negated != i->guard_negated;
}

static void copy(branching *s, uint32_t k) {
    ptx_function *to = s->to;
    s->moved[k] = (uint32_t)to->instruction_count;
    ARENA_PUSH(s->memory, to->instructions, to->instruction_count, s->instructions, s->from->instructions[k]);
}

/* Copies `count` instructions with one guard behind a branch for the other lanes. */
static void branch_around(branching *s, uint32_t k, uint32_t count) {
    ptx_function *to = s->to;
    const ptx_instruction *first = &s->from->instructions[k];
    ptx_operand *operand = ARENA_NEW(s->memory, ptx_operand);
    *operand = (ptx_operand){.kind = PTX_LABEL, .label = (uint32_t)to->label_count};
    const ptx_instruction branch = {.op = PTX_OP_BRA,
                                    .guarded = true,
                                    .guard_negated = !first->guard_negated,
                                    .guard = first->guard,
                                    .keeps_branch = true,
                                    .operand_count = 1,
                                    .operands = operand,
                                    .position = first->position,
                                    .place = first->place};
    const uint32_t at = (uint32_t)to->instruction_count;
    ARENA_PUSH(s->memory, to->instructions, to->instruction_count, s->instructions, branch);
    for (uint32_t n = 0; n < count; n++) {
        copy(s, k + n);
        to->instructions[to->instruction_count - 1].guarded = false;
    }
    s->moved[k] = at;
    const ptx_label behind = {
        .name = "$behind", .target = (uint32_t)to->instruction_count, .position = first->position};
    ARENA_PUSH(s->memory, to->labels, to->label_count, s->labels, behind);
    s->changed = true;
}

/* Copies a run, in which the pair begins at `pair`; there is none if that is `count`. */
static void copy_run(branching *s, uint32_t k, uint32_t count, uint32_t pair) {
    for (uint32_t n = 0; n < count; n++) {
        if (n == pair)
            branch_around(s, k + n++, PAIR);
        else if (is_atomic(&s->from->instructions[k + n]))
            branch_around(s, k + n, 1);
        else
            copy(s, k + n);
    }
}

static void copy_block(branching *s, const ptx_block *b) {
    const ptx_function *f = s->from;
    for (uint32_t k = b->first; k < b->end;) {
        const uint32_t count = run_length(f, b, k);
        if (count == 0 || follows_branch(f, k)) {
            for (uint32_t end = k + (count ? count : 1); k < end; k++) copy(s, k);
            continue;
        }
        const bool skips_first = count == PAIR + 1 && !is_atomic(&f->instructions[k]);
        copy_run(s, k, count, count < PAIR ? count : skips_first);
        k += count;
    }
}

static bool has_candidate(const ptx_function *f) {
    for (size_t k = 0; k < f->instruction_count; k++)
        if (is_candidate(&f->instructions[k])) return true;
    return false;
}

ptx_function *sim_branch_around(ptx_module *module, ptx_function *flat, arena *scratch) {
    if (flat->arguments || !has_candidate(flat)) return flat; /* arguments: of calls, whose blocks have numbers */
    branching s = {.memory = &module->memory, .from = flat, .to = ARENA_NEW(&module->memory, ptx_function)};
    *s.to = *flat;
    s.moved = ARENA_ARRAY(scratch, flat->instruction_count + 1, uint32_t);
    s.instructions = flat->instruction_count + 1;
    s.labels = flat->label_count + 1;
    s.to->instruction_count = 0;
    s.to->instructions = ARENA_ARRAY(s.memory, s.instructions, ptx_instruction);
    s.to->labels = ARENA_ARRAY(s.memory, s.labels, ptx_label);
    for (size_t l = 0; l < flat->label_count; l++) s.to->labels[l] = flat->labels[l];
    for (uint32_t b = 0; b < flat->block_count; b++) copy_block(&s, &flat->blocks[b]);
    if (!s.changed) return flat;
    s.moved[flat->instruction_count] = (uint32_t)s.to->instruction_count;
    for (size_t l = 0; l < flat->label_count; l++) s.to->labels[l].target = s.moved[flat->labels[l].target];
    ptx_analyse(s.to, &module->memory);
    return s.to;
}
