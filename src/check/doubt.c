/* Taint: follows uninitialised values from their load to the use that makes them matter. A tainted value that is masked
 * out or only copied is not reported: tiles have tails, and vectors have elements that nobody needs. The same holds for
 * values that a shuffle takes from lanes that do not take part in it: shuffle trees have unused branches. */
#include "base/memory.h"
#include "check/internal.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"
#include "state/program.h"

#include <string.h>

static sim_doubt *doubts_of(sim_warp *w) {
    sim_domain *d = sim_domain_of(w->block);
    const size_t registers = w->sm->grid->program->function->register_count + 1;
    sim_doubt **doubts = &d->doubts[sim_actor(w)];
    if (!*doubts) *doubts = memory_zeroed(registers, sizeof **doubts);
    if (!*doubts) d->owner->failed = true;
    if (*doubts && !w->doubtful) memset(*doubts, 0, registers * sizeof **doubts);
    return *doubts;
}

void sim_hazard_doubt_forget(sim_warp *w, uint32_t reg, uint32_t lanes) {
    sim_doubt *doubts = w->doubtful ? doubts_of(w) : NULL;
    if (doubts) doubts[reg].lanes &= ~lanes;
}

static void doubt_register(sim_warp *w, const ptx_operand *o, const sim_doubt *doubt) {
    sim_doubt *doubts = o->kind == PTX_REGISTER ? doubts_of(w) : NULL;
    if (!doubts) return;
    w->doubtful = true;
    sim_doubt *t = &doubts[o->reg];
    const sim_doubt before = *t;
    *t = *doubt;
    t->lanes |= before.lanes;
    if (before.lanes) t->bits |= before.bits;
}

/* ldmatrix hands a row on to other lanes than the one that gave its address; the word's position in the row says to
 * which. */
static void doubt_matrix(sim_warp *w, const ptx_instruction *i, unsigned word, const sim_doubt *doubt) {
    enum { ROWS = 8, LANES_OF_ROW = 4 };
    for (uint32_t left = doubt->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), row = lane % ROWS, matrix = lane / ROWS;
        sim_doubt d = *doubt;
        d.lanes = 1u << (LANES_OF_ROW * row + word);
        if (i->mods[PTX_SLOT_TRANS]) d.lanes = (1u | 1u << LANES_OF_ROW) << (2 * LANES_OF_ROW * word + row / 2);
        if (matrix < i->operands[0].part_count) doubt_register(w, &i->operands[0].parts[matrix], &d);
    }
}

/* True if the load is of a whole word, as part of an atomic of one or two of its bytes: the other bytes are written
 * back unchanged. */
static bool is_around(const ptx_instruction *i, uint64_t bits) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    const bool is_strong = order && order != PTX_MOD_WEAK;
    return is_strong && ptx_bits(i->type) <= 32 && (~bits & ((1ull << ptx_bits(i->type)) - 1));
}

void sim_hazard_doubt(sim_warp *w, uint32_t instruction, unsigned element, uint32_t lanes, uint64_t bits,
                      haul_space space, uint64_t address, uint32_t bytes) {
    sim_doubt_loaded(w, element,
                     &(sim_doubt){.lanes = lanes,
                                  .bits = bits,
                                  .instruction = instruction,
                                  .bytes = bytes,
                                  .address = address,
                                  .space = (uint8_t)space,
                                  .lane = (uint8_t)__builtin_ctz(lanes)});
}

void sim_doubt_loaded(sim_warp *w, unsigned element, const sim_doubt *doubt) {
    const ptx_instruction *i = sim_instruction_of(w, doubt->instruction);
    const ptx_operand *data = &i->operands[0];
    const ptx_operand *part = data->kind == PTX_VECTOR && element < data->part_count ? &data->parts[element] : data;
    if (is_around(i, doubt->bits)) return;
    if (i->op == PTX_OP_LDMATRIX)
        doubt_matrix(w, i, element, doubt);
    else if (i->op != PTX_OP_LDMATRIX_B8)
        doubt_register(w, part, doubt);
}

