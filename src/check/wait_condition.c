#include "check/wait_condition.h"

#include "base/memory.h"
#include "base/status.h"
#include "check/internal.h"
#include "ptx/traits.h"

/* Returns the only instruction in the list that names the register; PTX_NO_BLOCK if there are several, or none. */
static uint32_t only_user(const ptx_users *users, uint32_t reg) {
    const uint32_t first = users->first[reg];
    return users->first[reg + 1] == first + 1 ? users->instructions[first] : PTX_NO_BLOCK;
}

/* True if the block belongs to the loop of block `loop`: to the block itself if it jumps to itself. */
static bool is_in_loop(const sim_loops *s, uint32_t block, uint32_t loop) {
    if (block == PTX_NO_BLOCK) return false;
    return ptx_repeats(s->function, loop) ? block == loop : s->component[block] == s->component[loop];
}

static bool is_unchanged(const sim_loops *s, const ptx_operand *o, uint32_t loop) {
    if (o->kind == PTX_INTEGER) return true;
    if (o->kind != PTX_REGISTER) return false;
    for (uint32_t k = s->writers.first[o->reg]; k < s->writers.first[o->reg + 1]; k++)
        if (is_in_loop(s, ptx_block_of(s->function, s->writers.instructions[k]), loop)) return false;
    return true;
}

static bool is_comparable(unsigned type) {
    const char kind = ptx_types[type].kind;
    return (ptx_bits(type) == 32 || ptx_bits(type) == 64) && (kind == 'B' || kind == 'U' || kind == 'S');
}

/* True if the comparison decides alone whether the loop ends; sets the result with which it does. */
static bool decides(const sim_loops *s, const ptx_instruction *test, uint32_t loop, bool *ends) {
    const ptx_function *f = s->function;
    if (test->op != PTX_OP_SETP || test->guarded || !is_comparable(test->type)) return false;
    if (test->operands[0].kind != PTX_REGISTER) return false;
    const uint32_t predicate = test->operands[0].reg, branch = only_user(&s->readers, predicate);
    if (branch == PTX_NO_BLOCK || only_user(&s->writers, predicate) == PTX_NO_BLOCK) return false;
    const ptx_instruction *at = &f->instructions[branch];
    const ptx_block *b = &f->blocks[ptx_block_of(f, branch)];
    if (!ptx_is(at->op, PTX_KIND_BRANCH) || !at->guarded || b->end != branch + 1 || b->table_count) return false;
    const bool stays = is_in_loop(s, b->next, loop), stays_taken = is_in_loop(s, b->taken, loop);
    *ends = stays_taken ? at->guard_negated : !at->guard_negated;
    return stays != stays_taken && is_in_loop(s, ptx_block_of(f, branch), loop);
}

/* Looks for a comparison of the register that ends the loop. */
static bool find_comparison(const sim_loops *s, uint32_t reg, uint32_t loop, sim_wait_condition *c) {
    const ptx_users *r = &s->readers;
    if (only_user(&s->writers, reg) == PTX_NO_BLOCK) return false;
    for (uint32_t k = r->first[reg]; k < r->first[reg + 1]; k++) {
        const uint32_t i = r->instructions[k];
        const ptx_instruction *test = &s->function->instructions[i];
        if (!decides(s, test, loop, &c->ends)) continue;
        c->is_first = test->operands[1].kind == PTX_REGISTER && test->operands[1].reg == reg;
        if (!is_unchanged(s, &test->operands[c->is_first ? 2 : 1], loop)) continue;
        c->test = i + 1;
        return true;
    }
    return false;
}

/* Returns the register that gets bits of `reg` by the instruction: by `and`, `xor` or `shr` with something that the
 * loop does not change, or a conversion to as many bits or fewer. PTX_NO_BLOCK if it does something else. */
