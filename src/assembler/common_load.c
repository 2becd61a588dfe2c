/* Moves loads that both paths after a branch make in front of the branch.
 *
 * Read off machine code of ptxas 13.0, and off counters that an H200 gave for Numba's kernels, whose compiler leaves
 * such loads on both paths (docs/memory-model.md). */
#include "assembler/common_load.h"

#include "assembler/rewrite.h"
#include "assembler/sink.h"
#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/traits.h"
#include "ptx/users.h"

#include <string.h>

#define NONE UINT32_MAX

typedef struct sharing {
    const ptx_function *function;
    ptx_users writers;
    ptx_predecessors above;
    arena *memory;
    uint32_t *twin; /* by instruction: the load on the other path; NONE if there is none */
    uint32_t *path; /* by instruction: the path of the branch whose loads move in front of it; NONE if none do */
    uint32_t *made; /* by instruction: the register that the load in front of the branch writes, once it is made */
} sharing;

static bool is_jump(const ptx_function *f, const ptx_block *b) {
    return b->end - b->first == 1 && f->instructions[b->first].op == PTX_OP_BRA && !f->instructions[b->first].guarded;
}

/* Returns the block of the path that begins at `block`, behind a mere jump; NONE if other blocks lead to it. */
static uint32_t path_at(const sharing *s, uint32_t block) {
    const ptx_function *f = s->function;
    for (unsigned jumps = 0; jumps < 2; jumps++) {
        if (block == PTX_NO_BLOCK || ptx_predecessor_count(&s->above, block) != 1) return NONE;
        if (!is_jump(f, &f->blocks[block])) return block;
        block = f->blocks[block].next;
    }
    return NONE;
}

static bool is_shareable(const ptx_instruction *i) {
    const unsigned space = i->mods[PTX_SLOT_SPACE];
    return i->op == PTX_OP_LD && !i->guarded && sim_is_ordinary(i) && i->operands[0].kind == PTX_REGISTER &&
           ptx_bits(i->type) <= 64 && i->operands[1].parts[0].kind == PTX_REGISTER &&
           (space == PTX_MOD_GLOBAL || ptx_in_shared(i));
}

static bool are_equal(const ptx_instruction *a, const ptx_instruction *b) {
    for (unsigned k = 0; k < PTX_SLOT_COUNT; k++)
        if (a->mods[k] != b->mods[k]) return false;
    return a->type == b->type && a->operands[1].parts[0].reg == b->operands[1].parts[0].reg &&
           a->operands[1].offset == b->operands[1].offset;
}

static bool is_written(const sharing *s, uint32_t reg, uint32_t from, uint32_t to) {
    for (uint32_t k = s->writers.first[reg]; k < s->writers.first[reg + 1]; k++)
        if (s->writers.instructions[k] >= from && s->writers.instructions[k] < to) return true;
    return false;
}

/* Returns the load on the path that equals `load`, or, if that is NULL, the first one from `from` on that may move to
 * the path's beginning; NONE if there is none. */
static uint32_t find_load(const sharing *s, uint32_t path, uint32_t from, const ptx_instruction *load) {
    const ptx_block *b = &s->function->blocks[path];
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &s->function->instructions[k];
        if (is_shareable(i)) {
            const bool fits = k >= from && s->twin[k] == NONE && (!load || are_equal(i, load));
            if (fits && !is_written(s, i->operands[1].parts[0].reg, b->first, k)) return k;
        } else if (!ptx_is_pure(i->op) && !(ptx_is(i->op, PTX_KIND_LOAD) && sim_is_ordinary(i))) {
            return NONE;
        }
    }
    return NONE;
}

/* True if machine code predicates the path instead of branching to it: it is short and does nothing but compute. */
static bool is_predicated(const sharing *s, uint32_t path) {
    const ptx_block *b = &s->function->blocks[path];
    unsigned count = 0;
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &s->function->instructions[k];
        if (k + 1 == b->end && i->op == PTX_OP_BRA && !i->guarded) continue;
        if (!ptx_is_pure(i->op) && !is_shareable(i)) return false;
        count += !ptx_has(i->op, PTX_TRAIT_MOVES);
    }
    return count <= SIM_MOST_PREDICATED;
}

