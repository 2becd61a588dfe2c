/* Estimates how many registers machine code takes, which limits the blocks of an SM.
 *
 * The estimate is the most cost that is live at any instruction, with a share for loads that the assembler moves up.
 * Real allocation is unknown; ptxas is asked instead where it is installed. */
#include "assembler/registers.h"

#include "ptx/edges.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

static uint32_t smallest(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Machine code keeps kernel parameters and constants in constant memory, where instructions read them directly. Such
 * PTX registers cost nothing. */
typedef struct register_costs {
    uint8_t *cost;        /* 32-bit registers; 0 for predicates and for values in constant memory */
    uint8_t *definitions; /* 0, 1, or 2 for more */
} register_costs;

/* Predicates have registers of their own. */
static unsigned full_cost(const ptx_register *r) {
    if (r->type == PTX_PRED) return 0;
    unsigned bits = ptx_bits(r->type);
    return bits <= 32 ? 1 : bits / 32;
}

static void count_definition(void *context, uint32_t reg, bool writes) {
    register_costs *c = context;
    if (writes && c->definitions[reg] < 2) c->definitions[reg]++;
}

/* Whether machine code can name the operand in the instruction that uses it. */
static bool is_free_operand(const register_costs *c, const ptx_operand *o) {
    switch (o->kind) {
    case PTX_REGISTER: return c->definitions[o->reg] == 1 && c->cost[o->reg] == 0;
    case PTX_INTEGER:
    case PTX_FLOATING:
    case PTX_VARIABLE_ADDRESS: return true;
    default: return false;
    }
}

/* Returns whether the instruction only names a constant, a parameter, or a copy of one. */
static bool is_free(const register_costs *c, const ptx_instruction *i) {
    if (i->guarded) return false;
    if (ptx_loads_parameter(i)) return true;
    return ptx_has(i->op, PTX_TRAIT_MOVES) && is_free_operand(c, &i->operands[1]);
}

/* In program order, so that copies of free registers are free as well. */
static void price_registers(const ptx_function *f, register_costs *c) {
    for (size_t r = 0; r < f->register_count; r++) c->cost[r] = (uint8_t)full_cost(&f->registers[r]);
    for (size_t i = 0; i < f->instruction_count; i++) ptx_visit_registers(&f->instructions[i], count_definition, c);
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_operand *d = f->instructions[i].operand_count ? &f->instructions[i].operands[0] : NULL;
        if (!d || d->kind != PTX_REGISTER || c->definitions[d->reg] != 1) continue;
        if (is_free(c, &f->instructions[i])) c->cost[d->reg] = 0;
    }
}

/* Walks a block backwards with the set of live registers and their cost. */
typedef struct live_scan {
    const register_costs *costs;
    uint32_t *live_in; /* by register: the block + 1 in which it is live, or was during the walk of another block */
    uint32_t block, sum, most;
    bool guarded;
} live_scan;

static bool is_live(const live_scan *s, uint32_t reg) {
    return s->live_in[reg] == s->block + 1;
}

/* Going backwards, a write ends a life, unless its guard may be false. */
static void end_life(void *context, uint32_t reg, bool writes) {
    live_scan *s = context;
    if (!writes || s->guarded || !is_live(s, reg)) return;
    s->live_in[reg] = 0;
    s->sum -= s->costs->cost[reg];
}

static void make_live(live_scan *s, uint32_t reg) {
    s->live_in[reg] = s->block + 1;
    s->sum += s->costs->cost[reg];
}

static void begin_life(void *context, uint32_t reg, bool writes) {
    live_scan *s = context;
    if (!writes && !is_live(s, reg)) make_live(s, reg);
}

static void scan_block(const ptx_function *f, const ptx_block *b, live_scan *s) {
    for (uint32_t i = b->end; i-- > b->first;) {
        s->guarded = f->instructions[i].guarded;
        ptx_visit_registers(&f->instructions[i], end_life, s);
        ptx_visit_registers(&f->instructions[i], begin_life, s);
        if (s->sum > s->most) s->most = s->sum;
    }
}

/* Returns about how many registers wait for a block's loads: the assembler moves loads up so that many are in flight at
 * once, and unrolls small loops for that. */
static uint32_t waiting_for_loads(const ptx_function *f, const register_costs *costs, uint32_t block) {
    enum { UNROLLED = 4, MOST = 12 };
    const ptx_block *b = &f->blocks[block];
    const bool loops = ptx_repeats(f, block);
    uint32_t sum = 0;
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *load = &f->instructions[i];
        if (load->op != PTX_OP_LD) continue;
        const ptx_operand *d = &load->operands[0];
        for (uint32_t k = 0; k < (d->kind == PTX_VECTOR ? d->part_count : 1); k++) {
            const ptx_operand *e = d->kind == PTX_VECTOR ? &d->parts[k] : d;
            if (e->kind == PTX_REGISTER) sum += costs->cost[e->reg];
        }
    }
    return smallest(loops ? sum * UNROLLED : sum, MOST);
}

/* Starts each block with the registers live at its end and walks it backwards. */
static uint32_t most_live(const ptx_function *f, arena *memory) {
    ptx_liveness liveness;
    register_costs costs = {.cost = ARENA_ARRAY(memory, f->register_count + 1, uint8_t),
                            .definitions = ARENA_ARRAY(memory, f->register_count + 1, uint8_t)};
    ptx_liveness_compute(f, memory, &liveness);
    price_registers(f, &costs);
    live_scan s = {.costs = &costs, .live_in = ARENA_ARRAY(memory, f->register_count + 1, uint32_t)};
    for (s.block = 0; s.block < f->block_count; s.block++) {
        s.sum = 0;
        for (const ptx_live_word *w = ptx_live_words(&liveness, s.block); w < ptx_live_words(&liveness, s.block + 1);
             w++)
            for (uint64_t bits = w->out; bits; bits &= bits - 1) make_live(&s, ptx_live_register(&liveness, w, bits));
        scan_block(f, &f->blocks[s.block], &s);
        uint32_t waiting = s.sum + waiting_for_loads(f, &costs, s.block);
        if (waiting > s.most) s.most = waiting;
    }
    return s.most;
}

/* Machine code needs registers for the stack pointer and a few addresses and copies that PTX does not name. No kernel
 * gets fewer than 16. Fitted to the recorded launches of compute capability 9.0 (docs/memory-model.md). */
enum { OVERHEAD_REGISTERS = 8, MIN_REGISTERS = 16 };

uint32_t sim_estimate_registers(const ptx_function *flat, arena *memory) {
    uint32_t estimate = most_live(flat, memory) + OVERHEAD_REGISTERS;
    return estimate < MIN_REGISTERS ? MIN_REGISTERS : estimate;
}
