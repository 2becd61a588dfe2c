/* Checks the sizes that a target limits: parameters, constants, and static shared memory of each kernel.
 *
 * Parameters and constants are simple sums. A kernel's shared variables depend on the functions that it may reach. A
 * module's sum is an upper bound for every kernel, so usually no kernel is looked at alone. Otherwise each function's
 * names are listed once, and each kernel walks those lists. */
#include "ptx/limits.h"

#include "base/number.h"
#include "base/status.h"
#include "ptx/far.h"
#include "ptx/needs.h"

#include <stdlib.h>

#define LIST_OF(type)           \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

static haul_status fail(const ptx_module *m, ptx_position at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static haul_status fail(const ptx_module *m, ptx_position at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(HAUL_ERROR_SYNTAX, format, arguments);
    va_end(arguments);
    return haul_fail_in(HAUL_ERROR_SYNTAX, "%s:%u:%u", m->name, at.line, at.column);
}

/* ---- parameters ---- */

/* The bytes that a kernel's parameters may take, by the last row that the module's version and target reach. */
static const struct {
    uint32_t version, sm, bytes;
} parameter_limits[] = {{10, 10, 256}, {15, 10, 4352}, {81, 70, 32764}};

static uint32_t parameter_limit(const ptx_module *m) {
    size_t row = sizeof parameter_limits / sizeof *parameter_limits - 1;
    while (row && (m->version < parameter_limits[row].version || m->sm < parameter_limits[row].sm)) row--;
    return parameter_limits[row].bytes;
}

haul_status ptx_check_parameters(const ptx_module *m, const ptx_function *f) {
    const uint32_t most = parameter_limit(m);
    uint64_t end = 0;
    for (size_t i = 0; f->is_entry && i < f->param_count; i++) {
        const ptx_variable *v = f->params[i];
        end = number_align(end, v->alignment) + v->size;
        if (end > most)
            return fail(
                m, v->position,
                "parameters of '%s' end at byte %llu, past the %u that a kernel has here: pass a pointer to them",
                f->name, (unsigned long long)end, most);
    }
    return HAUL_OK;
}

/* ---- constant memory ---- */

haul_status ptx_check_constants(const ptx_module *m) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->variable_count; i++) {
        const ptx_variable *v = m->variables[i];
        if (v->space != PTX_SPACE_CONST || v->is_extern) continue;
        bytes = number_align(bytes, v->alignment) + v->size;
        if (bytes > PTX_CONSTANT_BYTES)
            return fail(m, v->position,
                        "constant variables take more than 64 KiB from '%s' on: put some in global memory", v->name);
    }
    return HAUL_OK;
}

/* ---- static shared memory ---- */

/* Limits the work for all kernels together, so that a module with many of them costs no more than its length. */
enum { MOST_STEPS = 1 << 26 };

/* Names of module variables and functions in one number space. */
#define NAMED_VARIABLE(index) ((index)*2)
#define NAMED_FUNCTION(index) ((index)*2 + 1)

/* The names that functions use, and the walk of one kernel over them. */
typedef struct shared_walk {
    const ptx_module *module;
    arena *memory;
    LIST_OF(uint32_t) named;
    size_t *first; /* of function f: named[first[f]] to named[first[f + 1] - 1] */
    LIST_OF(uint32_t) addressed;
    uint32_t *seen; /* by NAMED_...: 1 + the function or kernel that saw it last */
    LIST_OF(uint32_t) functions;
    LIST_OF(uint32_t) variables; /* of one kernel */
    uint64_t steps;
} shared_walk;

static bool is_module_shared(const ptx_variable *v) {
    return v->space == PTX_SPACE_SHARED && !v->owner && v->size;
}

/* Returns false if `by` saw the name before. Marks are numbers, so they need not be cleared between functions. */
static bool mark_seen(shared_walk *w, uint32_t named, uint32_t by) {
    if (w->seen[named] == by + 1) return false;
    w->seen[named] = by + 1;
    return true;
}

/* Adds a name to the current function's list, once. */
static void note(shared_walk *w, uint32_t named, uint32_t by) {
    if (mark_seen(w, named, by)) ARENA_PUSH(w->memory, w->named.items, w->named.count, w->named.capacity, named);
}

/* Names are in operands and in their parts: addresses, lists and vectors. */
static void note_operand(shared_walk *w, const ptx_operand *o, uint32_t by) {
    if (o->kind == PTX_VARIABLE_ADDRESS && is_module_shared(o->variable))
        note(w, NAMED_VARIABLE(o->variable->index), by);
    if (o->kind == PTX_FUNCTION_ADDRESS) note(w, NAMED_FUNCTION(ptx_meant(o->function)->index), by);
    for (uint32_t k = 0; k < o->part_count; k++) note_operand(w, &o->parts[k], by);
}

/* Notes a function's names. A call through a register may reach every function whose address is in a variable; those
 * that instructions name are noted there. */
static void note_function(shared_walk *w, const ptx_function *f) {
    bool indirect = false;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *instruction = &f->instructions[i];
        for (unsigned k = 0; k < instruction->operand_count; k++) note_operand(w, &instruction->operands[k], f->index);
        indirect |= instruction->op == PTX_OP_CALL && instruction->operands[1].kind == PTX_REGISTER;
    }
    for (size_t a = 0; indirect && a < w->addressed.count; a++)
        note(w, NAMED_FUNCTION(w->addressed.items[a]), f->index);
}