/* Finds the loads that both paths after the block make. */
static bool look_behind(sharing *s, uint32_t block) {
    const ptx_function *f = s->function;
    const ptx_block *b = &f->blocks[block];
    bool found = false;
    if (b->first == b->end || f->instructions[b->end - 1].op != PTX_OP_BRA || !f->instructions[b->end - 1].guarded)
        return false;
    const uint32_t left = path_at(s, b->next), right = path_at(s, b->taken);
    if (left == NONE || right == NONE || f->blocks[left].next != f->blocks[right].next) return false;
    if (!is_predicated(s, left) || !is_predicated(s, right)) return false;
    for (uint32_t k = find_load(s, left, 0, NULL); k != NONE; k = find_load(s, left, k + 1, NULL)) {
        const uint32_t other = find_load(s, right, 0, &f->instructions[k]);
        if (other == NONE) continue;
        s->twin[k] = other;
        s->twin[other] = k;
        s->path[b->end - 1] = left;
        found = true;
    }
    return found;
}

static ptx_operand *operands_of(const sharing *s, const ptx_instruction *i) {
    ptx_operand *made = ARENA_ARRAY(s->memory, i->operand_count, ptx_operand);
    memcpy(made, i->operands, i->operand_count * sizeof *made);
    return made;
}

/* Adds the path's shared loads, each to a register of its own. */
static void add_loads(const sharing *s, sim_rewrite *to, uint32_t path) {
    const ptx_function *f = s->function;
    for (uint32_t k = f->blocks[path].first; k < f->blocks[path].end; k++) {
        if (s->twin[k] == NONE) continue;
        ptx_instruction load = f->instructions[k];
        const ptx_type type = f->registers[load.operands[0].reg].type;
        load.operands = operands_of(s, &load);
        load.operands[0].reg = s->made[k] = s->made[s->twin[k]] = sim_rewrite_register(to, type, "$shared");
        sim_rewrite_add(to, load);
    }
}

static ptx_type type_of_copy(ptx_type type) {
    if (type == PTX_F32 || type == PTX_F64) return type;
    return ptx_bits(type) == 64 ? PTX_B64 : ptx_bits(type) == 32 ? PTX_B32 : PTX_B16;
}

/* Returns the copy of the loaded value that stands in the load's place. */
static ptx_instruction copy_of(const sharing *s, uint32_t k) {
    const ptx_instruction *load = &s->function->instructions[k];
    ptx_instruction i = {.op = PTX_OP_MOV, .place = load->place, .position = load->position, .operand_count = 2};
    i.type = (uint8_t)type_of_copy(s->function->registers[load->operands[0].reg].type);
    i.round = load->round;
    i.operands = operands_of(s, load);
    i.operands[1] = i.operands[0];
    i.operands[1].reg = s->made[k];
    return i;
}

static void rewrite(const sharing *s, sim_rewrite *to) {
    for (uint32_t k = 0; k < s->function->instruction_count; k++) {
        sim_rewrite_at(to, k);
        if (s->path[k] != NONE) add_loads(s, to, s->path[k]);
        sim_rewrite_add(to, s->twin[k] == NONE ? s->function->instructions[k] : copy_of(s, k));
    }
    sim_rewrite_end(to);
}

ptx_function *sim_share_loads(ptx_module *module, ptx_function *flat, arena *scratch) {
    const size_t count = flat->instruction_count + 1;
    sharing s = {.function = flat, .memory = &module->memory};
    sim_rewrite to;
    bool found = false;
    ptx_users_find(flat, scratch, NULL, &s.writers);
    ptx_predecessors_find(flat, scratch, &s.above);
    s.twin = ARENA_ARRAY(scratch, count, uint32_t);
    s.path = ARENA_ARRAY(scratch, count, uint32_t);
    s.made = ARENA_ARRAY(scratch, count, uint32_t);
    for (size_t k = 0; k < count; k++) s.twin[k] = s.path[k] = NONE;
    for (uint32_t b = 0; b < flat->block_count; b++) found |= look_behind(&s, b);
    if (!found) return flat;
    sim_rewrite_begin(&to, flat, &module->memory);
    rewrite(&s, &to);
    return to.to;
}
