/* Inlines the functions that a kernel calls, so that the rest of haul sees one flat function.
 *
 * Inlined calls cost nothing at run time, and joins, liveness and the assembler's passes work across them, as they do
 * in ptxas. Calls that cannot be inlined, because of recursion or size, become calls of a region (region.c). Parameters
 * in .param space are bound to the caller's variables where that is possible, so no copy is made. A return becomes a
 * jump after the body. */
#include "ptx/inline.h"

#include "ptx/flatten.h"
#include "ptx/growth.h"
#include "ptx/traits.h"

/* ---- bodies ---- */

/* Calls of functions without a body, such as vprintf(), stay as they are: the interpreter implements them. */
static bool is_call_to_copy(const ptx_instruction *i) {
    return i->op == PTX_OP_CALL && (ptx_is_indirect(i) || ptx_callee_of(i)->has_body);
}

/* ---- passing values ---- */

/* Binds a formal parameter to the actual value: the same .param variable, or a copy of the value. */
static void bind(ptx_flattener *f, ptx_member *m, size_t i, const ptx_operand *actual, const ptx_instruction *call,
                 bool result) {
    const ptx_variable *formal = result ? m->function->results[i] : m->function->params[i];
    const ptx_variable **bound = &m->variables[ptx_first_formal(m->function, result) + i];
    if (formal->space == PTX_SPACE_REG) {
        if (!result)
            ptx_flat_emit_move(f, call, ptx_formal_register(m, formal, actual->position), *actual, formal->type);
    } else if (actual->kind == PTX_VARIABLE_ADDRESS) {
        *bound = actual->variable;
    } else {
        *bound = ptx_formal_copy(f, m, formal, i + (result ? m->function->param_count : 0));
        if (!result) ptx_flat_emit_param(f, call, actual, *bound, 0, (unsigned)(*bound)->size, false);
    }
}

/* Binds parameters and results. A call's operands are its results, the callee, and the parameters, the first and the
 * last as lists. */
static void bind_all(ptx_flattener *f, ptx_member *m, const ptx_instruction *call) {
    for (size_t i = 0; i < m->function->param_count; i++) bind(f, m, i, &call->operands[2].parts[i], call, false);
    for (size_t i = 0; i < m->function->result_count; i++) bind(f, m, i, &call->operands[0].parts[i], call, true);
}

/* Copies results that the caller wants in registers. */
static void fetch_results(ptx_flattener *f, const ptx_member *m, const ptx_instruction *call) {
    const ptx_function *callee = m->function;
    for (size_t i = 0; i < callee->result_count; i++) {
        const ptx_operand *actual = &call->operands[0].parts[i];
        const ptx_variable *formal = callee->results[i];
        if (formal->space == PTX_SPACE_REG) {
            ptx_flat_emit_move(f, call, *actual, ptx_formal_register(m, formal, actual->position), formal->type);
        } else if (actual->kind == PTX_REGISTER) {
            const ptx_variable *bound = m->variables[ptx_first_formal(callee, true) + i];
            ptx_flat_emit_param(f, call, actual, bound, 0, (unsigned)bound->size, true);
        }
    }
}

/* ---- inlined calls ---- */

/* A callee that uses alloca moves the stack pointer. Its caller saves and restores it, since the return is gone. */
static uint32_t save_stack_pointer(ptx_flattener *f, const ptx_instruction *call) {
    const uint32_t pointer = ptx_flat_add_register(f, "pointer", PTX_U64);
    ptx_instruction *save = ptx_flat_emit(f, call, PTX_OP_STACKSAVE, 1);
    save->type = PTX_U64;
    save->operands[0] = ptx_register_operand(pointer, call->position);
    return pointer;
}

static void restore_stack_pointer(ptx_flattener *f, const ptx_instruction *call, uint32_t pointer) {
    ptx_instruction *restore = ptx_flat_emit(f, call, PTX_OP_STACKRESTORE, 1);
    restore->type = PTX_U64;
    restore->operands[0] = ptx_register_operand(pointer, call->position);
}

