/* tcgen05.cp and tcgen05.shift: asynchronous copies into tensor memory and within it. One thread issues a copy for its
 * block or a pair; it is done with the thread's products, in order (exec/tmem.c).
 *
 * A copy reads rows of 16 or 32 bytes from shared memory, where a matrix descriptor places them. Each row goes to one
 * lane or, in shapes with fewer rows than lanes, to several.
 *
 * a, imm: the address in tensor memory; b: the descriptor of the matrix in shared memory; x: a COPY_*; y: bits of
 * elements that become bytes, or 0; imm2: both blocks of a pair take part. */
#include "check/hazard.h"
#include "exec/cluster.h"
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "exec/ops/tmem.h"
#include "exec/products.h"
#include "exec/tmem.h"
#include "state/tmem.h"

#include <string.h>

enum { COPY_128X256, COPY_4X256, COPY_128X128, COPY_64X128_02_13, COPY_64X128_01_23, COPY_32X128, SHIFT };
enum { WORDS_OF_CHUNK = SIM_CHUNK / 4, SHIFT_COLUMNS = 8, WARPS = SIM_TMEM_LANES / SIM_LANES };

/* Returns the rows of the matrix, and the chunks of 16 bytes in each. */
static uint32_t rows_of(const sim_op *op) {
    switch (op->x) {
    case COPY_4X256: return 4;
    case COPY_64X128_02_13:
    case COPY_64X128_01_23: return 64;
    case COPY_32X128: return SIM_LANES;
    default: return SIM_TMEM_LANES;
    }
}

/* Returns the chunks of 16 bytes in a row. */
static uint32_t chunks_of(const sim_op *op) {
    return op->x == COPY_128X256 || op->x == COPY_4X256 ? 2 : 1;
}

/* Returns the columns that the operation writes. */
static uint32_t columns_of(const sim_op *op) {
    return op->x == SHIFT ? SHIFT_COLUMNS : chunks_of(op) * WORDS_OF_CHUNK;
}

/* Returns the n-th lane that a row is copied to. 02_13 and 01_23 name the pairs of warps that get the same rows. */
static uint32_t lane_of(const sim_op *op, uint32_t row, uint32_t n) {
    switch (op->x) {
    case COPY_4X256: return row * SIM_LANES;
    case COPY_64X128_02_13: return row / SIM_LANES * 64 + n * SIM_LANES + row % SIM_LANES;
    case COPY_64X128_01_23: return row + n * 64;
    case COPY_32X128: return row + n * SIM_LANES;
    default: return row;
    }
}

/* Widens sixteen packed elements to bytes: 4 bits into the middle of the byte, 6 into its lower part. */
static void widen(unsigned char *chunk, uint32_t bits) {
    unsigned char packed[SIM_CHUNK + 1] = {0};
    memcpy(packed, chunk, SIM_CHUNK);
    for (uint32_t e = 0; e < SIM_CHUNK; e++) {
        const uint32_t at = bits * e, both = packed[at / 8] | (uint32_t)packed[at / 8 + 1] << 8;
        const uint32_t element = both >> at % 8 & ((1u << bits) - 1);
        chunk[e] = (unsigned char)(bits == 4 ? element << 2 : element);
    }
}

/* Copies the matrix of block `from`, as the engine sees it, to the tensor memory of block `to`. */
static void copy_to(sim_block *to, const sim_block *from, const sim_tmem_work *work) {
    const sim_op *op = work->op;
    const sim_descriptor d = sim_tmem_descriptor_of(work->b, false);
    sim_tmem *memory = sim_tmem_of(to);
    const uint32_t copies = SIM_TMEM_LANES / (op->x == COPY_4X256 ? SIM_TMEM_LANES : rows_of(op));
    for (uint32_t row = 0; row < rows_of(op); row++) {
        for (uint32_t c = 0; c < chunks_of(op); c++) {
            unsigned char chunk[SIM_CHUNK];
            memcpy(chunk, from->engine_view + sim_descriptor_chunk(&d, row, c), SIM_CHUNK);
            if (op->y) widen(chunk, op->y);
            for (uint32_t n = 0; n < copies; n++) {
                const uint32_t lane = sim_tmem_lane(work->d) + lane_of(op, row, n);
                memcpy(&memory->words[lane][sim_tmem_column(work->d) + c * WORDS_OF_CHUNK], chunk, SIM_CHUNK);
            }
        }
    }
}

