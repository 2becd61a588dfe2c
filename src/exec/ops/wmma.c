/* wmma.load and wmma.store. The layout of a fragment in registers is up to the machine. Here it is that of mma; a wider
 * product's fragment consists of several of mma's, and the remaining registers of an f16 factor's eight repeat the
 * first ones. Each register is loaded or stored by ordinary accesses: a whole word if its elements are adjacent in
 * memory, otherwise element by element.
 *
 * The counters count the accesses of machine code instead, which is more efficient: ldmatrix loads matrices of eight
 * rows, words are transposed afterwards, and words are accessed in pairs. */
#include "check/hazard.h"
#include "count/count.h"
#include "exec/access.h"
#include "exec/ops/fragments.h"
#include "exec/ops/lanes.h"
#include "ptx/matrix.h"
#include "state/block.h"
#include "state/lanes.h"

/* A load or store of a fragment while it is lowered. */
typedef struct fragment {
    const ptx_instruction *instruction;
    const ptx_operand *registers, *memory;
    ptx_shape shape;
    char which;
    unsigned bits, each;             /* bits of an element; elements of a register */
    unsigned natural;                /* registers that do not repeat others */
    unsigned asked, needed;          /* alignment: of rows, by CUDA's guide; of machine code's accesses */
    bool by_columns, loads, counted; /* counted: by its own accesses */
    uint32_t base, stride, address;  /* slots */
    bool wide;
    int64_t offset;
} fragment;

/* Returns the element of the matrix that is element e of register r. */
static sim_element_place place_of(const fragment *f, unsigned r, unsigned e, unsigned lane) {
    const unsigned blocks = f->shape.m / SIM_GROUPS;
    if (f->which == 'a') return sim_place_a(blocks, f->each, r, e, lane);
    if (f->which == 'b') return sim_place_b(f->shape.k / (SIM_GROUP_LANES * f->each), f->each, r, e, lane);
    return sim_place_c(blocks, r * f->each + e, lane);
}

/* ---- addresses ---- */

static uint64_t matrix_at(const sim_warp *w, const sim_op *op, unsigned lane) {
    return sim_lane_address(w, op->a, op->flags & SIM_OP_WIDE, lane) + (uint64_t)op->imm;
}

/* d: the addresses; a, imm, SIM_OP_WIDE: the matrix; b: the stride in elements; x: bits of an element; imm2: the
 * alignment of rows that is asked for; y: the one that machine code's accesses need; more: for each lane the number of
 * strides and, in the upper half, of elements within one. */
static sim_step find_elements(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *steps = w->sm->grid->program->pool + op->more, *stride = SIM_SLOT(w, uint32_t, op->b);
    uint64_t *d = SIM_SLOT(w, uint64_t, op->d);
    for (unsigned l = 0; l < SIM_LANES; l++) {
        const uint64_t elements = (uint64_t)(steps[l] & 0xffff) * stride[l] + (steps[l] >> 16);
        if (active >> l & 1) d[l] = matrix_at(w, op, l) + elements * op->x / 8;
    }
    if (w->sm->hazards && active) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        sim_hazard_fragment(w, op, active, matrix_at(w, op, lane), (uint64_t)stride[lane] * op->x / 8, op->imm2, op->y);
    }
    return SIM_NEXT;
}

/* Returns the strides from the start of the matrix and, in the upper half, the elements. */
static uint32_t steps_to(const fragment *f, unsigned r, unsigned e, unsigned lane) {
    const sim_element_place at = place_of(f, r, e, lane);
    return f->by_columns ? at.column | at.row << 16 : at.row | at.column << 16;
}

/* Emits the operation that computes the lanes' addresses from these steps into the scratch slot. */
static void emit_steps(sim_lowering *l, const fragment *f, const uint32_t steps[SIM_LANES]) {
    const uint32_t more = sim_pool(l, steps, SIM_LANES);
    sim_op *op = sim_emit(l, find_elements);
    op->d = f->address;
    op->a = f->base;
    op->b = f->stride;
    op->imm = f->offset;
    op->x = f->bits;
    op->imm2 = f->asked;
    op->y = f->needed;
    op->more = more;
    op->flags |= f->wide ? SIM_OP_WIDE : 0;
}

