/* A kernel after lowering (lower/lower.h): its operations, and the tables that everything which runs, counts or checks
 * it looks into. */
#ifndef HAUL_STATE_PROGRAM_H
#define HAUL_STATE_PROGRAM_H

#include "base/pointer_map.h"
#include "machine/memory.h"
#include "ptx/ir.h"
#include "state/op.h"

/* What each call takes of a thread's stack at least. */
enum { SIM_CALL_BYTES = 16, SIM_MOST_STACK = 512 << 10 };

/* A function that can be called; op 0: it cannot. */
typedef struct sim_callee {
    uint32_t op;
    uint64_t frame_bytes; /* of its .local variables */
    bool may_recur;       /* other calls are only so deep: the driver sees to it that the stack suffices */
} sim_callee;

/* The number that stands for a function: no memory is there. */
static inline uint64_t sim_function_address(const ptx_function *f) {
    const ptx_function *meant = f->alias_of ? f->alias_of : f;
    return SIM_FUNCTION_WINDOW + (uint64_t)SIM_CALL_BYTES * (1 + meant->index);
}

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

/* A slot that holds the same in all lanes, always. */
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
    sim_callee *callees;        /* by the module's functions; NULL: all calls are in line */
    bool uses_heap;             /* calls malloc() or free() */
    bool meets;                 /* all blocks of the grid may wait for each other */
    const uint32_t *register_slots;
    const uint8_t *held;                /* by register: SIM_HELD_*; NULL: nothing runs in the background */
    const sim_constant_item *constants; /* slots that hold the same in all lanes, always */
    size_t constant_count;
    const sim_instruction_text *texts;     /* by instruction */
    const struct sim_assembled *assembled; /* assembler/assembler.h, by instruction */
    const struct sim_cost *costs;          /* assembler/cost.h, by basic block */
    const uint32_t *issuing_blocks;        /* assembler/issue.h, by basic block; NULL: no copies */
    struct sim_compiled *compiled;         /* jit/compiled.h; NULL: never */
} sim_program;

/* A register's lane: narrow ones take 16 bits. */
static inline unsigned sim_lane_bytes(unsigned bytes) {
    return bytes < 2 ? 2 : bytes;
}

/* Whether an instruction is counted by itself, where its guard lets a lane through, and not with its basic block. A
 * branch is reached by all lanes whatever its guard says. */
static inline bool sim_counts_singly(const ptx_instruction *i) {
    return i->guarded && i->op != PTX_OP_BRA;
}

#endif
