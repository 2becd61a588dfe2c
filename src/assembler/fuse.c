#include "assembler/fuse.h"

#include "ptx/liveness.h"
#include "ptx/traits.h"

#include <string.h>

enum { MOST_INPUTS = 3 };

typedef struct fusion {
    const ptx_function *function;
    const sim_writers *writers;
    uint32_t *reads;  /* by register: in the whole function */
    uint32_t *sums;   /* by register: reads by sums of 64 bits */
    uint32_t *latest; /* by register: the last instruction that wrote it, + 1 */
    uint8_t *left;    /* the result */
    uint8_t *inputs;  /* by instruction: of what it computes with those it took over */
    uint32_t first;   /* of the block */
    uint32_t current;
} fusion;

static void note_writer(void *context, uint32_t reg, bool writes) {
    fusion *u = context;
    if (writes) u->latest[reg] = u->current + 1;
}

static void count_reads(void *context, uint32_t reg, bool writes) {
    fusion *u = context;
    u->reads[reg] += !writes;
}

static bool is_logic(unsigned op) {
    return op == PTX_OP_AND || op == PTX_OP_OR || op == PTX_OP_XOR || op == PTX_OP_NOT;
}

static bool is_sum(unsigned op) {
    return op == PTX_OP_ADD || op == PTX_OP_SUB;
}

static bool is_wide(const ptx_instruction *i) {
    return i->type == PTX_U64 || i->type == PTX_S64 || i->type == PTX_B64;
}

/* Returns the instruction of the block that writes the operand, if nothing else reads it; NULL: there is none. The
 * copies of an unrolled loop write the same register. */
static const ptx_instruction *only_source(const fusion *u, uint32_t user, const ptx_operand *o) {
    if (o->kind != PTX_REGISTER || u->reads[o->reg] != u->writers[o->reg].count) return NULL;
    const uint32_t at = u->latest[o->reg] - 1;
    if (u->latest[o->reg] == 0 || at < u->first || at >= user || u->left[at] != SIM_NOT_FUSED) return NULL;
    return u->function->instructions[at].guarded ? NULL : &u->function->instructions[at];
}

static uint32_t index_of(const fusion *u, const ptx_instruction *i) {
    return (uint32_t)(i - u->function->instructions);
}

static void take_over(fusion *u, const ptx_instruction *i) {
    u->left[index_of(u, i)] = 0;
}

static bool shifts_by_constant(const ptx_instruction *i) {
    return i->op == PTX_OP_SHL && i->operands[2].kind == PTX_INTEGER;
}

static bool extends(const ptx_instruction *i) {
    return i->op == PTX_OP_CVT && is_wide(i) && ptx_is_integer(i->type2) && ptx_types[i->type2].bits == 32;
}

static bool is_product(const ptx_instruction *i) {
    return i->op == PTX_OP_MUL;
}

/* Takes over the sources of one kind as long as there is room for their inputs. */
static void join(fusion *u, uint32_t user, bool (*kind)(unsigned op)) {
    const ptx_instruction *i = &u->function->instructions[user];
    for (unsigned k = 1; k < i->operand_count; k++) {
        const ptx_instruction *source = only_source(u, user, &i->operands[k]);
        if (!source || !kind(source->op) || is_wide(source) != is_wide(i)) continue;
        const unsigned inputs = u->inputs[user] + u->inputs[index_of(u, source)] - 1u;
        if (inputs > MOST_INPUTS) continue;
        u->inputs[user] = (uint8_t)inputs;
        take_over(u, source);
    }
}

/* Counts the sums of 64 bits that read each register. */
static void count_sums(fusion *u, const ptx_instruction *i) {
    if (!is_sum(i->op) || !is_wide(i)) return;
    for (unsigned k = 1; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_REGISTER) u->sums[i->operands[k].reg]++;
}

/* Takes over a 32 x 32-bit product whose uses are all 64-bit sums: ptxas repeats the product in each sum. Returns false
 * if the operand is no such product. */
static bool is_wide_product(fusion *u, uint32_t user, const ptx_operand *o) {
    if (o->kind != PTX_REGISTER || u->sums[o->reg] != u->reads[o->reg]) return false;
    const bool once = u->writers[o->reg].count == 1, here = u->latest[o->reg] > u->first;
    if (!once && !here) return false;
    const uint32_t at = once ? u->writers[o->reg].first : u->latest[o->reg] - 1;
    const ptx_instruction *i = &u->function->instructions[at];
    if (at >= user || i->guarded || i->op != PTX_OP_MUL_WIDE) return false;
    u->left[at] = 0;
    return true;
}