/* Computes the addresses of element e of register r, lane by lane. */
static void emit_address(sim_lowering *l, const fragment *f, unsigned r, unsigned e) {
    uint32_t steps[SIM_LANES];
    for (unsigned lane = 0; lane < SIM_LANES; lane++) steps[lane] = steps_to(f, r, e, lane);
    emit_steps(l, f, steps);
}

/* ---- words and elements ---- */

/* Inserts slot a as element x of y bits into register d, or extracts the element from it. */
static sim_step insert(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a), shift = op->x * op->y, mask = ((1u << op->y) - 1) << shift;
    SIM_STORE_LANES(d, active, (d[l] & ~mask) | (a[l] << shift & mask));
    return SIM_NEXT;
}

static sim_step extract(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
    const uint32_t *d = SIM_SLOT(w, uint32_t, op->d), shift = op->x * op->y, mask = (1u << op->y) - 1;
    SIM_STORE_LANES(a, active, d[l] >> shift & mask);
    return SIM_NEXT;
}

static void emit_element(sim_lowering *l, const fragment *f, sim_handler run, uint32_t slot, unsigned e) {
    sim_op *op = sim_emit(l, run);
    op->d = slot;
    op->a = SIM_SLOT_SCRATCH;
    op->x = e;
    op->y = f->bits;
}

/* Goes through the scratch slot, element by element. */
static haul_status access_elements(sim_lowering *l, const fragment *f, unsigned r, uint32_t slot) {
    const sim_element_access one = {f->address, SIM_SLOT_SCRATCH, f->bits / 8, 4, f->loads, !f->counted};
    for (unsigned e = 0; e < f->each; e++) {
        emit_address(l, f, r, e);
        if (!f->loads) emit_element(l, f, extract, slot, e);
        HAUL_TRY(SIM_ELEMENT_ACCESS(l, f->instruction, &one));
        if (f->loads) emit_element(l, f, insert, slot, e);
    }
    return HAUL_OK;
}

/* Elements of a register are adjacent along k, or along a row of c. */
static bool are_neighbours(const fragment *f) {
    return f->each == 1 || f->by_columns == (f->which == 'b');
}

/* Accesses one register, at once if its elements are adjacent. */
static haul_status access_register(sim_lowering *l, const fragment *f, unsigned r, uint32_t slot) {
    const unsigned bytes = f->bits == 64 ? 8 : 4;
    const sim_element_access whole = {f->address, slot, bytes, bytes, f->loads, !f->counted};
    if (!are_neighbours(f)) return access_elements(l, f, r, slot);
    emit_address(l, f, r, 0);
    return SIM_ELEMENT_ACCESS(l, f->instruction, &whole);
}

/* d = a */
static sim_step repeat(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    const uint32_t *a = SIM_SLOT(w, uint32_t, op->a);
    SIM_STORE_LANES(d, active, a[l]);
    return SIM_NEXT;
}

/* Accesses each register; those that repeat others are copied from them. */
static haul_status access_fragment(sim_lowering *l, const fragment *f) {
    for (unsigned r = 0; r < f->registers->part_count; r++) {
        const ptx_operand *o = &f->registers->parts[r];
        const uint32_t slot = f->loads ? sim_destination(l, o) : sim_source(l, o, PTX_B32);
        if (r < f->natural) {
            HAUL_TRY(access_register(l, f, r, slot));
            continue;
        }
        sim_op *op = sim_emit(l, repeat);
        op->d = slot;
        op->a = l->register_slots[f->registers->parts[r % f->natural].reg];
    }
    return HAUL_OK;
}

/* ---- the accesses of machine code ---- */

enum { MATRIX_ROWS = 8, MATRIX_WORDS = 4, MATRICES = 4, ROW_BYTES = 16 };

