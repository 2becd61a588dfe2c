#include "ptx/liveness.h"

#include "ptx/edges.h"
#include "ptx/matrix.h"

#include <string.h>

/* Writes its first operand and reads it before: accumulators. */
static bool updates(const ptx_instruction *i) {
    return strncmp(ptx_ops[i->op].operands, "fu", 2) == 0;
}

/* How many of the leading operands an instruction writes: its pattern in isa.def begins with that many d's. */
static bool writes_first_operand(const ptx_instruction *i) {
    const char *pattern = ptx_ops[i->op].operands;
    if (pattern[0] == '{') pattern++; /* mov packs and unpacks: `{d}` */
    return pattern[0] == 'd' || strncmp(pattern, "vd", 2) == 0 || strncmp(pattern, "fd", 2) == 0 || updates(i);
}

static void visit_operand(const ptx_operand *o, bool writes, ptx_register_visitor visit, void *context) {
    switch (o->kind) {
    case PTX_REGISTER: visit(context, o->reg, writes); return;
    case PTX_MEMORY: /* an address is read whatever happens to the memory */
        visit_operand(&o->parts[0], false, visit, context);
        return;
    case PTX_VECTOR:
    case PTX_LIST:
    case PTX_PAIR:
    case PTX_TENSOR:
        for (uint32_t k = 0; k < o->part_count; k++) visit_operand(&o->parts[k], writes, visit, context);
        return;
    default: return;
    }
}

void ptx_visit_registers(const ptx_instruction *i, ptx_register_visitor visit, void *context) {
    if (i->guarded) visit(context, i->guard, false);
    bool first_written = writes_first_operand(i);
    /* A call's results come as a first list. */
    if (i->op == PTX_OP_CALL) first_written = i->operand_count > 0 && i->operands[0].kind == PTX_LIST;
    if (updates(i)) visit_operand(&i->operands[0], false, visit, context);
    for (unsigned k = 1; k < i->operand_count; k++) visit_operand(&i->operands[k], false, visit, context);
    if (i->operand_count) visit_operand(&i->operands[0], first_written, visit, context);
}

void ptx_visit_held_registers(const ptx_instruction *i, ptx_register_visitor visit, void *context) {
    enum { SUMS, A };
    const bool is_product = ptx_is_warpgroup_product(i);
    if (!is_product && i->op != PTX_OP_TMEM_LD) return;
    visit_operand(&i->operands[SUMS], true, visit, context);
    if (is_product && i->operands[A].kind == PTX_VECTOR) visit_operand(&i->operands[A], false, visit, context);
}

typedef struct block_scan {
    uint64_t *uses, *defines;
    bool guarded;
} block_scan;

static void scan_register(void *context, uint32_t reg, bool writes) {
    block_scan *scan = context;
    uint64_t bit = 1ull << (reg & 63);
    if (!writes) {
        if (!(scan->defines[reg / 64] & bit)) scan->uses[reg / 64] |= bit;
    } else if (!scan->guarded) {
        scan->defines[reg / 64] |= bit;
    } else if (!(scan->defines[reg / 64] & bit)) {
        scan->uses[reg / 64] |= bit;
    }
}

static void scan_block(const ptx_function *f, const ptx_block *b, uint64_t *uses, uint64_t *defines) {
    block_scan scan = {.uses = uses, .defines = defines};
    for (uint32_t i = b->first; i < b->end; i++) {
        scan.guarded = f->instructions[i].guarded;
        ptx_visit_registers(&f->instructions[i], scan_register, &scan);
    }
}

/* The rounds' state. Blocks that have not changed since a predecessor looked need no second look. */
typedef struct flow {
    const ptx_function *function;
    ptx_liveness *live;
    const uint64_t *defines;
    uint32_t *changed_at, *seen_at; /* by block: when `in` changed last, when the successors' were looked at last */
    uint32_t now;
} flow;

static bool flow_from(const flow *s, uint32_t block, uint32_t successor) {
    const ptx_liveness *l = s->live;
    if (successor == PTX_NO_BLOCK) return false;
    if (s->changed_at[successor] <= s->seen_at[block]) return false;
    uint64_t *out = l->out + block * l->words, *in = l->in + successor * l->words, grew = 0;
    for (size_t w = 0; w < l->words; w++) {
        grew |= in[w] & ~out[w];
        out[w] |= in[w];
    }
    return grew != 0;
}

static bool flow_through(const flow *s, uint32_t b) {
    const ptx_liveness *l = s->live;
    uint64_t *in = l->in + b * l->words, *out = l->out + b * l->words, grew = 0;
    const uint64_t *defines = s->defines + b * l->words;
    for (size_t w = 0; w < l->words; w++) {
        const uint64_t through = out[w] & ~defines[w];
        grew |= through & ~in[w];
        in[w] |= through;
    }
    return grew != 0;
}

/* Returns whether the block's own `in` has grown. */
static bool flow_block(flow *s, uint32_t b) {
    const ptx_block *block = &s->function->blocks[b];
    bool grew = false;
    for (uint32_t k = 0; k < ptx_edge_count(block); k++) grew |= flow_from(s, b, ptx_edge(block, k));
    s->seen_at[b] = s->now;
    if (!grew || !flow_through(s, b)) return false;
    s->changed_at[b] = ++s->now;
    return true;
}

void ptx_liveness_compute(const ptx_function *f, arena *memory, ptx_liveness *l) {
    l->words = (f->register_count + 63) / 64;
    if (l->words == 0) l->words = 1;
    size_t cells = f->block_count * l->words;
    l->in = ARENA_ARRAY(memory, cells, uint64_t);
    l->out = ARENA_ARRAY(memory, cells, uint64_t);
    uint64_t *uses = ARENA_ARRAY(memory, cells, uint64_t), *defines = ARENA_ARRAY(memory, cells, uint64_t);
    for (uint32_t b = 0; b < f->block_count; b++)
        scan_block(f, &f->blocks[b], uses + b * l->words, defines + b * l->words);
    memcpy(l->in, uses, cells * sizeof *uses);
    flow s = {.function = f,
              .live = l,
              .defines = defines,
              .changed_at = ARENA_ARRAY(memory, f->block_count, uint32_t),
              .seen_at = ARENA_ARRAY(memory, f->block_count, uint32_t),
              .now = 1};
    for (uint32_t b = 0; b < f->block_count; b++) s.changed_at[b] = s.now;
    /* Backwards over the blocks until nothing changes; a few rounds for reducible loops. */
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = (uint32_t)f->block_count; b-- > 0;) changed |= flow_block(&s, b);
    }
}
