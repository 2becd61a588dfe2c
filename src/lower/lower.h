/* From a flat PTX function to operations. Used by the lowering functions in exec/ops/, one for each row of isa.def. */
#ifndef HAUL_LOWER_LOWER_H
#define HAUL_LOWER_LOWER_H

#include "base/arena.h"
#include "base/variant.h"
#include "count/policy.h"
#include "state/program.h"

typedef struct sim_lowering {
    const struct sim_operations *operations;
    sim_program *program;
    arena *memory, *scratch; /* the program's; until it is made */
    const ptx_function *function;
    const ptx_instruction *instruction; /* the one being lowered */
    const uint32_t *register_slots;
    const bool *register_read; /* some instruction reads it */
    uint32_t block;            /* the basic block being lowered */
    struct sim_constants *constants;
    struct sim_placement *placement;
    struct sim_patterns *patterns;
    struct ptx_liveness *live; /* for calls that are made; NULL: not needed yet */
} sim_lowering;

/* Lowers one instruction: appends operations with sim_emit(). Errors by sim_lower_fail(). */
typedef haul_status (*sim_lower_fn)(sim_lowering *l, const ptx_instruction *i);

/* Appends an operation for the current instruction, guard filled in; valid until the next call. Operand slots start
 * as SIM_SLOT_ZERO (sources) and SIM_SLOT_SINK (d). */
sim_op *sim_emit(sim_lowering *l, sim_handler run);
/* The operation that was appended last, for what remains to be said of it; valid as long. */
static inline sim_op *sim_last_op(const sim_lowering *l) {
    return &l->program->ops[l->program->op_count - 1];
}

/* The slot of a source operand read as `type`: a register, or a constant or special register spread over all lanes
 * (integers cut to the type's width, floating literals rounded to it, addresses of variables resolved). Predicates:
 * use sim_predicate(). */
uint32_t sim_source(sim_lowering *l, const ptx_operand *operand, unsigned type);
/* The slot of a destination register, or SIM_SLOT_SINK for `_`. */
uint32_t sim_destination(sim_lowering *l, const ptx_operand *operand);
/* The slot of a predicate operand (register, or integer 0 or 1); *flip is all ones when it is negated, else 0. */
uint32_t sim_predicate(sim_lowering *l, const ptx_operand *operand, uint32_t *flip);
/* A slot with the constant `bits` in each lane of `bytes` bytes. Equal constants share a slot. */
uint32_t sim_constant(sim_lowering *l, uint64_t bits, unsigned bytes);
/* The declared width in bytes of a register operand (a load may have a wider destination than its type). */
unsigned sim_register_bytes(const sim_lowering *l, const ptx_operand *operand);
/* False when the operand is `_`, or a register that no instruction of the kernel reads. */
bool sim_is_read(const sim_lowering *l, const ptx_operand *operand);
/* A slot with lanes of `bytes` for an instruction's own use between its operations. */
uint32_t sim_scratch(sim_lowering *l, unsigned bytes);
/* Appends words to the program's pool and returns the index of the first. */
uint32_t sim_pool(sim_lowering *l, const uint32_t *words, size_t count);
/* "file:line:column: `instruction`: message" */
haul_status sim_lower_fail(sim_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The memory operand's base slot (32- or 64-bit lanes, *wide says which; SIM_SLOT_ZERO and not wide when the address is
 * constant) and constant offset, variable addresses resolved. */
uint32_t sim_address(sim_lowering *l, const ptx_operand *operand, bool *wide, int64_t *offset);
/* sim_emit() of an operation on that memory operand: base and offset are its a and imm, SIM_OP_WIDE says how wide. */
sim_op *sim_emit_at(sim_lowering *l, sim_handler run, const ptx_operand *operand);

/* The L2 priority that an instruction's modifier names. */
sim_priority sim_priority_named(const ptx_instruction *i);
/* sim_op.policy: the slot of the policy that an access gives or its modifier stands for; 0: none. */
uint32_t sim_policy_slot(sim_lowering *l, const ptx_instruction *i);

/* sim_op.pattern of the current instruction, an access to shared memory by that operand (pattern.h). */
uint32_t sim_pattern_of(sim_lowering *l, const ptx_operand *operand);

/* ---- the handlers' table, one a vector extension ---- */
/* LOWER(ADD) is the name of ADD's lowering function in the variant that is being compiled:
 *   haul_status LOWER(ADD)(sim_lowering *l, const ptx_instruction *i) { ... } */
#define LOWER(id) SIM_PASTE(sim_lower_##id, SIM_VARIANT)

/* Of which operations programs are made: by ptx_op the functions that lower instructions, and by form from
 * SIM_FORM_ENTER on the handlers of operations between instructions. */
typedef struct sim_operations {
    const sim_lower_fn *lower;
    const sim_handler *between;
} sim_operations;

/* Lowers a whole function. Allocates in `memory`. `address_of` gives a module variable's
 * device address. */
typedef uint64_t (*sim_address_of)(void *context, const ptx_variable *variable);
haul_status sim_lower(const sim_operations *operations, const ptx_module *module, const ptx_function *flat,
                      arena *memory, sim_address_of address_of, void *context, sim_program **program);

#endif
