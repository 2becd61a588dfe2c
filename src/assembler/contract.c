/* Fuses products into sums: mul and add become fma.
 *
 * The rule was read off machine code of 580 small kernels by ptxas 13.0 (docs/memory-model.md). A product is fused into
 * sums and differences if these are its only uses and all are in the same stretch of code; the product itself
 * disappears. A product by a constant or a parameter, which are operands, is also fused into sums of other stretches,
 * since it takes no further register.
 *
 * A sum of two products fuses one of them and needs the value of the other. Products with one use are fused first. Then
 * each sum, in their order, fuses its product with fewer uses, or the first one. As soon as a sum needs a product's
 * value, no later sum fuses that product; earlier ones keep it fused.
 *
 * Copies and negations of a product are the product itself: machine code has signs in its operands.
 *
 * rcp.approx that keeps subnormal numbers is a product, too: of the reciprocal of a scaled argument and the scale. That
 * is a power of two, so fusing it changes no bits of the sum. But a sum that fuses it needs the value of its other
 * product. Of two equal products the sum is twice the one. */
#include "assembler/contract.h"

#include "assembler/rewrite.h"
#include "assembler/rounds.h"
#include "assembler/values.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

#include <string.h>

enum { NO_STRETCH = 0, LEFT = 1, RIGHT = 2 }; /* operands of a sum */

#define ANY_STRETCH UINT32_MAX

typedef struct product {
    uint32_t stretch;      /* stretch of the product; NO_STRETCH: the register is no product, or one that stays */
    uint32_t instruction;  /* the product */
    uint32_t uses, chosen; /* instructions that read it or its copies; sums that may fuse it, then those that do */
} product;

/* A copy of a product. */
typedef struct copy {
    bool is, negated;
    uint32_t of; /* the product's register */
} copy;

typedef struct sum {
    uint32_t instruction;
    uint8_t may[3], takes; /* by operand, whether it is a product that can be fused; the fused one, 0: none */
} sum;

typedef struct contraction {
    const ptx_function *function;
    arena *memory, *scratch;
    product *products;     /* by register */
    copy *copies;          /* by register */
    uint32_t *definitions; /* by register: number of definitions */
    uint32_t *written;     /* by register: the last instruction so far that writes it, + 1 */
    const bool *constant;  /* by register: a constant in each iteration of an unrolled loop */
    sum *sums;
    size_t sum_count, sum_capacity;
    uint32_t now; /* the current instruction */
} contraction;

/* ---- classification ---- */

/* Products that say how they round are meant as they are. */
static bool is_product(const ptx_instruction *i) {
    return (i->op == PTX_OP_FMUL || i->op == PTX_OP_HMUL) && !i->guarded && !i->mods[PTX_SLOT_ROUND] &&
           !i->mods[PTX_SLOT_SAT] && i->operands[0].kind == PTX_REGISTER;
}

/* Returns whether it is a reciprocal whose scale multiplies it in the end. */
static bool is_scaled(const ptx_instruction *i) {
    return i->op == PTX_OP_RCP_APPROX && i->type == PTX_F32 && !i->mods[PTX_SLOT_FTZ] && !i->guarded &&
           i->operands[0].kind == PTX_REGISTER;
}

static bool is_difference(const ptx_instruction *i) {
    return i->op == PTX_OP_FSUB || i->op == PTX_OP_HSUB;
}

static bool is_sum(const ptx_instruction *i) {
    return (i->op == PTX_OP_FADD || i->op == PTX_OP_HADD || is_difference(i)) && !i->mods[PTX_SLOT_ROUND];
}

/* Whether machine code calls a routine or branches for it. */
static bool divides(const ptx_instruction *i) {
    return sim_is_call(i) || (ptx_has(i->op, PTX_TRAIT_DIVIDES) && i->type == PTX_S32);
}

/* Nothing is fused across these: machine code has branches there, or had them during compilation. */
static bool ends_stretch(const ptx_instruction *i) {
    if (i->op == PTX_OP_MEMBAR || i->op == PTX_OP_FENCE || divides(i)) return true;
    return i->guarded && !ptx_is_pure(i->op);
}

