/* A decoded instruction, and what its handler sees.
 *
 * A kernel is lowered once (lower.h) into an array of operations. In their register file each register is a slot of 32
 * adjacent lanes, so a handler is one loop over lanes, which the host compiler vectorises. Handlers live in exec/ops/,
 * which is compiled once for each vector extension of the host. */
#ifndef HAUL_STATE_OP_H
#define HAUL_STATE_OP_H

#include <stdbool.h>
#include <stdint.h>

enum { SIM_LANES = 32 };
#define SIM_ALL_LANES 0xffffffffu

typedef struct sim_warp sim_warp;
typedef struct sim_op sim_op;

/* The interpreter's next step after a handler. */
typedef enum sim_step {
    SIM_NEXT,   /* go on with the following operation */
    SIM_JUMP,   /* go on at w->pc, which the handler has set; the current path may have changed */
    SIM_YIELD,  /* as SIM_NEXT, but another warp may run first */
    SIM_STOP,   /* this path cannot continue: w->path says why, its pc where it resumes */
    SIM_NATIVE, /* nothing was done: compiled code takes over from here (compiled.h) */
} sim_step;

/* Executes one operation for the lanes in `active`, never 0. Lanes outside keep their destination's value. */
typedef sim_step (*sim_handler)(sim_warp *w, const sim_op *op, uint32_t active);

/* Slots are byte offsets into the register file. Each lane of a slot is as wide as the register: 2, 4, 8 or 16 bytes. A
 * predicate's slot is one uint32_t with a bit for each lane. Immediates and special registers have slots too, so a
 * handler never asks for an operand's kind. */
struct sim_op {
    sim_handler run;
    uint32_t guard;      /* slot of the guarding predicate; SIM_SLOT_TRUE when there is none */
    uint32_t guard_flip; /* all ones for @!p */
    uint32_t d, a, b, c; /* operand slots: destination and sources */
    uint32_t x, y;       /* further slots or small constants, depending on the handler */
    int64_t imm;
    uint32_t instruction; /* index into the flat function's instructions */
    uint8_t memory_class; /* haul_memory_class */
    uint8_t bytes;        /* width of a memory access a lane, vector included */
    uint8_t flags;        /* SIM_OP_* */
    uint8_t count;        /* vector elements; registers of a matrix */
    uint32_t more;        /* index into sim_program.pool: further slots */
    uint32_t target;      /* control: operation index */
    uint32_t imm2;
    union {
        uint32_t pattern; /* shared memory: offset of the lanes' pattern (pattern.h) */
        uint32_t policy;  /* global memory: slot of the cache policy (policy.h); 0: none */
    };
    uint8_t form;     /* sim_form */
    bool uncounted;   /* memory: a separate operation accounts for the machine code */
    uint16_t integer; /* row of lower/integer.def (sim_integer); 0: none */
};

/* Effects of operations that the instruction alone does not show, for the checks and the compiler. */
typedef enum sim_form {
    SIM_FORM_OTHER,
    SIM_FORM_PARAMETER,    /* loads the word at imm of the kernel's parameters into all lanes */
    SIM_FORM_SHARED_LOAD,  /* a plain load from the block's own memory */
    SIM_FORM_SHARED_STORE, /* a plain store to it */
    SIM_FORM_GLOBAL,       /* a plain access to global memory */
    SIM_FORM_JUMP,         /* to target */
    SIM_FORM_BRANCH,       /* to target if a, flipped by imm, is set; else to x */
    SIM_FORM_ADD_WINDOW,   /* 64-bit lanes plus imm */
    SIM_FORM_COPY,         /* a register to another */
    /* Operations between instructions. */
    SIM_FORM_ENTER,           /* a basic block begins */
    SIM_FORM_ENTER_JOIN,      /* a basic block begins, and lanes may reconverge there */
    SIM_FORM_COUNT,           /* a guarded instruction follows */
    SIM_FORM_PAST,            /* lanes have passed a barrier that others can skip */
    SIM_FORM_YIELD,           /* another warp may run */
    SIM_FORM_GO_ON,           /* to block target */
    SIM_FORM_END,             /* the lanes end */
    SIM_FORM_FINISH_PRODUCTS, /* finishes matrix products in flight */
    SIM_FORM_CLOCK,           /* reads the SM's clock */
    SIM_FORMS,
} sim_form;

enum {
    SIM_OP_JUMPS = 1,      /* target is a block */
    SIM_OP_BRANCHES = 2,   /* target, x (fall through), y (join) and `count` nearer joins in the pool from `more` on are
                              blocks; operation indices once lowered */
    SIM_OP_TABLE = 4,      /* x blocks in the pool from `more` on; y is the join */
    SIM_OP_ORDERED = 8,    /* memory: ordered with other blocks */
    SIM_OP_WIDE = 16,      /* memory: the base has 64-bit lanes */
    SIM_OP_OBSERVES = 32,  /* memory: reads what another thread may be about to change (sim_warp_observe) */
    SIM_OP_STRONG = 64,    /* memory: volatile, relaxed, release or acquire */
    SIM_OP_RELEASES = 128, /* memory: release or acq_rel */
};

/* Returns whether the operation stands for no instruction. */
static inline bool sim_is_between(const sim_op *op) {
    return op->form >= SIM_FORM_ENTER;
}
static inline bool sim_enters_block(const sim_op *op) {
    return op->form == SIM_FORM_ENTER || op->form == SIM_FORM_ENTER_JOIN;
}

/* Fixed slots at the start of every register file. */
enum {
    SIM_SLOT_TRUE = 0,       /* predicate: all ones */
    SIM_SLOT_FALSE = 4,      /* predicate: all zeros */
    SIM_SLOT_CARRY = 8,      /* predicate: the carry flag (CC.CF) of each lane */
    SIM_SLOT_SINK = 64,      /* 32 lanes of 16 bytes that are never read: the destination `_` */
    SIM_SLOT_ZERO = 576,     /* 32 lanes of 16 zero bytes */
    SIM_SLOT_SCRATCH = 1088, /* 32 lanes of 4 bytes between operations of one instruction */
    SIM_SLOTS_FIXED = 1216,
};

#endif
