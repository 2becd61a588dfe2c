/* A kernel after lowering (lower/lower.h): its operations, and the tables used to run, count and check it. */
#ifndef HAUL_STATE_PROGRAM_H
#define HAUL_STATE_PROGRAM_H

#include "assembler/registers.h"
#include "base/pointer_map.h"
#include "machine/memory.h"
#include "ptx/ir.h"
#include "state/op.h"

/* The least that a call takes of a thread's stack, and the largest stack. */
enum { SIM_CALL_BYTES = 16, SIM_MOST_STACK = 512 << 10 };

/* A function that can be called; op 0: it cannot. */
typedef struct sim_callee {
    uint32_t op;
    uint64_t frame_bytes; /* of its .local variables */
    bool may_recur;       /* other calls have a known depth, for which the driver provides enough stack */
} sim_callee;

/* The number that stands for a function's address; no memory is there. */
static inline uint64_t sim_function_address(const ptx_function *f) {
    const ptx_function *meant = f->alias_of ? f->alias_of : f;
    return SIM_FUNCTION_WINDOW + (uint64_t)SIM_CALL_BYTES * (1 + meant->index);
}

/* A slot that every warp fills when it starts. */
typedef struct sim_special_slot {
    uint32_t slot;
    uint8_t special; /* ptx_special */
} sim_special_slot;

/* A register whose lanes may be read before they are written. */
typedef struct sim_zeroed_slot {
    uint32_t slot, bytes;
} sim_zeroed_slot;

/* The address of a shared or local variable in its space. */
typedef struct sim_variable_place {
    const ptx_variable *variable;
    uint64_t at;
} sim_variable_place;

/* An instruction as launch records show it. */
typedef struct sim_instruction_text {
    const char *text, *mnemonic;
} sim_instruction_text;

/* Uses of a register by operations in flight, until they are waited for: they may write it, or read it. */
enum { SIM_HELD_SUM = 1, SIM_HELD_FACTOR = 2 };

/* A slot with a constant value, the same in all lanes. */
typedef struct sim_constant_item {
    uint64_t bits;
    uint32_t bytes, slot;
} sim_constant_item;

/* A kernel, ready to run. Lives in its module's arena. */
typedef struct sim_program {
    const ptx_module *module;
    const ptx_function *function; /* flat: see ptx/inline.h */
    sim_op *ops;
    size_t op_count, op_capacity;
    uint32_t *pool; /* sim_op.more */
    size_t pool_count, pool_capacity;
    unsigned char *template;                /* initial contents of a register file: constants */
    uint32_t register_bytes;                /* size of a warp's register file */
    uint32_t constants_at, constants_bytes; /* the nonzero part of the template */
    sim_special_slot *specials;
    size_t special_count, special_capacity;
    sim_zeroed_slot *zeroed;
    size_t zeroed_count, zeroed_capacity;
    uint32_t *block_ops; /* first operation of each basic block */
    sim_variable_place *variables;
    size_t variable_count;
    pointer_map variable_numbers;
    uint32_t param_bytes;        /* of the entry's parameters */
    uint64_t shared_bytes;       /* static */
    uint64_t dynamic_shared_at;  /* shared address of `extern .shared` arrays */
    uint64_t frame_bytes;        /* of a thread: .local variables, and .param ones of inlined calls */
    uint64_t local_bytes;        /* the part of the frame that is local memory */
    sim_register_need registers; /* estimated machine registers a thread */
    uint32_t most_registers;     /* what a thread uses at most if the kernel has no launch bounds; 0: no limit */
    uint32_t known_registers;    /* of a thread, as machine code has them; 0: not known */
    uint64_t code_bytes;         /* of machine code: estimated, or known like the registers */
    sim_callee *callees;         /* by the module's functions; NULL: all calls are inlined */
    bool uses_heap;              /* calls malloc() or free() */
    bool syncs_grid;             /* all blocks of the grid may wait for each other */
    const uint32_t *register_slots;
    const uint8_t *held;                /* by register: SIM_HELD_*; NULL: no operations in flight */
    const sim_constant_item *constants; /* slots with a constant value */
    size_t constant_count;
    const sim_instruction_text *texts;     /* by instruction */
    const struct sim_assembled *assembled; /* assembler/assembler.h, by instruction */
    const struct sim_cost *costs;          /* assembler/cost.h, by basic block */
    const uint32_t *issuing_blocks;        /* assembler/issue.h, by basic block; NULL: no copies */
    struct sim_compiled *compiled;         /* jit/compiled.h; NULL: never */
    struct sim_facts *facts;               /* check/facts.h; NULL: launches are not checked */
} sim_program;

/* The bytes of a register's lane; narrow registers take 16 bits. */
static inline unsigned sim_lane_bytes(unsigned bytes) {
    return bytes < 2 ? 2 : bytes;
}

/* Returns whether an instruction is counted by itself, if its guard lets a lane through, rather than with its basic
 * block. All lanes execute a branch, whatever its guard says. */
static inline bool sim_counts_singly(const ptx_instruction *i) {
    return i->guarded && i->op != PTX_OP_BRA;
}

#endif