static uint32_t masked(const sim_loops *s, const ptx_instruction *i, uint32_t reg, uint32_t loop) {
    const bool is_mask = i->op == PTX_OP_AND || i->op == PTX_OP_XOR, is_shift = i->op == PTX_OP_SHR;
    if ((!is_mask && !is_shift && i->op != PTX_OP_CVT) || i->guarded || !is_comparable(i->type)) return PTX_NO_BLOCK;
    const ptx_operand *a = &i->operands[1], *b = &i->operands[2];
    const bool is_first = a->kind == PTX_REGISTER && a->reg == reg;
    if (i->operands[0].kind != PTX_REGISTER || (!is_first && !is_mask)) return PTX_NO_BLOCK;
    if (i->op == PTX_OP_CVT) {
        const bool keeps = is_comparable(i->type2) && ptx_bits(i->type) <= ptx_bits(i->type2);
        return keeps ? i->operands[0].reg : PTX_NO_BLOCK;
    }
    return is_unchanged(s, is_first ? b : a, loop) ? i->operands[0].reg : PTX_NO_BLOCK;
}

/* Looks for the comparison of the register, or of some of its bits, that ends the loop. */
static bool find_test(const sim_loops *s, uint32_t reg, uint32_t loop, sim_wait_condition *c) {
    const ptx_users *r = &s->readers;
    c->masks = 0;
    c->is_all = only_user(r, reg) != PTX_NO_BLOCK;
    if (find_comparison(s, reg, loop, c)) return true;
    for (uint32_t k = r->first[reg]; k < r->first[reg + 1]; k++) {
        const ptx_instruction *i = &s->function->instructions[r->instructions[k]];
        const uint32_t bits = masked(s, i, reg, loop);
        if (bits == PTX_NO_BLOCK || !find_comparison(s, bits, loop, c)) continue;
        c->is_all &= only_user(r, bits) != PTX_NO_BLOCK;
        c->masks = r->instructions[k] + 1;
        c->is_masked_first = i->operands[1].kind == PTX_REGISTER && i->operands[1].reg == reg;
        return true;
    }
    return false;
}

static void set_condition(const sim_loops *s, uint32_t load, uint32_t block, sim_wait_condition *c) {
    const ptx_instruction *at = &s->function->instructions[load];
    const ptx_operand *to = &at->operands[0];
    const bool is_vector = to->kind == PTX_VECTOR;
    if (at->guarded || !is_comparable(at->type) || (!is_vector && to->kind != PTX_REGISTER)) return;
    for (uint32_t part = 0; part < (is_vector ? to->part_count : 1) && !c->test; part++) {
        const ptx_operand *element = is_vector ? &to->parts[part] : to;
        if (element->kind != PTX_REGISTER || !find_test(s, element->reg, block, c)) continue;
        c->part = (uint8_t)part;
        c->bytes = (uint8_t)(ptx_bits(at->type) / 8);
        c->is_all &= !is_vector;
    }
}

/* True if some strong store of the kernel is to the word that the load reads. */
static bool is_stored_to(const ptx_function *f, const ptx_instruction *load) {
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *at = &f->instructions[i];
        if (sim_is_strong(at, PTX_OP_ST) && sim_is_same_word(&load->operands[1], &at->operands[0])) return true;
    }
    return false;
}

static void find_all(const sim_loops *s, sim_wait_conditions *table) {
    const ptx_function *f = s->function;
    for (uint32_t b = 0; b < f->block_count; b++)
        for (uint32_t i = f->blocks[b].first; s->looping[b] && i < f->blocks[b].end; i++) {
            if (!sim_is_strong(&f->instructions[i], PTX_OP_LD)) continue;
            set_condition(s, i, b, &table->of[i]);
            if (!table->of[i].test) continue;
            table->of[i].takes = is_stored_to(f, &f->instructions[i]);
            table->in_shared |= f->instructions[i].mods[PTX_SLOT_SPACE] != PTX_MOD_GLOBAL;
            table->in_global |= !ptx_in_shared(&f->instructions[i]);
        }
}

/* A loop that may also end by another word need not wait for this one. */
static void find_only_ones(const sim_loops *s, sim_wait_conditions *table) {
    const ptx_function *f = s->function;
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const uint32_t block = ptx_block_of(f, i);
        table->of[i].is_only = table->of[i].test;
        for (uint32_t k = 0; k < f->instruction_count && table->of[i].is_only; k++) {
            const bool is_other = table->of[k].test && is_in_loop(s, ptx_block_of(f, k), block);
            if (is_other && !sim_is_same_word(&f->instructions[i].operands[1], &f->instructions[k].operands[1]))
                table->of[i].is_only = false;
        }
    }
}

