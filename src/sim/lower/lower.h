/* From a flat PTX function to operations. Used by the lowering functions in sim/ops/, one for each row of isa.def. */
#ifndef HAUL_SIM_LOWER_LOWER_H
#define HAUL_SIM_LOWER_LOWER_H

#include "base/arena.h"
#include "base/pointer_map.h"
#include "ptx/ir.h"
#include "sim/count/policy.h"
#include "sim/op.h"

#include <haul/run.h>

/* A slot that every warp fills when it starts. */
typedef struct sim_special_slot {
    uint32_t slot;
    uint8_t special; /* ptx_special */
} sim_special_slot;

/* A register's lanes, which some lane may read before it has written its own. */
typedef struct sim_zeroed_slot {
    uint32_t slot, bytes;
} sim_zeroed_slot;

/* Where a shared or local variable lies, in its space's addresses. */
typedef struct sim_variable_place {
    const ptx_variable *variable;
    uint64_t at;
} sim_variable_place;

/* As records of launches show it. */
typedef struct sim_instruction_text {
    const char *text, *mnemonic;
} sim_instruction_text;

/* What background work may do to a register until it is waited for: write it; read it. */
enum { SIM_HELD_SUM = 1, SIM_HELD_FACTOR = 2 };

/* A kernel, ready to run. Lives in its module's arena. */
typedef struct sim_program {
    const ptx_module *module;
    const ptx_function *function; /* flat: see ptx/inline.h */
    sim_op *ops;
    size_t op_count, op_capacity;
    uint32_t *pool; /* sim_op.more */
    size_t pool_count, pool_capacity;
    unsigned char *template;                /* what a register file holds when a warp starts: constants */
    uint32_t register_bytes;                /* size of a warp's register file */
    uint32_t constants_at, constants_bytes; /* the part of the template that is not zero */
    sim_special_slot *specials;
    size_t special_count, special_capacity;
    sim_zeroed_slot *zeroed;
    size_t zeroed_count, zeroed_capacity;
    uint32_t *block_ops; /* first operation of each basic block */
    sim_variable_place *variables;
    size_t variable_count;
    pointer_map variable_numbers;
    uint32_t param_bytes;       /* of the entry's parameters */
    uint64_t shared_bytes;      /* static */
    uint64_t dynamic_shared_at; /* shared address of `extern .shared` arrays */
    uint64_t frame_bytes;       /* of a thread: .local variables, and .param ones of inlined calls */
    uint64_t local_bytes;       /* the part of the frame that is local memory */
    uint32_t registers;         /* estimated machine registers a thread */
    struct sim_callee *callees; /* call.h, by the module's functions; NULL: all calls are in line */
    bool uses_heap;             /* calls malloc() or free() */
    bool meets;                 /* all blocks of the grid may wait for each other */
    const uint32_t *register_slots;
    const uint8_t *held;                       /* by register: SIM_HELD_*; NULL: nothing runs in the background */
    const struct sim_constant_item *constants; /* internal.h: slots that hold the same in all lanes, always */
    size_t constant_count;
    const sim_instruction_text *texts;     /* by instruction */
    const struct sim_assembled *assembled; /* assembler.h, by instruction */
    const struct sim_cost *costs;          /* time/cost.h, by basic block */
    const uint32_t *issuing_blocks;        /* assembler/issue.h, by basic block; NULL: no copies */
    struct sim_compiled *compiled;         /* compiled.h; NULL: never */
} sim_program;

typedef struct sim_lowering {
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

/* Whether an instruction is counted by itself, where its guard lets a lane through, and not with its basic block. A
 * branch is reached by all lanes whatever its guard says. */
static inline bool sim_counts_singly(const ptx_instruction *i) {
    return i->guarded && i->op != PTX_OP_BRA;
}

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
/* A floating literal's bits in a type of so many bytes. */
uint64_t sim_float_bits(const ptx_operand *operand, unsigned bytes);
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
#define SIM_PASTE_(a, b) a##_##b
#define SIM_PASTE(a, b) SIM_PASTE_(a, b)
/* LOWER(ADD) is the name of ADD's lowering function in the variant that is being compiled:
 *   haul_status LOWER(ADD)(sim_lowering *l, const ptx_instruction *i) { ... } */
#define LOWER(id) SIM_PASTE(sim_lower_##id, SIM_VARIANT)

/* Lowers a whole function for the host's best variant. Allocates in `memory`. `address_of` gives a module variable's
 * device address. */
typedef uint64_t (*sim_address_of)(void *context, const ptx_variable *variable);
const sim_lower_fn *sim_lower_table(void); /* the host's best variant */
haul_status sim_lower(const ptx_module *module, const ptx_function *flat, arena *memory, sim_address_of address_of,
                      void *context, sim_program **program);

#endif
