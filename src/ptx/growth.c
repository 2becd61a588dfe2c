/* Chooses which functions of a kernel are inlined and which are called, by how large the kernel would become.
 *
 * If functions call each other twice at each of n levels, inlining makes 2^n bodies. So sizes are summed from the
 * innermost functions on, before anything is copied. If the sum is too large, the larger functions are called, as in
 * ptxas. Most kernels need no called functions: then nothing is changed. */
#include "ptx/growth.h"

/* First functions larger than LARGE are called, then those above a quarter of it, and so on, until the kernel has at
 * most ENOUGH or all functions are called. */
enum { LARGE = 1 << 13, ENOUGH = PTX_MOST_WEIGHT / 8 };
/* If functions are called, bodies nest at most this deep. */
enum { DEEP = PTX_MOST_DEPTH / 2 };

/* A function that the kernel reaches. */
typedef struct reached {
    const ptx_function *function;
    uint32_t first_call, call; /* its first call in the list of calls; the one being visited */
    uint64_t weight, sum;      /* its own weight; with everything inlined */
    uint32_t depth;            /* nesting of bodies, its own being the outermost */
    bool is_region;            /* it exists once, and is called */
} reached;

typedef struct growth {
    const ptx_module *module;
    arena *memory;
    uint32_t *number; /* by ptx_function.index: 1 + its number among those reached */
    reached *reached;
    size_t count, capacity;
    uint32_t *calls; /* numbers of functions; each function's are adjacent */
    size_t call_count, call_capacity;
    uint32_t *order; /* functions after those that they call, except recursive ones */
    size_t ordered;
    uint32_t *stack;
    bool indirect; /* a call through a register may reach all functions whose address is taken */
} growth;

/* ---- reachable functions ---- */

static const ptx_function *called_by_name(const ptx_instruction *i) {
    if (i->op != PTX_OP_CALL || i->operands[1].kind != PTX_FUNCTION_ADDRESS) return NULL;
    const ptx_function *callee = ptx_meant(i->operands[1].function);
    return callee->has_body ? callee : NULL;
}

/* Calls first list functions by index, since these have no number yet. */
static void reach(growth *g, const ptx_function *f) {
    const reached r = {.function = f,
                       .first_call = (uint32_t)g->call_count,
                       .call = (uint32_t)g->call_count,
                       .weight = ptx_weigh(g->module, f),
                       .is_region = f->is_entry || f->is_recursive};
    ARENA_PUSH(g->memory, g->reached, g->count, g->capacity, r);
    g->number[f->index] = (uint32_t)g->count;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_function *callee = called_by_name(&f->instructions[i]);
        if (callee)
            ARENA_PUSH(g->memory, g->calls, g->call_count, g->call_capacity, callee->index);
        else
            g->indirect |= f->instructions[i].op == PTX_OP_CALL && f->instructions[i].operands[1].kind == PTX_REGISTER;
    }
}

/* The end of the calls of function `k`, which start at its first_call. */
static uint32_t end_of_calls(const growth *g, uint32_t k) {
    return k + 1 < g->count ? g->reached[k + 1].first_call : (uint32_t)g->call_count;
}

/* Lists the functions that `root` reaches, depth first, and orders each after those that it calls. Recursive calls
 * lead to functions that are listed already. */
static void reach_from(growth *g, const ptx_function *root) {
    uint32_t depth = 0;
    if (g->number[root->index]) return;
    reach(g, root);
    g->stack[depth++] = (uint32_t)g->count - 1;
    while (depth) {
        const uint32_t k = g->stack[depth - 1];
        if (g->reached[k].call == end_of_calls(g, k)) {
            g->order[g->ordered++] = k;
            depth--;
            continue;
        }
        const ptx_function *callee = g->module->functions[g->calls[g->reached[k].call++]];
        if (g->number[callee->index]) continue;
        reach(g, callee);
        g->stack[depth++] = (uint32_t)g->count - 1;
    }
}

/* The entry, and after an indirect call all functions that it may mean. Then the calls are rewritten from indices of
 * the module to numbers of this list. */
static void reach_all(growth *g, const ptx_function *entry) {
    reach_from(g, entry);
    for (size_t f = 0; f < g->module->function_count; f++) {
        const ptx_function *function = g->module->functions[f];
        if (g->indirect && function->is_addressed && function->has_body && !function->is_entry) reach_from(g, function);
    }
    for (size_t c = 0; c < g->call_count; c++) g->calls[c] = g->number[g->module->functions[g->calls[c]]->index] - 1;
}

/* ---- sizes ---- */

/* A sum that stays at the largest value instead of wrapping around: 2^n overflows soon. */
static uint64_t sum_of(uint64_t a, uint64_t b) {
    return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Sets the size and depth of function `k` with everything inlined. Callees that are regions are not copied, so they add
 * nothing. */
static void sum_up(growth *g, uint32_t k) {
    reached *r = &g->reached[k];
    r->sum = r->weight;
    r->depth = 1;
    for (uint32_t c = r->first_call; c < end_of_calls(g, k); c++) {
        const reached *callee = &g->reached[g->calls[c]];
        if (callee->is_region) continue;
        r->sum = sum_of(r->sum, callee->sum);
        if (r->depth < callee->depth + 1) r->depth = callee->depth + 1;
    }
}

/* Makes functions above the limits regions. Returns the weight of the whole; UINT64_MAX if bodies nest too deeply. */
static uint64_t measure(growth *g, uint64_t most, uint32_t deepest) {
    uint64_t all = 0;
    for (size_t i = 0; i < g->ordered; i++) {
        reached *r = &g->reached[g->order[i]];
        const ptx_function *f = r->function;
        r->is_region = f->is_entry || f->is_recursive;
        sum_up(g, g->order[i]);
        if (r->sum > most || r->depth > deepest) r->is_region = true;
        if (r->is_region || (g->indirect && f->is_addressed)) {
            all = sum_of(all, r->sum);
            if (r->depth > PTX_MOST_DEPTH) all = UINT64_MAX;
        }
    }
    return all;
}

bool ptx_choose_called(const ptx_module *m, const ptx_function *entry, arena *memory, const bool **called) {
    growth g = {.module = m,
                .memory = memory,
                .number = ARENA_ARRAY(memory, m->function_count, uint32_t),
                .order = ARENA_ARRAY(memory, m->function_count, uint32_t),
                .stack = ARENA_ARRAY(memory, m->function_count, uint32_t)};
    uint64_t most = LARGE, all;
    *called = NULL;
    reach_all(&g, entry);
    if (measure(&g, UINT64_MAX, UINT32_MAX) <= PTX_MOST_WEIGHT) return true;
    while ((all = measure(&g, most, DEEP)) > ENOUGH && most) most /= 4;
    bool *chosen = ARENA_ARRAY(memory, m->function_count, bool);
    for (size_t k = 0; k < g.count; k++) chosen[g.reached[k].function->index] = g.reached[k].is_region;
    *called = chosen;
    return all <= PTX_MOST_WEIGHT;
}
