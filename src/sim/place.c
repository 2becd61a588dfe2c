/* Where a kernel's variables lie: parameters, shared, local. */
#include "sim/lower_internal.h"
#include "sim/memory.h"

static void place(sim_lowering *l, const ptx_variable *v, uint64_t at) {
    sim_placement *p = l->placement;
    sim_placement_item item = {.variable = v, .at = at};
    ARENA_PUSH(l->memory, p->items, p->count, p->capacity, item);
}

/* Parameters lie one after the other, each aligned; as the driver packs them. */
static void place_params(sim_lowering *l) {
    uint64_t at = 0;
    for (size_t i = 0; i < l->function->param_count; i++) {
        const ptx_variable *v = l->function->params[i];
        at = sim_align(at, v->alignment);
        place(l, v, SIM_PARAM_WINDOW + at);
        at += v->size;
    }
    l->program->param_bytes = (uint32_t)at;
}

static uint64_t place_variables(sim_lowering *l, ptx_variable *const *variables, size_t count, ptx_space space,
                                uint64_t at) {
    for (size_t i = 0; i < count; i++) {
        const ptx_variable *v = variables[i];
        if (v->space != space || (v->is_extern && space == PTX_SPACE_SHARED)) continue;
        at = sim_align(at, v->alignment);
        place(l, v, at);
        at += v->size;
    }
    return at;
}

static uint64_t largest_extern_alignment(const ptx_module *m) {
    uint64_t alignment = 16;
    for (size_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = m->variables[i];
        if (v->space == PTX_SPACE_SHARED && v->is_extern && v->alignment > alignment) alignment = v->alignment;
    }
    return alignment;
}

typedef struct module_use {
    const ptx_module *module;
    bool *used;
} module_use;

static void note_used_variables(const ptx_operand *o, module_use *use) {
    if (o->kind == PTX_VARIABLE_ADDRESS && !o->variable->owner && o->variable->space == PTX_SPACE_SHARED)
        use->used[o->variable->index] = true;
    for (uint32_t k = 0; k < o->part_count; k++) note_used_variables(&o->parts[k], use);
}

/* Module-scope shared variables take room only in the kernels that name them. */
static uint64_t place_module_shared(sim_lowering *l, uint64_t at) {
    const ptx_module *m = l->program->module;
    module_use use = {m, ARENA_ARRAY(l->memory, m->variable_count + 1, bool)};
    for (size_t i = 0; i < l->function->instruction_count; i++) {
        const ptx_instruction *in = &l->function->instructions[i];
        for (unsigned k = 0; k < in->operand_count; k++) note_used_variables(&in->operands[k], &use);
    }
    for (size_t i = 0; i < m->variable_count; i++)
        if (use.used[i]) at = place_variables(l, &m->variables[i], 1, PTX_SPACE_SHARED, at);
    return at;
}

void sim_place_variables(sim_lowering *l) {
    const ptx_function *f = l->function;
    place_params(l);
    uint64_t shared = place_module_shared(l, SIM_SHARED_START);
    shared = place_variables(l, f->variables, f->variable_count, PTX_SPACE_SHARED, shared);
    l->program->shared_bytes = shared - SIM_SHARED_START;
    l->program->dynamic_shared_at = sim_align(shared, largest_extern_alignment(l->program->module));
    uint64_t frame = place_variables(l, f->variables, f->variable_count, PTX_SPACE_LOCAL, 0);
    l->program->local_bytes = frame;
    frame = place_variables(l, f->variables, f->variable_count, PTX_SPACE_PARAM, sim_align(frame, 16));
    l->program->frame_bytes = sim_align(frame, 16);
}

static const uint64_t *find_place(const sim_placement *p, const ptx_variable *v) {
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].variable == v) return &p->items[i].at;
    return NULL;
}

/* Where a variable is, in its own space's addresses. */
uint64_t sim_variable_address(sim_lowering *l, const ptx_variable *v) {
    const uint64_t *at = find_place(l->placement, v);
    if (at) return *at;
    if (v->space == PTX_SPACE_SHARED) return l->program->dynamic_shared_at;
    return l->placement->address_of(l->placement->context, v);
}