/* ---- finding ---- */

static void count_register(void *context, uint32_t reg, bool writes) {
    contraction *c = context;
    ++*(writes ? &c->definitions[reg] : &c->products[reg].uses);
}

static void note_write(void *context, uint32_t reg, bool writes) {
    contraction *c = context;
    if (writes) c->written[reg] = c->now + 1;
}

/* The register of the product that an operand refers to, itself or by a copy. */
static uint32_t origin(const contraction *c, const ptx_operand *o) {
    return c->copies[o->reg].is ? c->copies[o->reg].of : o->reg;
}

/* Returns whether the product's factors are unchanged. */
static bool still_there(const contraction *c, const ptx_instruction *made, uint32_t at) {
    if (is_scaled(made)) return true;
    for (unsigned k = LEFT; k <= RIGHT; k++)
        if (made->operands[k].kind == PTX_REGISTER && c->written[made->operands[k].reg] > at) return false;
    return true;
}

/* Whether a sum can fuse the product on one of its sides: same type and flushing, in reach, and the factors still
 * there. */
static bool may_take(const contraction *c, const ptx_instruction *i, unsigned side, uint32_t stretch) {
    const ptx_operand *o = &i->operands[side];
    if (o->kind != PTX_REGISTER) return false;
    const uint32_t reg = origin(c, o), made_in = c->products[reg].stretch;
    if (made_in != ANY_STRETCH && made_in != stretch) return false;
    const ptx_operand *other = &i->operands[LEFT + RIGHT - side];
    if (other->kind == PTX_REGISTER && origin(c, other) == reg) return false;
    const uint32_t at = c->products[reg].instruction;
    const ptx_instruction *made = &c->function->instructions[at];
    return made->type == i->type && made->mods[PTX_SLOT_FTZ] == i->mods[PTX_SLOT_FTZ] && still_there(c, made, at);
}

/* Returns whether it loads a parameter of the kernel; those of calls are in registers. */
static bool loads_parameter(const ptx_function *f, const ptx_instruction *i) {
    if (i->op != PTX_OP_LD || i->operands[1].parts[0].kind != PTX_VARIABLE_ADDRESS) return false;
    for (size_t k = 0; k < f->param_count; k++)
        if (i->operands[1].parts[0].variable == f->params[k]) return true;
    return false;
}

/* Returns whether it is a constant or a parameter, perhaps in a register. */
static bool is_fixed(const contraction *c, const ptx_operand *o) {
    if (o->kind != PTX_REGISTER || c->constant[o->reg]) return true;
    if (c->definitions[o->reg] != 1 || !c->written[o->reg]) return false;
    const ptx_instruction *i = &c->function->instructions[c->written[o->reg] - 1];
    if (i->guarded) return false;
    return loads_parameter(c->function, i) || (i->op == PTX_OP_MOV && i->operands[1].kind != PTX_REGISTER);
}

static bool is_unchanged(const contraction *c, const ptx_operand *o) {
    return o->kind != PTX_REGISTER || c->definitions[o->reg] < 2;
}

/* Whether the product can be fused into sums of other stretches. */
static bool goes_anywhere(const contraction *c, const ptx_instruction *i) {
    const ptx_operand *left = &i->operands[LEFT], *right = &i->operands[RIGHT];
    return (is_fixed(c, left) || is_fixed(c, right)) && is_unchanged(c, left) && is_unchanged(c, right);
}

static bool is_pair(const ptx_instruction *i) {
    return i->type == PTX_F16X2 || i->type == PTX_BF16X2;
}

static bool is_same_operand(const ptx_operand *a, const ptx_operand *b) {
    if (a->kind != b->kind) return false;
    return a->kind == PTX_REGISTER ? a->reg == b->reg : a->bits == b->bits && a->width == b->width;
}

/* Returns whether the sum adds two products of the same factors, which makes it twice the one. Not of pairs, nor with
 * .ftz. */
