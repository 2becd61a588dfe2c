/* Unrolls the loops that loop.c finds, by four, as ptxas does.
 *
 * The new code is: four iterations while at least four are left, two if at least two are left, and the original loop
 * for the rest. Registers that live within one iteration get a copy for each; those that carry a value to the next one
 * stay. Pointers that a loop moves by constants move once for all iterations, and the iterations' addresses get offsets
 * instead, so that combine.c sees neighbouring accesses. */
#include "assembler/unroll.h"

#include "assembler/loop.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 4 };
#define AS_IT_IS UINT32_MAX

typedef struct list_of_loops {
    sim_loop *items;
    size_t count, capacity;
} list_of_loops;

/* A pointer that a loop moves by constant steps and uses only as the base of addresses. Unrolled iterations add the
 * steps to their offsets, and the pointer moves once. */
typedef struct pointer {
    uint32_t reg, step_at;
    int64_t step;
} pointer;

typedef struct unrolling {
    arena *memory;  /* of the result */
    arena *scratch; /* until the end of the pass */
    const ptx_function *from;
    ptx_function *to;
    size_t instruction_capacity, label_capacity, register_capacity;
    sim_loops loops;
    list_of_loops list;
    uint32_t *moved; /* by old instruction, and their end: its new position */
    /* The labels of instruction i are label_at[first_label[i]] .. [first_label[i + 1] - 1]. */
    uint32_t *first_label, *label_at;
    /* of the current loop */
    const sim_loop *loop;
    pointer *pointers; /* including the counter, if only its test reads it */
    size_t pointer_count, pointer_capacity;
    bool *own;         /* by register: each iteration has its own copy */
    uint32_t *written; /* registers that it writes, in order */
    size_t written_count, written_capacity;
    uint32_t *renamed; /* by register: the iteration's copy */
    uint32_t *labels;  /* by label: the iteration's copy */
    uint32_t *inner;   /* labels within it, in order */
    size_t inner_count, inner_capacity;
    uint32_t first; /* register: no iteration has been emitted yet */
    ptx_position position;
    uint32_t place;
} unrolling;

/* ---- instructions ---- */

/* Appends an instruction. The result is valid until the next one is added. */
static ptx_instruction *add(unrolling *u, ptx_instruction i) {
    ptx_function *to = u->to;
    ARENA_PUSH(u->memory, to->instructions, to->instruction_count, u->instruction_capacity, i);
    return &to->instructions[to->instruction_count - 1];
}

static ptx_operand of_register(uint32_t reg) {
    return (ptx_operand){.kind = PTX_REGISTER, .reg = reg};
}

static ptx_operand of_integer(int64_t value) {
    return (ptx_operand){.kind = PTX_INTEGER, .bits = (uint64_t)value};
}

/* Appends `op to, a, b` at the current place. */
static ptx_instruction *add_operation(unrolling *u, ptx_op op, ptx_type type, uint32_t to, ptx_operand a,
                                      ptx_operand b) {
    ptx_operand *operands = ARENA_ARRAY(u->memory, 3, ptx_operand);
    operands[0] = of_register(to);
    operands[1] = a;
    operands[2] = b;
    return add(u, (ptx_instruction){.op = (uint16_t)op,
                                    .type = (uint8_t)type,
                                    .operand_count = 3,
                                    .operands = operands,
                                    .position = u->position,
                                    .place = u->place});
}

/* Appends a comparison that sets a predicate. */
static void add_test(unrolling *u, ptx_type type, uint32_t to, ptx_operand a, unsigned compare, ptx_operand b) {
    add_operation(u, PTX_OP_SETP, type, to, a, b)->mods[PTX_SLOT_COMPARE] = (uint16_t)compare;
}

static void add_branch(unrolling *u, uint32_t guard, bool negated, uint32_t label) {
    ptx_operand *operand = ARENA_ARRAY(u->memory, 1, ptx_operand);
    *operand = (ptx_operand){.kind = PTX_LABEL, .label = label};
    add(u, (ptx_instruction){.op = PTX_OP_BRA,
                             .guarded = true,
                             .guard_negated = negated,
                             .guard = guard,
                             .operand_count = 1,
                             .operands = operand,
                             .position = u->position,
                             .place = u->place});
}

static uint32_t new_register(unrolling *u, const char *name, ptx_type type) {
    ptx_function *to = u->to;
    const ptx_register r = {.name = name, .type = type};
    ARENA_PUSH(u->memory, to->registers, to->register_count, u->register_capacity, r);
    return (uint32_t)to->register_count - 1;
}

