/* ldmatrix, stmatrix, movmatrix: move matrices between shared memory and the fragments of products. The lanes'
 * addresses are those of rows of 16 bytes: lanes 0 to 7 for the first matrix, 8 to 15 for the second, and so on.
 *
 * A load reads all rows into one array, from which each register of each lane takes its part; a store fills the array
 * and writes its rows. So transposed forms and forms of bytes differ only in the places within the array.
 *
 * a, imm, SIM_OP_WIDE: the address; more, count: the registers' slots in the pool and their number; imm2: MATRIX_* */
#include "exec/observe.h"
#include "exec/ops/matrix.h"

#include "check/hazard.h"
#include "count/count.h"
#include "exec/access.h"
#include "exec/ops/lanes.h"
#include "state/lanes.h"

enum { ROW_BYTES = SIM_MATRIX_ROW, ROWS = 8, LOG2_WORD = 2 };
enum { MATRIX_TRANSPOSED = 1, MATRIX_OF_BYTES = 2, MATRIX_GENERIC = 4, MATRIX_OF_4_BITS = 8, MATRIX_OF_6_BITS = 16 };

/* Rows of up to four matrices of 8 rows. */
typedef union matrix_rows {
    uint8_t bytes[SIM_LANES][ROW_BYTES];
    uint16_t halves[SIM_LANES][ROW_BYTES / 2];
    uint32_t words[SIM_LANES][ROW_BYTES / 4];
} matrix_rows;

/* ---- position in the rows of the lane's part of register r ---- */

/* 16-bit elements: two neighbours of a row, or two of a column. */
static uint32_t word_of(const matrix_rows *m, uint32_t flags, unsigned r, unsigned lane) {
    const unsigned first = ROWS * r, group = sim_group(lane), member = sim_in_group(lane);
    if (!(flags & MATRIX_TRANSPOSED)) return m->words[first + group][member];
    return m->halves[first + 2 * member][group] | (uint32_t)m->halves[first + 2 * member + 1][group] << 16;
}

static void set_word(matrix_rows *m, uint32_t flags, unsigned r, unsigned lane, uint32_t word) {
    const unsigned first = ROWS * r, group = sim_group(lane), member = sim_in_group(lane);
    if (!(flags & MATRIX_TRANSPOSED)) {
        m->words[first + group][member] = word;
    } else {
        m->halves[first + 2 * member][group] = (uint16_t)word;
        m->halves[first + 2 * member + 1][group] = (uint16_t)(word >> 16);
    }
}

/* Returns a byte of a 16x16 matrix. Two registers share the lane's four rows: two rows each, of two columns. */
static uint8_t *loaded_byte(matrix_rows *m, unsigned r, unsigned lane, unsigned byte) {
    const unsigned row = 2 * ROWS * (r / 2) + 4 * sim_in_group(lane) + 2 * (r % 2) + byte % 2;
    return &m->bytes[row][sim_group(lane) + 8 * (byte / 2)];
}

/* Returns a byte of a 16x8 matrix, whose columns become rows in memory. */
static uint8_t *stored_byte(matrix_rows *m, unsigned r, unsigned lane, unsigned byte) {
    return &m->bytes[ROWS * r + 2 * sim_in_group(lane) + byte % 2][sim_group(lane) + 8 * (byte / 2)];
}

/* Collect and spread the four bytes of a lane's register. */
static uint32_t bytes_of(matrix_rows *m, unsigned r, unsigned lane) {
    uint32_t word = 0;
    for (unsigned byte = 0; byte < 4; byte++) word |= (uint32_t)*loaded_byte(m, r, lane, byte) << 8 * byte;
    return word;
}

static void set_bytes(matrix_rows *m, unsigned r, unsigned lane, uint32_t word) {
    for (unsigned byte = 0; byte < 4; byte++) *stored_byte(m, r, lane, byte) = (uint8_t)(word >> 8 * byte);
}

/* Makes a row of 16 bytes of the elements of 4 or 6 bits that it begins with. Each takes the lowest bits of its byte.
 */