/* Checks each operation from the first background product on. */
void sim_hazard_products(sim_warp *w) {
    if (w->block->async.queues[w->index].products.count && doubts_of(w)) w->doubtful = true;
}

/* ---- one operation ---- */

typedef struct flow {
    sim_doubt *doubts;
    sim_doubt found; /* of the registers that are read */
    uint32_t all;    /* lanes for which all registers that are read are tainted */
    uint32_t active;
} flow;

static void add_source(void *context, uint32_t reg, bool writes) {
    flow *x = context;
    const uint32_t lanes = x->doubts[reg].lanes & x->active;
    if (writes) return;
    x->all &= lanes;
    if (!lanes) return;
    const sim_doubt before = x->found;
    x->found = x->doubts[reg];
    x->found.lanes = before.lanes | lanes;
    x->found.bits |= before.bits;
}

static void set_destination(void *context, uint32_t reg, bool writes) {
    flow *x = context;
    if (!writes) return;
    sim_doubt *t = &x->doubts[reg];
    const sim_doubt before = *t;
    const uint32_t kept = before.lanes & ~x->active;
    if (x->found.lanes) *t = x->found;
    if (kept) t->bits |= before.bits;
    t->lanes = kept | x->found.lanes;
}

/* A mov splits a register into several: each gets the taint of its part. */
static void set_parts(flow *x, const ptx_instruction *i) {
    const ptx_operand *parts = &i->operands[0];
    const unsigned width = ptx_bits(i->type) / parts->part_count;
    const sim_doubt whole = x->found;
    for (uint32_t k = 0; k < parts->part_count; k++) {
        if (parts->parts[k].kind != PTX_REGISTER) continue;
        if (k * width < 64) x->found.bits = whole.bits >> (k * width) & ((1ull << width % 64) - 1);
        x->found.lanes = x->found.bits ? whole.lanes : 0;
        set_destination(x, parts->parts[k].reg, true);
    }
}

static bool is_of_shuffle(const sim_doubt *t) {
    return t->space == HAUL_SPACE_NONE;
}

/* True for the first element behind those that were written, if it only decides a branch. */
static bool is_of_tail(const sim_warp *w, const sim_doubt *t, uint32_t used_by) {
    return t->space == HAUL_SPACE_SHARED && sim_instruction_of(w, used_by)->op == PTX_OP_BRA &&
           sim_shadow_is_tail(w, t->instruction, (uint32_t)t->address);
}

static void report(sim_warp *w, const sim_doubt *t, uint32_t used_by) {
    if (t->contest) {
        sim_contest_used(w->block, t->contest);
        return;
    }
    const bool is_tail = is_of_tail(w, t, used_by);
    const uint32_t lane = t->lanes >> t->lane & 1 ? t->lane : (uint32_t)__builtin_ctz(t->lanes);
    const sim_suspect s = {.kind = is_of_shuffle(t) ? HAUL_FINDING_SHUFFLE_MASK : HAUL_FINDING_UNINITIALISED_READ,
                           .action = is_of_shuffle(t) ? HAUL_ACTION_SYNC : HAUL_ACTION_READ,
                           .instruction = t->instruction,
                           .lanes = 1u << lane,
                           .thread = SIM_NO_THREAD,
                           .space = (haul_space)t->space,
                           .address = is_of_shuffle(t) ? 0 : t->address,
                           .bytes = t->bytes,
                           .is_advice = is_tail};
    sim_finding *f = sim_hazard_report(w, &s);
    sim_hazard_concerns(w, t->lanes);
    if (!f) return;
    const uint32_t line = sim_instruction_of(w, used_by)->position.line;
    if (is_of_shuffle(t))
        sim_hazard_say(f, "the value is taken from lane %llu, which does not take part, and is used (PTX line %u)",
                       (unsigned long long)t->address, line);
    else if (is_tail)
        sim_hazard_say(f,
                       "nobody has written these bytes, right after the last that are, and the value decides a branch "
                       "(PTX line %u): harmless if both paths give the same result",
                       line);
    else
        sim_hazard_say(f, "nobody has written these bytes, and the value is used (PTX line %u)", line);
}

