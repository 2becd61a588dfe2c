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
    bool *folded;        /* by instruction */
    bool all;            /* what the current instruction reads is constant */
} rounds;

static bool is_in_loop(const rounds *r, uint32_t i) {
    return i >= r->begin && i < r->end;
}

static bool is_literal(const ptx_operand *o) {
    return o->kind == PTX_INTEGER || o->kind == PTX_FLOATING || o->kind == PTX_VARIABLE_ADDRESS;
}

static bool moves_constant(const ptx_instruction *i) {
    return i->op == PTX_OP_MOV && !i->guarded && i->operands[0].kind == PTX_REGISTER && is_literal(&i->operands[1]);
}

/* Returns whether the register is set once, to a constant. */
static bool is_known(const rounds *r, uint32_t reg) {
    return r->writers[reg].count == 1 && moves_constant(&r->function->instructions[r->writers[reg].first]);
}

static bool sets_constant(const rounds *r, const ptx_instruction *i) {
    return moves_constant(i) || (i->op == PTX_OP_MOV && !i->guarded && i->operands[1].kind == PTX_REGISTER &&
                                 is_known(r, i->operands[1].reg));
}

/* Returns whether the register is set to a constant before the loop, and once more in it. */
static bool begins_constant(const rounds *r, uint32_t reg) {
    const sim_writers *w = &r->writers[reg];
    if (w->count != 2 || is_in_loop(r, w->first) == is_in_loop(r, w->last)) return false;
    return sets_constant(r, &r->function->instructions[is_in_loop(r, w->first) ? w->last : w->first]);
}

static void take_source(void *context, uint32_t reg, bool writes) {
    rounds *r = context;
    if (!writes) r->all &= is_known(r, reg) || r->constant[reg];
}

/* Returns whether the instruction computes one register of registers and constants, and nothing else. */
static bool computes(const ptx_instruction *i) {
    if (i->guarded || i->operand_count < 2 || i->operands[0].kind != PTX_REGISTER) return false;
    for (unsigned k = 1; k < i->operand_count; k++)
        if (i->operands[k].kind != PTX_REGISTER && !is_literal(&i->operands[k])) return false;
    return ptx_is_pure(i->op) && !sim_is_call(i);
}

/* Returns whether the instruction computes its register from constants of the iteration. */
static bool is_constant(rounds *r, const ptx_instruction *i) {
    if (!computes(i) || !r->constant[i->operands[0].reg]) return false;
    r->all = true;
    ptx_visit_registers(i, take_source, r);
    return r->all;
}

/* Marks all registers that may be constant. */
static void mark_candidates(rounds *r) {
    for (uint32_t k = r->begin; k < r->end; k++) {
        const ptx_instruction *i = &r->function->instructions[k];
        if (!computes(i)) continue;
        const uint32_t reg = i->operands[0].reg;
        r->constant[reg] = r->writers[reg].count == 1 || begins_constant(r, reg);
    }
}

/* Takes back the mark of a register that is computed from something else. Returns true if there was one. */
static bool unmark_some(rounds *r) {
    bool changed = false;
    for (uint32_t k = r->begin; k < r->end; k++) {
        const ptx_instruction *i = &r->function->instructions[k];
        if (!computes(i) || !r->constant[i->operands[0].reg] || is_constant(r, i)) continue;
        r->constant[i->operands[0].reg] = false;
        changed = true;
    }
    return changed;
}

/* A register, and what an instruction does with it. */
typedef struct sought {
    uint32_t reg;
    bool reads, writes;
} sought;

static void see_sought(void *context, uint32_t reg, bool writes) {
    sought *s = context;
    if (reg == s->reg) *(writes ? &s->writes : &s->reads) = true;
}

bool sim_is_overwritten(const ptx_function *f, uint32_t index, uint32_t end) {
    enum { NEAR = 64 }; /* instructions: a load follows its zeros at once */
    if (!moves_constant(&f->instructions[index])) return false;
    sought s = {.reg = f->instructions[index].operands[0].reg};
    const uint32_t last = end - index > NEAR ? index + NEAR : end;
    for (uint32_t k = index + 1; k < last && !s.reads && !s.writes; k++) {
        const ptx_instruction *i = &f->instructions[k];
        ptx_visit_registers(i, see_sought, &s);
        s.reads |= i->guarded && s.writes;
    }
    return s.writes && !s.reads;
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

/* Returns whether the instruction adds the constant step to a counter. */
static bool is_step(const ptx_instruction *i) {
    return i->operand_count && i->operands[0].kind == PTX_REGISTER && sim_step_of(i, i->operands[0].reg);
}

/* Marks the constants of an iteration. The limit was fitted with the counter among what stays. */
static round_size mark(rounds *r) {
    round_size size = {0};
    mark_candidates(r);
    while (unmark_some(r)) {
    }
    for (uint32_t k = r->begin; k < r->end; k++) {
        const ptx_instruction *i = &r->function->instructions[k];
        r->folded[k] = is_constant(r, i) || sim_is_overwritten(r->function, k, r->end);
        if (r->folded[k] && !is_step(i))
            size.folded++;
        else
            size.stays += size_of(i);
    }
    return size;
}

static void unmark(const rounds *r) {
    for (uint32_t k = r->begin; k < r->end; k++) {
        const ptx_instruction *i = &r->function->instructions[k];
        if (i->operand_count && i->operands[0].kind == PTX_REGISTER) r->constant[i->operands[0].reg] = false;
        r->folded[k] = false;
    }
}

static bool may_unroll(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    return (b->next == block || b->taken == block) && b->end > b->first && !f->keeps_loops &&
           !f->instructions[b->first].keeps_loop;
}

sim_rounds sim_find_rounds(const ptx_function *f, arena *scratch) {
    bool *whole = ARENA_ARRAY(scratch, f->block_count + 1, bool);
    rounds r = {.function = f,
                .writers = sim_find_writers(f, scratch),
                .constant = ARENA_ARRAY(scratch, f->register_count + 1, bool),
                .folded = ARENA_ARRAY(scratch, f->instruction_count + 1, bool)};
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (!may_unroll(f, b)) continue;
        r.begin = f->blocks[b].first;
        r.end = f->blocks[b].end;
        const unsigned trips = sim_constant_trips(f, r.writers, r.begin, r.end);
        const round_size size = trips ? mark(&r) : (round_size){0};
        whole[b] = is_unrolled_whole(trips, &size);
        if (!whole[b]) unmark(&r);
    }
    return (sim_rounds){whole, r.constant, r.folded};
}
