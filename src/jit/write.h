/* Writing segments as LLVM's textual IR: values, the register file, and the ends of segments. IR values have numbers: N
 * stands for `%vN`. Functions that return uint32_t return N. */
#ifndef HAUL_JIT_WRITE_H
#define HAUL_JIT_WRITE_H

#include "base/text.h"
#include "jit/compiled.h"
#include "state/program.h"

typedef enum sim_value_type {
    SIM_VALUE_I16, /* 32 lanes of integers ... */
    SIM_VALUE_I32,
    SIM_VALUE_I64,
    SIM_VALUE_F32, /* ... of floating-point numbers */
    SIM_VALUE_F64,
    SIM_VALUE_PAIRS, /* 64 lanes of 16 bits; constants are 0 */
    SIM_VALUE_MASK,  /* a bit for each lane, in one word */
    SIM_VALUE_TYPES,
} sim_value_type;

/* A value of the segment, or a constant that is the same in all lanes. */
typedef struct sim_value {
    uint32_t id; /* %v<id>; 0: the constant `bits` */
    uint8_t type;
    bool raw;     /* F32: NaNs may differ from the one that hardware makes */
    bool flushed; /* F32: no lane is subnormal */
    uint64_t bits;
} sim_value;

/* A slot of the register file whose value is known. */
typedef struct sim_cached {
    uint32_t slot;
    sim_value value;
    sim_value as_bits; /* the bits of a floating-point value; id 0: not written yet */
    bool dirty;        /* the register file does not have it yet */
} sim_cached;

/* An address register whose lanes have been checked. */
typedef struct sim_written_cohort {
    uint32_t pattern; /* sim_op.pattern without SIM_PATTERN_LEADS */
    uint32_t index;   /* among the segment's cohorts */
    uint32_t bundle;  /* 1 + the number of the bundle that further loads join; 0: none */
    uint32_t half[2]; /* N of the host addresses of lane 0's and lane 16's bytes */
    sim_value lanes;
} sim_written_cohort;

enum { SIM_OPERAND_TEXTS = 8, SIM_OPERAND_TEXT = 1024, SIM_MOST_COHORTS = 16 };

typedef struct sim_writer {
    const sim_program *program;
    const uint16_t *kinds; /* of the block's operations: a bit for each kind of their lanes */
    const struct sim_assembled *assembled;
    const struct ptx_liveness *blocks_live;
    arena *memory;  /* for this job */
    arena *lasting; /* for what stays with the program */
    text *out;
    bool opaque;           /* pointers have no type: LLVM 15 and later */
    bool has_fma;          /* the host has fused multiply-add in hardware */
    bool has_f16;          /* the host converts from and to half precision in hardware */
    bool has_avx512;       /* the host has AVX-512's F and BW */
    uint32_t next, labels; /* the last numbers used */
    sim_cached *cached;
    size_t cached_count, cached_capacity;
    uint32_t *cached_at;                          /* by slot / 4: index + 1 */
    const struct sim_constant_item **constant_at; /* by slot / 4 */
    bool *register_at;                            /* by slot / 4: belongs to a PTX register */
    bool *live_at;                                /* by slot / 4: set for live slots during write-back */
    uint64_t *live; /* registers live before instruction live_row of the block, or at its end */
    size_t live_words;
    uint32_t live_first, live_row; /* the block's first instruction */
    uint32_t *flips, *first_flip;  /* from row r to the next: flips[first_flip[r]] .. flips[first_flip[r + 1] - 1] */
    uint32_t executed;             /* operations of the segment so far */
    uint32_t pc;                   /* of the current operation */
    uint32_t guard;                /* N of its guard's mask; valid if guarded */
    bool guarded;
    uint32_t block, first_pc; /* of the current block */
    sim_code_form form;
    uint32_t lanes;       /* in a part: N of the running path's lanes; while `skipped`: N of those that do not skip */
    bool skipped, stored; /* writing a block that other lanes skip (segment.c); it has stored */
    uint32_t branch_pc, before_branch; /* while `skipped`: of the branch around the block, and `executed` there */
    uint32_t most;                     /* operations of the segment's ways that have ended */
    sim_segment *segment;
    uint32_t segment_end; /* its last operation, or the end of the block */
    sim_written_cohort cohorts[SIM_MOST_COHORTS];
    char operands[SIM_OPERAND_TEXTS][SIM_OPERAND_TEXT];
    unsigned operand;
    uint32_t mufu_used; /* mufu.c: a bit for each function used */
} sim_writer;

