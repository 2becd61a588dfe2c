#include "assembler/rounds.h"

#include "assembler/loop.h"
#include "assembler/values.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

typedef struct rounds {
    const ptx_function *function;
    const sim_writers *writers;
    uint32_t begin, end; /* the current loop's instructions */
    bool *constant;      /* by register */
    bool all;            /* what the current instruction reads is constant */
} rounds;

static bool is_in_loop(const rounds *r, uint32_t i) {
    return i >= r->begin && i < r->end;
}

static bool sets_constant(const ptx_instruction *i) {
    return i->op == PTX_OP_MOV && !i->guarded && i->operands[1].kind != PTX_REGISTER;
}

/* Returns whether the register is set to a constant before the loop and changed by constant steps in it. */
static bool counts(const rounds *r, uint32_t reg) {
    const sim_writers *w = &r->writers[reg];
    if (w->count != 2 || is_in_loop(r, w->first) == is_in_loop(r, w->last)) return false;
    const bool first = is_in_loop(r, w->first);
    const ptx_instruction *step = &r->function->instructions[first ? w->first : w->last];
    return sim_step_of(step, reg) && sets_constant(&r->function->instructions[first ? w->last : w->first]);
}

static void take_source(void *context, uint32_t reg, bool writes) {
    rounds *r = context;
    const sim_writers *w = &r->writers[reg];
    if (writes) return;
    const bool known = w->count == 1 && sets_constant(&r->function->instructions[w->first]);
    r->all &= known || r->constant[reg] || counts(r, reg);
}

/* Returns whether the instruction computes one register from constants of the iteration. */
static bool is_constant(rounds *r, const ptx_instruction *i) {
    if (i->guarded || !ptx_is_pure(i->op) || sim_is_call(i) || i->operands[0].kind != PTX_REGISTER) return false;
    if (r->writers[i->operands[0].reg].count != 1) return false;
    r->all = i->operand_count > 1;
    ptx_visit_registers(i, take_source, r);
    return r->all;
}

/* Returns how much the assembler counts for an instruction that stays in each iteration. Approximations that scale
 * subnormal numbers are several instructions. */
static unsigned size_of(const ptx_instruction *i) {
    enum { OF_APPROXIMATION = 5 };
    return sim_is_predicated(i) ? OF_APPROXIMATION : 1;
}

/* What an iteration consists of: the size of what stays, and the number of instructions that become constants. */
typedef struct round_size {
    unsigned stays, folded;
} round_size;

/* Returns whether the loop is unrolled whole, so that its counter is a constant in each iteration. The longer an
 * iteration is, the fewer there may be, and constants allow more. The limit was fitted to machine code by ptxas 13.0 of
 * 30 loops of 9 to 125 instructions; it is off by a tenth for most of them. */
static bool is_unrolled_whole(unsigned trips, const round_size *size) {
    enum { MOST = 28000, MORE = 3700 };
    return trips && (uint64_t)size->stays * size->stays * trips <= MOST + (uint64_t)MORE * size->folded;
}

/* Marks the constants of an iteration. */
static round_size mark(rounds *r) {
    round_size size = {0};
    for (uint32_t k = r->begin; k < r->end; k++) {
        const ptx_instruction *i = &r->function->instructions[k];
        if (is_constant(r, i)) {
            r->constant[i->operands[0].reg] = true;
            size.folded++;
        } else {
            size.stays += size_of(i);
        }
    }
    return size;
}

static void unmark(const rounds *r) {
    for (uint32_t k = r->begin; k < r->end; k++) {
        const ptx_instruction *i = &r->function->instructions[k];
        if (i->operand_count && i->operands[0].kind == PTX_REGISTER) r->constant[i->operands[0].reg] = false;
    }
}

static bool may_unroll(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    return (b->next == block || b->taken == block) && b->end > b->first && !f->keeps_loops &&
           !f->instructions[b->first].keeps_loop;
}

const bool *sim_find_round_constants(const ptx_function *f, arena *scratch) {
    rounds r = {.function = f,
                .writers = sim_find_writers(f, scratch),
                .constant = ARENA_ARRAY(scratch, f->register_count + 1, bool)};
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (!may_unroll(f, b)) continue;
        r.begin = f->blocks[b].first;
        r.end = f->blocks[b].end;
        const unsigned trips = sim_constant_trips(f, r.writers, r.begin, r.end);
        const round_size size = trips ? mark(&r) : (round_size){0};
        if (!is_unrolled_whole(trips, &size)) unmark(&r);
    }
    return r.constant;
}
