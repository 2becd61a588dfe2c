/* tcgen05.mma and its variants: issues products whose sums are in tensor memory. They execute asynchronously
 * (tmem_make.c).
 *
 * One thread issues a product for its block or for a pair. The issue reads all operands and checks everything that it
 * can: the instruction descriptor, the matrix descriptors, the addresses of each chunk in shared memory, and the
 * columns of tensor memory in all blocks that take part. So a fault has the line of the instruction. Then the product
 * waits in the block's queue (exec/tmem.c). */
#include "exec/ops/tmem_mma.h"

#include "check/hazard.h"
#include "exec/fault.h"
#include "exec/ops/lanes.h"
#include "exec/products.h"
#include "exec/tmem.h"
#include "ptx/tcgen05.h"

/* ---- checks ---- */

/* Checks each chunk of 16 bytes of a matrix, and adds it to the list, as far as the list has room. */
static bool list_chunks(sim_warp *w, const sim_op *op, uint32_t lane, const sim_tmem_matrix *d, sim_tmem_chunks *list) {
    for (uint32_t row = 0; row < d->rows; row++) {
        for (uint32_t c = 0; c < d->chunks; c++) {
            const uint32_t at = sim_descriptor_chunk(&d->descriptor, row, c);
            if (!sim_tmem_check_chunk(w, op, lane, at)) return false;
            if (list->count < SIM_TMEM_WORST_CHUNKS) list->address[list->count++] = at;
        }
    }
    return true;
}

/* Records the fault of an operand. */
static sim_step wrong(sim_warp *w, const sim_op *op, uint32_t lane, const char *what, uint64_t bits, const char *why) {
    return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lane, "%s 0x%llx: %s", what, (unsigned long long)bits, why);
}

/* Return the columns of tensor memory that an a and its metadata take. */
static uint32_t columns_of_a(const sim_tmem_product *p) {
    return p->depth_of_a * p->bits / 32;
}

static uint32_t columns_of_metadata(const sim_tmem_product *p) {
    return p->bits <= 8 ? 2 : 1;
}

/* Returns the columns of tensor memory with the scale factors of that many rows. */
static uint32_t scale_columns(uint32_t rows) {
    return (rows + SIM_LANES - 1) / SIM_LANES;
}

/* Records the fault and returns false if block `b` has not allocated all columns that the product uses there. */
static bool check_tensor_memory(sim_warp *w, const sim_op *op, uint32_t lane, const sim_block *b, const sim_tmem_op *t,
                                const sim_tmem_product *p, const sim_tmem_work *work) {
    if (!sim_tmem_check(w, op, lane, b, work->d, sim_tmem_sum_columns(p))) return false;
    if (t->flags & SIM_TMEM_HAS_A && !sim_tmem_check(w, op, lane, b, (uint32_t)work->a, columns_of_a(p))) return false;
    if (t->flags & SIM_TMEM_SPARSE &&
        !sim_tmem_check(w, op, lane, b, work->metadata + p->selector, columns_of_metadata(p)))
        return false;
    return !t->scales || (sim_tmem_check(w, op, lane, b, work->scale_a, scale_columns(p->rows)) &&
                          sim_tmem_check(w, op, lane, b, work->scale_b, scale_columns(p->n)));
}

/* Records the fault and returns false if sums or a factor begin at a lane where their layout cannot. */
static bool check_lane(sim_warp *w, const sim_op *op, uint32_t lane, const sim_tmem_product *p, uint32_t address) {
    const uint32_t at = sim_tmem_lane(address);
    if (at == 0 || (at == SIM_TILE_ROWS && p->layout == SIM_TMEM_LAYOUT_HALF_LANES)) return true;
    wrong(w, op, lane, "tensor memory at", address, "a matrix of this size cannot begin at this lane");
    return false;
}

bool sim_tmem_check_matrices(sim_warp *w, const sim_op *op, uint32_t lane, const sim_tmem_op *t,
                             const sim_tmem_product *p, const sim_tmem_work *work, sim_tmem_chunks *list) {
    const sim_tmem_matrix a = sim_tmem_matrix_a(w->block, p, work->a), b = sim_tmem_matrix_b(w->block, p, work->b);
    const bool a_in_shared = !(t->flags & SIM_TMEM_HAS_A);
    const char *fault = sim_tmem_descriptor_fault(work->b);
    if (fault) return wrong(w, op, lane, "descriptor of b", work->b, fault), false;
    if (a_in_shared) fault = sim_tmem_descriptor_fault(work->a);
    if (fault) return wrong(w, op, lane, "descriptor of a", work->a, fault), false;
    list->count = 0;
    return (!a_in_shared || list_chunks(w, op, lane, &a, list)) && list_chunks(w, op, lane, &b, list);
}

/* ---- issue ---- */

/* Returns an address operand of the lane. */
static uint32_t word_at(const sim_warp *w, sim_tmem_address s, unsigned lane) {
    return SIM_SLOT(w, uint32_t, s.slot)[lane] + s.offset;
}

