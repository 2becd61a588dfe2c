/* Moves instructions after a branch if only one of its paths needs them.
 *
 * Loads that only some lanes need then have fewer lanes, and sometimes none, which the counters show. Each branch is
 * looked at once, in program order, so that an instruction can move on through several. Live registers change as
 * instructions move, so blocks that received some keep their own list of registers live on entry. */
#include "assembler/sink.h"

#include "assembler/values.h"
#include "ptx/edges.h"
#include "ptx/liveness.h"
#include "ptx/traits.h"

#include <string.h>

/* Read off machine code of some 1,200 random expressions (docs/memory-model.md). Going up from the branch, an
 * instruction whose result only one path needs moves there, unless that makes more registers live. That is, at most one
 * of its operands is needed for nothing else on that path. Of the rest, the last instructions before the branch move
 * together if only that path needs them all and there are enough of them. */
enum { FREE_OPERANDS = 1, WORTH_MOVING = 4 };
/* The same as SIM_MOST_PREDICATED for branches that all threads of a block take or none. */
enum { PREDICATED_UNIFORM = 6 };

typedef struct block_list {
    uint32_t *items;
    size_t count;
} block_list;

/* A set of registers. By register: it is in the set if the number is the round's. The list has those that have been in
 * it. */
typedef struct register_set {
    uint32_t *in_round, round;
    uint32_t *list;
    size_t count, capacity;
} register_set;

/* A register that entered or left the set. */
typedef struct change {
    uint32_t reg, before;
} change;

typedef struct sinking {
    const ptx_function *function;
    arena *memory;
    sim_values values;
    ptx_liveness live;
    block_list *blocks; /* instructions by block, in their new order */
    ptx_predecessors above;
    bool *sunk; /* by instruction: it has moved out of the current block */
    bool moved;
    block_list *entered;    /* by block: registers live on entry since instructions moved there; or no items */
    register_set needed;    /* registers that the path needs on entry */
    register_set elsewhere; /* registers that the other path needs */
    change *changes;        /* changes of `needed` since the current run of instructions began to move */
    size_t change_count, change_capacity;
    /* What keeps earlier instructions in place: instructions that stay and use or define a register (by register: the
     * round in which that was seen), and instructions that loads must not cross. */
    uint32_t *used, *defined, round;
    bool shared_closed, global_closed;
} sinking;

/* ---- classification ---- */

static bool in_shared(const ptx_instruction *i) {
    unsigned space = i->mods[PTX_SLOT_SPACE];
    return space == PTX_MOD_SHARED || space == PTX_MOD_SHARED_CTA;
}

/* Whether the load may move past the instructions that stay below it. */
static bool may_load(const sinking *s, const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_SPACE]) {
    case PTX_MOD_SHARED:
    case PTX_MOD_SHARED_CTA: return !s->shared_closed;
    case PTX_MOD_GLOBAL: return i->mods[PTX_SLOT_NC] || !s->global_closed;
    case PTX_MOD_CONST:
    case PTX_MOD_PARAM:
    case PTX_MOD_PARAM_ENTRY: return true;
    default: return false;
    }
}

/* Loads without side effects and pure instructions move; guarded ones stay. */
static bool may_move(const sinking *s, const ptx_instruction *i) {
    if (i->guarded || sim_is_predicated(i)) return false;
    return i->op == PTX_OP_LD ? sim_is_ordinary(i) && may_load(s, i) : ptx_is_pure(i->op);
}

/* Notes that loads above cannot move past this instruction. */
static void close_spaces(sinking *s, const ptx_instruction *i) {
    if (sim_is_crossed(i) || ptx_is(i->op, PTX_KIND_END)) return;
    if (i->op == PTX_OP_ST) {
        s->shared_closed |= i->mods[PTX_SLOT_SPACE] != PTX_MOD_GLOBAL;
        s->global_closed |= !in_shared(i);
    } else if (!ptx_is_pure(i->op)) {
        s->shared_closed = s->global_closed = true;
    }
}

/* Returns the machine instructions: moves, parameters and conversions of addresses are free. */
static unsigned weight(const ptx_instruction *i) {
    if (ptx_has(i->op, PTX_TRAIT_MOVES) || ptx_loads_parameter(i)) return 0;
    return i->op != PTX_OP_BRA || i->guarded;
}

/* ---- registers ---- */

static bool has(const register_set *set, uint32_t reg) {
    return set->in_round[reg] == set->round;
}