static void unpack_row(uint8_t row[ROW_BYTES], unsigned bits) {
    uint8_t packed[ROW_BYTES + 1] = {0};
    memcpy(packed, row, ROW_BYTES);
    for (unsigned e = 0; e < ROW_BYTES; e++) {
        const unsigned at = bits * e, both = packed[at / 8] | (unsigned)packed[at / 8 + 1] << 8;
        row[e] = (uint8_t)(both >> at % 8 & ((1u << bits) - 1));
    }
}

/* ---- memory ---- */

/* Returns the lanes whose addresses count. */
static uint32_t row_lanes(const sim_op *op) {
    return op->count * ROWS >= SIM_LANES ? SIM_ALL_LANES : (1u << op->count * ROWS) - 1;
}

/* Finds the addresses of the rows, as far as the warp has lanes for them. Returns false, with the fault recorded, if a
 * lane's address is invalid. */
static bool find_rows(sim_warp *w, const sim_op *op, uint32_t rows, uint32_t address[SIM_LANES]) {
    if (op->imm2 & MATRIX_GENERIC) {
        uint64_t generic[SIM_LANES];
        sim_addresses(w, op, generic);
        if (!sim_check_window(w, op, rows, generic)) return false;
    }
    sim_shared_addresses(w, op->a, op->imm, op->flags & SIM_OP_WIDE, address);
    return sim_check_shared(w, op, rows, address, ROW_BYTES, ROW_BYTES);
}

/* Writes register r: of plain matrices, its words are the rows' in order. */
static void take_register(matrix_rows *m, uint32_t flags, unsigned r, uint32_t lanes, uint32_t *d) {
    const uint32_t *words = m->words[ROWS * r];
    if (flags & MATRIX_OF_BYTES)
        SIM_STORE_LANES(d, lanes, bytes_of(m, r, l));
    else if (flags & MATRIX_TRANSPOSED)
        SIM_STORE_LANES(d, lanes, word_of(m, MATRIX_TRANSPOSED, r, l));
    else
        SIM_STORE_LANES(d, lanes, words[l]);
}

/* A row whose lane has ended reads as zeros. */
static sim_step load_matrices(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    uint32_t address[SIM_LANES];
    matrix_rows m = {0};
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step), rows = lanes & row_lanes(op);
    if (!lanes) return step;
    if (!find_rows(w, op, rows, address)) return SIM_STOP;
    sim_observe_load_matrix(w, op, rows, address);
    for (uint32_t left = rows; left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left);
        memcpy(m.bytes[l], w->block->shared + address[l], ROW_BYTES);
        if (op->imm2 & (MATRIX_OF_4_BITS | MATRIX_OF_6_BITS))
            unpack_row(m.bytes[l], op->imm2 & MATRIX_OF_4_BITS ? 4 : 6);
    }
    for (unsigned r = 0; r < op->count; r++) take_register(&m, op->imm2, r, lanes, SIM_SLOT(w, uint32_t, slots[r]));
    return SIM_NEXT;
}

enum { MATRIX_TURN = 7 }; /* of rows of a matrix with one address, the first one stays */

/* All lanes' registers are written, by the lanes that name rows. */
static sim_step store_matrices(sim_warp *w, const sim_op *op, uint32_t active) {
    const uint32_t *slots = w->sm->grid->program->pool + op->more;
    uint32_t address[SIM_LANES];
    matrix_rows m;
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step), rows = lanes & row_lanes(op);
    if (!lanes) return step;
    if (!find_rows(w, op, rows, address)) return SIM_STOP;
    for (unsigned r = 0; r < op->count; r++) {
        const uint32_t *a = SIM_SLOT(w, uint32_t, slots[r]);
        for (unsigned l = 0; l < SIM_LANES; l++) {
            if (op->imm2 & MATRIX_OF_BYTES)
                set_bytes(&m, r, l, a[l]);
            else
                set_word(&m, op->imm2, r, l, a[l]);
        }
    }
    sim_observe_store_matrix(w, op, rows, address, m.bytes[0]);
    for (uint32_t left = sim_turn_lanes(rows, MATRIX_TURN); left; left &= left - 1) {
        const unsigned l = (unsigned)__builtin_ctz(left) ^ MATRIX_TURN;
        memcpy(w->block->shared + address[l], m.bytes[l], ROW_BYTES);
    }
    w->sm->changes++;
    return SIM_NEXT;
}