static bool is_twice(const contraction *c, const ptx_instruction *i) {
    const uint32_t left = origin(c, &i->operands[LEFT]), right = origin(c, &i->operands[RIGHT]);
    const ptx_instruction *a = &c->function->instructions[c->products[left].instruction];
    const ptx_instruction *b = &c->function->instructions[c->products[right].instruction];
    const bool negates = c->copies[i->operands[LEFT].reg].negated != c->copies[i->operands[RIGHT].reg].negated;
    if (is_difference(i) != negates || !is_product(a) || !is_product(b)) return false;
    if (is_pair(i) || i->mods[PTX_SLOT_FTZ]) return false;
    return (is_same_operand(&a->operands[LEFT], &b->operands[LEFT]) &&
            is_same_operand(&a->operands[RIGHT], &b->operands[RIGHT])) ||
           (is_same_operand(&a->operands[LEFT], &b->operands[RIGHT]) &&
            is_same_operand(&a->operands[RIGHT], &b->operands[LEFT]));
}

static void note_sum(contraction *c, const ptx_instruction *i, uint32_t stretch) {
    sum s = {.instruction = c->now,
             .may = {[LEFT] = may_take(c, i, LEFT, stretch), [RIGHT] = may_take(c, i, RIGHT, stretch)}};
    if (s.may[LEFT] && s.may[RIGHT] && is_twice(c, i)) return;
    if (s.may[LEFT] || s.may[RIGHT]) ARENA_PUSH(c->scratch, c->sums, c->sum_count, c->sum_capacity, s);
}

/* Returns whether it copies or negates a register. */
static bool is_copy(const ptx_instruction *i) {
    if (i->op != PTX_OP_MOV && i->op != PTX_OP_FNEG && i->op != PTX_OP_HNEG) return false;
    return !i->guarded && i->operands[0].kind == PTX_REGISTER && i->operands[1].kind == PTX_REGISTER;
}

/* Uses of the copy are uses of the product. The copy itself is none. */
static void note_copy(contraction *c, const ptx_instruction *i, uint32_t stretch) {
    const ptx_operand *from = &i->operands[1];
    const uint32_t to = i->operands[0].reg, of = origin(c, from);
    if (c->definitions[to] != 1 || !c->products[of].stretch) return;
    if (c->products[of].stretch != ANY_STRETCH && c->products[of].stretch != stretch) return;
    const ptx_instruction *made = &c->function->instructions[c->products[of].instruction];
    const bool flushes = i->mods[PTX_SLOT_FTZ] && !made->mods[PTX_SLOT_FTZ];
    if (i->op != PTX_OP_MOV && (made->type != i->type || flushes)) return;
    c->copies[to] = (copy){true, c->copies[from->reg].negated != (i->op != PTX_OP_MOV), of};
    c->products[of].uses += c->products[to].uses - 1;
}

/* Notes a product, a copy of one or a sum, then what the instruction writes. */
static void look_at(contraction *c, uint32_t stretch) {
    const ptx_instruction *i = &c->function->instructions[c->now];
    const bool is_scale = is_scaled(i);
    if ((is_scale || is_product(i)) && c->definitions[i->operands[0].reg] == 1 && !c->constant[i->operands[0].reg]) {
        c->products[i->operands[0].reg].stretch = !is_scale && goes_anywhere(c, i) ? ANY_STRETCH : stretch;
        c->products[i->operands[0].reg].instruction = c->now;
    } else if (is_copy(i)) {
        note_copy(c, i, stretch);
    } else if (is_sum(i)) {
        note_sum(c, i, stretch);
    }
    ptx_visit_registers(i, note_write, c);
}

static void find_sums(contraction *c) {
    const ptx_function *f = c->function;
    uint32_t stretch = NO_STRETCH;
    for (size_t b = 0; b < f->block_count; b++) {
        stretch++;
        for (c->now = f->blocks[b].first; c->now < f->blocks[b].end; c->now++) {
            stretch += ends_stretch(&f->instructions[c->now]);
            look_at(c, stretch);
        }
    }
}

/* ---- choosing ---- */

/* The product that an operand of the sum refers to. */
static product *side_of(const contraction *c, const sum *s, unsigned side) {
    return &c->products[origin(c, &c->function->instructions[s->instruction].operands[side])];
}