static flow sources(sim_warp *w, uint32_t instruction, uint32_t active) {
    flow x = {.doubts = sim_domain_of(w->block)->doubts[sim_actor(w)], .all = active, .active = active};
    ptx_visit_registers(sim_instruction_of(w, instruction), add_source, &x);
    return x;
}

static void add_operand(flow *x, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) add_source(x, o->reg, false);
    if (o->kind == PTX_MEMORY) add_operand(x, &o->parts[0]);
    for (uint32_t i = 0; o->kind == PTX_VECTOR && i < o->part_count; i++) add_operand(x, &o->parts[i]);
}

static flow of_operand(sim_warp *w, const ptx_operand *o, uint32_t active) {
    flow x = {.doubts = sim_domain_of(w->block)->doubts[sim_actor(w)], .all = active, .active = active};
    add_operand(&x, o);
    return x;
}

static bool is_product(const ptx_instruction *i) {
    return ptx_is(i->op, PTX_KIND_PRODUCT) && !ptx_has(i->op, PTX_TRAIT_WMMA);
}

/* Taint of a product. A lane's part of the result depends on its own rows of a and c, and on columns of b that other
 * lanes hold. Those columns are left out, so that no sum is reported that is not tainted. */
static flow of_product(sim_warp *w, const ptx_instruction *i, uint32_t active) {
    flow x = of_operand(w, &i->operands[1], active);
    add_operand(&x, &i->operands[3]);
    return x;
}

/* Returns 0 for stmatrix: what it stores at a lane's address comes from other lanes, which is not followed. */
uint32_t sim_hazard_doubt_stored(sim_warp *w, uint32_t instruction, unsigned element) {
    const ptx_instruction *i = sim_instruction_of(w, instruction);
    const ptx_operand *data = &i->operands[1];
    const bool is_part = data->kind == PTX_VECTOR && element < data->part_count;
    if (i->op != PTX_OP_ST) return 0;
    const ptx_operand *part = is_part ? &data->parts[element] : data;
    const flow x = of_operand(w, part, SIM_ALL_LANES);
    const unsigned width = ptx_bits(i->type) < 64 ? ptx_bits(i->type) : 64;
    const uint64_t known = ~sim_doubtful_bits(x.doubts, part, i->type) << (64 - width);
    return known ? 0 : x.found.lanes; /* bit fields are filled one after the other */
}

void sim_hazard_shuffled(sim_warp *w, uint32_t instruction, uint32_t lanes, const uint32_t source[SIM_LANES]) {
    const ptx_instruction *i = sim_instruction_of(w, instruction);
    const ptx_operand *to = i->operands[0].kind == PTX_PAIR ? &i->operands[0].parts[0] : &i->operands[0];
    const ptx_operand *from = &i->operands[1];
    const sim_doubt *doubts = doubts_of(w);
    if (!doubts || to->kind != PTX_REGISTER) return;
    const sim_doubt known = w->doubtful && from->kind == PTX_REGISTER ? doubts[from->reg] : (sim_doubt){0};
    sim_doubt *t = &doubts_of(w)[to->reg];
    t->lanes &= ~lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left), s = source[l] % SIM_LANES;
        sim_doubt doubt = known;
        if (!(lanes >> s & 1))
            doubt = (sim_doubt){.instruction = instruction, .bits = UINT64_MAX, .address = s, .space = HAUL_SPACE_NONE};
        else if (!(known.lanes >> s & 1))
            continue;
        doubt.lanes = 1u << l;
        doubt.lane = (uint8_t)l;
        doubt_register(w, to, &doubt);
    }
}

static bool to_shared(const sim_op *op) {
    return op->memory_class == HAUL_CLASS_SHARED_STORE || op->memory_class == HAUL_CLASS_LOCAL_STORE ||
           op->memory_class == HAUL_CLASS_NONE;
}