/* Lists the functions whose addresses are in variables, such as tables of virtual functions. */
static void note_addressed(shared_walk *w) {
    const ptx_module *m = w->module;
    for (size_t v = 0; v < m->variable_count; v++) {
        for (size_t r = 0; r < m->variables[v]->relocation_count; r++) {
            ptx_function *f = m->variables[v]->relocations[r].function;
            if (!f || !mark_seen(w, NAMED_FUNCTION(ptx_meant(f)->index), 0)) continue;
            ARENA_PUSH(w->memory, w->addressed.items, w->addressed.count, w->addressed.capacity, ptx_meant(f)->index);
        }
    }
}

/* Lists the names of every function. Marks are cleared at the end, since kernels use the same table. */
static void note_all(shared_walk *w) {
    const ptx_module *m = w->module;
    const size_t names = 2 * (m->variable_count + m->function_count + 1);
    w->seen = ARENA_ARRAY(w->memory, names, uint32_t);
    w->first = ARENA_ARRAY(w->memory, m->function_count + 1, size_t);
    note_addressed(w);
    for (size_t i = 0; i < names; i++) w->seen[i] = 0;
    for (size_t f = 0; f < m->function_count; f++) {
        w->first[f] = w->named.count;
        note_function(w, m->functions[f]);
    }
    w->first[m->function_count] = w->named.count;
    for (size_t i = 0; i < names; i++) w->seen[i] = 0;
}

/* Finds everything that the kernel reaches: w->functions, without itself, and w->variables. */
static void reach(shared_walk *w, uint32_t kernel) {
    w->functions.count = w->variables.count = 0;
    (void)mark_seen(w, NAMED_FUNCTION(kernel), kernel);
    for (size_t next = 0;; next++) {
        const uint32_t f = next ? w->functions.items[next - 1] : kernel;
        for (size_t n = w->first[f]; n < w->first[f + 1]; n++) {
            const uint32_t named = w->named.items[n];
            if (!mark_seen(w, named, kernel)) continue;
            if (named & 1)
                ARENA_PUSH(w->memory, w->functions.items, w->functions.count, w->functions.capacity, named / 2);
            else
                ARENA_PUSH(w->memory, w->variables.items, w->variables.count, w->variables.capacity, named / 2);
        }
        w->steps += w->first[f + 1] - w->first[f] + 1;
        if (next == w->functions.count) return;
    }
}

static int by_index(const void *left, const void *right) {
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Returns the end of a variable that is placed after `end`. */
static uint64_t place(uint64_t end, const ptx_variable *v) {
    return number_align(end, v->alignment) + v->size;
}

/* Places the shared variables that a function declares itself. */
static uint64_t place_own(uint64_t end, const ptx_function *f) {
    for (size_t i = 0; i < f->variable_count; i++)
        if (f->variables[i]->space == PTX_SPACE_SHARED) end = place(end, f->variables[i]);
    return end;
}

/* Returns the bytes of static shared memory of a kernel. Places are in the order of assembler/shared_layout.h. */
static uint64_t bytes_of(shared_walk *w, const ptx_function *kernel) {
    uint64_t end = place_own(0, kernel);
    reach(w, kernel->index);
    if (w->functions.count) qsort(w->functions.items, w->functions.count, sizeof *w->functions.items, by_index);
    if (w->variables.count) qsort(w->variables.items, w->variables.count, sizeof *w->variables.items, by_index);
    for (size_t f = 0; f < w->functions.count; f++) end = place_own(end, w->module->functions[w->functions.items[f]]);
    for (size_t v = 0; v < w->variables.count; v++) end = place(end, w->module->variables[w->variables.items[v]]);
    return end;
}

/* An upper bound for each kernel. */
static uint64_t bytes_of_all(const ptx_module *m) {
    uint64_t bytes = 0;
    for (size_t v = 0; v < m->variable_count; v++)
        if (is_module_shared(m->variables[v])) bytes += m->variables[v]->size + m->variables[v]->alignment;
    for (size_t f = 0; f < m->function_count; f++) {
        const ptx_function *function = m->functions[f];
        for (size_t v = 0; v < function->variable_count; v++)
            if (function->variables[v]->space == PTX_SPACE_SHARED)
                bytes += function->variables[v]->size + function->variables[v]->alignment;
    }
    return bytes;
}

/* A module whose walks would take too long is accepted: the launch checks the size again. */
haul_status ptx_check_shared(const ptx_module *m, arena *scratch) {
    const uint64_t most = ptx_target_shared_bytes(m->target);
    if (bytes_of_all(m) <= most) return HAUL_OK;
    shared_walk w = {.module = m, .memory = scratch};
    note_all(&w);
    for (size_t f = 0; f < m->function_count && w.steps < MOST_STEPS; f++) {
        const ptx_function *kernel = m->functions[f];
        if (!kernel->is_entry || !kernel->has_body) continue;
        const uint64_t bytes = bytes_of(&w, kernel);
        if (bytes > most)
            return fail(
                m, kernel->position,
                "'%s' has %llu bytes of static shared memory, a kernel may have %llu: use dynamic shared memory "
                "(extern __shared__, in PTX .extern .shared) and ask for its size at the launch",
                kernel->name, (unsigned long long)bytes, (unsigned long long)most);
    }
    return HAUL_OK;
}