static bool is_open(const contraction *c, const sum *s, unsigned side) {
    return s->may[side] && side_of(c, s, side)->stretch != NO_STRETCH;
}

/* Keeps products with a use that cannot be fused. */
static void drop_used_elsewhere(contraction *c) {
    for (size_t k = 0; k < c->sum_count; k++)
        for (unsigned side = LEFT; side <= RIGHT; side++)
            if (c->sums[k].may[side]) side_of(c, &c->sums[k], side)->chosen++;
    for (size_t r = 0; r < c->function->register_count; r++)
        if (c->products[r].chosen != c->products[r].uses) c->products[r].stretch = NO_STRETCH;
}

/* Fuses the product on one side into the sum. The product on the other side has to be computed, so later sums read it.
 */
static void take(const contraction *c, sum *s, unsigned side) {
    const unsigned other = LEFT + RIGHT - side;
    s->takes = (uint8_t)side;
    side_of(c, s, side)->chosen++;
    if (is_open(c, s, other)) side_of(c, s, other)->stretch = NO_STRETCH;
}

static bool is_used_once(const contraction *c, const sum *s, unsigned side) {
    return is_open(c, s, side) && side_of(c, s, side)->uses == 1;
}

/* Returns the side whose product has fewer uses, the left one if both have as many; 0 if no product can be fused. */
static unsigned preferred(const contraction *c, const sum *s) {
    const bool left = is_open(c, s, LEFT), right = is_open(c, s, RIGHT);
    if (left && right) return side_of(c, s, RIGHT)->uses < side_of(c, s, LEFT)->uses ? RIGHT : LEFT;
    return left ? LEFT : right ? RIGHT : 0;
}

/* Chooses the products that sums fuse: those with one use first, then the others, sum by sum. Pairs are fused late, sum
 * by sum: the machine code of an earlier sum no longer changes. */
static void choose(contraction *c) {
    for (size_t r = 0; r < c->function->register_count; r++) c->products[r].chosen = 0;
    for (size_t k = 0; k < c->sum_count; k++) {
        sum *s = &c->sums[k];
        if (is_pair(&c->function->instructions[s->instruction])) continue;
        const unsigned side = is_used_once(c, s, LEFT) ? LEFT : is_used_once(c, s, RIGHT) ? RIGHT : 0;
        if (side) take(c, s, side);
    }
    for (size_t k = 0; k < c->sum_count; k++) {
        const unsigned side = c->sums[k].takes ? 0 : preferred(c, &c->sums[k]);
        if (side) take(c, &c->sums[k], side);
    }
}

/* ---- rewriting ---- */

typedef struct rewriting {
    const contraction *found;
    sim_rewrite to;
    uint32_t *taken; /* by old instruction: the sum that it is fused into, + 1 */
    bool *gone;      /* by old instruction: a product that disappears */
} rewriting;

/* Returns the operand with its sign changed: by a preceding instruction, or in the constant itself. */
static ptx_operand negated(rewriting *w, const ptx_instruction *i, ptx_operand o) {
    if (o.kind != PTX_REGISTER) {
        o.bits ^= 1ull << (o.width == 32 ? 31 : 63);
        return o;
    }
    ptx_instruction neg = *i;
    neg.op = i->op == PTX_OP_FSUB ? PTX_OP_FNEG : PTX_OP_HNEG;
    memset(neg.mods, 0, sizeof neg.mods);
    neg.operand_count = 2;
    neg.operands = ARENA_ARRAY(w->found->memory, 2, ptx_operand);
    neg.operands[0] = neg.operands[1] = o;
    neg.operands[0].reg = sim_rewrite_register(&w->to, w->to.to->registers[o.reg].type, "%negative");
    sim_rewrite_add(&w->to, neg);
    return neg.operands[0];
}

