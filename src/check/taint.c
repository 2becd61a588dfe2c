/* Taint: follows uninitialised values from their load to the use that makes them matter. A tainted value that is masked
 * out or only copied is not reported: tiles have tails, and vectors have elements that nobody needs. The same holds for
 * values that a shuffle takes from lanes that do not take part in it: shuffle trees have unused branches. */
#include "base/memory.h"
#include "check/internal.h"
#include "check/thread_value.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"
#include "ptx/matrix.h"
#include "ptx/traits.h"
#include "state/program.h"

#include <string.h>

/* Returns the warp's taints by register; clears them if the warp was not tainted before. NULL without memory. */
static sim_taint *taints_of(sim_warp *w) {
    sim_domain *d = sim_domain_of(w->block);
    const size_t registers = w->sm->grid->program->function->register_count + 1;
    sim_taint **taints = &d->taints[sim_actor(w)];
    if (!*taints) *taints = memory_zeroed(registers, sizeof **taints);
    if (!*taints) d->owner->failed = true;
    if (*taints && !w->tainted) memset(*taints, 0, registers * sizeof **taints);
    if (!w->tainted) d->choices[sim_actor(w)].lanes = 0;
    return *taints;
}

void sim_hazard_taint_forget(sim_warp *w, uint32_t reg, uint32_t lanes) {
    sim_taint *taints = w->tainted ? taints_of(w) : NULL;
    if (taints) taints[reg].lanes &= ~lanes;
}

/* Adds a taint to a register, beside the one it may have. */
static void taint_register(sim_warp *w, const ptx_operand *o, const sim_taint *taint) {
    sim_taint *taints = o->kind == PTX_REGISTER ? taints_of(w) : NULL;
    if (!taints) return;
    w->tainted = true;
    sim_taint *t = &taints[o->reg];
    const sim_taint before = *t;
    *t = *taint;
    t->lanes |= before.lanes;
    if (before.lanes) t->bits |= before.bits;
}

/* Four lanes have a row of a matrix, and the next four the next one. */
enum { ROWS = 8, LANES_OF_ROW = 4 };

/* ldmatrix hands a row on to other lanes than the one that gave its address; the word's position in the row says to
 * which. */
static void taint_matrix(sim_warp *w, const ptx_instruction *i, unsigned word, const sim_taint *taint) {
    for (uint32_t left = taint->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left), row = lane % ROWS, matrix = lane / ROWS;
        sim_taint d = *taint;
        d.lanes = 1u << (LANES_OF_ROW * row + word);
        if (i->mods[PTX_SLOT_TRANS]) d.lanes = (1u | 1u << LANES_OF_ROW) << (2 * LANES_OF_ROW * word + row / 2);
        if (matrix < i->operands[0].part_count) taint_register(w, &i->operands[0].parts[matrix], &d);
    }
}

static bool has_compare_and_swap(const ptx_function *f) {
    for (size_t k = 0; k < f->instruction_count; k++)
        if (sim_is_compare_and_swap(&f->instructions[k])) return true;
    return false;
}

/* True if the load is of a whole word, as part of an atomic of one or two of its bytes: the other bytes are written
 * back unchanged, by a compare-and-swap. */
static bool reads_whole_word(const sim_warp *w, const ptx_instruction *i, uint64_t bits) {
    const unsigned order = i->mods[PTX_SLOT_ORDER];
    const bool is_strong = order && order != PTX_MOD_WEAK;
    const bool is_part = ptx_bits(i->type) <= 32 && (~bits & ((1ull << ptx_bits(i->type)) - 1));
    return is_strong && is_part && has_compare_and_swap(w->sm->grid->program->function);
}

void sim_hazard_taint(sim_warp *w, uint32_t instruction, unsigned element, uint32_t lanes, uint64_t bits,
                      haul_space space, uint64_t address, uint32_t bytes) {
    sim_taint_loaded(w, element,
                     &(sim_taint){.lanes = lanes,
                                  .bits = bits,
                                  .instruction = instruction,
                                  .bytes = bytes,
                                  .address = address,
                                  .space = (uint8_t)space,
                                  .lane = (uint8_t)__builtin_ctz(lanes)});
}

