/* The flat function of a kernel while it is built (ptx/inline.h). flatten.c makes its registers, variables and
 * instructions; region.c the functions that are called, not inlined; inline.c the bodies and the whole.
 *
 * Everything is allocated in the module's arena, which jumps when out of memory. */
#ifndef HAUL_PTX_FLATTEN_H
#define HAUL_PTX_FLATTEN_H

#include "base/status.h"
#include "ptx/chain.h"
#include "ptx/far.h"
#include "ptx/ir.h"

#define PTX_LIST_OF(type)       \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }

/* A function whose registers and variables are part of the flat one. */
typedef struct ptx_member {
    const ptx_function *function;
    unsigned number;
    uint32_t first_register;
    const ptx_variable **variables; /* its variables, params, results; the latter two change with each call */
    ptx_variable **copies;          /* params and results that receive registers, as variables */
    size_t region;                  /* its region, counted from 1 */
    bool allocates;                 /* it has an alloca, which is freed when the function returns */
} ptx_member;

/* The entry or a called function, with everything inlined there. It has its own registers and variables. */
typedef struct ptx_region {
    const ptx_function *function;
    uint32_t first, end; /* instructions */
    uint32_t first_variable, end_variable;
    bool is_entry;
    uint32_t frame, next; /* registers, if there is a stack: the addresses of its .local variables and of their end */
    uint64_t frame_bytes;
} ptx_region;

typedef struct ptx_flattener {
    ptx_module *module;
    arena *memory, *scratch; /* the module's; until the work is done */
    ptx_function *entry, *flat;
    const bool *is_called; /* by ptx_function.index: called although it could be inlined; or NULL */
    ptx_member **members;  /* by ptx_function.index; out of date for earlier regions */
    unsigned member_count;
    PTX_LIST_OF(ptx_region) regions;
    PTX_LIST_OF(const ptx_function *) far; /* functions that become regions, in order */
    bool *is_far;                          /* by ptx_function.index: it is in `far` */
    bool all_far;                          /* functions whose address a register may hold are far, too */
    bool has_stack;                        /* regions have their .local variables in a stack */
    ptx_variable ***shared;                /* by function and its variables: the flat function's variable */
    ptx_variable *arguments, *results;     /* passed to regions and back; NULL: not needed yet */
    ptx_variable *stack, *dynamic;
    ptx_region *region; /* in progress */
    PTX_LIST_OF(ptx_register) registers;
    PTX_LIST_OF(ptx_variable *) variables;
    PTX_LIST_OF(ptx_label) labels;
    PTX_LIST_OF(ptx_instruction) instructions;
    ptx_chained_places places;
    uint32_t calls; /* copied so far, to name labels */
} ptx_flattener;

/* One copy of a body. */
typedef struct ptx_site {
    ptx_member *member;
    uint32_t first_label;
    uint32_t end_label; /* after the body */
    uint32_t place;     /* of the call */
    unsigned depth;
} ptx_site;

#define PTX_APPEND(f, list, value) ARENA_PUSH((f)->memory, (list).items, (list).count, (list).capacity, value)

/* The most bytes of .local variables of a called function. */
enum { PTX_MOST_FRAME = 1 << 20 };

/* Fails with "file:line:column: ..." and two strings. */
haul_status ptx_flat_fail(const ptx_flattener *f, haul_status status, ptx_position at, const char *format,
                          const char *first, const char *second);

/* ---- flatten.c: registers, variables, labels ---- */

uint32_t ptx_flat_add_register(ptx_flattener *f, const char *name, ptx_type type);
uint32_t ptx_flat_add_label(ptx_flattener *f, const char *name, ptx_position at);
/* Adds a variable of the thread, in local memory or for parameters; its size is set later. */
ptx_variable *ptx_flat_new_variable(ptx_flattener *f, const char *name, ptx_space space);
ptx_variable *ptx_flat_copy_variable(ptx_flattener *f, const ptx_member *m, const ptx_variable *from);
/* Adds the function's registers and variables to the region. */
ptx_member *ptx_flat_add_member(ptx_flattener *f, const ptx_function *function);
/* Finds the region's member for the function; NULL if there is none yet. */
ptx_member *ptx_flat_member(const ptx_flattener *f, const ptx_function *function);
/* The index where a function's parameters, or results, begin in its member's variables. */
size_t ptx_first_formal(const ptx_function *function, bool result);
/* Return a formal parameter or result in the flat function: a register, or a variable, which is made at its first use.
 * `which` counts parameters, then results. */
ptx_operand ptx_formal_register(const ptx_member *m, const ptx_variable *formal, ptx_position at);
const ptx_variable *ptx_formal_copy(ptx_flattener *f, ptx_member *m, const ptx_variable *formal, size_t which);
/* Sorts labels by their targets. */
void ptx_flat_sort_labels(ptx_flattener *f);

/* ---- flatten.c: instructions ---- */

ptx_operand ptx_register_operand(uint32_t reg, ptx_position at);
ptx_type ptx_untyped(unsigned bytes);
/* Emits an instruction of our own, at the place of `like`. */
ptx_instruction *ptx_flat_emit(ptx_flattener *f, const ptx_instruction *like, ptx_op op, unsigned operands);
void ptx_flat_emit_jump(ptx_flattener *f, const ptx_instruction *like, uint32_t label);
void ptx_flat_emit_move(ptx_flattener *f, const ptx_instruction *like, ptx_operand to, ptx_operand from, ptx_type type);
/* ld.param value, [variable + at]  or  st.param [variable + at], value */
void ptx_flat_emit_param(ptx_flattener *f, const ptx_instruction *like, const ptx_operand *value, const ptx_variable *v,
                         uint64_t at, unsigned bytes, bool load);
/* Returns the instruction for this copy of the body; may emit others before it. */
ptx_instruction ptx_flat_map(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from);

/* ---- calls ---- */

static inline const ptx_function *ptx_callee_of(const ptx_instruction *call) {
    return ptx_meant(call->operands[1].function);
}

static inline bool ptx_is_indirect(const ptx_instruction *call) {
    return call->operands[1].kind != PTX_FUNCTION_ADDRESS;
}

/* inline.c: copies the body of the site's function, with everything it calls. */
haul_status ptx_flat_copy_body(ptx_flattener *f, const ptx_site *s);

/* region.c */
ptx_member *ptx_flat_begin_region(ptx_flattener *f, const ptx_function *function);
/* Copies a call that is not inlined; `call` is `from`, mapped. */
haul_status ptx_flat_copy_far_call(ptx_flattener *f, const ptx_site *s, const ptx_instruction *from,
                                   const ptx_instruction *call);
/* Makes a region, after the entry's, for each called function. */
haul_status ptx_flat_make_regions(ptx_flattener *f);
/* Finds the basic blocks of the flat function, and its list of callees. */
void ptx_flat_analyse(ptx_flattener *f);

#endif