/* A difference, or a negated copy, negates the product's first factor or the other operand. */
static void add_fused(rewriting *w, const sum *s) {
    const ptx_function *from = w->found->function;
    const ptx_instruction *i = &from->instructions[s->instruction];
    const ptx_instruction *made = &from->instructions[side_of(w->found, s, s->takes)->instruction];
    const bool negates = is_difference(i) && s->takes == RIGHT;
    ptx_instruction fused = *i;
    fused.op = i->op == PTX_OP_FADD || i->op == PTX_OP_FSUB ? PTX_OP_FMA : PTX_OP_HFMA;
    fused.mods[PTX_SLOT_ROUND] = PTX_MOD_RN;
    fused.operand_count = 4;
    fused.operands = ARENA_ARRAY(w->found->memory, 4, ptx_operand);
    fused.operands[0] = i->operands[0];
    fused.operands[1] = made->operands[LEFT];
    fused.operands[2] = made->operands[RIGHT];
    fused.operands[3] = i->operands[LEFT + RIGHT - s->takes];
    if (w->found->copies[i->operands[s->takes].reg].negated != negates)
        fused.operands[1] = negated(w, i, fused.operands[1]);
    if (is_difference(i) && s->takes == LEFT) fused.operands[3] = negated(w, i, fused.operands[3]);
    sim_rewrite_add(&w->to, fused);
}

/* Returns whether a sum takes its product by fusing it. A scaled reciprocal stays, as does the sum. */
static bool fuses(const contraction *c, const sum *s) {
    return s->takes && !is_scaled(&c->function->instructions[side_of(c, s, s->takes)->instruction]);
}

/* Marks the products that all their uses have fused, and their copies. */
static void mark_gone(const contraction *c, rewriting *w) {
    for (size_t k = 0; k < c->sum_count; k++) {
        if (!fuses(c, &c->sums[k])) continue;
        w->taken[c->sums[k].instruction] = (uint32_t)k + 1;
        const product *p = side_of(c, &c->sums[k], c->sums[k].takes);
        w->gone[p->instruction] = p->chosen == p->uses;
    }
    for (size_t k = 0; k < c->function->instruction_count; k++) {
        const ptx_instruction *i = &c->function->instructions[k];
        if (!is_copy(i) || !c->copies[i->operands[0].reg].is) continue;
        w->gone[k] = w->gone[c->products[c->copies[i->operands[0].reg].of].instruction];
    }
}

static ptx_function *rewrite(const contraction *c) {
    const ptx_function *from = c->function;
    rewriting w = {.found = c,
                   .taken = ARENA_ARRAY(c->scratch, from->instruction_count, uint32_t),
                   .gone = ARENA_ARRAY(c->scratch, from->instruction_count, bool)};
    mark_gone(c, &w);
    sim_rewrite_begin(&w.to, from, c->memory);
    for (uint32_t i = 0; i < from->instruction_count; i++) {
        sim_rewrite_at(&w.to, i);
        if (w.taken[i])
            add_fused(&w, &c->sums[w.taken[i] - 1]);
        else if (!w.gone[i])
            sim_rewrite_add(&w.to, from->instructions[i]);
    }
    sim_rewrite_end(&w.to);
    return w.to.to;
}

static bool has_fused(const contraction *c) {
    for (size_t k = 0; k < c->sum_count; k++)
        if (fuses(c, &c->sums[k])) return true;
    return false;
}

static bool has_products(const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        if (is_product(&f->instructions[i])) return true;
    return false;
}

ptx_function *sim_contract(ptx_module *module, ptx_function *flat, arena *scratch) {
    if (!has_products(flat)) return flat;
    contraction c = {.function = flat,
                     .memory = &module->memory,
                     .scratch = scratch,
                     .constant = sim_find_rounds(flat, scratch).constant,
                     .products = ARENA_ARRAY(scratch, flat->register_count + 1, product),
                     .copies = ARENA_ARRAY(scratch, flat->register_count + 1, copy),
                     .definitions = ARENA_ARRAY(scratch, flat->register_count + 1, uint32_t),
                     .written = ARENA_ARRAY(scratch, flat->register_count + 1, uint32_t)};
    for (size_t i = 0; i < flat->instruction_count; i++)
        ptx_visit_registers(&flat->instructions[i], count_register, &c);
    find_sums(&c);
    drop_used_elsewhere(&c);
    choose(&c);
    return has_fused(&c) ? rewrite(&c) : flat;
}
