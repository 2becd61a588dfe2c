#include "sim/time/cost.h"

#include "ptx/edges.h"
#include "ptx/liveness.h"

#include <string.h>

typedef enum cost_type { COST_ANY, COST_DOUBLE, COST_LONG } cost_type;

static const struct {
    const char *mnemonic;
    cost_type of;
    uint8_t latency, slots;
} costs[] = {
#define COST(mnemonic, of, latency, slots) {mnemonic, COST_##of, latency, slots},
#include "sim/time/cost.def"
#undef COST
};

enum { LATENCY = 4, SHARED_LATENCY = 26, SHARED_ATOMIC_LATENCY = 60 };
/* A loop of one block is unrolled by four, which leaves a quarter of its counting, comparing and branching. */
static const float LOOP_SAVES = 2.25F;

/* By operation and type: the row of the table + 1, or NO_ROW; 0 where it has not been looked for. */
enum { NO_ROW = 255, TYPES = 3 };
typedef uint8_t cost_rows[PTX_OP_COUNT][TYPES];
_Static_assert(sizeof costs / sizeof *costs < NO_ROW, "a row's number fits a byte");

typedef struct price {
    float latency, slots;
    bool waits; /* its result comes from beyond the SM */
} price;

static cost_type type_of(const ptx_instruction *i) {
    if (i->type == PTX_F64) return COST_DOUBLE;
    return i->type == PTX_U64 || i->type == PTX_S64 || i->type == PTX_B64 ? COST_LONG : COST_ANY;
}

static price price_of_access(const ptx_instruction *i, bool atomic) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    if (ptx_in_shared(i)) return (price){atomic ? SHARED_ATOMIC_LATENCY : SHARED_LATENCY, 1, false};
    const bool near = space == PTX_MOD_PARAM || space == PTX_MOD_PARAM_ENTRY || space == PTX_MOD_PARAM_FUNC;
    return near ? (price){0, 0, false} : (price){0, 1, space != PTX_MOD_CONST};
}

static uint8_t find_row(const char *mnemonic, cost_type type) {
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
        if ((costs[k].of == COST_ANY || costs[k].of == type) && strcmp(costs[k].mnemonic, mnemonic) == 0)
            return (uint8_t)(k + 1);
    return NO_ROW;
}

static price price_of(const ptx_instruction *i, cost_rows rows) {
    const cost_type type = type_of(i);
    uint8_t *row = &rows[i->op][type];
    switch (i->op) {
    case PTX_OP_LD:
    case PTX_OP_LDU: return price_of_access(i, false);
    case PTX_OP_ATOM: return price_of_access(i, true);
    case PTX_OP_TEX:
    case PTX_OP_TEX_LEVEL:
    case PTX_OP_TEX_GRADIENTS:
    case PTX_OP_TLD4:
    case PTX_OP_SULD: return (price){0, 1, true};
    default: break;
    }
    if (*row == 0) *row = find_row(ptx_ops[i->op].mnemonic, type);
    if (*row == NO_ROW) return (price){LATENCY, 1, false};
    return (price){costs[*row - 1].latency, costs[*row - 1].slots, false};
}

/* Of a register: when its value is there, and behind how many waits of the block. */
typedef struct value {
    uint32_t block; /* index + 1 that set it; 0: none yet */
    float ready;
    uint8_t depth;
} value;

typedef struct scan {
    value *values;
    bool *comes;    /* by register: some block loads it and does not wait for it itself */
    uint32_t *read; /* by register: index + 1 of the block that read it last */
    uint8_t (*rows)[TYPES];
    uint32_t block;
    float start, ready;
    uint8_t depth, result_depth;
    uint8_t round, before; /* waits of the block in front of this round */
} scan;

static void take_source(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    const value *v = &s->values[reg];
    if (writes) return;
    s->read[reg] = s->block + 1;
    const bool own = v->block == s->block + 1;
    const uint8_t depth = own ? v->depth : s->comes[reg] ? 1 : 0;
    if (own && v->ready > s->start) s->start = v->ready;
    if (depth > s->depth) s->depth = depth;
}

static void set_result(void *context, uint32_t reg, bool writes) {
    scan *s = context;
    if (writes) s->values[reg] = (value){s->block + 1, s->ready, s->result_depth};
}

/* Rounds of an unrolled loop wait one after the other: launches of such loops take as long as if they had not been
 * unrolled (tests/data/estimates). */
static void begin_instruction(scan *s, const ptx_instruction *i, float slots, uint8_t waits) {
    if (i->round != s->round) s->before = waits;
    s->round = i->round;
    s->start = slots;
    s->depth = s->before;
}

static sim_cost cost_of(const ptx_function *f, uint32_t index, scan *s) {
    const ptx_block *b = &f->blocks[index];
    sim_cost cost = {0};
    uint8_t waits = 0;
    s->block = index;
    s->round = s->before = 0;
    for (uint32_t i = b->first; i < b->end; i++) {
        const price p = price_of(&f->instructions[i], s->rows);
        begin_instruction(s, &f->instructions[i], cost.slots, waits);
        ptx_visit_registers(&f->instructions[i], take_source, s);
        if (s->depth > waits) waits = s->depth;
        s->ready = s->start + p.latency;
        s->result_depth = (uint8_t)(s->depth + (p.waits && s->depth < UINT8_MAX));
        ptx_visit_registers(&f->instructions[i], set_result, s);
        cost.slots += p.slots;
        if (s->ready > cost.path) cost.path = s->ready;
    }
    cost.waits = waits;
    if (ptx_repeats(f, index) && !s->round) cost.slots -= cost.slots > 2 * LOOP_SAVES ? LOOP_SAVES : 0;
    if (cost.slots > cost.path) cost.path = cost.slots;
    return cost;
}

static void find_coming(const ptx_function *f, uint32_t index, scan *s) {
    const ptx_block *b = &f->blocks[index];
    for (uint32_t i = b->first; i < b->end; i++) {
        const ptx_instruction *in = &f->instructions[i];
        if (in->operand_count == 0 || !price_of(in, s->rows).waits) continue;
        const ptx_operand *d = &in->operands[0];
        for (uint8_t k = 0; k < (d->kind == PTX_VECTOR ? d->part_count : 1); k++) {
            const ptx_operand *e = d->kind == PTX_VECTOR ? &d->parts[k] : d;
            if (e->kind == PTX_REGISTER && s->read[e->reg] != index + 1) s->comes[e->reg] = true;
        }
    }
}

sim_cost *sim_block_costs(const ptx_function *f, arena *memory, arena *scratch) {
    sim_cost *list = ARENA_ARRAY(memory, f->block_count + 1, sim_cost);
    scan s = {.values = ARENA_ARRAY(scratch, f->register_count + 1, value),
              .comes = ARENA_ARRAY(scratch, f->register_count + 1, bool),
              .read = ARENA_ARRAY(scratch, f->register_count + 1, uint32_t),
              .rows = arena_alloc(scratch, sizeof(cost_rows))};
    for (uint32_t b = 0; b < f->block_count; b++) {
        cost_of(f, b, &s);
        find_coming(f, b, &s);
    }
    memset(s.values, 0, f->register_count * sizeof *s.values);
    for (uint32_t b = 0; b < f->block_count; b++) list[b] = cost_of(f, b, &s);
    return list;
}