void sim_taint_loaded(sim_warp *w, unsigned element, const sim_taint *taint) {
    const ptx_instruction *i = sim_instruction_of(w, taint->instruction);
    const ptx_operand *data = &i->operands[0];
    const ptx_operand *part = data->kind == PTX_VECTOR && element < data->part_count ? &data->parts[element] : data;
    if (reads_whole_word(w, i, taint->bits)) return;
    if (i->op == PTX_OP_LDMATRIX)
        taint_matrix(w, i, element, taint);
    else if (!ptx_is(i->op, PTX_KIND_MATRIX_LOAD) || !ptx_has(i->op, PTX_TRAIT_SHARED))
        taint_register(w, part, taint);
}

/* Checks each operation from the first background product on. */
void sim_hazard_products(sim_warp *w) {
    if (sim_products_of(w)->count && taints_of(w)) w->tainted = true;
}

/* ---- elements of less than a byte ---- */

/* Returns the instruction from which an operand's value comes, conversions and copies left out; PTX_NO_BLOCK if it is
 * not in the same basic block. */
static uint32_t source_of(const ptx_function *f, uint32_t at, const ptx_operand *o) {
    if (o->kind != PTX_REGISTER) return PTX_NO_BLOCK;
    const uint32_t k = sim_last_writer(f, at, o->reg);
    if (k == PTX_NO_BLOCK) return k;
    const ptx_instruction *i = &f->instructions[k];
    return i->op == PTX_OP_MOV || i->op == PTX_OP_CVT ? source_of(f, k, &i->operands[1]) : k;
}

static bool comes_from(const ptx_function *f, uint32_t k, unsigned op) {
    return k != PTX_NO_BLOCK && f->instructions[k].op == op;
}

/* True if the operand is what the store's own word held, with some bits masked out. */
static bool keeps_others(const ptx_function *f, uint32_t at, const ptx_operand *o, const ptx_instruction *store) {
    const uint32_t mask = source_of(f, at, o);
    for (unsigned k = 1; comes_from(f, mask, PTX_OP_AND) && k <= 2; k++) {
        const uint32_t load = source_of(f, mask, &f->instructions[mask].operands[k]);
        if (comes_from(f, load, PTX_OP_LD) && sim_is_same_word(&f->instructions[load].operands[1], &store->operands[0]))
            return true;
    }
    return false;
}

/* True if the store puts new bits in the place of some of its word's, as for elements of four bits: the others stay
 * what they were, and the next store may fill them. `word |= bits` does not. */
static bool fills_field(const sim_warp *w, uint32_t store) {
    const ptx_function *f = w->sm->grid->program->function;
    const ptx_instruction *at = &f->instructions[store];
    const uint32_t sum = source_of(f, store, &at->operands[1]);
    return comes_from(f, sum, PTX_OP_OR) && (keeps_others(f, sum, &f->instructions[sum].operands[1], at) ||
                                             keeps_others(f, sum, &f->instructions[sum].operands[2], at));
}

/* True if the comparison asks whether a compare-and-swap has found the value that it expected: whatever that was, the
 * answer does not depend on it. */
static bool asks_for_success(const sim_warp *w, uint32_t comparison) {
    const ptx_function *f = w->sm->grid->program->function;
    const ptx_instruction *at = &f->instructions[comparison];
    for (unsigned k = 1; at->op == PTX_OP_SETP && k <= 2; k++) {
        const ptx_operand *with = &at->operands[3 - k];
        const uint32_t swap = source_of(f, comparison, &at->operands[k]);
        if (swap == PTX_NO_BLOCK || with->kind != PTX_REGISTER || !sim_is_compare_and_swap(&f->instructions[swap]))
            continue;
        const ptx_operand *expected = &f->instructions[swap].operands[2];
        const uint32_t written = sim_last_writer(f, comparison, with->reg);
        if (expected->kind == PTX_REGISTER && expected->reg == with->reg && (written == PTX_NO_BLOCK || written < swap))
            return true;
    }
    return false;
}

/* ---- one operation ---- */

typedef struct flow {
    sim_taint *taints;
    sim_taint found; /* of the registers that are read */
    uint32_t all;    /* lanes for which all registers that are read are tainted */
    uint32_t active;
} flow;

/* Collects the taint of a register that the instruction reads. */
static void add_source(void *context, uint32_t reg, bool writes) {
    flow *x = context;
    const uint32_t lanes = x->taints[reg].lanes & x->active;
    if (writes) return;
    x->all &= lanes;
    if (!lanes) return;
    const sim_taint before = x->found;
    x->found = x->taints[reg];
    x->found.lanes = before.lanes | lanes;
    x->found.bits |= before.bits;
}

