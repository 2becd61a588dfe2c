/* Addresses of a kernel's variables: parameters, shared, local. */
#include "assembler/frame_layout.h"
#include "lower/internal.h"
#include "machine/memory.h"
#include "state/program.h"

static void place(sim_lowering *l, const ptx_variable *v, uint64_t at) {
    sim_placement *p = l->placement;
    sim_variable_place item = {.variable = v, .at = at};
    pointer_map_add(&p->by_variable, l->memory, v, p->count);
    ARENA_PUSH(l->memory, p->items, p->count, p->capacity, item);
}

/* Packs parameters one after the other, each aligned, like the driver. */
static void place_params(sim_lowering *l) {
    uint64_t at = 0;
    for (size_t i = 0; i < l->function->param_count; i++) {
        const ptx_variable *v = l->function->params[i];
        at = number_align(at, v->alignment);
        place(l, v, SIM_PARAM_WINDOW + at);
        at += v->size;
    }
    l->program->param_bytes = (uint32_t)at;
}

static uint64_t place_variables(sim_lowering *l, ptx_variable *const *variables, size_t count, ptx_space space,
                                uint64_t at) {
    for (size_t i = 0; i < count; i++) {
        const ptx_variable *v = variables[i];
        if (v->space != space) continue;
        at = number_align(at, v->alignment);
        place(l, v, at);
        at += v->size;
    }
    return at;
}

/* Returns the offset after the last one. */
static uint64_t place_local(sim_lowering *l) {
    sim_frame_layout layout;
    sim_frame_layout_find(l->function, l->scratch, &layout);
    for (size_t i = 0; i < l->function->variable_count; i++) {
        const uint64_t *at = sim_frame_layout_at(&layout, l->function->variables[i]);
        if (at) place(l, l->function->variables[i], *at);
    }
    return layout.end;
}

static void place_shared(sim_lowering *l) {
    sim_shared_layout layout;
    sim_shared_layout_find(l->function, l->scratch, &layout);
    for (size_t i = 0; i < layout.count; i++) place(l, layout.places[i].variable, layout.places[i].at);
    l->program->shared_bytes = layout.end - SIM_SHARED_START;
    l->program->dynamic_shared_at = layout.dynamic;
}

void sim_place_variables(sim_lowering *l) {
    const ptx_function *f = l->function;
    const ptx_module *m = l->program->module;
    place_params(l);
    place_shared(l);
    uint64_t frame = place_local(l);
    frame = place_variables(l, m->variables, m->variable_count, PTX_SPACE_LOCAL, frame); /* in PTX before 3.0 */
    l->program->local_bytes = frame;
    frame = place_variables(l, f->variables, f->variable_count, PTX_SPACE_PARAM, number_align(frame, 16));
    l->program->frame_bytes = number_align(frame, 16);
}

uint64_t sim_variable_address(sim_lowering *l, const ptx_variable *v) {
    const uint64_t *number = pointer_map_find(&l->placement->by_variable, v);
    if (number) return l->placement->items[*number].at;
    if (v->space == PTX_SPACE_SHARED) return l->program->dynamic_shared_at;
    return l->placement->address_of(l->placement->context, v);
}