/* Returns whether machine code accesses the fragment as matrices of eight rows of 16 bytes. These are 16-bit factors in
 * any layout, 8-bit factors along k, and 16-bit sums. They move by words and are transposed in registers if they lie
 * the other way. */
static bool is_matrices(const fragment *f) {
    const bool factor = f->which == 'a' || f->which == 'b';
    return f->bits == 16 || (factor && f->bits == 8 && are_neighbours(f));
}

/* Sums of 32 and 64 bits by rows move two neighbours at a time. */
static bool is_pairs(const fragment *f) {
    return (f->which == 'c' || f->which == 'd') && f->bits >= 32 && !f->by_columns;
}

/* Returns the alignment that machine code's accesses need: of ldmatrix, of a pair, or of a word. */
static unsigned alignment_needed(const fragment *f) {
    const bool is_factor = f->which == 'a' || f->which == 'b';
    if (is_pairs(f)) return 2 * f->bits / 8;
    if (is_factor && is_matrices(f) && ptx_in_shared(f->instruction)) return ROW_BYTES;
    return f->bits > 32 ? f->bits / 8 : 4;
}

static void narrow(const uint64_t address[SIM_LANES], uint32_t in_block[SIM_LANES]) {
    for (unsigned l = 0; l < SIM_LANES; l++) in_block[l] = (uint32_t)address[l];
}

/* a: the addresses; imm2: they are shared addresses */
static sim_step count_words(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint64_t *address = SIM_SLOT(w, uint64_t, op->a);
    uint32_t in_block[SIM_LANES];
    narrow(address, in_block);
    if (op->imm2 || sim_is_shared_address(address[0]))
        sim_count_shared(w->sm->counting, w, op, active, in_block);
    else
        sim_count_global(w->sm->counting, w, op, active, address);
    return SIM_NEXT;
}

/* x: lanes that hold the address of a row */
static sim_step count_rows(sim_warp *w, const sim_op *op, uint32_t active) {
    uint32_t in_block[SIM_LANES];
    narrow(SIM_SLOT(w, uint64_t, op->a), in_block);
    sim_count_matrices(w->sm->counting, op, active & op->x, in_block);
    return SIM_NEXT;
}

/* Emits an operation that counts accesses at the addresses of these steps. */
static sim_op *emit_count(sim_lowering *l, const fragment *f, const uint32_t steps[SIM_LANES], sim_handler run,
                          unsigned bytes) {
    emit_steps(l, f, steps);
    sim_op *op = sim_emit(l, run);
    op->a = f->address;
    op->bytes = (uint8_t)bytes;
    op->imm2 = ptx_in_shared(f->instruction);
    return op;
}

/* Returns the position of word `word` in row `row` of the matrix in register r. */
static uint32_t step_in_matrix(const fragment *f, unsigned r, unsigned row, unsigned word) {
    return steps_to(f, r, 0, 0) + row + (word * f->each << 16);
}

static void count_matrix_words(sim_lowering *l, const fragment *f) {
    for (unsigned r = 0; r < f->natural; r++) {
        uint32_t steps[SIM_LANES];
        for (unsigned lane = 0; lane < SIM_LANES; lane++)
            steps[lane] = step_in_matrix(f, r, lane / MATRIX_WORDS, lane % MATRIX_WORDS);
        emit_count(l, f, steps, count_words, 4);
    }
}

static void count_matrix_rows(sim_lowering *l, const fragment *f) {
    for (unsigned r = 0; r < f->natural; r += MATRICES) {
        const unsigned count = f->natural - r < MATRICES ? f->natural - r : MATRICES;
        uint32_t steps[SIM_LANES] = {0};
        for (unsigned lane = 0; lane < count * MATRIX_ROWS; lane++)
            steps[lane] = step_in_matrix(f, r + lane / MATRIX_ROWS, lane % MATRIX_ROWS, 0);
        emit_count(l, f, steps, count_rows, ROW_BYTES)->x =
            count == MATRICES ? SIM_ALL_LANES : (1u << count * MATRIX_ROWS) - 1;
    }
}