/* Each lane of a warp, except the last, gets the next lane's row. */
static void shift(sim_block *b, const sim_tmem_work *work) {
    uint32_t(*rows)[SIM_TMEM_COLUMNS] = &sim_tmem_of(b)->words[sim_tmem_lane(work->d)];
    const uint32_t column = sim_tmem_column(work->d);
    for (uint32_t row = 0; row + 1 < SIM_LANES; row++)
        memcpy(&rows[row][column], &rows[row + 1][column], SHIFT_COLUMNS * sizeof(uint32_t));
}

enum { MOST_CHUNKS = 2 * SIM_TMEM_LANES };

/* Lists the shared addresses that the copy reads, 16 bytes each. Returns their number. */
static uint32_t source_of(const sim_op *op, uint64_t bits, uint32_t address[MOST_CHUNKS]) {
    const sim_descriptor d = sim_tmem_descriptor_of(bits, false);
    uint32_t count = 0;
    for (uint32_t row = 0; row < rows_of(op); row++)
        for (uint32_t c = 0; c < chunks_of(op); c++) address[count++] = sim_descriptor_chunk(&d, row, c);
    return count;
}

/* Tells the checks that the copy has read its source now. */
static void check_source(sim_block *b, const sim_tmem_work *work) {
    uint32_t address[MOST_CHUNKS];
    const uint32_t count = source_of(work->op, work->b, address);
    sim_hazard_factors_read(&b->warps[work->thread / SIM_LANES], work->op, 1u << work->thread % SIM_LANES, address,
                            count, work->issued);
}

/* Does the work for each block that takes part. */
static void make(sim_block *b, const sim_tmem_work *work) {
    if (b->sm->hazards && work->op->x != SHIFT && work->effect != SIM_EFFECT_ONLY) check_source(b, work);
    if (work->effect == SIM_CHECKS_ONLY) return;
    sim_block *first = work->op->imm2 ? &b->cluster[b->rank & ~1u] : b;
    for (uint32_t n = 0; n < (work->op->imm2 ? SIM_TMEM_PAIR : 1); n++) {
        if (work->op->x == SHIFT)
            shift(&first[n], work);
        else
            copy_to(&first[n], &first[n], work);
    }
}

/* ---- issue ---- */

/* Records the fault and returns false if the descriptor is invalid or the matrix not inside shared memory. */
static bool check_matrix(sim_warp *w, const sim_op *op, uint32_t lane, uint64_t bits) {
    const char *fault = sim_tmem_descriptor_fault(bits);
    const sim_descriptor d = sim_tmem_descriptor_of(bits, false);
    if (fault) {
        sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lane, "descriptor 0x%llx: %s", (unsigned long long)bits, fault);
        return false;
    }
    for (uint32_t row = 0; row < rows_of(op); row++)
        for (uint32_t c = 0; c < chunks_of(op); c++)
            if (!sim_tmem_check_chunk(w, op, lane, sim_descriptor_chunk(&d, row, c))) return false;
    return true;
}

/* A copy begins at lane 0 (of four rows: at one of the first 32 lanes), a shift at a warp's first lane. */
static bool check_lane(sim_warp *w, const sim_op *op, uint32_t lane, uint32_t address) {
    const uint32_t at = sim_tmem_lane(address);
    if (op->x == SHIFT ? at % SIM_LANES == 0 && at < SIM_TMEM_LANES : at < (op->x == COPY_4X256 ? SIM_LANES : 1))
        return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lane, "tensor memory at 0x%x: the copy cannot begin at lane %u",
              address, at);
    return false;
}