/* Reads all operands of the lane. The registers may be reused as soon as the product is issued. */
static sim_tmem_work work_of(const sim_warp *w, const sim_op *op, const sim_tmem_op *t, unsigned lane) {
    sim_tmem_work work = {
        .make = sim_tmem_make,
        .op = op,
        .thread = w->index * SIM_LANES + lane,
        .a = t->flags & SIM_TMEM_HAS_A ? word_at(w, t->a, lane) : SIM_SLOT(w, uint64_t, t->a_descriptor)[lane],
        .b = SIM_SLOT(w, uint64_t, t->b)[lane],
        .d = word_at(w, t->d, lane),
        .descriptor = SIM_SLOT(w, uint32_t, t->descriptor)[lane],
        .metadata = word_at(w, t->metadata, lane),
        .scale_a = word_at(w, t->scale_a, lane),
        .scale_b = word_at(w, t->scale_b, lane),
        .zeros = SIM_SLOT(w, uint64_t, t->zeros)[lane],
        .keeps = (SIM_PREDICATE(w, t->keep) ^ t->flip) >> lane & 1,
    };
    for (uint32_t n = 0; n < t->disabled_count; n++) work.disabled[n] = SIM_SLOT(w, uint32_t, t->disabled[n])[lane];
    return work;
}

/* Records the fault and returns false if the product cannot be executed. Fills in *p and the list of chunks. */
static bool check_work(sim_warp *w, const sim_op *op, uint32_t lane, const sim_tmem_op *t, const sim_tmem_work *work,
                       sim_tmem_product *p, sim_tmem_chunks *list) {
    const char *fault = sim_tmem_read_descriptor(t, work->descriptor, p);
    sim_block *first = w->block;
    if (fault) return wrong(w, op, lane, "instruction descriptor", work->descriptor, fault), false;
    if (t->flags & SIM_TMEM_FOR_PAIR) first = sim_tmem_pair(w, op, lane);
    if (!first || !check_lane(w, op, lane, p, work->d)) return false;
    if (t->flags & SIM_TMEM_HAS_A && !check_lane(w, op, lane, p, (uint32_t)work->a)) return false;
    for (uint32_t b = 0; b < p->m / p->rows; b++)
        if (!check_tensor_memory(w, op, lane, first + b, t, p, work)) return false;
    return sim_tmem_check_matrices(w, op, lane, t, p, work, list);
}

/* Returns columns in all lanes of tensor memory. */
static sim_tmem_area all_lanes_at(uint32_t address, uint32_t columns) {
    return (sim_tmem_area){sim_tmem_column(address), columns, SIM_TMEM_ALL_GROUPS};
}

/* Returns where the rows of a matrix of the product are. */
static sim_tmem_area rows_at(const sim_tmem_product *p, uint32_t address, uint32_t columns) {
    sim_tmem_area area = all_lanes_at(address, columns);
    if (p->layout == SIM_TMEM_LAYOUT_HALF_LANES)
        area.groups = (uint8_t)(SIM_TMEM_EVERY_OTHER_GROUP << sim_tmem_lane(address) / SIM_TMEM_GROUP);
    return area;
}

/* Checks for stores and loads of the block's warps that are still in flight. */
static void check_order(sim_warp *w, const sim_op *op, uint32_t lane, const sim_tmem_op *t, const sim_tmem_product *p,
                        const sim_tmem_work *work) {
    sim_hazard_tmem(w, op, lane, HAUL_ACTION_ASYNC_WRITE, work->written);
    if (t->flags & SIM_TMEM_HAS_A)
        sim_hazard_tmem(w, op, lane, HAUL_ACTION_ASYNC_READ, rows_at(p, (uint32_t)work->a, columns_of_a(p)));
    if (t->flags & SIM_TMEM_SPARSE)
        sim_hazard_tmem(w, op, lane, HAUL_ACTION_ASYNC_READ,
                        all_lanes_at(work->metadata + p->selector, columns_of_metadata(p)));
    if (!t->scales) return;
    sim_hazard_tmem(w, op, lane, HAUL_ACTION_ASYNC_READ, all_lanes_at(work->scale_a, scale_columns(p->rows)));
    sim_hazard_tmem(w, op, lane, HAUL_ACTION_ASYNC_READ, all_lanes_at(work->scale_b, scale_columns(p->n)));
}

/* Every active lane issues a product; programs elect one. */
static sim_step issue(sim_warp *w, const sim_op *op, uint32_t active) {
    const sim_tmem_op *t = sim_tmem_op_at(w->block, op);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_tmem_work work = work_of(w, op, t, lane);
        sim_tmem_product p;
        sim_tmem_chunks list;
        if (!check_work(w, op, 1u << lane, t, &work, &p, &list)) return SIM_STOP;
        work.written = rows_at(&p, work.d, sim_tmem_sum_columns(&p));
        if (w->sm->hazards) {
            work.issued = sim_hazard_factors(w, op, 1u << lane, list.address, list.count, NULL);
            check_order(w, op, 1u << lane, t, &p, &work);
        }
        work.is_for_pair = t->flags & SIM_TMEM_FOR_PAIR;
        if (!sim_tmem_add(w->block, &work))
            return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, active,
                               "the host has no memory for a product in flight");
    }
    return SIM_NEXT;
}