extern const char *const sim_value_types[SIM_VALUE_TYPES];  /* "<32 x i16>" ... */
extern const char *const sim_value_halves[SIM_VALUE_TYPES]; /* "<16 x i16>" ... */

/* Writes `%vN = ` and the rest. Returns the value. */
sim_value sim_write_value(sim_writer *w, sim_value_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for something that is not a value of lanes. Returns N. */
uint32_t sim_write_id(sim_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_write_line(sim_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns a value as an operand, without its type. Valid for the next SIM_OPERAND_TEXTS - 1 calls. */
const char *sim_operand(sim_writer *w, sim_value v);
sim_value sim_value_constant(sim_value_type type, uint64_t bits);

/* Converts an address to a pointer to `type`. */
uint32_t sim_write_pointer(sim_writer *w, uint32_t address, const char *type);
/* Returns "T*" or "ptr". Valid as long as an operand. */
const char *sim_pointer_type(sim_writer *w, const char *type);
/* Loads from an address (N of an i64). */
uint32_t sim_write_load(sim_writer *w, uint32_t address, const char *type, unsigned alignment);
/* Loads the word at `offset` of sim_native. */
uint32_t sim_write_native(sim_writer *w, size_t offset);
/* Returns N of base + offset; base itself if the offset is 0. */
uint32_t sim_write_sum(sim_writer *w, uint32_t base, int64_t offset);
/* Adds `addend` (an operand) to the 64-bit word at an address. */
void sim_write_count(sim_writer *w, uint32_t address, const char *addend);

/* ---- the register file (registers.c) ---- */

/* Reads a slot's lanes as that type. sim_read_raw() may return a `raw` value. */
sim_value sim_read_slot(sim_writer *w, uint32_t slot, sim_value_type type);
sim_value sim_read_raw(sim_writer *w, uint32_t slot);
/* True if the slot has the same known bits in all lanes. */
bool sim_slot_is_constant(const sim_writer *w, uint32_t slot, sim_value_type type, sim_value *out);
/* Writes a slot, in the lanes that the operation's guard lets through. */
void sim_write_slot(sim_writer *w, uint32_t slot, sim_value value);
/* Converts a mask to a vector of bits. */
uint32_t sim_write_bits(sim_writer *w, sim_value mask);

/* ---- half warps (elements.c) ---- */

enum { SIM_HALF_WARP = SIM_LANES / 2 };

/* The data of an access: elements of memory, and lanes of registers, which may be wider. */
typedef struct sim_element {
    unsigned bits, lane_bits;
    bool extends_sign;
} sim_element;

sim_element sim_element_of(const sim_op *op);
/* Returns the type of integer lanes of that width. */
sim_value_type sim_value_type_by(unsigned bits);
/* Joins two vectors of 16 lanes; extracts such a half from 32 lanes. */
sim_value sim_write_joined(sim_writer *w, sim_value_type type, uint32_t low, uint32_t high);
uint32_t sim_write_half(sim_writer *w, sim_value v, unsigned half);
/* Loads `count` integers of `bits` bits from an address (N of an i64); a vector if there are several. */
uint32_t sim_load_integers(sim_writer *w, uint32_t address, unsigned bits, unsigned count);
void sim_store_integers(sim_writer *w, uint32_t address, unsigned bits, unsigned count, uint32_t values);
/* Returns N of element e of each of 16 lanes that have `count` adjacent elements. */
uint32_t sim_pick_element(sim_writer *w, uint32_t values, unsigned bits, unsigned count, unsigned e);
/* Returns N of `count` elements of each of 16 lanes, interleaved lane by lane. */
uint32_t sim_interleave_elements(sim_writer *w, const uint32_t elements[4], unsigned bits, unsigned count);
/* Convert 16 elements to lanes, and 16 lanes to elements. */
uint32_t sim_write_as_lanes(sim_writer *w, uint32_t elements, const sim_element *e);
uint32_t sim_write_as_elements(sim_writer *w, uint32_t lanes, const sim_element *e);
/* Returns N of 16 pointers to integers of 32 or 64 bits: a base pointer plus 16 byte offsets (N of 16 words). */
uint32_t sim_write_places(sim_writer *w, uint32_t base, uint32_t bytes, unsigned bits);
uint32_t sim_gather_integers(sim_writer *w, uint32_t places, unsigned bits);
/* where: N of 16 bits, the lanes that store; 0: all. */
void sim_scatter_integers(sim_writer *w, uint32_t places, unsigned bits, uint32_t values, unsigned turn,
                          uint32_t where);
/* Stores those of 16 adjacent integers. */
void sim_store_some_integers(sim_writer *w, uint32_t address, unsigned bits, uint32_t values, uint32_t where);

/* ---- the register file: write-back ---- */

/* Writes back dirty slots that are live before instruction `before` or `after` (past the block's last: the end of the
 * block), and slots of no PTX register. All values stay known. */
void sim_write_back(sim_writer *w, uint32_t before, uint32_t after);
/* The same for an exit before instruction `before`; the code after it is written as if nothing was written back. */
void sim_write_back_aside(sim_writer *w, uint32_t before);
void sim_forget_all(sim_writer *w);
/* Used around a handler that reads and writes only the instruction's registers: the first writes back known values of
 * those registers and of slots of no register, the second forgets what the handler writes. */
void sim_write_back_touched(sim_writer *w, const ptx_instruction *i);
void sim_forget_written(sim_writer *w, const ptx_instruction *i);
/* Finds the registers that are live at each instruction of the block, for the functions above. */
void sim_find_live(sim_writer *w, uint32_t block);

/* ---- lanes and handlers (handlers.c) ---- */

static inline bool sim_is_part(const sim_writer *w) {
    return sim_form_is_part(w->form) || w->skipped;
}

static inline bool sim_counts(const sim_writer *w) {
    return sim_form_counts(w->form);
}

static inline bool sim_checks(const sim_writer *w) {
    return sim_form_checks(w->form);
}

/* True for operations that belong to no instruction; they precede the next one's. */
bool sim_stands_alone(const sim_op *op);
/* Returns N of the running lanes; as an operand: all lanes of the warp, or of the running path. */
uint32_t sim_write_running(sim_writer *w);
const char *sim_write_all_lanes(sim_writer *w);
/* Returns N of the mask's lanes in the running path; for whole warps, the mask itself. */
uint32_t sim_write_lanes_in(sim_writer *w, uint32_t mask);
/* In code that checks: returns N of a word, 0 if no register of the warp is tainted. */
uint32_t sim_write_tainted(sim_writer *w);
/* Returns N of the lanes that the operation's guard lets through. */
uint32_t sim_write_active(sim_writer *w, const sim_op *op);
/* Write a call of the handler of the operation at `pc`: in the middle of a segment; at its end; and of a handler that
 * only reads and writes its instruction's registers, so that all other values stay known. */
void sim_write_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction);
void sim_write_last_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction);
void sim_write_pure_handler(sim_writer *w, const sim_op *op, uint32_t pc, const ptx_instruction *i);
/* Calls the current operation's handler; continues at label `on`, or leaves the segment. The caller has written back
 * everything and forgets it afterwards. */
void sim_write_handler_call(sim_writer *w, const sim_op *op, uint32_t on);

/* ---- ends ---- */

/* Ends the segment: the interpreter or another segment continues at `pc` after `step`, a sim_step or
 * SIM_SEGMENT_TURN. */
void sim_write_end(sim_writer *w, unsigned step, uint32_t pc);
/* The same with a step known only at run time (N of an i32). */
void sim_write_end_with(sim_writer *w, uint32_t step, uint32_t pc);

/* ---- a block ---- */

typedef struct sim_written {
    sim_segment **segments;
    size_t count, capacity;
} sim_written;

/* Returns an upper bound for the number of segments of all blocks. */
uint32_t sim_most_segments(const sim_program *program);

/* Writes a module with a function `s<PC>` for each segment of a basic block, and appends the segments to *out. kinds:
 * of the block's operations. */
void sim_write_begin(sim_writer *w);
void sim_write_block(sim_writer *w, uint32_t block, sim_code_form form, const uint16_t *kinds, sim_written *out);
void sim_write_finish(sim_writer *w);

/* mufu.c: writes the functions that segments of this module call. */
void sim_write_mufu_functions(sim_writer *w);
/* ops.c: writes the operation. Returns false, and writes nothing, if its handler has to do it. */
bool sim_write_op(sim_writer *w, const sim_op *op, const ptx_instruction *i);
/* global.c: as sim_write_op(), for plain accesses to global memory. */
bool sim_write_global(sim_writer *w, const sim_op *op);
/* shared.c: as sim_write_op(), for plain accesses to shared memory. */
bool sim_write_shared(sim_writer *w, const sim_op *op);
/* Counts the cohorts, all of whose accesses have been made. Later accesses form new cohorts. */
void sim_close_cohorts(sim_writer *w);
/* Counts the accesses made so far: the segment is left before its cohorts are complete. */
void sim_write_partial_counts(sim_writer *w);

#endif