/* Records the fault and returns false unless all blocks that take part own the columns. */
static bool check_blocks(sim_warp *w, const sim_op *op, uint32_t lane, uint32_t address) {
    const sim_block *first = op->imm2 ? sim_tmem_pair(w, op, lane) : w->block;
    for (uint32_t n = 0; first && n < (op->imm2 ? SIM_TMEM_PAIR : 1); n++)
        if (!sim_tmem_check(w, op, lane, &first[n], address, columns_of(op))) return false;
    return first != NULL;
}

/* Checks and queues the active lanes' copies. */
static sim_step issue(sim_warp *w, const sim_op *op, uint32_t active) {
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        uint32_t source[MOST_CHUNKS];
        sim_tmem_work work = {.make = make,
                              .op = op,
                              .thread = w->index * SIM_LANES + lane,
                              .b = SIM_SLOT(w, uint64_t, op->b)[lane],
                              .d = SIM_SLOT(w, uint32_t, op->a)[lane] + (uint32_t)op->imm,
                              .written = {0, columns_of(op), SIM_TMEM_ALL_GROUPS},
                              .is_for_pair = op->imm2};
        if (op->x != SHIFT && !check_matrix(w, op, 1u << lane, work.b)) return SIM_STOP;
        if (!check_lane(w, op, 1u << lane, work.d) || !check_blocks(w, op, 1u << lane, work.d)) return SIM_STOP;
        work.written.column = sim_tmem_column(work.d);
        if (w->sm->hazards) sim_hazard_tmem(w, op, 1u << lane, HAUL_ACTION_ASYNC_WRITE, work.written);
        if (w->sm->hazards && op->x != SHIFT)
            work.issued = sim_hazard_factors(w, op, 1u << lane, source, source_of(op, work.b, source), NULL);
        if (!sim_tmem_add(w->block, &work))
            return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, active, "the host has no memory for a copy in flight");
    }
    return SIM_NEXT;
}

/* ---- lowering ---- */

/* `matrix`: the slot of the descriptor; a shift has none. */
static sim_op *emit_on_address(sim_lowering *l, const ptx_instruction *i, uint32_t matrix) {
    bool wide;
    int64_t offset;
    const uint32_t base = sim_address(l, &i->operands[0], &wide, &offset);
    sim_op *op = sim_emit(l, issue);
    op->a = base;
    op->imm = offset;
    op->b = matrix;
    op->imm2 = i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2;
    return op;
}

static uint32_t copy_of(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_COPY_SHAPE]) {
    case PTX_MOD_C128X256B: return COPY_128X256;
    case PTX_MOD_C4X256B: return COPY_4X256;
    case PTX_MOD_C128X128B: return COPY_128X128;
    case PTX_MOD_C32X128B: return COPY_32X128;
    default: return i->mods[PTX_SLOT_WARPS] == PTX_MOD_WARPS_02_13 ? COPY_64X128_02_13 : COPY_64X128_01_23;
    }
}

/* Elements of 4 and 6 bits may be widened to bytes on the way. */
haul_status LOWER(TMEM_CP)(sim_lowering *l, const ptx_instruction *i) {
    const unsigned unpacked = i->mods[PTX_SLOT_UNPACKED];
    sim_op *op = emit_on_address(l, i, sim_source(l, &i->operands[1], PTX_B64));
    op->x = copy_of(i);
    op->y = unpacked == PTX_MOD_UNPACKED_4 ? 4 : unpacked == PTX_MOD_UNPACKED_6 ? 6 : 0;
    return HAUL_OK;
}

/* Each lane but the last gets the next one's eight columns. */
haul_status LOWER(TMEM_SHIFT)(sim_lowering *l, const ptx_instruction *i) {
    emit_on_address(l, i, SIM_SLOT_ZERO)->x = SHIFT;
    return HAUL_OK;
}
