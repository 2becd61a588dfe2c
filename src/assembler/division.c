/* Read off machine code of ptxas 13.0 for sm_90: of two divisions on a path that have one divisor, the second uses the
 * first one's reciprocal. In a loop that does not change the divisor, its reciprocal is computed before the loop. */
#include "assembler/division.h"

#include "ptx/traits.h"

enum { MOST_KNOWN = 8 };

/* Divisions before whose numbers have not changed since. */
typedef struct known {
    const ptx_instruction *of[MOST_KNOWN];
    unsigned count;
} known;

static bool is_division(const ptx_instruction *i) {
    return ptx_has(i->op, PTX_TRAIT_DIVIDES) && ptx_bits(i->type) <= 32;
}

static bool are_equal(const ptx_operand *a, const ptx_operand *b) {
    if (a->kind != b->kind) return false;
    return a->kind == PTX_REGISTER ? a->reg == b->reg : a->kind == PTX_INTEGER && a->bits == b->bits;
}

static sim_division part_of(const known *k, const ptx_instruction *i) {
    sim_division part = SIM_DIVISION_WHOLE;
    for (unsigned n = 0; n < k->count; n++) {
        if (k->of[n]->type != i->type || !are_equal(&k->of[n]->operands[2], &i->operands[2])) continue;
        if (are_equal(&k->of[n]->operands[1], &i->operands[1])) return SIM_DIVISION_AGAIN;
        part = SIM_DIVISION_WITHOUT_RECIPROCAL;
    }
    return part;
}

static void forget_numbers(void *context, uint32_t reg, bool writes) {
    known *k = context;
    unsigned left = 0;
    for (unsigned n = 0; n < k->count; n++) {
        const ptx_operand *o = k->of[n]->operands;
        const bool changes =
            (o[1].kind == PTX_REGISTER && o[1].reg == reg) || (o[2].kind == PTX_REGISTER && o[2].reg == reg);
        if (!writes || !changes) k->of[left++] = k->of[n];
    }
    k->count = left;
}

static void scan_block(const ptx_function *f, const ptx_block *b, known *k, uint8_t *parts) {
    for (uint32_t n = b->first; n < b->end; n++) {
        const ptx_instruction *i = &f->instructions[n];
        if (is_division(i)) parts[n] = (uint8_t)part_of(k, i);
        ptx_visit_registers(i, forget_numbers, k);
        if (is_division(i) && k->count < MOST_KNOWN) k->of[k->count++] = i;
    }
}

/* Divisions before the end of a block are known in the next one if that can only be reached from it. */
static void scan_blocks(const ptx_function *f, arena *memory, uint8_t *parts) {
    ptx_predecessors above;
    known k = {.count = 0};
    ptx_predecessors_find(f, memory, &above);
    for (uint32_t b = 0; b < f->block_count; b++) {
        if (ptx_predecessor_count(&above, b) != 1 || above.blocks[above.first[b]] + 1 != b) k.count = 0;
        scan_block(f, &f->blocks[b], &k, parts);
    }
}

static bool is_changed_between(const sim_writers *w, uint32_t begin, uint32_t end) {
    return w->count > 2 || (w->first >= begin && w->first < end) || (w->last >= begin && w->last < end);
}

/* Divisions in a loop of instructions begin .. end - 1. */
static void scan_loop(const ptx_function *f, const sim_writers *writers, uint32_t begin, uint32_t end, uint8_t *parts) {
    for (uint32_t n = begin; n < end; n++) {
        if (parts[n] != SIM_DIVISION_WHOLE) continue;
        const ptx_operand *divisor = &f->instructions[n].operands[2];
        if (divisor->kind == PTX_REGISTER && !is_changed_between(&writers[divisor->reg], begin, end))
            parts[n] = SIM_DIVISION_WITHOUT_RECIPROCAL;
    }
}

const uint8_t *sim_find_divisions(const ptx_function *f, const sim_writers *writers, arena *memory) {
    uint8_t *parts = ARENA_ARRAY(memory, f->instruction_count + 1, uint8_t);
    bool any = false;
    for (size_t n = 0; n < f->instruction_count && !any; n++) any = is_division(&f->instructions[n]);
    if (!any) return parts;
    scan_blocks(f, memory, parts);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const uint32_t to = f->blocks[b].taken;
        if (to != PTX_NO_BLOCK && to <= b) scan_loop(f, writers, f->blocks[to].first, f->blocks[b].end, parts);
    }
    return parts;
}