/* Adds a register to a set. Sets are emptied by beginning a new round. */
static void include(sinking *s, register_set *set, uint32_t reg) {
    if (has(set, reg)) return;
    set->in_round[reg] = set->round;
    ARENA_PUSH(s->memory, set->list, set->count, set->capacity, reg);
}

/* Sets it to the registers live on entry to a block. */
static void include_entered(sinking *s, register_set *set, uint32_t block) {
    set->round++;
    set->count = 0;
    if (block == PTX_NO_BLOCK) return;
    const block_list *own = &s->entered[block];
    for (size_t k = 0; k < own->count; k++) include(s, set, own->items[k]);
    if (own->items) return;
    for (const ptx_live_word *w = ptx_live_words(&s->live, block); w < ptx_live_words(&s->live, block + 1); w++)
        for (uint64_t bits = w->in; bits; bits &= bits - 1) include(s, set, ptx_live_register(&s->live, w, bits));
}

/* Keeps the set as the registers live on entry to a block. */
static void keep_entered(sinking *s, const register_set *set, uint32_t block) {
    block_list *own = &s->entered[block];
    *own = (block_list){ARENA_ARRAY(s->memory, set->count + 1, uint32_t), 0};
    for (size_t k = 0; k < set->count; k++)
        if (has(set, set->list[k])) own->items[own->count++] = set->list[k];
}

static void note_change(sinking *s, uint32_t reg) {
    const change c = {reg, s->needed.in_round[reg]};
    ARENA_PUSH(s->memory, s->changes, s->change_count, s->change_capacity, c);
}

/* Restores `needed` to what it was when the run began. */
static void undo_changes(sinking *s) {
    while (s->change_count) {
        const change c = s->changes[--s->change_count];
        s->needed.in_round[c.reg] = c.before;
    }
}

typedef struct visit {
    sinking *sinking;
    bool wanted, free; /* the path needs a result, the other one needs none, and no operand changes further down */
    unsigned operands; /* that nothing else on the path needs */
} visit;

static void look_at_register(void *context, uint32_t reg, bool writes) {
    visit *v = context;
    const sinking *s = v->sinking;
    if (writes) {
        v->wanted |= has(&s->needed, reg);
        v->free &= s->values.definitions[reg] == 1 && s->used[reg] != s->round && !has(&s->elsewhere, reg);
    } else {
        v->operands += !has(&s->needed, reg);
        v->free &= s->defined[reg] != s->round;
    }
}

/* Looks at an instruction's registers: whether it may move, and what that would cost. */
static visit look_at(sinking *s, const ptx_instruction *i) {
    visit v = {.sinking = s, .free = true};
    ptx_visit_registers(i, look_at_register, &v);
    return v;
}

static void note_staying(void *context, uint32_t reg, bool writes) {
    const visit *v = context;
    (writes ? v->sinking->defined : v->sinking->used)[reg] = v->sinking->round;
}

/* Notes what an instruction that stays uses and defines. */
static void stay(sinking *s, const ptx_instruction *i) {
    visit v = {.sinking = s};
    ptx_visit_registers(i, note_staying, &v);
    close_spaces(s, i);
}

/* The path does not need the result on entry any more, once its instruction has moved there. */
static void drop_result(void *context, uint32_t reg, bool writes) {
    sinking *s = ((const visit *)context)->sinking;
    if (!writes) return;
    note_change(s, reg);
    s->needed.in_round[reg] = 0;
}

/* The moved instruction's operands are needed on entry to the path. */
static void add_operand(void *context, uint32_t reg, bool writes) {
    sinking *s = ((const visit *)context)->sinking;
    if (writes) return;
    note_change(s, reg);
    include(s, &s->needed, reg);
}

static void move(sinking *s, uint32_t instruction) {
    visit v = {.sinking = s};
    const ptx_instruction *i = &s->function->instructions[instruction];
    s->sunk[instruction] = true;
    ptx_visit_registers(i, drop_result, &v);
    ptx_visit_registers(i, add_operand, &v);
}

/* ---- one block ---- */

/* Begins a walk up from the branch. */
static void begin(sinking *s) {
    s->round++;
    s->shared_closed = s->global_closed = false;
}

/* Moves instructions one by one, if that makes no more registers live. */
static void sink_single(sinking *s, const block_list *list) {
    begin(s);
    for (size_t k = list->count; k-- > 0;) {
        const ptx_instruction *i = &s->function->instructions[list->items[k]];
        const visit v = look_at(s, i);
        if (may_move(s, i) && v.wanted && v.free && v.operands <= FREE_OPERANDS)
            move(s, list->items[k]);
        else
            stay(s, i);
    }
}

