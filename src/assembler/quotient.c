/* Read off an H200's results: in layer_norm and rms_norm by Triton, the mean of squares plus epsilon is rounded once.
 */
#include "assembler/quotient.h"

#include "assembler/rewrite.h"
#include "ptx/literal.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

/* Divisors below SMALLEST are scaled by LIFT; .full also scales those above LARGE by LOWER. The bits of floats. */
enum { ONE = 0x3f800000, SMALLEST = 0x00800000, LIFT = 0x4b800000, LARGE = 0x7e800000, LOWER = 0x3e800000 };

typedef struct register_uses {
    uint32_t *all, *sums; /* by register: instructions that read it; sums among them */
    bool in_sum;
} register_uses;

static void count_use(void *context, uint32_t reg, bool writes) {
    register_uses *u = context;
    if (writes) return;
    u->all[reg]++;
    u->sums[reg] += u->in_sum;
}

/* A copy or a negation that is only added counts as a sum. */
static void count_copies(const ptx_function *f, register_uses *u) {
    for (size_t k = f->instruction_count; k-- > 0;) {
        const ptx_instruction *i = &f->instructions[k];
        if ((i->op != PTX_OP_MOV && i->op != PTX_OP_FNEG) || i->operands[1].kind != PTX_REGISTER) continue;
        if (i->guarded || i->operands[0].kind != PTX_REGISTER) continue;
        const uint32_t to = i->operands[0].reg;
        u->sums[i->operands[1].reg] += u->all[to] && u->all[to] == u->sums[to];
    }
}

static register_uses count_uses(const ptx_function *f, arena *memory) {
    register_uses u = {.all = ARENA_ARRAY(memory, f->register_count + 1, uint32_t),
                       .sums = ARENA_ARRAY(memory, f->register_count + 1, uint32_t)};
    for (size_t k = 0; k < f->instruction_count; k++) {
        const ptx_instruction *i = &f->instructions[k];
        u.in_sum = (i->op == PTX_OP_FADD || i->op == PTX_OP_FSUB) && !i->mods[PTX_SLOT_ROUND];
        ptx_visit_registers(i, count_use, &u);
    }
    count_copies(f, &u);
    return u;
}

static bool is_added(const register_uses *u, const ptx_instruction *i) {
    if (i->op != PTX_OP_FDIV_APPROX || i->guarded || i->operands[0].kind != PTX_REGISTER) return false;
    const uint32_t reg = i->operands[0].reg;
    return u->all[reg] && u->all[reg] == u->sums[reg];
}

/* The instructions in place of one quotient. They get its place and, if they have one, its .ftz. */
typedef struct expansion {
    sim_rewrite *to;
    const ptx_instruction *quotient;
} expansion;

static ptx_operand of_register(uint32_t reg) {
    return (ptx_operand){.kind = PTX_REGISTER, .reg = reg};
}

static ptx_operand of_float(uint32_t bits) {
    return (ptx_operand){.kind = PTX_FLOATING, .width = 32, .bits = bits};
}

static ptx_instruction *add(expansion *e, ptx_op op, ptx_type type, const ptx_operand *operands, uint8_t count) {
    ptx_instruction i = *e->quotient;
    i.op = (uint16_t)op;
    i.type = (uint8_t)type;
    i.mods[PTX_SLOT_PRECISION] = PTX_MOD_NONE;
    i.operand_count = count;
    i.operands = ARENA_ARRAY(e->to->memory, count, ptx_operand);
    for (uint8_t k = 0; k < count; k++) i.operands[k] = operands[k];
    sim_rewrite_add(e->to, i);
    return &e->to->to->instructions[e->to->to->instruction_count - 1];
}