/* Copies a callee's body; `call` is already mapped into the flat function. */
static haul_status copy_callee(ptx_flattener *f, const ptx_site *caller, ptx_member *m, const ptx_instruction *call) {
    ptx_site s = {.member = m, .place = call->place, .depth = caller->depth + 1};
    s.end_label = ptx_flat_add_label(f, arena_printf(f->memory, "$L__return$%u", ++f->calls), call->position);
    bind_all(f, m, call);
    const uint32_t pointer = m->allocates ? save_stack_pointer(f, call) : 0;
    HAUL_TRY(ptx_flat_copy_body(f, &s));
    if (m->allocates) restore_stack_pointer(f, call, pointer);
    fetch_results(f, m, call);
    return HAUL_OK;
}

/* Each function is one member of a region, however often it is called there: recursion is excluded, so its registers
 * are free again at the next call. */
static haul_status copy_near_call(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from,
                                  const ptx_instruction *call) {
    const ptx_function *callee = ptx_callee_of(from);
    ptx_member *m = ptx_flat_member(f, callee);
    if (!m) m = ptx_flat_add_member(f, callee);
    return copy_callee(f, s, m, call);
}

/* Indirect and recursive calls are always far; others are if the body would make the kernel too large. */
static bool is_far_call(const ptx_flattener *f, const ptx_instruction *call) {
    if (ptx_is_indirect(call) || ptx_callee_of(call)->is_recursive) return true;
    return f->is_called && f->is_called[ptx_callee_of(call)->index];
}

/* A guarded call becomes a jump around the call. */
static haul_status copy_call(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from) {
    ptx_instruction call = ptx_flat_map(f, s, from);
    uint32_t around = 0;
    if (call.guarded) {
        ptx_instruction unless = call;
        unless.guard_negated = !call.guard_negated;
        around = ptx_flat_add_label(f, arena_printf(f->memory, "$L__around$%u", f->calls + 1), call.position);
        ptx_flat_emit_jump(f, &unless, around);
        call.guarded = false;
    }
    HAUL_TRY(is_far_call(f, from) ? ptx_flat_copy_far_call(f, s, from, &call) : copy_near_call(f, s, from, &call));
    if (from->guarded) f->labels.items[around].target = (uint32_t)f->instructions.count;
    return HAUL_OK;
}

/* `ret` of a called function jumps after the body; the last one falls through. */
static void copy_return(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from, bool is_last) {
    ptx_instruction mapped = ptx_flat_map(f, s, from);
    if (s->depth == 0) {
        PTX_APPEND(f, f->instructions, mapped);
    } else if (!is_last || from->guarded) {
        ptx_flat_emit_jump(f, &mapped, s->end_label);
    }
}

/* The targets of a branch table, renumbered for the copy. */
static const uint32_t *map_targets(ptx_flattener *f, const ptx_site *s, const ptx_label *label) {
    uint32_t *targets = ARENA_ARRAY(f->memory, label->branch_target_count, uint32_t);
    for (uint32_t i = 0; i < label->branch_target_count; i++) targets[i] = label->branch_targets[i] + s->first_label;
    return label->branch_targets ? targets : NULL;
}

/* Adds the labels of a copy. They have no names of their own in copies, because a name would appear twice. */
static void add_labels(ptx_flattener *f, ptx_site *s) {
    const ptx_function *from = s->member->function;
    s->first_label = (uint32_t)f->labels.count;
    for (size_t i = 0; i < from->label_count; i++) {
        ptx_label label = from->labels[i];
        label.branch_targets = map_targets(f, s, &label);
        if (s->depth) label.name = arena_printf(f->memory, "$L__%u$%zu", f->calls, i);
        PTX_APPEND(f, f->labels, label);
    }
}

/* Adds the variable that alloca's memory comes from, at its first use. */
static void need_dynamic(ptx_flattener *f) {
    if (!f->dynamic) f->dynamic = ptx_flat_new_variable(f, "$dynamic", PTX_SPACE_LOCAL);
    f->dynamic->size = PTX_DYNAMIC_HEAD + f->module->stack_bytes;
}

static haul_status copy_instruction(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from, bool is_last) {
    if (is_call_to_copy(from)) return copy_call(f, s, from);
    if (from->op == PTX_OP_RET) {
        copy_return(f, s, from, is_last);
    } else {
        if (ptx_is(from->op, PTX_KIND_STACK)) need_dynamic(f);
        const ptx_instruction mapped = ptx_flat_map(f, s, from); /* may emit others before it */
        PTX_APPEND(f, f->instructions, mapped);
    }
    return HAUL_OK;
}