/* True if the stored data has tainted bits: only the bits that the store writes count. */
static bool stores_doubt(const flow *x, const ptx_instruction *i) {
    const ptx_operand *data = &i->operands[1];
    if (data->kind != PTX_VECTOR) return sim_doubtful_bits(x->doubts, data, i->type) != 0;
    for (uint32_t k = 0; k < data->part_count; k++)
        if (sim_doubtful_bits(x->doubts, &data->parts[k], i->type)) return true;
    return false;
}

/* Narrows the taint of the result, if the operation does not use all of what it reads. */
static void narrow(sim_warp *w, const ptx_instruction *i, flow *x) {
    if (!x->found.lanes) return;
    x->found.lanes &= ~sim_doubt_decided(w, x->doubts, i, x->found.lanes);
    x->found.bits = sim_doubtful_result(x->doubts, i);
    if (!x->found.bits) x->found.lanes = 0;
}

/* True for a compare-and-swap. Its compared and new value may be a byte together with its neighbours in the word, so
 * only the address is checked. */
static bool is_exchange(const ptx_instruction *i) {
    return i->op == PTX_OP_ATOM && i->mods[PTX_SLOT_ATOMIC] == PTX_MOD_ATOM_CAS;
}

/* Returns the lanes that store where others may look: not those whose generic address lies in the block's or the
 * thread's own memory. */
static uint32_t lanes_outward(const sim_warp *w, const sim_op *op, uint32_t lanes) {
    uint32_t outward = 0;
    if (!(op->flags & SIM_OP_WIDE)) return lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        const uint64_t window = (SIM_SLOT(w, uint64_t, op->a)[l] + (uint64_t)op->imm) & SIM_WINDOW_MASK;
        if (window != SIM_SHARED_WINDOW && window != SIM_LOCAL_WINDOW) outward |= 1u << l;
    }
    return outward;
}

static void check_store(sim_warp *w, const sim_op *op, const ptx_instruction *i, flow x) {
    const flow address = of_operand(w, &i->operands[0], x.active);
    if (address.found.lanes) {
        report(w, &address.found, op->instruction);
        return;
    }
    if (!x.found.lanes || !stores_doubt(&x, i)) return;
    if (!is_of_shuffle(&x.found) && !x.found.contest)
        x.found.lanes = to_shared(op) ? 0 : lanes_outward(w, op, x.found.lanes);
    if (x.found.lanes) report(w, &x.found, op->instruction);
}

/* What they read decides where they go: the address, or which way. Of atomics also the value: others may look at it. */
enum {
    USES = PTX_KIND_LOAD | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION | PTX_KIND_COPY | PTX_KIND_BRANCH,
};

/* The value that is not chosen may be the one in doubt, or the other. */
static bool chooses(const ptx_instruction *i) {
    return i->op == PTX_OP_SELP || i->op == PTX_OP_SLCT;
}

static bool unpacks(const ptx_instruction *i) {
    return i->op == PTX_OP_MOV && i->operands[0].kind == PTX_VECTOR && i->operands[1].kind != PTX_VECTOR;
}

void sim_hazard_doubt_step(sim_warp *w, const sim_op *op, uint32_t active) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    if (sim_is_between(op)) return;
    sim_hazard_products_step(w, op, active);
    flow x = sources(w, op->instruction, active);
    if (is_product(i)) x = of_product(w, i, active);
    if (is_exchange(i)) x = of_operand(w, &i->operands[1], active);
    if (i->op == PTX_OP_ST) {
        check_store(w, op, i, x);
        return;
    }
    if (i->op == PTX_OP_SHFL) return; /* sim_hazard_shuffled() */
    if (ptx_is(i->op, USES) && x.found.lanes) report(w, &x.found, op->instruction);
    if (ptx_is(i->op, USES | PTX_KIND_COLLECTIVE)) x.found.lanes = 0; /* what other lanes have is not known here */
    if (chooses(i)) x.found.lanes = x.all;
    if (unpacks(i)) {
        set_parts(&x, i);
        return;
    }
    narrow(w, i, &x);
    ptx_visit_registers(i, set_destination, &x);
}