static bool has_strong_loads(const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        if (sim_is_strong(&f->instructions[i], PTX_OP_LD)) return true;
    return false;
}

haul_status sim_wait_conditions_find(const sim_loops *loops, sim_wait_conditions **out) {
    const ptx_function *f = loops->function;
    *out = NULL;
    if (!has_strong_loads(f)) return HAUL_OK;
    *out = memory_zeroed(1, sizeof **out + f->instruction_count * sizeof *(*out)->of);
    if (!*out) return haul_no_memory("the launch's checks");
    find_all(loops, *out);
    find_only_ones(loops, *out);
    if ((*out)->in_shared || (*out)->in_global) return HAUL_OK;
    memory_free(*out);
    *out = NULL;
    return HAUL_OK;
}

/* ---- values ---- */

uint64_t sim_integer_in(const sim_warp *w, const ptx_operand *o, unsigned bits, unsigned lane) {
    if (o->kind == PTX_INTEGER) return o->bits;
    const uint32_t slot = w->sm->grid->program->register_slots[o->reg];
    return bits == 64 ? SIM_SLOT(w, uint64_t, slot)[lane] : SIM_SLOT(w, uint32_t, slot)[lane];
}

static int64_t with_sign(uint64_t value, unsigned bits) {
    return bits == 64 ? (int64_t)value : (int32_t)(uint32_t)value;
}

bool sim_compares(unsigned relation, bool is_signed, int64_t a, int64_t b) {
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (relation) {
    case PTX_MOD_EQ: return a == b;
    case PTX_MOD_NE: return a != b;
    case PTX_MOD_LT: return is_signed ? a < b : x < y;
    case PTX_MOD_LE: return is_signed ? a <= b : x <= y;
    case PTX_MOD_GT: return is_signed ? a > b : x > y;
    case PTX_MOD_GE: return is_signed ? a >= b : x >= y;
    case PTX_MOD_CMP_LO: return x < y;
    case PTX_MOD_LS: return x <= y;
    case PTX_MOD_CMP_HI: return x > y;
    default: return x >= y; /* hs */
    }
}

uint64_t sim_shifted_right(unsigned type, uint64_t value, uint32_t by) {
    const bool beyond = by >= ptx_bits(type);
    if (ptx_is_signed(type)) return (uint64_t)((int64_t)value >> (beyond ? 63 : by));
    return beyond ? 0 : value >> by;
}

/* Returns what the instruction makes of a loaded value: one of its operands is the value, which no register has yet. */
static uint64_t mask(const sim_warp *w, const sim_wait_condition *c, unsigned lane, uint64_t value) {
    const ptx_instruction *i = sim_instruction_of(w, c->masks - 1);
    const unsigned bits = ptx_bits(i->type);
    if (i->op == PTX_OP_CVT) return bits == 32 ? (uint32_t)value : value;
    const uint64_t other =
        sim_integer_in(w, &i->operands[c->is_masked_first ? 2 : 1], i->op == PTX_OP_SHR ? 32 : bits, lane);
    const uint64_t whole = ptx_is_signed(i->type) ? (uint64_t)with_sign(value, bits)
                           : bits == 32           ? (uint32_t)value
                                                  : value;
    if (i->op == PTX_OP_SHR) return sim_shifted_right(i->type, whole, (uint32_t)other);
    return i->op == PTX_OP_AND ? value & other : value ^ other;
}

bool sim_wait_ends(const sim_warp *w, const sim_wait_condition *c, unsigned lane, uint64_t value) {
    const ptx_instruction *test = sim_instruction_of(w, c->test - 1);
    if (c->masks) value = mask(w, c, lane, value);
    const unsigned bits = ptx_bits(test->type);
    const uint64_t other = sim_integer_in(w, &test->operands[c->is_first ? 2 : 1], bits, lane);
    const int64_t loaded = with_sign(value, bits), with = with_sign(other, bits);
    const bool result = sim_compares(test->mods[PTX_SLOT_COMPARE], ptx_is_signed(test->type),
                                     c->is_first ? loaded : with, c->is_first ? with : loaded);
    return result == c->ends;
}