/* ---- lowering ---- */

/* Takes an address operand apart. */
static sim_tmem_address address_in(sim_lowering *l, const ptx_operand *o) {
    bool wide;
    int64_t offset;
    const uint32_t slot = sim_address(l, o, &wide, &offset);
    return (sim_tmem_address){slot, (uint32_t)offset};
}

/* Returns how many scale factors a row of a has; 0: the kind has none. */
static uint32_t scales_of(const ptx_instruction *i) {
    const unsigned scale = i->mods[PTX_SLOT_SCALE_VEC], kind = i->mods[PTX_SLOT_KIND];
    if (!i->mods[PTX_SLOT_BLOCK_SCALE]) return 0;
    if (scale == PTX_MOD_SCALE_VEC_4X || scale == PTX_MOD_SCALE_BLOCK_16) return 4;
    return kind == PTX_MOD_KIND_MXF8F6F4 ? 1 : 2;
}

/* Returns SIM_TMEM_*. An a in tensor memory is written as an address, one in shared memory as a descriptor. */
static uint32_t flags_of(const ptx_instruction *i) {
    const bool weights = i->op == PTX_OP_TMEM_MMA_WS || i->op == PTX_OP_TMEM_MMA_WS_SP;
    const bool sparse =
        i->op == PTX_OP_TMEM_MMA_SP || i->op == PTX_OP_TMEM_MMA_SP_SCALED || i->op == PTX_OP_TMEM_MMA_WS_SP;
    return (weights ? SIM_TMEM_WEIGHTS_STAY : 0u) | (sparse ? SIM_TMEM_SPARSE : 0u) |
           (i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2 ? SIM_TMEM_FOR_PAIR : 0u) |
           (i->operands[1].kind == PTX_MEMORY ? SIM_TMEM_HAS_A : 0u) |
           (i->mods[PTX_SLOT_ASHIFT] ? SIM_TMEM_SHIFTS_A : 0u);
}

/* Lowers the operands after the instruction descriptor: lanes and a scale of d, scale factors, or columns that are
 * zero. */
static void lower_tail(sim_lowering *l, const ptx_instruction *i, unsigned at, sim_tmem_op *t) {
    const bool weights = t->flags & SIM_TMEM_WEIGHTS_STAY;
    if (t->scales) {
        t->scale_a = address_in(l, &i->operands[at++]);
        t->scale_b = address_in(l, &i->operands[at++]);
    } else if (!weights) {
        const ptx_operand *lanes = &i->operands[at++];
        t->disabled_count = lanes->kind == PTX_VECTOR ? lanes->part_count : 0;
        for (uint32_t n = 0; n < t->disabled_count; n++) t->disabled[n] = sim_source(l, &lanes->parts[n], PTX_B32);
    }
    t->keep = sim_predicate(l, &i->operands[at++], &t->flip);
    if (i->operand_count <= at) return;
    if (weights)
        t->zeros = sim_source(l, &i->operands[at], PTX_B64);
    else
        t->scale_of_d = (uint32_t)i->operands[at].bits;
}

/* Puts the operands into the pool as a sim_tmem_op: they are more than an operation has fields for. */
static haul_status lower_tensor_product(sim_lowering *l, const ptx_instruction *i) {
    enum { D, A, B, METADATA };
    const sim_tmem_address zero = {SIM_SLOT_ZERO, 0};
    sim_tmem_op t = {.kind = i->mods[PTX_SLOT_KIND] - PTX_MOD_KIND_F16 + 0u,
                     .flags = flags_of(i),
                     .scales = scales_of(i),
                     .a = zero,
                     .metadata = zero,
                     .scale_a = zero,
                     .scale_b = zero,
                     .a_descriptor = SIM_SLOT_ZERO,
                     .zeros = SIM_SLOT_ZERO};
    unsigned at = METADATA;
    t.d = address_in(l, &i->operands[D]);
    if (t.flags & SIM_TMEM_HAS_A)
        t.a = address_in(l, &i->operands[A]);
    else
        t.a_descriptor = sim_source(l, &i->operands[A], PTX_B64);
    t.b = sim_source(l, &i->operands[B], PTX_B64);
    if (t.flags & SIM_TMEM_SPARSE) t.metadata = address_in(l, &i->operands[at++]);
    t.descriptor = sim_source(l, &i->operands[at++], PTX_B32);
    lower_tail(l, i, at, &t);
    const uint32_t more = sim_pool(l, (const uint32_t *)(const void *)&t, sizeof t / sizeof(uint32_t));
    sim_emit(l, issue)->more = more;
    return HAUL_OK;
}

#define TENSOR_PRODUCT(id)                                              \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        return lower_tensor_product(l, i);                              \
    }
TENSOR_PRODUCT(TMEM_MMA)
TENSOR_PRODUCT(TMEM_MMA_SCALED)
TENSOR_PRODUCT(TMEM_MMA_SP)
TENSOR_PRODUCT(TMEM_MMA_SP_SCALED)
TENSOR_PRODUCT(TMEM_MMA_WS)
TENSOR_PRODUCT(TMEM_MMA_WS_SP)
