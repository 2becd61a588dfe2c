/* Writing segments as LLVM's textual IR: values, the register file, and how segments end. */
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
    SIM_VALUE_MASK, /* a bit for each lane, in one word */
    SIM_VALUE_TYPES,
} sim_value_type;

/* One value of the segment, or a constant that is the same in all lanes. */
typedef struct sim_value {
    uint32_t id; /* %v<id>; 0: the constant `bits` */
    uint8_t type;
    bool raw;     /* F32: a NaN may be another than the one that hardware makes */
    bool flushed; /* F32: no lane is subnormal */
    uint64_t bits;
} sim_value;

/* What the segment knows of a slot. */
typedef struct sim_cached {
    uint32_t slot;
    sim_value value;
    sim_value as_bits; /* of a floating-point value: its bits; id 0: not made yet */
    bool dirty;        /* the register file does not have it yet */
} sim_cached;

/* An address register's lanes, checked: where they are from here on. */
typedef struct sim_written_cohort {
    uint32_t pattern; /* sim_op.pattern without SIM_PATTERN_LEADS */
    uint32_t index;   /* among the segment's cohorts */
    uint32_t half[2]; /* ids of host addresses: of lane 0's and lane 16's bytes */
    sim_value lanes;
} sim_written_cohort;

enum { SIM_OPERAND_TEXTS = 8, SIM_OPERAND_TEXT = 1024, SIM_MOST_COHORTS = 16 };

typedef struct sim_writer {
    const sim_program *program;
    const uint16_t *kinds; /* of the block's operations: a bit for each that their lanes were of */
    const struct sim_assembled *assembled;
    const struct ptx_liveness *blocks_live;
    arena *memory; /* for this job */
    arena *kept;   /* for what stays with the program */
    text *out;
    bool opaque;           /* pointers have no type: LLVM 15 and later */
    bool has_fma;          /* the host does fused multiply-add in hardware */
    bool has_f16;          /* and conversion from and to half precision */
    uint32_t next, labels; /* numbers */
    sim_cached *cached;
    size_t cached_count, cached_capacity;
    uint32_t *cached_at;                          /* by slot / 4: index + 1 */
    const struct sim_constant_item **constant_at; /* by slot / 4 */
    bool *register_at;                            /* by slot / 4: a PTX register's */
    bool *live_at;                                /* by slot / 4: while the live ones are written back */
    uint64_t *live; /* registers, in front of the block's instruction number live_row, or at its end */
    size_t live_words;
    uint32_t live_first, live_row; /* the block's first instruction */
    uint32_t *flips, *first_flip;  /* from row r to the next: flips[first_flip[r]] .. flips[first_flip[r + 1] - 1] */
    uint32_t executed;             /* operations of the segment so far */
    uint32_t pc;                   /* of the operation that is being written */
    uint32_t guard;                /* its guard's mask as a value; meaningful if guarded */
    bool guarded;
    uint32_t block, first_pc; /* that is being written */
    sim_code_form form;
    uint32_t lanes; /* of a part: N of the running path's */
    sim_segment *segment;
    uint32_t segment_end; /* its last operation, or one behind the block */
    sim_written_cohort cohorts[SIM_MOST_COHORTS];
    char operands[SIM_OPERAND_TEXTS][SIM_OPERAND_TEXT];
    unsigned operand;
    uint32_t mufu_used; /* mufu.c: a bit for each of its functions */
} sim_writer;

extern const char *const sim_value_types[SIM_VALUE_TYPES];  /* "<32 x i16>" ... */
extern const char *const sim_value_halves[SIM_VALUE_TYPES]; /* "<16 x i16>" ... */