/* Returns `otherwise`, or `scale` where |b| compares so with the limit. */
static ptx_operand select_scale(expansion *e, ptx_modifier compare, uint32_t limit, uint32_t scale,
                                ptx_operand otherwise) {
    const ptx_operand size = of_register(sim_rewrite_register(e->to, PTX_F32, "%size"));
    const ptx_operand is = of_register(sim_rewrite_register(e->to, PTX_PRED, "%scaled"));
    const ptx_operand to = of_register(sim_rewrite_register(e->to, PTX_F32, "%scale"));
    add(e, PTX_OP_FABS, PTX_F32, (ptx_operand[]){size, e->quotient->operands[2]}, 2);
    add(e, PTX_OP_SETP, PTX_F32, (ptx_operand[]){is, size, of_float(limit)}, 3)->mods[PTX_SLOT_COMPARE] =
        (uint16_t)compare;
    add(e, PTX_OP_SELP, PTX_F32, (ptx_operand[]){to, of_float(scale), otherwise, is}, 4)->mods[PTX_SLOT_FTZ] = 0;
    return to;
}

static ptx_operand multiply(expansion *e, ptx_operand a, ptx_operand b) {
    const ptx_operand product = of_register(sim_rewrite_register(e->to, PTX_F32, "%scaled"));
    add(e, PTX_OP_FMUL, PTX_F32, (ptx_operand[]){product, a, b}, 3);
    return product;
}

static bool is_one(const ptx_operand *o) {
    return o->kind == PTX_FLOATING && ptx_float_bits(o, 4) == ONE;
}

/* Without scales, the quotient of one is the reciprocal alone. */
static void expand(sim_rewrite *w, const ptx_instruction *i) {
    expansion e = {w, i};
    ptx_operand scale = of_float(ONE), a = i->operands[1], b = i->operands[2];
    const bool scales_small = !i->mods[PTX_SLOT_FTZ], scales_large = i->mods[PTX_SLOT_PRECISION] == PTX_MOD_FULL;
    if (scales_small) scale = select_scale(&e, PTX_MOD_LT, SMALLEST, LIFT, scale);
    if (scales_large) scale = select_scale(&e, PTX_MOD_GT, LARGE, LOWER, scale);
    if (scales_small || scales_large) {
        a = multiply(&e, a, scale);
        b = multiply(&e, b, scale);
    }
    const ptx_operand inverse = of_register(sim_rewrite_register(w, PTX_F32, "%inverse"));
    ptx_instruction *reciprocal = add(&e, PTX_OP_RCP_APPROX, PTX_F32, (ptx_operand[]){inverse, b}, 2);
    reciprocal->mods[PTX_SLOT_PRECISION] = PTX_MOD_APPROX;
    reciprocal->mods[PTX_SLOT_FTZ] = PTX_MOD_FTZ;
    if (!scales_small && !scales_large && is_one(&a))
        reciprocal->operands[0] = i->operands[0];
    else
        add(&e, PTX_OP_FMUL, PTX_F32, (ptx_operand[]){i->operands[0], a, inverse}, 3);
}

static bool has_quotients(const ptx_function *f) {
    for (size_t k = 0; k < f->instruction_count; k++)
        if (f->instructions[k].op == PTX_OP_FDIV_APPROX) return true;
    return false;
}

static bool adds_quotients(const ptx_function *f, const register_uses *uses) {
    for (size_t k = 0; k < f->instruction_count; k++)
        if (is_added(uses, &f->instructions[k])) return true;
    return false;
}

ptx_function *sim_expand_quotients(ptx_module *module, ptx_function *flat, arena *scratch) {
    if (!has_quotients(flat)) return flat;
    const register_uses uses = count_uses(flat, scratch);
    if (!adds_quotients(flat, &uses)) return flat;
    sim_rewrite w;
    sim_rewrite_begin(&w, flat, &module->memory);
    for (uint32_t k = 0; k < flat->instruction_count; k++) {
        sim_rewrite_at(&w, k);
        if (is_added(&uses, &flat->instructions[k]))
            expand(&w, &flat->instructions[k]);
        else
            sim_rewrite_add(&w, flat->instructions[k]);
    }
    sim_rewrite_end(&w);
    return w.to;
}