/* Gives a register that the instruction writes the collected taint, in active lanes. */
static void set_destination(void *context, uint32_t reg, bool writes) {
    flow *x = context;
    if (!writes) return;
    sim_taint *t = &x->taints[reg];
    const sim_taint before = *t;
    const uint32_t kept = before.lanes & ~x->active;
    if (x->found.lanes) *t = x->found;
    if (kept) t->bits |= before.bits;
    t->lanes = kept | x->found.lanes;
}

/* A mov splits a register into several: each gets the taint of its part. */
static void set_parts(flow *x, const ptx_instruction *i) {
    const ptx_operand *parts = &i->operands[0];
    const unsigned width = ptx_bits(i->type) / parts->part_count;
    const sim_taint whole = x->found;
    for (uint32_t k = 0; k < parts->part_count; k++) {
        if (parts->parts[k].kind != PTX_REGISTER) continue;
        if (k * width < 64) x->found.bits = whole.bits >> (k * width) & ((1ull << width % 64) - 1);
        x->found.lanes = x->found.bits ? whole.lanes : 0;
        set_destination(x, parts->parts[k].reg, true);
    }
}

static bool is_of_shuffle(const sim_taint *t) {
    return t->space == HAUL_SPACE_NONE;
}

/* True for the first element behind those that were written, if it only decides a branch. */
static bool is_of_tail(const sim_warp *w, const sim_taint *t, uint32_t used_by) {
    return t->space == HAUL_SPACE_SHARED && sim_instruction_of(w, used_by)->op == PTX_OP_BRA &&
           sim_shadow_is_tail(w, t->instruction, (uint32_t)t->address);
}

/* A line of the source, or of the PTX without line information. */
typedef struct line_words {
    const char *kind; /* in front of "line" */
    uint32_t line;
} line_words;

static line_words line_of(const sim_warp *w, uint32_t instruction) {
    const uint64_t place = w->sm->grid->places[instruction]; /* the upper half is the file */
    return (line_words){place >> 32 ? "" : "PTX ", (uint32_t)place};
}

/* Reports that a tainted value matters in instruction `used_by`. */
static void report(sim_warp *w, const sim_taint *t, uint32_t used_by) {
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
    const line_words use = line_of(w, used_by);
    if (is_of_shuffle(t))
        sim_hazard_say(f, "the value is taken from lane %llu, which does not take part, and is used (%sline %u)",
                       (unsigned long long)t->address, use.kind, use.line);
    else if (is_tail)
        sim_hazard_say(f,
                       "nobody has written these bytes, right after the last that are, and the value decides a branch "
                       "(%sline %u): harmless if both paths give the same result",
                       use.kind, use.line);
    else if (t->stored_by) {
        const line_words store = line_of(w, t->stored_by - 1);
        sim_hazard_say(f,
                       "nobody has written these bytes, or only with values that nobody has written, as at %sline %u; "
                       "the value is used (%sline %u)",
                       store.kind, store.line, use.kind, use.line);
    } else
        sim_hazard_say(f, "nobody has written these bytes, and the value is used (%sline %u)", use.kind, use.line);
}

static flow sources(sim_warp *w, uint32_t instruction, uint32_t active) {
    flow x = {.taints = sim_domain_of(w->block)->taints[sim_actor(w)], .all = active, .active = active};
    ptx_visit_registers(sim_instruction_of(w, instruction), add_source, &x);
    return x;
}

static void add_operand(flow *x, const ptx_operand *o) {
    if (o->kind == PTX_REGISTER) add_source(x, o->reg, false);
    if (o->kind == PTX_MEMORY) add_operand(x, &o->parts[0]);
    for (uint32_t i = 0; o->kind == PTX_VECTOR && i < o->part_count; i++) add_operand(x, &o->parts[i]);
}