/* A sum takes over one product, shifted value or extended number. */
static void join_sum(fusion *u, uint32_t user) {
    const ptx_instruction *i = &u->function->instructions[user];
    for (unsigned k = 1; k < i->operand_count; k++) {
        if (is_wide(i) && is_wide_product(u, user, &i->operands[k])) {
            u->left[user] = 1;
            return;
        }
        const ptx_instruction *source = only_source(u, user, &i->operands[k]);
        if (!source || !((is_product(source) && !is_wide(i)) || shifts_by_constant(source) || extends(source)))
            continue;
        take_over(u, source);
        u->inputs[user] = MOST_INPUTS;
        return;
    }
    join(u, user, is_sum);
}

/* Predicates are combined where one of them is computed. */
static void join_predicate(fusion *u, uint32_t user) {
    const ptx_instruction *i = &u->function->instructions[user];
    if (i->op == PTX_OP_NOT) {
        u->left[user] = 0;
        return;
    }
    for (unsigned k = 1; k < i->operand_count; k++) {
        const ptx_instruction *source = only_source(u, user, &i->operands[k]);
        if (source && source->op == PTX_OP_SETP) {
            u->left[user] = 0;
            return;
        }
    }
}

/* Widening a number without a sign costs nothing, nor does the sign of an operand. */
static bool is_free(const ptx_instruction *i) {
    if (extends(i)) return i->type2 == PTX_U32 || i->type2 == PTX_B32;
    return i->op == PTX_OP_FNEG || i->op == PTX_OP_FABS;
}

static bool same_operand(const ptx_operand *a, const ptx_operand *b) {
    return a->kind == b->kind &&
           (a->kind == PTX_REGISTER ? a->reg == b->reg : a->kind == PTX_INTEGER && a->bits == b->bits);
}

/* The half of a product whose other half the block computes nearby, from the same numbers. */
static bool is_other_half(const fusion *u, uint32_t at) {
    enum { NEAR = 16 };
    const ptx_instruction *i = &u->function->instructions[at];
    if (!is_product(i) || is_wide(i) || i->mods[PTX_SLOT_MODE] != PTX_MOD_LO) return false;
    const uint32_t from = at > u->first + NEAR ? at - NEAR : u->first;
    for (uint32_t k = from; k < at + NEAR && k < u->function->instruction_count; k++) {
        const ptx_instruction *h = &u->function->instructions[k];
        if (!is_product(h) || h->mods[PTX_SLOT_MODE] != PTX_MOD_HI) continue;
        if (same_operand(&h->operands[1], &i->operands[1]) && same_operand(&h->operands[2], &i->operands[2]))
            return true;
    }
    return false;
}

static void fuse(fusion *u, uint32_t at) {
    const ptx_instruction *i = &u->function->instructions[at];
    u->inputs[at] = (uint8_t)(i->operand_count > 1 ? i->operand_count - 1 : 1);
    if (is_logic(i->op))
        i->type == PTX_PRED ? join_predicate(u, at) : join(u, at, is_logic);
    else if (is_sum(i->op))
        join_sum(u, at);
    else if (is_free(i) || is_other_half(u, at))
        u->left[at] = 0;
}

const uint8_t *sim_fuse(const ptx_function *f, const sim_writers *writers, arena *memory) {
    fusion u = {.function = f,
                .writers = writers,
                .reads = ARENA_ARRAY(memory, f->register_count + 1, uint32_t),
                .sums = ARENA_ARRAY(memory, f->register_count + 1, uint32_t),
                .latest = ARENA_ARRAY(memory, f->register_count + 1, uint32_t),
                .left = ARENA_ARRAY(memory, f->instruction_count + 1, uint8_t),
                .inputs = ARENA_ARRAY(memory, f->instruction_count + 1, uint8_t)};
    memset(u.left, SIM_NOT_FUSED, f->instruction_count);
    for (size_t i = 0; i < f->instruction_count; i++) {
        ptx_visit_registers(&f->instructions[i], count_reads, &u);
        count_sums(&u, &f->instructions[i]);
    }
    for (uint32_t b = 0; b < f->block_count; b++) {
        u.first = f->blocks[b].first;
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) {
            fuse(&u, i);
            u.current = i;
            ptx_visit_registers(&f->instructions[i], note_writer, &u);
        }
    }
    return u.left;
}
