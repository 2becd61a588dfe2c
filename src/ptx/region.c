/* Calls that remain: each called function becomes a region of the flat function.
 *
 * A region is the instructions of one function, after those of the entry. All parameters and results go through two
 * areas of .param space that every region shares, one for arguments and one for results; a call stores its arguments,
 * and the callee copies them to variables of its own before it calls others. Local variables of functions that may
 * recur lie in a stack: the start of the callee's frame is passed as the first argument. Regions are analysed one by
 * one, because no path leads from one to another. */
#include "ptx/flatten.h"

#include "base/number.h"
#include "base/search.h"

#include <string.h>

/* The most bytes of a function's parameters or results. */
enum { MAX_AREA = 64 << 10 };

/* The place of a parameter or result in the area that passes it; caller and callee derive it from the sizes. */
typedef struct area {
    ptx_variable *variable;
    uint64_t at;
} area;

/* Starts at the first place of the area. The frame's address comes before the arguments. */
static area begin_area(ptx_flattener *f, bool results) {
    ptx_variable **v = results ? &f->results : &f->arguments;
    if (!*v) *v = ptx_flat_new_variable(f, results ? "$results" : "$arguments", PTX_SPACE_PARAM);
    return (area){.variable = *v, .at = !results && f->has_stack ? sizeof(uint64_t) : 0};
}

/* Moves to the place of the next parameter. The area grows to the largest of all functions. */
static void next_in_area(area *a, const ptx_variable *formal) {
    a->at = number_align(a->at, formal->alignment ? formal->alignment : formal->size);
    if (a->variable->size < a->at + formal->size) a->variable->size = a->at + formal->size;
}

/* Copies bytes by the largest pieces that both sides are aligned for. */
static void copy_memory(ptx_flattener *f, const ptx_instruction *like, const ptx_variable *from, uint64_t from_at,
                        const ptx_variable *to, uint64_t to_at, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes;) {
        unsigned piece = 8;
        while (piece > bytes - at || (from_at + at) % piece || (to_at + at) % piece || from->alignment % piece ||
               to->alignment % piece)
            piece /= 2;
        const ptx_type type = piece == 1 ? PTX_B16 : ptx_untyped(piece);
        const ptx_operand through = ptx_register_operand(ptx_flat_add_register(f, "piece", type), like->position);
        ptx_flat_emit_param(f, like, &through, from, from_at + at, piece, true);
        ptx_flat_emit_param(f, like, &through, to, to_at + at, piece, false);
        at += piece;
    }
}

/* Copies between the area and this side's parameter: a .param variable, a register or a constant. */
static void pass(ptx_flattener *f, const ptx_instruction *like, area *a, const ptx_variable *formal,
                 const ptx_operand *side, bool into_area) {
    next_in_area(a, formal);
    if (side->kind == PTX_VARIABLE_ADDRESS && into_area)
        copy_memory(f, like, side->variable, 0, a->variable, a->at, formal->size);
    else if (side->kind == PTX_VARIABLE_ADDRESS)
        copy_memory(f, like, a->variable, a->at, side->variable, 0, formal->size);
    else if (side->kind != PTX_SINK)
        ptx_flat_emit_param(f, like, side, a->variable, a->at, (unsigned)formal->size, !into_area);
    a->at += formal->size;
}

static haul_status check_signature(const ptx_flattener *f, const ptx_function *g, ptx_position at) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < g->param_count + g->result_count; i++) {
        const ptx_variable *v = i < g->param_count ? g->params[i] : g->results[i - g->param_count];
        bytes += v->size > MAX_AREA ? MAX_AREA + 1 : v->size + 16;
    }
    if (bytes > MAX_AREA)
        return ptx_flat_fail(f, HAUL_ERROR_LIMIT, at, "the parameters of '%s' are too large (in '%s')",
                             g->name ? g->name : "a function", f->entry->name);
    return HAUL_OK;
}

/* Adds a function to those that get a region, once. */
static void add_far(ptx_flattener *f, const ptx_function *g) {
    if (f->is_far[g->index]) return;
    f->is_far[g->index] = true;
    PTX_APPEND(f, f->far, g);
}

/* A call through a register may reach every function whose address is taken. */
static void add_all_far(ptx_flattener *f) {
    for (size_t i = 0; i < f->module->function_count && !f->all_far; i++) {
        const ptx_function *g = f->module->functions[i];
        if (g->is_addressed && g->has_body && !g->is_entry) add_far(f, g);
    }
    f->all_far = true;
}

/* An indirect call is described by its prototype, or by any of its possible targets. */
static const ptx_function *signature_of(const ptx_site *s, const ptx_instruction *call) {
    if (!ptx_is_indirect(call)) return ptx_callee_of(call);
    const ptx_label *label = &s->member->function->labels[call->operands[3].label];
    return label->prototype ? label->prototype : label->call_targets[0];
}