static flow of_operand(sim_warp *w, const ptx_operand *o, uint32_t active) {
    flow x = {.taints = sim_domain_of(w->block)->taints[sim_actor(w)], .all = active, .active = active};
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

/* Sums of 32 bits have a register each; two of 16 bits share one. */
static unsigned sums_of_register(const ptx_instruction *i) {
    return ptx_bits(i->type) == 16 ? 2 : 1;
}

/* Which of a lane's two rows the register `k` of the sums belongs to. */
static unsigned row_of_sum(const ptx_instruction *i, unsigned k) {
    return k * sums_of_register(i) / 2 % 2;
}

/* Every other register of a belongs to one of a lane's two rows. */
static void add_row_of_a(flow *x, const ptx_instruction *i, unsigned row) {
    const ptx_operand *a = &i->operands[1];
    for (uint32_t k = row; a->kind == PTX_VECTOR && k < a->part_count; k += 2) add_operand(x, &a->parts[k]);
}

/* So does each half of the sums that a warp's product adds to. */
static flow of_row(sim_warp *w, const ptx_instruction *i, uint32_t active, unsigned row) {
    flow x = {.taints = sim_domain_of(w->block)->taints[sim_actor(w)], .all = active, .active = active};
    const uint32_t half = i->operands[3].part_count / 2;
    add_row_of_a(&x, i, row);
    for (uint32_t k = row * half; k < (row + 1) * half; k++) add_operand(&x, &i->operands[3].parts[k]);
    x.found.bits = UINT64_MAX;
    return x;
}

/* Taint of a product of 16 rows, by row. */
static void add_rows(sim_warp *w, const ptx_instruction *i, uint32_t active) {
    flow rows[2] = {of_row(w, i, active, 0), of_row(w, i, active, 1)};
    for (uint32_t k = 0; k < i->operands[0].part_count; k++) {
        const ptx_operand *d = &i->operands[0].parts[k];
        if (d->kind == PTX_REGISTER) set_destination(&rows[row_of_sum(i, k)], d->reg, true);
    }
}

/* ---- products of warpgroups: a lane has two neighbouring columns of every eight, in two rows ---- */

/* Returns the lanes for which the sum `n` of a register `k` lies in one of the rows or columns. */
static uint32_t lanes_of_sum(const ptx_instruction *i, const sim_unwritten_factors *f, unsigned k, unsigned n) {
    enum { COLUMNS = 8 }; /* four sums of a lane */
    const unsigned each = sums_of_register(i), row = row_of_sum(i, k), at = k * each + n;
    uint32_t lanes = 0;
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const unsigned column = at / 4 * COLUMNS + l % LANES_OF_ROW * 2 + at % 2;
        const bool in_row = f->rows >> (l / LANES_OF_ROW + row * ROWS) & 1;
        lanes |= (uint32_t)(in_row || (f->columns[column / 64] >> column % 64 & 1)) << l;
    }
    return lanes;
}

void sim_hazard_sums(sim_warp *w, const sim_op *op, const sim_unwritten_factors *factors) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    const unsigned each = sums_of_register(i);
    sim_taint taint = {
        .instruction = op->instruction, .bytes = 4, .address = factors->address & ~3u, .space = HAUL_SPACE_SHARED};
    for (unsigned k = 0; k < i->operands[0].part_count; k++)
        for (unsigned n = 0; n < each; n++) {
            taint.lanes = lanes_of_sum(i, factors, k, n);
            taint.bits = each == 1 ? UINT64_MAX : 0xffffull << 16 * n;
            if (!taint.lanes) continue;
            taint.lane = (uint8_t)__builtin_ctz(taint.lanes);
            taint_register(w, &i->operands[0].parts[k], &taint);
        }
}

/* A sum depends on its own row of a, if a is in registers, and on what the register held unless the product replaces
 * it. */
static void add_group(sim_warp *w, const sim_op *op, const ptx_instruction *i, uint32_t active) {
    const bool keeps = (SIM_PREDICATE(w, op->c) ^ op->x) >> __builtin_ctz(active) & 1;
    flow others = {.taints = sim_domain_of(w->block)->taints[sim_actor(w)], .active = active};
    flow rows[2];
    for (uint32_t n = 1; n < i->operand_count; n++)
        if (i->operands[n].kind == PTX_REGISTER) add_source(&others, i->operands[n].reg, false);
    rows[0] = rows[1] = others;
    for (unsigned row = 0; row < 2; row++) add_row_of_a(&rows[row], i, row);
    for (uint32_t k = 0; k < i->operands[0].part_count; k++) {
        const ptx_operand *d = &i->operands[0].parts[k];
        flow x = rows[row_of_sum(i, k)];
        if (x.found.lanes) x.found.bits = UINT64_MAX;
        if (keeps) add_operand(&x, d);
        if (d->kind == PTX_REGISTER) set_destination(&x, d->reg, true);
    }
}