/* Moves the last instructions as far as all of them may move, and returns whether that pays. PTX instructions without
 * machine code do not interrupt them. */
static bool move_run(sinking *s, const block_list *list) {
    unsigned sum = 0;
    for (size_t k = list->count - 1; k-- > 0;) {
        const ptx_instruction *i = &s->function->instructions[list->items[k]];
        if (s->sunk[list->items[k]]) continue;
        const visit v = look_at(s, i);
        if (may_move(s, i) && v.wanted && v.free) {
            sum += weight(i);
            move(s, list->items[k]);
        } else if (weight(i) == 0) {
            stay(s, i);
        } else {
            break;
        }
    }
    return sum >= WORTH_MOVING;
}

/* Moves a run of instructions, or restores everything if that does not pay. */
static void sink_run(sinking *s, const block_list *list) {
    bool *sunk = ARENA_ARRAY(s->memory, list->count, bool);
    for (size_t k = 0; k < list->count; k++) sunk[k] = s->sunk[list->items[k]];
    s->change_count = 0;
    begin(s);
    stay(s, &s->function->instructions[list->items[list->count - 1]]);
    if (move_run(s, list)) return;
    undo_changes(s);
    for (size_t k = 0; k < list->count; k++) s->sunk[list->items[k]] = sunk[k];
}

/* Puts the moved instructions before those of block `into`. Returns false if none move. */
static bool split(sinking *s, block_list *from, block_list *into) {
    block_list both = {ARENA_ARRAY(s->memory, from->count + into->count, uint32_t), 0};
    size_t kept = 0;
    for (size_t k = 0; k < from->count; k++) {
        const uint32_t i = from->items[k];
        if (!s->sunk[i])
            from->items[kept++] = i;
        else
            both.items[both.count++] = i;
        s->sunk[i] = false;
    }
    if (both.count == 0) return false;
    s->moved = true;
    from->count = kept;
    memcpy(both.items + both.count, into->items, into->count * sizeof *into->items);
    both.count += into->count;
    *into = both;
    return true;
}

/* ---- paths ---- */

/* Whether the path ends the function at once. */
static bool leaves(const ptx_function *f, uint32_t block) {
    return block == PTX_NO_BLOCK || ptx_ends_at_once(f, block);
}

static bool only_jumps(const ptx_function *f, uint32_t block) {
    const ptx_block *b = &f->blocks[block];
    return b->end == b->first + 1 && f->instructions[b->first].op == PTX_OP_BRA && b->taken == PTX_NO_BLOCK;
}

/* Returns where a path leads if it begins with a jump. */
static uint32_t after_jump(const ptx_function *f, uint32_t block) {
    return block != PTX_NO_BLOCK && only_jumps(f, block) ? f->blocks[block].next : block;
}

/* More than SIM_MOST_PREDICATED if the block has instructions that cannot be predicated. */
static unsigned block_weight(const ptx_function *f, const ptx_block *b) {
    unsigned sum = 0;
    for (uint32_t k = b->first; k < b->end; k++) {
        const ptx_instruction *i = &f->instructions[k];
        const bool plain = ptx_is_pure(i->op) || i->op == PTX_OP_LD || i->op == PTX_OP_ST || i->op == PTX_OP_BRA;
        sum += plain ? weight(i) : SIM_MOST_PREDICATED + 1;
    }
    return sum;
}

/* The function's callers count as predecessors of its first block. */
static uint32_t predecessors(const sinking *s, uint32_t block) {
    return ptx_predecessor_count(&s->above, block) + (block == 0);
}

/* Returns whether the blocks from `block` on reach `join` again within `room` instructions. */
static bool is_short(const sinking *s, uint32_t block, uint32_t join, unsigned room) {
    const ptx_function *f = s->function;
    for (unsigned passed = 0; block != join && passed < SIM_MOST_PREDICATED; passed++) {
        if (block == PTX_NO_BLOCK || predecessors(s, block) > 2) return false;
        const ptx_block *b = &f->blocks[block];
        const unsigned weight = block_weight(f, b);
        if (weight > room || b->table_count) return false;
        room -= weight;
        const bool skips = b->taken != PTX_NO_BLOCK;
        if (skips && after_jump(f, f->blocks[b->next].next) != b->taken) return false;
        block = b->next;
    }
    return block == join;
}

