/* Lowering of a flat PTX function to operations. Each row of isa.def has a lowering function in exec/ops/ that uses
 * this. */
#ifndef HAUL_LOWER_LOWER_H
#define HAUL_LOWER_LOWER_H

#include "base/arena.h"
#include "base/variant.h"
#include "count/policy.h"
#include "state/program.h"

typedef struct sim_lowering {
    const struct sim_operations *operations;
    sim_program *program;
    arena *memory, *scratch; /* of the program; of the lowering */
    const ptx_function *function;
    const ptx_instruction *instruction; /* the one being lowered */
    const uint32_t *register_slots;
    const bool *register_read; /* by register: some instruction reads it */
    uint32_t block;            /* the basic block being lowered */
    struct sim_constants *constants;
    struct sim_placement *placement;
    struct sim_patterns *patterns;
    struct ptx_liveness *live; /* for calls; NULL: not needed yet */
} sim_lowering;

/* Lowers one instruction: appends operations with sim_emit(), or fails with sim_lower_fail(). */
typedef haul_status (*sim_lower_fn)(sim_lowering *l, const ptx_instruction *i);

/* Appends an operation for the current instruction, with its guard. Valid until the next call. Source slots start as
 * SIM_SLOT_ZERO, d as SIM_SLOT_SINK. */
sim_op *sim_emit(sim_lowering *l, sim_handler run);
/* The operation appended last, to fill in the rest; valid until the next one is appended. */
static inline sim_op *sim_last_op(const sim_lowering *l) {
    return &l->program->ops[l->program->op_count - 1];
}

/* Returns the slot of a source operand read as `type`: a register, or a constant or special register broadcast to all
 * lanes. Integers are cut to the type's width, floating literals rounded to it, addresses of variables resolved. For
 * predicates use sim_predicate(). */
uint32_t sim_source(sim_lowering *l, const ptx_operand *operand, unsigned type);
/* Returns the slot of a destination register, or SIM_SLOT_SINK for `_`. */
uint32_t sim_destination(sim_lowering *l, const ptx_operand *operand);
/* Returns the slot of a predicate operand (register, or integer 0 or 1); *flip is all ones if it is negated, else 0. */
uint32_t sim_predicate(sim_lowering *l, const ptx_operand *operand, uint32_t *flip);
/* Returns a slot with the constant `bits` in each lane of `bytes` bytes. Equal constants share a slot. */
uint32_t sim_constant(sim_lowering *l, uint64_t bits, unsigned bytes);
/* Returns a register operand's declared width in bytes; a load's destination may be wider than its type. */
unsigned sim_register_bytes(const sim_lowering *l, const ptx_operand *operand);
/* Returns false if the operand is `_`, or a register that no instruction of the kernel reads. */
bool sim_is_read(const sim_lowering *l, const ptx_operand *operand);
/* Returns a slot with lanes of `bytes` bytes, for use between operations of one instruction. */
uint32_t sim_scratch(sim_lowering *l, unsigned bytes);
/* Appends words to the program's pool and returns the index of the first. */
uint32_t sim_pool(sim_lowering *l, const uint32_t *words, size_t count);
/* Fails with "file:line:column: `instruction`: message". */
haul_status sim_lower_fail(sim_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the base slot of a memory operand and sets its constant offset, with variable addresses resolved. *wide: the
 * base has 64-bit lanes, not 32. A constant address has SIM_SLOT_ZERO and is not wide. */
uint32_t sim_address(sim_lowering *l, const ptx_operand *operand, bool *wide, int64_t *offset);
/* Emits an operation on that memory operand: base and offset become its a and imm, and SIM_OP_WIDE is set if the base
 * is wide. */
sim_op *sim_emit_at(sim_lowering *l, sim_handler run, const ptx_operand *operand);

/* Returns the L2 priority that an instruction's modifier names. */
sim_priority sim_priority_named(const ptx_instruction *i);
/* Returns sim_op.policy: the slot of the access's policy operand or modifier; 0: none. */
uint32_t sim_policy_slot(sim_lowering *l, const ptx_instruction *i);

/* Returns sim_op.pattern for the current instruction, which accesses shared memory by that operand (pattern.h). */
uint32_t sim_pattern_of(sim_lowering *l, const ptx_operand *operand);

/* ---- the handlers' table, one a vector extension ---- */
/* LOWER(ADD) is the name of ADD's lowering function in the variant that is being compiled:
 *   haul_status LOWER(ADD)(sim_lowering *l, const ptx_instruction *i) { ... } */
#define LOWER(id) SIM_PASTE(sim_lower_##id, SIM_VARIANT)

/* The operations that programs are made of: lowering functions by ptx_op, and handlers of operations between
 * instructions by form, from SIM_FORM_ENTER on. */
typedef struct sim_operations {
    const sim_lower_fn *lower;
    const sim_handler *between;
} sim_operations;

/* Lowers a whole function into `memory`. `address_of` returns a module variable's device address. */
typedef uint64_t (*sim_address_of)(void *context, const ptx_variable *variable);
haul_status sim_lower(const sim_operations *operations, const ptx_module *module, const ptx_function *flat,
                      arena *memory, sim_address_of address_of, void *context, sim_program **program);

#endif