static void count_pairs(sim_lowering *l, const fragment *f) {
    for (unsigned r = 0; r + 1 < f->natural; r += 2) {
        uint32_t steps[SIM_LANES];
        for (unsigned lane = 0; lane < SIM_LANES; lane++) steps[lane] = steps_to(f, r, 0, lane);
        emit_count(l, f, steps, count_words, 2 * f->bits / 8);
    }
}

/* Emits the counting that machine code's accesses need. */
static void count_fragment(sim_lowering *l, const fragment *f) {
    const bool factor = f->which == 'a' || f->which == 'b';
    if (f->counted) return;
    if (is_pairs(f))
        count_pairs(l, f);
    else if (factor && ptx_in_shared(f->instruction))
        count_matrix_rows(l, f);
    else
        count_matrix_words(l, f);
}

/* ---- lowering ---- */

/* Returns the elements of a row, or of a column if the matrix is stored by columns. */
static unsigned row_length(const fragment *f) {
    const unsigned rows = f->which == 'b' ? f->shape.k : f->shape.m,
                   columns = f->which == 'a' ? f->shape.k : f->shape.n;
    return f->by_columns ? rows : columns;
}

/* Omitted strides are the length of a row. */
static uint32_t stride_slot(sim_lowering *l, const fragment *f) {
    const ptx_instruction *i = f->instruction;
    if (i->operand_count > 2 && i->operands[2].kind != PTX_ABSENT) return sim_source(l, &i->operands[2], PTX_U32);
    return sim_constant(l, row_length(f), 4);
}

/* CUDA's guide asks for multiples of 16 bytes. Rows of fewer bytes may follow one another. */
static unsigned alignment_asked(const fragment *f) {
    const unsigned bytes = row_length(f) * f->bits / 8;
    return bytes < ROW_BYTES ? bytes : ROW_BYTES;
}

/* Returns the registers that the fragment's elements fill. */
static unsigned natural_registers(const fragment *f, unsigned type) {
    const unsigned rows = f->which == 'b' ? f->shape.n : f->shape.m;
    const unsigned depth = f->which == 'a' || f->which == 'b' ? f->shape.k : f->shape.n;
    return rows * depth * ptx_bits(type) / (SIM_LANES * (type == PTX_F64 ? 64u : 32u));
}

/* Lowers a load or store of fragment `which`: a, b, c or d. `memory`: the position of the address among the
 * operands. */
static haul_status lower_fragment(sim_lowering *l, const ptx_instruction *i, char which, unsigned memory) {
    fragment f = {.instruction = i,
                  .registers = &i->operands[1 - memory],
                  .memory = &i->operands[memory],
                  .shape = ptx_shape_of(i),
                  .which = which,
                  .bits = ptx_bits(i->type),
                  .by_columns = i->mods[PTX_SLOT_LAYOUT_A] == PTX_MOD_A_COL,
                  .loads = memory == 1};
    f.each = f.bits >= 32 ? 1 : 32 / f.bits;
    f.natural = natural_registers(&f, i->type);
    f.base = sim_address(l, f.memory, &f.wide, &f.offset);
    f.stride = stride_slot(l, &f);
    f.address = sim_scratch(l, 8);
    f.asked = alignment_asked(&f);
    f.needed = alignment_needed(&f);
    f.counted = !is_matrices(&f) && !is_pairs(&f);
    HAUL_TRY(access_fragment(l, &f));
    count_fragment(l, &f);
    return HAUL_OK;
}

haul_status LOWER(WMMA_LOAD_A)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fragment(l, i, 'a', 1);
}

haul_status LOWER(WMMA_LOAD_B)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fragment(l, i, 'b', 1);
}

haul_status LOWER(WMMA_LOAD_C)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fragment(l, i, 'c', 1);
}

haul_status LOWER(WMMA_STORE)(sim_lowering *l, const ptx_instruction *i) {
    return lower_fragment(l, i, 'd', 0);
}
