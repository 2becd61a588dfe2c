/* Finds the functions that cannot be inlined at all: recursive ones, and those whose address is taken.
 *
 * Recursion is found on the graph of calls by name. Functions without calls to remaining functions are removed until
 * none is left, then the same is done from the side of the callers; only functions on a cycle, or between two cycles,
 * survive both. The lists are made in the module's arena, which is freed with the module, since their size is that of
 * the calls in the text. */
#include "ptx/far.h"

/* The calls by name between functions. */
typedef struct call_graph {
    ptx_module *module;
    uint32_t *first, *to; /* of function f: to[first[f]] .. to[first[f + 1] - 1] */
    uint32_t *work;
} call_graph;

/* The function that the instruction calls by name, if its body is in the module; calls of external functions such as
 * vprintf() do not count. */
static ptx_function *called(const ptx_instruction *i) {
    if (i->op != PTX_OP_CALL || i->operands[1].kind != PTX_FUNCTION_ADDRESS) return NULL;
    ptx_function *callee = ptx_meant(i->operands[1].function);
    return callee->has_body ? callee : NULL;
}

static void count_calls(call_graph *g) {
    const ptx_module *m = g->module;
    for (size_t f = 0; f < m->function_count; f++) {
        const ptx_function *from = m->functions[f];
        g->first[f + 1] = g->first[f];
        for (size_t i = 0; i < from->instruction_count; i++) g->first[f + 1] += called(&from->instructions[i]) != NULL;
    }
}

static void list_calls(call_graph *g) {
    const ptx_module *m = g->module;
    uint32_t at = 0;
    for (size_t f = 0; f < m->function_count; f++) {
        const ptx_function *from = m->functions[f];
        for (size_t i = 0; i < from->instruction_count; i++) {
            const ptx_function *to = called(&from->instructions[i]);
            if (to) g->to[at++] = to->index;
        }
    }
}

/* Makes the list of callers of each function. */
static void reverse_calls(const call_graph *g, call_graph *back) {
    const size_t count = g->module->function_count;
    for (uint32_t e = 0; e < g->first[count]; e++) back->first[g->to[e] + 1]++;
    for (size_t f = 0; f < count; f++) back->first[f + 1] += back->first[f];
    for (size_t f = 0; f < count; f++) back->work[f] = back->first[f];
    for (uint32_t f = 0; f < count; f++)
        for (uint32_t e = g->first[f]; e < g->first[f + 1]; e++) back->to[back->work[g->to[e]]++] = f;
}

/* Repeatedly removes functions that call none of the remaining ones. Those left call themselves or lead to such
 * functions. */
static void peel(const call_graph *calls, const call_graph *callers, bool *is_left) {
    const size_t count = calls->module->function_count;
    uint32_t *left = callers->work, *stack = calls->work, depth = 0;
    for (uint32_t f = 0; f < count; f++) {
        left[f] = 0;
        for (uint32_t e = calls->first[f]; e < calls->first[f + 1]; e++) left[f] += is_left[calls->to[e]];
    }
    for (uint32_t f = 0; f < count; f++)
        if (is_left[f] && !left[f]) stack[depth++] = f;
    while (depth) {
        const uint32_t f = stack[--depth];
        is_left[f] = false;
        for (uint32_t e = callers->first[f]; e < callers->first[f + 1]; e++)
            if (is_left[callers->to[e]] && --left[callers->to[e]] == 0) stack[depth++] = callers->to[e];
    }
}

static call_graph new_graph(ptx_module *m, size_t edges) {
    return (call_graph){.module = m,
                        .first = ARENA_ARRAY(&m->memory, m->function_count + 2, uint32_t),
                        .to = ARENA_ARRAY(&m->memory, edges + 1, uint32_t),
                        .work = ARENA_ARRAY(&m->memory, m->function_count + 1, uint32_t)};
}

/* Sets `is_recursive` of all functions. A function between two cycles is marked too, which costs speed but no
 * correctness. */