/* Returns 0 for stmatrix: what it stores at a lane's address comes from other lanes, which is not followed. */
uint32_t sim_hazard_taint_stored(sim_warp *w, uint32_t instruction, unsigned element) {
    const ptx_instruction *i = sim_instruction_of(w, instruction);
    const ptx_operand *data = &i->operands[1];
    const bool is_part = data->kind == PTX_VECTOR && element < data->part_count;
    if (i->op != PTX_OP_ST) return 0;
    const ptx_operand *part = is_part ? &data->parts[element] : data;
    const flow x = of_operand(w, part, SIM_ALL_LANES);
    const unsigned width = ptx_bits(i->type) < 64 ? ptx_bits(i->type) : 64;
    const uint64_t known = ~sim_tainted_bits(x.taints, part, i->type) << (64 - width);
    return known ? 0 : x.found.lanes; /* bit fields are filled one after the other */
}

void sim_hazard_shuffled(sim_warp *w, uint32_t instruction, uint32_t lanes, const uint32_t source[SIM_LANES]) {
    const ptx_instruction *i = sim_instruction_of(w, instruction);
    const ptx_operand *to = i->operands[0].kind == PTX_PAIR ? &i->operands[0].parts[0] : &i->operands[0];
    const ptx_operand *from = &i->operands[1];
    const sim_taint *taints = taints_of(w);
    if (!taints || to->kind != PTX_REGISTER) return;
    const sim_taint known = w->tainted && from->kind == PTX_REGISTER ? taints[from->reg] : (sim_taint){0};
    sim_taint *t = &taints_of(w)[to->reg];
    t->lanes &= ~lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left), s = source[l] % SIM_LANES;
        sim_taint taint = known;
        if (!(lanes >> s & 1))
            taint = (sim_taint){.instruction = instruction, .bits = UINT64_MAX, .address = s, .space = HAUL_SPACE_NONE};
        else if (!(known.lanes >> s & 1))
            continue;
        taint.lanes = 1u << l;
        taint.lane = (uint8_t)l;
        taint_register(w, to, &taint);
    }
}

static bool to_shared(const sim_op *op) {
    return op->memory_class == HAUL_CLASS_SHARED_STORE || op->memory_class == HAUL_CLASS_LOCAL_STORE ||
           op->memory_class == HAUL_CLASS_NONE;
}

/* True if the stored data has tainted bits: only the bits that the store writes count. */
static bool stores_taint(const flow *x, const ptx_instruction *i) {
    const ptx_operand *data = &i->operands[1];
    if (data->kind != PTX_VECTOR) return sim_tainted_bits(x->taints, data, i->type) != 0;
    for (uint32_t k = 0; k < data->part_count; k++)
        if (sim_tainted_bits(x->taints, &data->parts[k], i->type)) return true;
    return false;
}