static uint32_t new_label(unrolling *u) {
    ptx_function *to = u->to;
    const ptx_label l = {.name = "$unrolled", .position = u->position};
    ARENA_PUSH(u->memory, to->labels, to->label_count, u->label_capacity, l);
    return (uint32_t)to->label_count - 1;
}

static void place_label(unrolling *u, uint32_t label) {
    u->to->labels[label].target = (uint32_t)u->to->instruction_count;
}

/* ---- shared by all iterations ---- */

typedef struct use_search {
    uint32_t reg;
    unsigned uses;
} use_search;

static void look_for_use(void *context, uint32_t reg, bool writes) {
    use_search *search = context;
    search->uses += !writes && reg == search->reg;
}

/* Returns whether the loop only steps the register, addresses memory with it, or tests it. */
static bool only_addresses(const unrolling *u, uint32_t reg, uint32_t step_at) {
    for (uint32_t k = u->loop->begin; k < u->loop->end; k++) {
        const ptx_instruction *i = &u->from->instructions[k];
        use_search search = {.reg = reg};
        if (k == step_at || (k == u->loop->test && reg == u->loop->counter)) continue;
        ptx_visit_registers(i, look_for_use, &search);
        if (search.uses > ptx_is_address_in(i, reg)) return false;
    }
    return true;
}

/* Returns whether every iteration executes it: it is in the first or the last block. */
static bool is_always_made(const unrolling *u, uint32_t instruction) {
    const ptx_block *first = &u->from->blocks[u->loop->first], *last = &u->from->blocks[u->loop->last];
    return instruction < first->end || instruction >= last->first;
}

/* Finds the registers that the loop moves once in every iteration and uses only as addresses. */
static void find_pointers(unrolling *u) {
    u->pointer_count = 0;
    for (uint32_t k = u->loop->begin; k < u->loop->end; k++) {
        const ptx_instruction *i = &u->from->instructions[k];
        if (i->operand_count != 3 || i->operands[0].kind != PTX_REGISTER || !is_always_made(u, k)) continue;
        const uint32_t reg = i->operands[0].reg;
        const pointer p = {reg, k, sim_step_of(i, reg)};
        if (p.step && sim_writes_between(u->from, u->loop->begin, u->loop->end, reg) == 1 && only_addresses(u, reg, k))
            ARENA_PUSH(u->scratch, u->pointers, u->pointer_count, u->pointer_capacity, p);
    }
}

static const pointer *pointer_of(const unrolling *u, uint32_t reg) {
    for (size_t k = 0; k < u->pointer_count; k++)
        if (u->pointers[k].reg == reg) return &u->pointers[k];
    return NULL;
}

static void note_written(void *context, uint32_t reg, bool writes) {
    unrolling *u = context;
    if (writes) ARENA_PUSH(u->scratch, u->written, u->written_count, u->written_capacity, reg);
}

