/* Where variables lie in shared memory: the function's own first, then those of the module that it names, then dynamic
 * ones.
 *
 * ptx/limits.c computes the same order to check sizes before a launch. */
#include "assembler/shared_layout.h"

#include "base/number.h"

#include <stdlib.h>

enum { LEAST_DYNAMIC_ALIGNMENT = 16 };

/* Lists the variable's place, for walks and for lookup. */
static void add(sim_shared_layout *l, arena *memory, const ptx_variable *variable, uint64_t at) {
    ARENA_PUSH(memory, l->places, l->count, l->capacity, ((sim_shared_place){variable, at}));
    pointer_map_add(&l->by_variable, memory, variable, at);
}

static void place(sim_shared_layout *l, arena *memory, const ptx_variable *variable) {
    const uint64_t at = number_align(l->end, variable->alignment);
    add(l, memory, variable, at);
    l->end = at + variable->size;
}

typedef struct variable_list {
    const ptx_variable **items;
    size_t count, capacity;
    arena *memory;
} variable_list;

/* Shared variables outside of functions, and dynamic ones wherever they are declared. */
static bool is_module_shared(const ptx_variable *v) {
    return v->space == PTX_SPACE_SHARED && (v->is_extern || !v->owner);
}

static void note_operand(const ptx_operand *o, variable_list *list) {
    if (o->kind == PTX_VARIABLE_ADDRESS && is_module_shared(o->variable))
        ARENA_PUSH(list->memory, list->items, list->count, list->capacity, o->variable);
    for (uint32_t k = 0; k < o->part_count; k++) note_operand(&o->parts[k], list);
}

static int by_declaration(const void *left, const void *right) {
    const ptx_variable *a = *(const ptx_variable *const *)left, *b = *(const ptx_variable *const *)right;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* All `extern` arrays of a module follow the others as if each were empty. Earlier declared ones, even if only other
 * kernels name them, align this one to a multiple of their alignment. */
static void place_dynamic(const variable_list *list, arena *memory, sim_shared_layout *layout) {
    layout->dynamic = number_align(layout->end, LEAST_DYNAMIC_ALIGNMENT);
    for (size_t i = 0; i < list->count; i++) {
        const ptx_variable *v = list->items[i];
        if (!v->is_extern || (i && v == list->items[i - 1])) continue;
        layout->dynamic = number_align(layout->dynamic, v->dynamic_alignment);
        add(layout, memory, v, layout->dynamic);
    }
}

/* Variables of the module come in the order of their declaration, each once. */
static void place_of_module(const ptx_function *f, arena *memory, sim_shared_layout *layout) {
    variable_list list = {.memory = memory};
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *instruction = &f->instructions[i];
        for (unsigned k = 0; k < instruction->operand_count; k++) note_operand(&instruction->operands[k], &list);
    }
    if (list.count > 1) qsort(list.items, list.count, sizeof *list.items, by_declaration);
    for (size_t i = 0; i < list.count; i++)
        if (!list.items[i]->is_extern && (i == 0 || list.items[i] != list.items[i - 1]))
            place(layout, memory, list.items[i]);
    place_dynamic(&list, memory, layout);
}

void sim_shared_layout_find(const ptx_function *f, arena *memory, sim_shared_layout *layout) {
    *layout = (sim_shared_layout){.end = SIM_SHARED_START};
    for (size_t i = 0; i < f->variable_count; i++) {
        const ptx_variable *v = f->variables[i];
        if (v->space == PTX_SPACE_SHARED && !v->is_extern) place(layout, memory, v);
    }
    place_of_module(f, memory, layout);
}

uint64_t sim_shared_layout_at(const sim_shared_layout *layout, const ptx_variable *variable) {
    const uint64_t *at = pointer_map_find(&layout->by_variable, variable);
    return at ? *at : 0;
}