/* Moves instructions of `block` to `path`, unless that is so short that it is predicated. */
static void sink_into(sinking *s, uint32_t block, uint32_t path, uint32_t other) {
    const ptx_function *f = s->function;
    if (path == PTX_NO_BLOCK || path == block || predecessors(s, path) != 1) return;
    const ptx_instruction *branch = &f->instructions[f->blocks[block].end - 1];
    const unsigned room = s->values.uniform[branch->guard] ? PREDICATED_UNIFORM : SIM_MOST_PREDICATED;
    if (!leaves(f, other) && !branch->keeps_branch && is_short(s, path, other, room)) return;
    include_entered(s, &s->needed, path);
    include_entered(s, &s->elsewhere, other);
    sink_single(s, &s->blocks[block]);
    sink_run(s, &s->blocks[block]);
    if (split(s, &s->blocks[block], &s->blocks[path])) keep_entered(s, &s->needed, path);
}

/* Both paths of a branch are tried; jumps at their start are passed. */
static void sink_from(sinking *s, uint32_t block) {
    const ptx_function *f = s->function;
    const ptx_block *b = &f->blocks[block];
    const ptx_instruction *last = &f->instructions[b->end - 1];
    if (!last->guarded || b->next == PTX_NO_BLOCK) return;
    if (last->op != PTX_OP_BRA && !ptx_is(last->op, PTX_KIND_END)) return;
    const uint32_t next = after_jump(f, b->next), taken = after_jump(f, b->taken);
    sink_into(s, block, next, taken);
    sink_into(s, block, taken, next);
}

/* ---- the function ---- */

static void set_up(sinking *s) {
    const ptx_function *f = s->function;
    sim_values_find(f, s->memory, &s->values);
    ptx_liveness_compute(f, s->memory, &s->live);
    ptx_predecessors_find(f, s->memory, &s->above);
    s->blocks = ARENA_ARRAY(s->memory, f->block_count + 1, block_list);
    s->sunk = ARENA_ARRAY(s->memory, f->instruction_count + 1, bool);
    s->entered = ARENA_ARRAY(s->memory, f->block_count + 1, block_list);
    s->needed.in_round = ARENA_ARRAY(s->memory, f->register_count + 1, uint32_t);
    s->elsewhere.in_round = ARENA_ARRAY(s->memory, f->register_count + 1, uint32_t);
    s->used = ARENA_ARRAY(s->memory, f->register_count + 1, uint32_t);
    s->defined = ARENA_ARRAY(s->memory, f->register_count + 1, uint32_t);
    for (uint32_t b = 0; b < f->block_count; b++) {
        const ptx_block *block = &f->blocks[b];
        s->blocks[b] = (block_list){ARENA_ARRAY(s->memory, block->end - block->first, uint32_t), 0};
        for (uint32_t i = block->first; i < block->end; i++) s->blocks[b].items[s->blocks[b].count++] = i;
    }
}

/* Returns the function in the new order. Blocks and labels get new positions; a label within a block, which nothing
 * jumps to, moves to the block's start. */
static ptx_function *reorder(const sinking *s, arena *memory) {
    const ptx_function *f = s->function;
    ptx_function *sunk = ARENA_ARRAY(memory, 1, ptx_function);
    uint32_t *begins = ARENA_ARRAY(memory, f->instruction_count + 1, uint32_t), at = 0;
    *sunk = *f;
    sunk->instructions = ARENA_ARRAY(memory, f->instruction_count + 1, ptx_instruction);
    sunk->blocks = ARENA_ARRAY(memory, f->block_count, ptx_block);
    sunk->labels = ARENA_ARRAY(memory, f->label_count + 1, ptx_label);
    for (uint32_t b = 0; b < f->block_count; b++) {
        sunk->blocks[b] = f->blocks[b];
        sunk->blocks[b].first = at;
        for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; i++) begins[i] = at;
        for (size_t k = 0; k < s->blocks[b].count; k++)
            sunk->instructions[at++] = f->instructions[s->blocks[b].items[k]];
        sunk->blocks[b].end = at;
    }
    begins[f->instruction_count] = at;
    for (size_t l = 0; l < f->label_count; l++) {
        sunk->labels[l] = f->labels[l];
        sunk->labels[l].target = begins[f->labels[l].target];
    }
    return sunk;
}

ptx_function *sim_sink(ptx_module *module, ptx_function *flat, arena *scratch) {
    sinking s = {.function = flat, .memory = scratch};
    set_up(&s);
    for (uint32_t b = 0; b < flat->block_count; b++) sink_from(&s, b);
    return s.moved ? reorder(&s, &module->memory) : flat;
}