static int compare_numbers(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Finds the registers that each iteration can have for itself: neither the next one nor the code after the loop reads
 * them. */
static void find_own(unrolling *u) {
    const ptx_liveness *live = u->loops.live;
    for (size_t k = 0; k < u->written_count; k++) u->own[u->written[k]] = false;
    u->written_count = 0;
    for (uint32_t k = u->loop->begin; k < u->loop->end; k++)
        ptx_visit_registers(&u->from->instructions[k], note_written, u);
    if (u->written_count) qsort(u->written, u->written_count, sizeof *u->written, compare_numbers);
    for (size_t k = 0; k < u->written_count; k++) {
        const uint32_t reg = u->written[k];
        const bool carried = ptx_is_live_in(live, u->loop->first, reg);
        u->own[reg] = !carried && !ptx_is_live_in(live, u->loop->last + 1, reg);
    }
}

/* ---- one iteration ---- */

/* Makes the iteration's copies of such registers. */
static void rename_own(unrolling *u) {
    for (size_t k = 0; k < u->written_count; k++) {
        const uint32_t r = u->written[k];
        if (k && r == u->written[k - 1]) continue;
        if (u->own[r]) u->renamed[r] = new_register(u, u->from->registers[r].name, u->from->registers[r].type);
    }
}

static uint32_t name_of(const unrolling *u, uint32_t reg) {
    return u->own[reg] ? u->renamed[reg] : reg;
}

/* Whether the label lies within the loop. The one at its start does not count: the branch back is left out. */
static bool is_inner(const unrolling *u, uint32_t label) {
    const uint32_t target = u->from->labels[label].target;
    return target > u->loop->begin && target < u->loop->end;
}

/* Copies an operand with the iteration's registers and labels. */
static ptx_operand copy_operand(unrolling *u, const ptx_operand *o) {
    ptx_operand copy = *o;
    if (o->kind == PTX_REGISTER) copy.reg = name_of(u, o->reg);
    if (o->kind == PTX_LABEL && is_inner(u, o->label)) copy.label = u->labels[o->label];
    if (o->part_count == 0) return copy;
    copy.parts = ARENA_ARRAY(u->memory, o->part_count, ptx_operand);
    for (uint32_t k = 0; k < o->part_count; k++) copy.parts[k] = copy_operand(u, &o->parts[k]);
    return copy;
}

/* Adds the steps that pointers have not made yet to the iteration's offsets. */
static void move_offset(const unrolling *u, ptx_operand *o, uint32_t instruction, unsigned round) {
    if (o->kind != PTX_MEMORY || o->parts[0].kind != PTX_REGISTER) return;
    const pointer *p = pointer_of(u, o->parts[0].reg);
    if (p) o->offset += p->step * (int64_t)(round + (instruction > p->step_at));
}

static void copy_instruction(unrolling *u, uint32_t instruction, unsigned round) {
    ptx_instruction i = u->from->instructions[instruction];
    ptx_operand *operands = ARENA_ARRAY(u->memory, i.operand_count, ptx_operand);
    for (unsigned o = 0; o < i.operand_count; o++) {
        operands[o] = copy_operand(u, &i.operands[o]);
        move_offset(u, &operands[o], instruction, round);
    }
    i.operands = operands;
    i.round = (uint8_t)round;
    if (i.guarded) i.guard = name_of(u, i.guard);
    add(u, i);
}

/* Steps of pointers, the branch, and its test, if nothing else reads the predicate. */
static bool is_left_out(const unrolling *u, uint32_t instruction) {
    for (size_t k = 0; k < u->pointer_count; k++)
        if (u->pointers[k].step_at == instruction) return true;
    return instruction == u->loop->end - 1 ||
           (instruction == u->loop->test && u->own[u->from->instructions[u->loop->end - 1].guard]);
}

static void find_inner_labels(unrolling *u) {
    u->inner_count = 0;
    for (uint32_t k = u->first_label[u->loop->begin + 1]; k < u->first_label[u->loop->end]; k++)
        ARENA_PUSH(u->scratch, u->inner, u->inner_count, u->inner_capacity, u->label_at[k]);
    if (u->inner_count) qsort(u->inner, u->inner_count, sizeof *u->inner, compare_numbers);
}

static void open_inner_labels(unrolling *u) {
    for (size_t k = 0; k < u->inner_count; k++) u->labels[u->inner[k]] = new_label(u);
}

static void place_inner_labels(unrolling *u, uint32_t instruction) {
    if (instruction == u->loop->begin || u->loop->first == u->loop->last) return;
    for (uint32_t k = u->first_label[instruction]; k < u->first_label[instruction + 1]; k++)
        place_label(u, u->labels[u->label_at[k]]);
}

/* Adds one iteration without its branch. */
static void add_round(unrolling *u, unsigned round) {
    rename_own(u);
    open_inner_labels(u);
    for (uint32_t k = u->loop->begin; k < u->loop->end; k++) {
        place_inner_labels(u, k);
        if (!is_left_out(u, k)) copy_instruction(u, k, round);
    }
}

/* Moves the pointers by all iterations' steps at once. */
static void move_pointers(unrolling *u, unsigned rounds) {
    for (size_t k = 0; k < u->pointer_count; k++) {
        const pointer *p = &u->pointers[k];
        const ptx_type type = (ptx_type)u->from->instructions[p->step_at].type;
        add_operation(u, PTX_OP_ADD, type, p->reg, of_register(p->reg), of_integer(p->step * rounds));
    }
}

/* ---- consecutive iterations ---- */

static ptx_type type_of(const sim_loop *loop, bool is_unsigned) {
    const bool wide = ptx_bits(loop->type) == 64;
    if (is_unsigned) return wide ? PTX_U64 : PTX_U32;
    return wide ? PTX_S64 : PTX_S32;
}

/* Adds a predicate: the counter has not passed the bound. */
static uint32_t add_inside(unrolling *u) {
    const sim_loop *loop = u->loop;
    unsigned compare = loop->compare;
    if (compare == PTX_MOD_NE) compare = loop->step > 0 ? PTX_MOD_LT : PTX_MOD_GT;
    const uint32_t inside = new_register(u, "%inside", PTX_PRED);
    add_test(u, type_of(loop, loop->is_unsigned), inside, of_register(loop->counter), compare, *loop->bound);
    return inside;
}

/* Adds a predicate: at least that many iterations are left. The difference is exact as an unsigned number if the
 * counter has not passed the bound. */
static uint32_t add_left(unrolling *u, unsigned rounds) {
    const sim_loop *loop = u->loop;
    const ptx_type type = type_of(loop, true);
    const bool up = loop->step > 0, also_equal = loop->compare == PTX_MOD_LE || loop->compare == PTX_MOD_GE;
    const uint32_t inside = add_inside(u), left = new_register(u, "%left", type);
    const uint32_t enough = new_register(u, "%enough", PTX_PRED);
    const ptx_operand counter = of_register(loop->counter);
    add_operation(u, PTX_OP_SUB, type, left, up ? *loop->bound : counter, up ? counter : *loop->bound);
    add_test(u, type, enough, of_register(left), also_equal ? PTX_MOD_GE : PTX_MOD_GT,
             of_integer((rounds - 1) * (up ? loop->step : -loop->step)));
    add_operation(u, PTX_OP_AND, PTX_PRED, enough, of_register(enough), of_register(inside));
    return enough;
}

/* Sets the register that says whether the original loop must run at least once. */
static void set_first(unrolling *u, bool value) {
    add_test(u, PTX_U32, u->first, of_integer(0), value ? PTX_MOD_EQ : PTX_MOD_NE, of_integer(0));
}

static void add_rounds(unrolling *u, unsigned rounds) {
    for (unsigned r = 0; r < rounds; r++) add_round(u, r);
    move_pointers(u, rounds);
    set_first(u, false);
}

/* Unsigned comparisons need an extra iteration in front, for a counter that starts beyond the bound. */
static void add_first_round(unrolling *u) {
    const uint32_t behind = new_label(u);
    add_branch(u, add_inside(u), false, behind);
    add_rounds(u, 1);
    place_label(u, behind);
}

static void add_while_four(unrolling *u) {
    const uint32_t again = new_label(u), behind = new_label(u);
    add_branch(u, add_left(u, MOST_ROUNDS), true, behind);
    place_label(u, again);
    add_rounds(u, MOST_ROUNDS);
    add_branch(u, add_left(u, MOST_ROUNDS), false, again);
    place_label(u, behind);
}

/* Two iterations, if at least two are left. */
static void add_if_two(unrolling *u) {
    const uint32_t behind = new_label(u);
    add_branch(u, add_left(u, 2), true, behind);
    add_rounds(u, 2);
    place_label(u, behind);
}

/* Adds the original loop for the rest: one iteration or none, unless the counter wraps. */
static void add_rest(unrolling *u, uint32_t behind) {
    const sim_loop *loop = u->loop;
    const uint32_t begin = new_label(u), more = new_register(u, "%more", PTX_PRED);
    add_test(u, loop->type, more, of_register(loop->counter), loop->compare, *loop->bound);
    add_operation(u, PTX_OP_OR, PTX_PRED, more, of_register(more), of_register(u->first));
    add_branch(u, more, true, behind);
    place_label(u, begin);
    for (uint32_t k = loop->begin; k < loop->end; k++) {
        if (k > loop->begin) u->moved[k] = (uint32_t)u->to->instruction_count;
        if (k < loop->end - 1) add(u, u->from->instructions[k]);
    }
    add_branch(u, u->from->instructions[loop->end - 1].guard, false, begin);
}

/* Replaces one loop. */
static void add_loop(unrolling *u, const sim_loop *loop) {
    const ptx_instruction *branch = &u->from->instructions[loop->end - 1];
    u->loop = loop;
    u->position = branch->position;
    u->place = branch->place;
    find_pointers(u);
    find_own(u);
    find_inner_labels(u);
    u->moved[loop->begin] = (uint32_t)u->to->instruction_count;
    u->first = new_register(u, "%first", PTX_PRED);
    const uint32_t behind = new_label(u);
    set_first(u, true);
    if (loop->is_unsigned) add_first_round(u);
    add_while_four(u);
    add_if_two(u);
    add_rest(u, behind);
    place_label(u, behind);
}

/* ---- the function ---- */

/* Products must be fused as in the original loop, so they may not become registers that are written more than once. */
static bool keeps_products(unrolling *u, const sim_loop *loop) {
    u->loop = loop;
    find_own(u);
    for (uint32_t k = loop->begin; k < loop->end; k++) {
        const ptx_instruction *i = &u->from->instructions[k];
        if (i->op != PTX_OP_FMUL && i->op != PTX_OP_HMUL) continue;
        const uint32_t reg = i->operands[0].reg;
        if (u->loops.values->definitions[reg] == 1 && !u->own[reg]) return false;
    }
    return true;
}

/* Whether sim_unroll() leaves the loop as it is. */
static bool is_left(const sim_loops *loops, const sim_loop *loop) {
    return sim_is_uniform_loop(loops, loop) || sim_moves_by_copies(loops, loop);
}

static void list_loops(unrolling *u, bool uniform) {
    for (uint32_t b = 0; b < u->from->block_count; b++) {
        sim_loop loop;
        if (!sim_find_unrolled(&u->loops, b, &loop) || is_left(&u->loops, &loop) != uniform) continue;
        if (keeps_products(u, &loop)) ARENA_PUSH(u->scratch, u->list.items, u->list.count, u->list.capacity, loop);
    }
}

static void copy_registers_and_labels(unrolling *u) {
    ptx_function *to = u->to;
    *to = *u->from;
    to->instructions = NULL;
    to->instruction_count = 0;
    u->register_capacity = to->register_count;
    to->registers = ARENA_ARRAY(u->memory, to->register_count, ptx_register);
    if (to->register_count) memcpy(to->registers, u->from->registers, to->register_count * sizeof *to->registers);
    u->label_capacity = to->label_count;
    to->labels = ARENA_ARRAY(u->memory, to->label_count, ptx_label);
    if (to->label_count) memcpy(to->labels, u->from->labels, to->label_count * sizeof *to->labels);
}

/* Copies the function with its loops replaced, and analyses it again, because blocks changed. */
static void rewrite(unrolling *u) {
    const ptx_function *from = u->from;
    size_t next = 0;
    u->to = ARENA_NEW(u->memory, ptx_function);
    copy_registers_and_labels(u);
    for (uint32_t k = 0; k < from->instruction_count;) {
        if (next < u->list.count && u->list.items[next].begin == k) {
            add_loop(u, &u->list.items[next]);
            k = u->list.items[next++].end;
        } else {
            u->moved[k] = (uint32_t)u->to->instruction_count;
            add(u, from->instructions[k++]);
        }
    }
    u->moved[from->instruction_count] = (uint32_t)u->to->instruction_count;
    for (size_t l = 0; l < from->label_count; l++) u->to->labels[l].target = u->moved[from->labels[l].target];
    ptx_analyse(u->to, u->memory);
}

/* Lists the labels of each instruction, by counting. */
static void sort_labels(unrolling *u) {
    const ptx_function *f = u->from;
    u->first_label = ARENA_ARRAY(u->scratch, f->instruction_count + 3, uint32_t);
    u->label_at = ARENA_ARRAY(u->scratch, f->label_count + 1, uint32_t);
    for (uint32_t l = 0; l < f->label_count; l++) u->first_label[f->labels[l].target + 2]++;
    for (size_t i = 1; i < f->instruction_count + 3; i++) u->first_label[i] += u->first_label[i - 1];
    for (uint32_t l = 0; l < f->label_count; l++) u->label_at[u->first_label[f->labels[l].target + 1]++] = l;
}

/* Returns NULL if no loop is unrolled. */
static ptx_function *unroll(const ptx_function *flat, bool uniform, arena *memory, arena *scratch) {
    unrolling u = {.memory = memory, .scratch = scratch, .from = flat};
    sim_values values;
    ptx_liveness live;
    ptx_predecessors above;
    if (flat->arguments) return NULL; /* calls are present: their blocks have numbers */
    sim_values_find(flat, scratch, &values);
    ptx_liveness_compute(flat, scratch, &live);
    ptx_predecessors_find(flat, scratch, &above);
    u.loops = (sim_loops){flat, &values, &live, &above, sim_find_writers(flat, scratch), uniform};
    u.own = ARENA_ARRAY(scratch, flat->register_count + 1, bool);
    u.renamed = ARENA_ARRAY(scratch, flat->register_count + 1, uint32_t);
    u.labels = ARENA_ARRAY(scratch, flat->label_count + 1, uint32_t);
    u.moved = ARENA_ARRAY(scratch, flat->instruction_count + 1, uint32_t);
    list_loops(&u, uniform);
    if (u.list.count) {
        sort_labels(&u);
        rewrite(&u);
    }
    return u.to;
}

ptx_function *sim_unroll(ptx_module *module, ptx_function *flat, arena *scratch) {
    ptx_function *made = unroll(flat, false, &module->memory, scratch);
    return made ? made : flat;
}

const ptx_function *sim_unroll_uniform(const ptx_function *flat, arena *memory) {
    const ptx_function *made = unroll(flat, true, memory, memory);
    return made ? made : flat;
}