/* Narrows the taint of the result, if the operation does not use all of what it reads. */
static void narrow(sim_warp *w, const ptx_instruction *i, flow *x) {
    if (!x->found.lanes) return;
    x->found.lanes &= ~sim_taint_decided(w, x->taints, i, x->found.lanes);
    x->found.bits = sim_tainted_result(x->taints, i);
    if (!x->found.bits) x->found.lanes = 0;
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

/* Reports a store through a tainted address, or of tainted data to where others may read it. */
static void check_store(sim_warp *w, const sim_op *op, const ptx_instruction *i, flow x) {
    const flow address = of_operand(w, &i->operands[0], x.active);
    if (address.found.lanes) {
        report(w, &address.found, op->instruction);
        return;
    }
    if (!x.found.lanes || !stores_taint(&x, i) || fills_field(w, op->instruction)) return;
    if (!is_of_shuffle(&x.found) && !x.found.contest)
        x.found.lanes = to_shared(op) ? 0 : lanes_outward(w, op, x.found.lanes);
    if (x.found.lanes) report(w, &x.found, op->instruction);
}

/* Reading a tainted value is reported where it decides an address or a branch, or is an atomic's operand, which others
 * may read. */
enum {
    USES = PTX_KIND_LOAD | PTX_KIND_ATOMIC | PTX_KIND_REDUCTION | PTX_KIND_COPY | PTX_KIND_BRANCH,
};

/* The value selected may be the untainted one. */
static bool chooses(const ptx_instruction *i) {
    return i->op == PTX_OP_SELP || i->op == PTX_OP_SLCT;
}

static bool unpacks(const ptx_instruction *i) {
    return i->op == PTX_OP_MOV && i->operands[0].kind == PTX_VECTOR && i->operands[1].kind != PTX_VECTOR;
}

/* ---- branches that choose between values ---- */

/* Lanes that do not execute the block keep a value that is as tainted. */
static void taint_written(void *context, uint32_t reg, bool writes) {
    const flow *x = context;
    if (!writes) return;
    sim_taint *t = &x->taints[reg];
    const sim_taint before = *t;
    *t = x->found;
    t->lanes |= before.lanes;
}

/* Notes that lanes execute the branch. Returns whether its predicate is tainted, but only chooses between values. A
 * branch within another one's blocks adds nothing for lanes that the outer one has tainted. */
static bool chooses_values(sim_warp *w, uint32_t branch, const flow *x) {
    const ptx_function *f = w->sm->grid->program->function;
    sim_choice *choice = &sim_domain_of(w->block)->choices[sim_actor(w)], found;
    const bool again = choice->branch == branch;
    if (again) choice->lanes &= ~x->active;
    if (!x->found.lanes || !sim_choice_find(f, branch, &found)) return false;
    const bool is_inside = sim_choice_contains(f, choice, branch);
    if (is_inside && !(x->found.lanes & ~choice->lanes)) return true;
    flow written = *x;
    written.found.bits = UINT64_MAX;
    found.taint = written.found;
    found.lanes = x->found.lanes | (again || is_inside ? choice->lanes : 0);
    *choice = found;
    for (uint32_t n = 0; n < found.count; n++) {
        const ptx_block *b = &f->blocks[found.block[n]];
        for (uint32_t k = b->first; k < b->end; k++) ptx_visit_registers(&f->instructions[k], taint_written, &written);
    }
    return true;
}

/* In a block that a tainted branch chooses, all results are tainted. */
static void add_choice(const sim_warp *w, uint32_t instruction, flow *x) {
    const sim_choice *c = &sim_domain_of(w->block)->choices[sim_actor(w)];
    const uint32_t lanes = c->lanes & x->active, before = x->found.lanes;
    if (!lanes || !sim_choice_contains(w->sm->grid->program->function, c, instruction)) return;
    x->found = c->taint;
    x->found.lanes = before | lanes;
}

void sim_hazard_taint_step(sim_warp *w, const sim_op *op, uint32_t active) {
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    if (sim_is_between(op)) return;
    sim_hazard_products_step(w, op, active);
    flow x = sources(w, op->instruction, active);
    if (is_product(i) && i->mods[PTX_SLOT_SHAPE] == PTX_MOD_M16N8) {
        add_rows(w, i, active);
        return;
    }
    if (ptx_is_warpgroup_product(i)) {
        add_group(w, op, i, active);
        return;
    }
    if (is_product(i)) x = of_product(w, i, active);
    /* The compared and the new value may be a byte together with its neighbours: only the address is checked. */
    if (sim_is_compare_and_swap(i)) x = of_operand(w, &i->operands[1], active);
    if (i->op == PTX_OP_ST) {
        check_store(w, op, i, x);
        return;
    }
    if (i->op == PTX_OP_SHFL) return; /* done in sim_hazard_shuffled() */
    if (i->op == PTX_OP_BRA && chooses_values(w, op->instruction, &x)) return;
    if (ptx_is(i->op, USES) && x.found.lanes) report(w, &x.found, op->instruction);
    if (ptx_is(i->op, USES | PTX_KIND_COLLECTIVE)) x.found.lanes = 0; /* other lanes' taint is not followed */
    if (chooses(i)) x.found.lanes = x.all;
    if (unpacks(i)) {
        set_parts(&x, i);
        return;
    }
    if (x.found.lanes && asks_for_success(w, op->instruction)) x.found.lanes = 0;
    narrow(w, i, &x);
    add_choice(w, op->instruction, &x);
    ptx_visit_registers(i, set_destination, &x);
}