/* `memory`: the position of the address among the operands; a load has it second. */
static haul_status lower_matrices(sim_lowering *l, const ptx_instruction *i, sim_handler run, unsigned memory,
                                  haul_memory_class class) {
    const ptx_operand *registers = &i->operands[1 - memory];
    const bool loads = memory == 1;
    const uint32_t more = sim_pool_fragment(l, registers, loads, PTX_B32);
    sim_op *op = sim_emit_at(l, run, &i->operands[memory]);
    const bool generic = op->flags & SIM_OP_WIDE && !i->mods[PTX_SLOT_SPACE];
    op->more = more;
    op->count = (uint8_t)registers->part_count;
    op->bytes = ROW_BYTES;
    op->x = LOG2_WORD;
    op->imm2 = (i->mods[PTX_SLOT_TRANS] ? MATRIX_TRANSPOSED : 0u) | (generic ? MATRIX_GENERIC : 0u) |
               (i->type == PTX_B8 || i->op == PTX_OP_LDMATRIX_UNPACKED_B8 ? MATRIX_OF_BYTES : 0u) |
               (i->mods[PTX_SLOT_UNPACKED] == PTX_MOD_UNPACKED_4 ? MATRIX_OF_4_BITS : 0u) |
               (i->mods[PTX_SLOT_UNPACKED] == PTX_MOD_UNPACKED_6 ? MATRIX_OF_6_BITS : 0u);
    op->memory_class = (uint8_t) class;
    return HAUL_OK;
}

haul_status LOWER(LDMATRIX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_matrices(l, i, load_matrices, 1, HAUL_CLASS_SHARED_LOAD);
}

haul_status LOWER(LDMATRIX_B8)(sim_lowering *l, const ptx_instruction *i) {
    return lower_matrices(l, i, load_matrices, 1, HAUL_CLASS_SHARED_LOAD);
}

haul_status LOWER(LDMATRIX_UNPACKED)(sim_lowering *l, const ptx_instruction *i) {
    return lower_matrices(l, i, load_matrices, 1, HAUL_CLASS_SHARED_LOAD);
}

haul_status LOWER(LDMATRIX_UNPACKED_B8)(sim_lowering *l, const ptx_instruction *i) {
    return lower_matrices(l, i, load_matrices, 1, HAUL_CLASS_SHARED_LOAD);
}

haul_status LOWER(STMATRIX)(sim_lowering *l, const ptx_instruction *i) {
    return lower_matrices(l, i, store_matrices, 0, HAUL_CLASS_SHARED_STORE);
}

haul_status LOWER(STMATRIX_B8)(sim_lowering *l, const ptx_instruction *i) {
    return lower_matrices(l, i, store_matrices, 0, HAUL_CLASS_SHARED_STORE);
}

/* ---- movmatrix ---- */

/* Writes the rows of a matrix and reads its columns. */
static sim_step transpose(sim_warp *w, const sim_op *op, uint32_t active) {
    matrix_rows m;
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step), *a = SIM_SLOT(w, uint32_t, op->a);
    uint32_t *d = SIM_SLOT(w, uint32_t, op->d);
    if (!lanes) return step;
    for (unsigned l = 0; l < SIM_LANES; l++) set_word(&m, 0, 0, l, a[l]);
    SIM_STORE_LANES(d, lanes, word_of(&m, MATRIX_TRANSPOSED, 0, l));
    return SIM_NEXT;
}

haul_status LOWER(MOVMATRIX)(sim_lowering *l, const ptx_instruction *i) {
    return sim_lower_unary(l, i, transpose);
}