haul_status ptx_flat_copy_body(ptx_flattener *f, const ptx_site *at) {
    ptx_site s = *at;
    const ptx_function *from = s.member->function;
    size_t label = 0;
    add_labels(f, &s);
    for (size_t i = 0; i <= from->instruction_count; i++) {
        for (; label < from->label_count && from->labels[label].target <= i; label++)
            f->labels.items[s.first_label + label].target = (uint32_t)f->instructions.count;
        if (i < from->instruction_count)
            HAUL_TRY(copy_instruction(f, &s, &from->instructions[i], i + 1 == from->instruction_count));
    }
    if (s.depth) f->labels.items[s.end_label].target = (uint32_t)f->instructions.count;
    return HAUL_OK;
}

/* ---- the whole function ---- */

/* Keeps the entry's own parameters. */
static void keep_parameters(ptx_flattener *f, ptx_member *m) {
    ptx_function *flat = f->flat;
    flat->params = ARENA_ARRAY(f->memory, flat->param_count, ptx_variable *);
    for (size_t i = 0; i < flat->param_count; i++) {
        flat->params[i] = ptx_flat_copy_variable(f, m, f->entry->params[i]);
        m->variables[ptx_first_formal(f->entry, false) + i] = flat->params[i];
    }
}

/* Hands the lists over to the flat function. The places go to the module, which all its functions share. */
static void keep_lists(ptx_flattener *f) {
    ptx_function *flat = f->flat;
    flat->registers = f->registers.items;
    flat->register_count = f->registers.count;
    flat->variables = f->variables.items;
    flat->variable_count = f->variables.count;
    flat->dynamic = f->dynamic;
    flat->labels = f->labels.items;
    flat->label_count = f->labels.count;
    flat->instructions = f->instructions.items;
    flat->instruction_count = f->instructions.count;
    f->module->places = f->places.items;
    f->module->place_count = f->places.count;
    f->module->place_capacity = f->places.capacity;
}

/* The entry is the first region. Making regions may find more of them, so that comes after the entry's body; labels are
 * sorted when all are known. */
static haul_status flatten(ptx_flattener *f) {
    if (setjmp(f->module->out_of_memory))
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: out of memory while inlining the calls of '%s'",
                         f->module->name, f->entry->name);
    f->flat = ARENA_NEW(f->memory, ptx_function);
    *f->flat = *f->entry;
    f->places = ptx_chain_places(f->module);
    f->members = ARENA_ARRAY(f->scratch, f->module->function_count, ptx_member *);
    f->shared = ARENA_ARRAY(f->scratch, f->module->function_count, ptx_variable **);
    f->is_far = ARENA_ARRAY(f->scratch, f->module->function_count, bool);
    ptx_find_far(f->module);
    if (!ptx_choose_called(f->module, f->entry, f->scratch, &f->is_called))
        return haul_fail(HAUL_ERROR_LIMIT,
                         "%s:%u:%u: '%s' is too large together with the functions that it calls: split it",
                         f->module->name, f->entry->position.line, f->entry->position.column, f->entry->name);
    f->has_stack = ptx_needs_stack(f->module);
    if (!f->module->stack_bytes) f->module->stack_bytes = PTX_STACK_BYTES;
    ptx_member *m = ptx_flat_begin_region(f, f->entry);
    keep_parameters(f, m);
    HAUL_TRY(ptx_flat_copy_body(f, &(ptx_site){.member = m}));
    HAUL_TRY(ptx_flat_make_regions(f));
    ptx_flat_sort_labels(f);
    keep_lists(f);
    ptx_flat_analyse(f);
    return HAUL_OK;
}

/* Functions without calls are returned as they are, without a copy. */
haul_status ptx_inline_calls(ptx_module *module, ptx_function *entry, ptx_function **flat) {
    size_t i = 0;
    while (i < entry->instruction_count && !is_call_to_copy(&entry->instructions[i]) &&
           !ptx_is(entry->instructions[i].op, PTX_KIND_STACK))
        i++;
    *flat = entry;
    if (i == entry->instruction_count) return HAUL_OK;
    arena scratch;
    ptx_flattener f = {.module = module, .memory = &module->memory, .scratch = &scratch, .entry = entry};
    module->memory.out_of_memory = &module->out_of_memory;
    arena_init(&scratch, &module->out_of_memory);
    haul_status status = flatten(&f);
    module->memory.out_of_memory = NULL;
    arena_free(&scratch);
    if (status == HAUL_OK) *flat = f.flat;
    return status;
}