/* Writes `%vN = ` and the rest, and returns the value. */
sim_value sim_write_value(sim_writer *w, sim_value_type type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what is no value of lanes; returns N. */
uint32_t sim_write_id(sim_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sim_write_line(sim_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A value as an operand, without its type. Valid until SIM_OPERAND_TEXTS - 1 more were asked for. */
const char *sim_operand(sim_writer *w, sim_value v);
sim_value sim_value_constant(sim_value_type type, uint64_t bits);

/* N of an address as a pointer to `type`. */
uint32_t sim_write_pointer(sim_writer *w, uint32_t address, const char *type);
/* "T*" or "ptr". Valid as operands are. */
const char *sim_pointer_type(sim_writer *w, const char *type);
/* N of what lies at an address (N of an i64). */
uint32_t sim_write_load(sim_writer *w, uint32_t address, const char *type, unsigned alignment);
/* N of the word that sim_native has at `offset`. */
uint32_t sim_write_native(sim_writer *w, size_t offset);
/* N of base + offset; base itself for 0. */
uint32_t sim_write_sum(sim_writer *w, uint32_t base, int64_t offset);
/* Adds `addend` (an operand) to the 64-bit word at an address. */
void sim_write_count(sim_writer *w, uint32_t address, const char *addend);

/* ---- the register file (registers.c) ---- */

/* A slot's lanes as that type. Floating-point lanes may be `raw` only where asked for. */
sim_value sim_read_slot(sim_writer *w, uint32_t slot, sim_value_type type);
sim_value sim_read_raw(sim_writer *w, uint32_t slot);
/* The same bits in all lanes. */
bool sim_slot_is_constant(const sim_writer *w, uint32_t slot, sim_value_type type, sim_value *out);
/* The lanes that the operation's guard lets through get the value. */
void sim_write_slot(sim_writer *w, uint32_t slot, sim_value value);
/* A mask as a vector of bits: N. */
uint32_t sim_write_bits(sim_writer *w, sim_value mask);

/* ---- half warps (elements.c) ---- */

enum { SIM_HALF_WARP = SIM_LANES / 2 };

/* What an access moves: elements of memory, and the registers' lanes, which may be wider. */
typedef struct sim_element {
    unsigned bits, lane_bits;
    bool extends_sign;
} sim_element;

sim_element sim_element_of(const sim_op *op);
/* Integer lanes of that width. */
sim_value_type sim_value_type_by(unsigned bits);
/* Two vectors of 16 lanes, one behind the other; and such a half of 32. */
sim_value sim_write_joined(sim_writer *w, sim_value_type type, uint32_t low, uint32_t high);
uint32_t sim_write_half(sim_writer *w, sim_value v, unsigned half);
/* N of `count` integers of so many bits at an address (N of an i64); a vector when there are several. */
uint32_t sim_load_integers(sim_writer *w, uint32_t address, unsigned bits, unsigned count);
void sim_store_integers(sim_writer *w, uint32_t address, unsigned bits, unsigned count, uint32_t values);
/* N of element e of `count` side by side in each of 16 lanes. */
uint32_t sim_pick_element(sim_writer *w, uint32_t values, unsigned bits, unsigned count, unsigned e);
/* N of `count` such elements of 16 lanes, lane by lane. */
uint32_t sim_zip_elements(sim_writer *w, const uint32_t elements[4], unsigned bits, unsigned count);
/* N of 16 elements as lanes, and of 16 lanes as elements. */
uint32_t sim_write_as_lanes(sim_writer *w, uint32_t elements, const sim_element *e);
uint32_t sim_write_as_elements(sim_writer *w, uint32_t lanes, const sim_element *e);
/* N of 16 places of integers of 32 or 64 bits: so many bytes (N of 16 words) behind a pointer to bytes. */
uint32_t sim_write_places(sim_writer *w, uint32_t base, uint32_t bytes, unsigned bits);
uint32_t sim_gather_integers(sim_writer *w, uint32_t places, unsigned bits);
void sim_scatter_integers(sim_writer *w, uint32_t places, unsigned bits, uint32_t values);

/* ---- the register file, written back ---- */

/* Writes back what is needed at instruction `before` and at `after` (the end of the block: the one behind its last),
 * and what no PTX register has. Everything stays known. */
void sim_write_back(sim_writer *w, uint32_t before, uint32_t after);
/* The same for a way out in front of instruction `before`, beside which the segment goes on as if nothing had been. */
void sim_write_back_aside(sim_writer *w, uint32_t before);
void sim_forget_all(sim_writer *w);
/* Around what reads and writes registers by itself, but none but the instruction's: writes back what is known of those,
 * and of what no register has; and forgets those that it writes. */
void sim_write_back_touched(sim_writer *w, const ptx_instruction *i);
void sim_forget_written(sim_writer *w, const ptx_instruction *i);
/* What is live at each instruction of the block, for the above. */
void sim_find_live(sim_writer *w, uint32_t block);

/* ---- lanes, and handlers (handlers.c) ---- */

static inline bool sim_is_part(const sim_writer *w) {
    return sim_form_is_part(w->form);
}

static inline bool sim_counts(const sim_writer *w) {
    return sim_form_counts(w->form);
}

/* Operations that stand for no instruction come in front of the next one's. */
bool sim_stands_alone(const sim_op *op);
/* N of the lanes that run; as an operand: of all of a warp's, or of the running path's. */
uint32_t sim_write_running(sim_writer *w);
const char *sim_write_all_lanes(sim_writer *w);
/* N of the lanes of the running path that the mask has: the mask itself for whole warps. */
uint32_t sim_write_lanes_in(sim_writer *w, uint32_t mask);
/* N of the lanes that the operation's guard lets through. */
uint32_t sim_write_active(sim_writer *w, const sim_op *op);
/* Leaves the operation at `pc` to its handler: in the middle of a segment; at its end; and one that does nothing but
 * read and write its instruction's registers: all else stays known. */
void sim_write_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction);
void sim_write_last_handler(sim_writer *w, const sim_op *op, uint32_t pc, uint32_t instruction);
void sim_write_pure_handler(sim_writer *w, const sim_op *op, uint32_t pc, const ptx_instruction *i);
/* The same for the operation that is being written, which goes on at label `on`, or out. All that is known must have
 * been written back, and is to be forgotten. */
void sim_write_handler_call(sim_writer *w, const sim_op *op, uint32_t on);

/* ---- ends ---- */

/* Ends the segment: the interpreter, or another segment, goes on at `pc` after `step`, a sim_step or SIM_SEGMENT_TURN.
 */
void sim_write_end(sim_writer *w, unsigned step, uint32_t pc);
/* The same with a step that is known at run time (the id of an i32). */
void sim_write_end_with(sim_writer *w, uint32_t step, uint32_t pc);

/* ---- a block ---- */

typedef struct sim_written {
    sim_segment **segments;
    size_t count, capacity;
} sim_written;

/* No fewer than all blocks together can have. */
uint32_t sim_most_segments(const sim_program *program);

/* A module with a function `s<PC>` for each segment of basic blocks, which are added to *out. kinds: of the block's
 * operations. */
void sim_write_begin(sim_writer *w);
void sim_write_block(sim_writer *w, uint32_t block, sim_code_form form, const uint16_t *kinds, sim_written *out);
void sim_write_finish(sim_writer *w);

/* mufu.c: the functions that segments of this module call. */
void sim_write_mufu_functions(sim_writer *w);
/* ops.c: writes the operation, or nothing (false). */
bool sim_write_op(sim_writer *w, const sim_op *op, const ptx_instruction *i);
/* global.c: the same for plain accesses to global memory. */
bool sim_write_global(sim_writer *w, const sim_op *op);
/* shared.c: the same for plain accesses to shared memory. */
bool sim_write_shared(sim_writer *w, const sim_op *op);
/* The cohorts' accesses have all been made: counts them. Later accesses are new cohorts'. */
void sim_close_cohorts(sim_writer *w);

#endif