/* Passes the start of the callee's frame in the stack. */
static void pass_stack(ptx_flattener *f, const ptx_instruction *call) {
    if (!f->has_stack) return;
    ptx_operand next = ptx_register_operand(f->region->next, call->position);
    if (f->region->is_entry) {
        if (!f->stack) f->stack = ptx_flat_new_variable(f, "$stack", PTX_SPACE_LOCAL);
        f->stack->size = f->module->stack_bytes;
        next = ptx_register_operand(ptx_flat_add_register(f, "stack", PTX_U64), call->position);
        ptx_flat_emit_move(f, call, next, (ptx_operand){.kind = PTX_VARIABLE_ADDRESS, .variable = f->stack}, PTX_U64);
    }
    ptx_flat_emit_param(f, call, &next, begin_area(f, false).variable, 0, sizeof(uint64_t), false);
    if (f->arguments->size < sizeof(uint64_t)) f->arguments->size = sizeof(uint64_t);
}

/* The call itself has no operands but the callee. */
static void make_call(ptx_flattener *f, const ptx_function *g, const ptx_instruction *call) {
    area arguments = begin_area(f, false), results = begin_area(f, true);
    for (size_t i = 0; i < g->param_count; i++)
        pass(f, call, &arguments, g->params[i], &call->operands[2].parts[i], true);
    pass_stack(f, call);
    ptx_instruction *made = ptx_flat_emit(f, call, PTX_OP_CALL, 2);
    made->operands[0].kind = PTX_ABSENT;
    made->operands[1] = call->operands[1];
    if (!ptx_is_indirect(call)) made->operands[1].function = ptx_meant(call->operands[1].function);
    for (size_t i = 0; i < g->result_count; i++)
        pass(f, call, &results, g->results[i], &call->operands[0].parts[i], false);
}

haul_status ptx_flat_copy_far_call(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from,
                                   const ptx_instruction *call) {
    const ptx_function *g = signature_of(s, from);
    f->calls++;
    HAUL_TRY(check_signature(f, g, from->position));
    if (ptx_is_indirect(from))
        add_all_far(f);
    else
        add_far(f, g);
    make_call(f, g, call);
    return HAUL_OK;
}

/* ---- regions ---- */

ptx_member *ptx_flat_begin_region(ptx_flattener *f, const ptx_function *function) {
    const ptx_region r = {.function = function,
                          .first = (uint32_t)f->instructions.count,
                          .first_variable = (uint32_t)f->variables.count,
                          .is_entry = function == f->entry};
    PTX_APPEND(f, f->regions, r);
    f->region = &f->regions.items[f->regions.count - 1];
    return ptx_flat_add_member(f, function);
}

/* Emits the frame's start, which comes with the parameters, and its end, which is known only later. Returns the
 * instruction for the end. */
static uint32_t emit_frame(ptx_flattener *f, const ptx_instruction *like) {
    ptx_region *r = f->region;
    r->frame = ptx_flat_add_register(f, "frame", PTX_U64);
    r->next = ptx_flat_add_register(f, "next", PTX_U64);
    const ptx_operand frame = ptx_register_operand(r->frame, like->position);
    ptx_flat_emit_param(f, like, &frame, begin_area(f, false).variable, 0, sizeof(uint64_t), true);
    ptx_instruction *add = ptx_flat_emit(f, like, PTX_OP_ADD, 3);
    add->type = PTX_U64;
    add->operands[0] = ptx_register_operand(r->next, like->position);
    add->operands[1] = frame;
    add->operands[2].kind = PTX_INTEGER;
    return (uint32_t)f->instructions.count - 1;
}

/* Passes a region's formal parameters, which are variables and registers of its own. */
static void pass_formals(ptx_flattener *f, ptx_member *m, const ptx_instruction *like, bool results) {
    const ptx_function *g = m->function;
    area a = begin_area(f, results);
    for (size_t i = 0; i < (results ? g->result_count : g->param_count); i++) {
        const ptx_variable *formal = results ? g->results[i] : g->params[i];
        ptx_operand side = {.kind = PTX_VARIABLE_ADDRESS, .position = like->position};
        if (formal->space == PTX_SPACE_REG)
            side = ptx_formal_register(m, formal, like->position);
        else
            side.variable = m->variables[ptx_first_formal(g, results) + i];
        pass(f, like, &a, formal, &side, results);
    }
}

/* In a region parameters are variables, into which the arguments are copied. */
static void own_formals(ptx_flattener *f, ptx_member *m) {
    const ptx_function *g = m->function;
    for (size_t i = 0; i < g->param_count + g->result_count; i++) {
        const bool result = i >= g->param_count;
        const ptx_variable *formal = result ? g->results[i - g->param_count] : g->params[i];
        if (formal->space != PTX_SPACE_REG) m->variables[g->variable_count + i] = ptx_formal_copy(f, m, formal, i);
    }
}

/* Copies arguments in, then the body, whose returns jump to the end, then results out. The frame's size is known only
 * after the body. */