static void find_recursive(ptx_module *m) {
    call_graph calls = new_graph(m, 0);
    count_calls(&calls);
    const uint32_t edges = calls.first[m->function_count];
    if (!edges) return;
    call_graph callers = new_graph(m, edges);
    calls.to = ARENA_ARRAY(&m->memory, edges, uint32_t);
    list_calls(&calls);
    reverse_calls(&calls, &callers);
    bool *is_left = ARENA_ARRAY(&m->memory, m->function_count, bool);
    for (size_t f = 0; f < m->function_count; f++) is_left[f] = true;
    peel(&calls, &callers, is_left);
    peel(&callers, &calls, is_left);
    for (size_t f = 0; f < m->function_count; f++) m->functions[f]->is_recursive = is_left[f];
}

/* Marks functions whose address the instruction takes: each function operand but the callee of a call. */
static void find_addresses(const ptx_instruction *i) {
    for (unsigned o = 0; o < i->operand_count; o++) {
        const bool is_call = i->op == PTX_OP_CALL && o == 1;
        if (i->operands[o].kind == PTX_FUNCTION_ADDRESS && !is_call)
            ptx_meant(i->operands[o].function)->is_addressed = true;
        for (uint32_t p = 0; p < i->operands[o].part_count; p++)
            if (i->operands[o].parts[p].kind == PTX_FUNCTION_ADDRESS)
                ptx_meant(i->operands[o].parts[p].function)->is_addressed = true;
    }
}

/* Addresses are taken by initialisers of variables, such as tables of functions, and by instructions. */
static void find_addressed(const ptx_module *m) {
    for (size_t v = 0; v < m->variable_count; v++)
        for (size_t r = 0; r < m->variables[v]->relocation_count; r++)
            if (m->variables[v]->relocations[r].function)
                ptx_meant(m->variables[v]->relocations[r].function)->is_addressed = true;
    for (size_t f = 0; f < m->function_count; f++)
        for (size_t i = 0; i < m->functions[f]->instruction_count; i++)
            find_addresses(&m->functions[f]->instructions[i]);
}

void ptx_find_far(ptx_module *m) {
    if (m->far_known) return;
    find_recursive(m);
    find_addressed(m);
    m->far_known = true;
}

bool ptx_needs_stack(const ptx_module *m) {
    bool far = false, local = false;
    for (size_t i = 0; i < m->function_count; i++) {
        const ptx_function *g = m->functions[i];
        far |= g->has_body && !g->is_entry && (g->is_recursive || g->is_addressed);
        for (size_t v = 0; v < g->variable_count; v++)
            local |= !g->is_entry && g->variables[v]->space == PTX_SPACE_LOCAL;
    }
    return far && local;
}

/* ---- size ---- */

/* The weight of an operand is about what its copy costs: its parts, and the targets of a branch table. */
static uint64_t operand_weight(const ptx_function *f, const ptx_operand *o) {
    uint64_t weight = 1 + o->part_count;
    return o->kind == PTX_LABEL ? weight + f->labels[o->label].branch_target_count : weight;
}

/* The number of source places that an instruction's place consists of, which inlining copies as well. */
static uint64_t chain_length(const ptx_module *m, uint32_t place) {
    uint64_t length = 0;
    for (; place; place = m->places[place - 1].inlined_at) length++;
    return length;
}

uint64_t ptx_weigh(const ptx_module *m, const ptx_function *function) {
    uint64_t weight = 1 + function->instruction_count + function->label_count;
    uint32_t place = 0;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const ptx_instruction *instruction = &function->instructions[i];
        for (unsigned o = 0; o < instruction->operand_count; o++)
            weight += operand_weight(function, &instruction->operands[o]);
        if (instruction->place != place) weight += chain_length(m, instruction->place);
        place = instruction->place;
    }
    for (size_t i = 0; i < function->label_count; i++) weight += function->labels[i].branch_target_count;
    return weight;
}