static haul_status make_region(ptx_flattener *f, const ptx_function *g) {
    const ptx_instruction like = {.position = g->position};
    uint32_t sized = 0;
    HAUL_TRY(check_signature(f, g, g->position));
    ptx_member *m = ptx_flat_begin_region(f, g);
    own_formals(f, m);
    if (f->has_stack) sized = emit_frame(f, &like);
    pass_formals(f, m, &like, false);
    ptx_site s = {.member = m, .depth = 1};
    s.end_label = ptx_flat_add_label(f, arena_printf(f->memory, "$L__return$%u", ++f->calls), g->position);
    HAUL_TRY(ptx_flat_copy_body(f, &s));
    pass_formals(f, m, &like, true);
    ptx_flat_emit(f, &like, PTX_OP_RET, 0);
    ptx_region *r = f->region;
    if (r->frame_bytes > PTX_MOST_FRAME)
        return ptx_flat_fail(f, HAUL_ERROR_LIMIT, g->position, "the .local variables of '%s' are too large (in '%s')",
                             g->name, f->entry->name);
    r->frame_bytes = number_align(r->frame_bytes, 16);
    if (f->has_stack) f->instructions.items[sized].operands[2].bits = r->frame_bytes;
    return HAUL_OK;
}

/* The list grows while it is walked: a region's body may call functions that have none yet. */
haul_status ptx_flat_make_regions(ptx_flattener *f) {
    for (size_t i = 0; i < f->far.count; i++) {
        f->region->end = (uint32_t)f->instructions.count;
        f->region->end_variable = (uint32_t)f->variables.count;
        HAUL_TRY(make_region(f, f->far.items[i]));
    }
    f->region->end = (uint32_t)f->instructions.count;
    f->region->end_variable = (uint32_t)f->variables.count;
    return HAUL_OK;
}

/* Makes the targets of the region's labels relative to it. Labels are ordered by target. */
static void move_labels(const ptx_flattener *f, const ptx_region *r, ptx_label *labels) {
    size_t l;
    SEARCH_FIRST(l, f->flat->label_count, k, f->flat->labels[k].target < r->first);
    for (; l < f->flat->label_count && f->flat->labels[l].target <= r->end; l++)
        labels[l].target = f->flat->labels[l].target - r->first;
}

/* Analyses a region's blocks as a function of their own, and appends them to the others. */
static void analyse_region(ptx_flattener *f, const ptx_region *r, ptx_label *labels, ptx_block *blocks, uint32_t at) {
    ptx_function part = *f->flat;
    part.is_entry = r->is_entry;
    part.instructions += r->first;
    part.instruction_count = r->end - r->first;
    part.labels = labels;
    move_labels(f, r, labels);
    ptx_analyse(&part, &f->module->memory);
    f->flat->block_count = at + part.block_count;
    for (size_t b = 0; b < part.block_count; b++) {
        ptx_block *to = &blocks[at + b];
        *to = part.blocks[b];
        to->first += r->first;
        to->end += r->first;
        uint32_t *targets = ARENA_ARRAY(f->memory, to->table_count, uint32_t);
        for (uint32_t t = 0; t < to->table_count; t++)
            targets[t] = to->table[t] == PTX_NO_BLOCK ? PTX_NO_BLOCK : to->table[t] + at;
        to->table = targets;
        uint32_t *joins = ARENA_ARRAY(f->memory, to->near_count, uint32_t);
        for (uint32_t k = 0; k < to->near_count; k++) joins[k] = to->near_joins[k] + at;
        to->near_joins = joins;
        uint32_t *links[] = {&to->next, &to->taken, &to->join};
        for (size_t k = 0; k < 3; k++)
            if (*links[k] != PTX_NO_BLOCK) *links[k] += at;
    }
}

/* Without calls the flat function is analysed as it is. */
void ptx_flat_analyse(ptx_flattener *f) {
    ptx_function *flat = f->flat;
    flat->arguments = f->arguments;
    flat->stack = f->stack;
    if (f->regions.count == 1) {
        ptx_analyse(flat, &f->module->memory);
        return;
    }
    ptx_block *blocks = ARENA_ARRAY(f->memory, flat->instruction_count, ptx_block);
    ptx_callee *callees = ARENA_ARRAY(f->memory, f->regions.count, ptx_callee);
    ptx_label *labels = ARENA_ARRAY(f->scratch, flat->label_count, ptx_label);
    if (flat->label_count) memcpy(labels, flat->labels, flat->label_count * sizeof *labels);
    uint32_t at = 0;
    for (size_t i = 0; i < f->regions.count; i++) {
        const ptx_region *r = &f->regions.items[i];
        callees[i] = (ptx_callee){.function = r->function,
                                  .block = at,
                                  .first_variable = r->first_variable,
                                  .end_variable = r->end_variable,
                                  .frame_bytes = r->frame_bytes,
                                  .may_recur = r->function->is_recursive || r->function->is_addressed};
        analyse_region(f, r, labels, blocks, at);
        at = (uint32_t)flat->block_count;
    }
    flat->blocks = blocks;
    flat->callees = callees + 1;
    flat->callee_count = f->regions.count - 1;
}
