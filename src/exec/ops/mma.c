/* mma and wmma.mma: products of matrices in a warp's registers. more: a sim_product in the pool.
 *
 * A product gathers the factors and sums of all lanes into arrays of elements (fragments.h), multiplies them
 * (multiply.h, sparse.h) and scatters the sums. wmma's fragments have the same layout; its loads and stores are in
 * wmma.c. Two forms are different: products of 8-bit floats on sm_90 and sm_100, and the four small products of
 * m8n8k4. */
#include "exec/ops/fragments.h"
#include "exec/ops/lanes.h"
#include "exec/ops/multiply.h"
#include "exec/ops/sparse.h"
#include "exec/ops/usual.h"
#include "machine/machine.h"
#include "ptx/matrix.h"
#include "state/block.h"

#include <string.h>

/* ---- 8-bit floats ---- */

/* sm_90 and sm_100 multiply them only for a warpgroup. ptxas 13.0 converts a warp's to halves, multiplies the first two
 * of every four elements of k, then the other two, and adds c at the end. */
static bool goes_by_halves(const sim_product *p, unsigned sm) {
    return (p->type_a == PTX_E4M3 || p->type_a == PTX_E5M2) && sm >= SIM_FIRST_HOPPER && sm < SIM_FIRST_RTX_BLACKWELL;
}

/* Converts an 8-bit float to a half, which holds all of them. */
static uint32_t half_of(uint32_t raw, unsigned type) {
    return encode(sim_f16, sim_decode_one(raw, type), SIM_ROUND_EVEN, false);
}

/* Picks two of each four elements, as halves. */
static void pick(const sim_product *p, const sim_operands *from, unsigned first, sim_operands *to) {
    const uint32_t picked = p->k / 2;
    for (uint32_t at = 0; at < picked; at++) {
        const uint32_t k = 4 * (at / 2) + first + at % 2;
        for (uint32_t i = 0; i < p->m; i++) to->a.raw[i * picked + at] = half_of(from->a.raw[i * p->k + k], p->type_a);
        for (uint32_t j = 0; j < p->n; j++) to->b.raw[at * p->n + j] = half_of(from->b.raw[k * p->n + j], p->type_b);
    }
}

/* If d is in half precision, so is the sum between the two parts. */
static void multiply_by_halves(const sim_product *p, sim_operands *o, unsigned sm) {
    sim_product half = *p;
    sim_operands part;
    half.k = p->k / 2;
    half.type_a = half.type_b = PTX_F16;
    memset(part.sum.single, 0, p->m * p->n * sizeof(float));
    for (unsigned first = 0; first < 4; first += 2) {
        pick(p, o, first, &part);
        sim_multiply_floats(&half, &part, PTX_F16, sm);
        for (uint32_t n = 0; p->type_d == PTX_F16 && n < p->m * p->n; n++)
            part.sum.single[n] = f32_of_f16(f16_of_f32(part.sum.single[n]));
    }
    for (uint32_t n = 0; n < p->m * p->n; n++) o->sum.single[n] = canonical_f32(o->sum.single[n] + part.sum.single[n]);
}

/* Multiplies dense matrices of any types. */
static void multiply_warps(const sim_product *p, sim_operands *o, unsigned sm) {
    if (p->type_a == PTX_F64)
        sim_multiply_wide(p, o);
    else if (goes_by_halves(p, sm))
        multiply_by_halves(p, o, sm);
    else
        sim_multiply(p, o, sm);
}

/* Collects all lanes' elements; they are decoded when they are multiplied. */
static void gather(const sim_warp *w, const sim_product *p, sim_operands *o) {
    const uint32_t *pool = w->sm->grid->program->pool;
    sim_gather_a(w, p, pool + p->a, &o->a);
    sim_gather_b(w, p, pool + p->b, &o->b);
    sim_gather_sums(w, p, pool + p->c, o);
}

/* Computes a usual product from registers to registers. Returns false, with no effect, if the caller must take the
 * general path. */
static bool multiply_usual(sim_warp *w, const sim_product *p, uint32_t lanes) {
    const unsigned sm = w->sm->grid->machine->sm, sums = p->m * p->n;
    uint32_t *c[SIM_MOST_SUM_REGISTERS], *d[SIM_MOST_SUM_REGISTERS];
    sim_row_registers r;
    float sum[SIM_MOST_SUMS];
    if (!sim_may_be_usual(p, sm) || goes_by_halves(p, sm)) return false;
    sim_row_slots(w, p->a, sim_row_register_count(p->m * p->k, p->type_a), r.a);
    sim_row_slots(w, p->b, sim_row_register_count(p->n * p->k, p->type_b), r.b);
    sim_row_slots(w, p->c, sim_row_register_count(sums, p->type_c), c);
    sim_row_slots(w, p->d, sim_row_register_count(sums, p->type_d), d);
    sim_load_sums(p, c, sum);
    if (!sim_multiply_usual(p, &r, sm, sum)) return false;
    sim_store_sums(p, d, lanes, sum);
    return true;
}

/* A dense product of a whole warp. */
static sim_step multiply(sim_warp *w, const sim_op *op, uint32_t active) {
    const sim_product *p = sim_product_at(w, op);
    sim_operands o;
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    if (!lanes) return step;
    if (multiply_usual(w, p, lanes)) return SIM_NEXT;
    gather(w, p, &o);
    multiply_warps(p, &o, w->sm->grid->machine->sm);
    sim_scatter_sums(w, p, w->sm->grid->program->pool + p->d, lanes, &o);
    return SIM_NEXT;
}

/* The metadata are in a register of some of the lanes. */
static sim_step multiply_sparse(sim_warp *w, const sim_op *op, uint32_t active) {
    const sim_product *p = sim_product_at(w, op);
    sim_operands o;
    sim_metadata m;
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    if (!lanes) return step;
    gather(w, p, &o);
    sim_gather_metadata(SIM_SLOT(w, uint32_t, p->metadata), p, &m);
    sim_multiply_sparse(p, &o, &m, w->sm->grid->machine->sm, multiply_warps);
    sim_scatter_sums(w, p, w->sm->grid->program->pool + p->d, lanes, &o);
    return SIM_NEXT;
}

/* ---- m8n8k4 of f16: four products, each of eight lanes: four neighbours and the four lanes 16 further on ---- */

enum { QUADS = 4, QUAD_LANES = 8, QUAD_DEPTH = 4, QUAD_COLUMNS = 8, HALF_WARP = 16, QUAD_SUMS = 8 };
enum { QUAD_A_BY_COLUMNS = 1, QUAD_B_BY_COLUMNS = 2 };

/* Returns the lane of a quad's member. */
static unsigned quad_lane(unsigned quad, unsigned member) {
    return 4 * quad + member % 4 + HALF_WARP * (member / 4);
}

/* Each lane holds four elements e: along the row or column that its number names, or across it. */
static void gather_quad(const sim_warp *w, const sim_product *p, uint32_t layout, unsigned quad, sim_operands *o) {
    const uint32_t *pool = w->sm->grid->program->pool, *a = pool + p->a, *b = pool + p->b;
    for (unsigned member = 0; member < QUAD_LANES; member++) {
        const unsigned lane = quad_lane(quad, member), upper = 4 * (member / 4), own = member % 4;
        for (unsigned e = 0; e < QUAD_DEPTH; e++) {
            const unsigned row = layout & QUAD_A_BY_COLUMNS ? upper + e : upper + own;
            const unsigned k_of_a = layout & QUAD_A_BY_COLUMNS ? own : e;
            const unsigned column = layout & QUAD_B_BY_COLUMNS ? upper + own : upper + e;
            const unsigned k_of_b = layout & QUAD_B_BY_COLUMNS ? e : own;
            o->a.raw[row * QUAD_DEPTH + k_of_a] = SIM_SLOT(w, uint16_t, a[e / 2])[2 * lane + e % 2];
            o->b.raw[k_of_b * QUAD_COLUMNS + column] = SIM_SLOT(w, uint16_t, b[e / 2])[2 * lane + e % 2];
        }
    }
}

/* Returns the place of the member's sum e: in half precision a row of its own, in single precision 2 x 2 blocks. */
static unsigned quad_sum(unsigned type, unsigned member, unsigned e) {
    const unsigned upper = 4 * (member / 4);
    if (type == PTX_F16) return (upper + member % 4) * QUAD_COLUMNS + e;
    return (upper + (member & 1) + (e & 2)) * QUAD_COLUMNS + (e & 4) + (member & 2) + (e & 1);
}

/* Sums of c and d are in the registers of the quad's eight lanes. */
static void gather_quad_sums(const sim_warp *w, const sim_product *p, unsigned quad, sim_operands *o) {
    const uint32_t *c = w->sm->grid->program->pool + p->c;
    for (unsigned member = 0; member < QUAD_LANES; member++) {
        const unsigned lane = quad_lane(quad, member);
        for (unsigned e = 0; e < QUAD_SUMS; e++)
            o->sum.single[quad_sum(p->type_c, member, e)] =
                p->type_c == PTX_F16 ? f32_of_f16(SIM_SLOT(w, uint16_t, c[e / 2])[2 * lane + e % 2])
                                     : SIM_SLOT(w, float, c[e])[lane];
    }
}

/* Lanes that have ended keep their registers. */
static void scatter_quad_sums(sim_warp *w, const sim_product *p, unsigned quad, uint32_t lanes, const sim_operands *o) {
    const uint32_t *d = w->sm->grid->program->pool + p->d;
    for (unsigned member = 0; member < QUAD_LANES; member++) {
        const unsigned lane = quad_lane(quad, member);
        for (unsigned e = 0; e < QUAD_SUMS && lanes >> lane & 1; e++) {
            const float sum = o->sum.single[quad_sum(p->type_d, member, e)];
            if (p->type_d == PTX_F16)
                SIM_SLOT(w, uint16_t, d[e / 2])[2 * lane + e % 2] = sim_half_sum(sum);
            else
                SIM_SLOT(w, float, d[e])[lane] = sum;
        }
    }
}

/* x: QUAD_*_BY_COLUMNS. A result may share registers with a factor, since the quads have separate lanes. */
static sim_step multiply_quads(sim_warp *w, const sim_op *op, uint32_t active) {
    const sim_product *p = sim_product_at(w, op);
    sim_operands o;
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    for (unsigned quad = 0; lanes && quad < QUADS; quad++) {
        gather_quad(w, p, op->x, quad, &o);
        gather_quad_sums(w, p, quad, &o);
        sim_multiply(p, &o, w->sm->grid->machine->sm);
        scatter_quad_sums(w, p, quad, lanes, &o);
    }
    return step;
}

/* ---- lowering ---- */

/* Puts the fragments' slots and the product into the pool. */
static sim_op *emit_product(sim_lowering *l, const ptx_instruction *i, sim_handler run) {
    sim_product p = sim_product_of(i);
    p.d = sim_pool_fragment(l, &i->operands[0], true, i->type);
    p.a = sim_pool_fragment(l, &i->operands[1], false, i->type2);
    p.b = sim_pool_fragment(l, &i->operands[2], false, i->type3);
    p.c = sim_pool_fragment(l, &i->operands[3], false, i->type4);
    if (ptx_is_sparse(i)) {
        p.metadata = sim_source(l, &i->operands[4], PTX_B32);
        p.selector = (uint32_t)i->operands[5].bits;
    }
    const uint32_t more = sim_pool_product(l, &p);
    sim_op *op = sim_emit(l, run);
    op->more = more;
    return op;
}

static haul_status lower_product(sim_lowering *l, const ptx_instruction *i) {
    emit_product(l, i, ptx_is_sparse(i) ? multiply_sparse : multiply);
    return HAUL_OK;
}

#define PRODUCT(id)                                                     \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        return lower_product(l, i);                                     \
    }
PRODUCT(MMA_F16)
PRODUCT(MMA_BF16)
PRODUCT(MMA_TF32)
PRODUCT(MMA_FP8)
PRODUCT(MMA_F64)
PRODUCT(MMA_INT8)
PRODUCT(MMA_INT4)
PRODUCT(MMA_BITS)
PRODUCT(MMA_SP_F16)
PRODUCT(MMA_SP_BF16)
PRODUCT(MMA_SP_TF32)
PRODUCT(MMA_SP_FP8)
PRODUCT(MMA_SP_INT8)
PRODUCT(MMA_SP_INT4)
PRODUCT(WMMA_F16)
PRODUCT(WMMA)
PRODUCT(WMMA_BITS)

/* mma.m8n8k4 of f16, made for Volta. */
haul_status LOWER(MMA_QUAD)(sim_lowering *l, const ptx_instruction *i) {
    emit_product(l, i, multiply_quads)->x = (i->mods[PTX_SLOT_LAYOUT_A] == PTX_MOD_A_COL ? QUAD_A_BY_COLUMNS : 0u) |
                                            (i->mods[PTX_SLOT_LAYOUT_B] == PTX_MOD_B_COL ? QUAD_B_BY_COLUMNS : 0u);
    return HAUL_OK;
}
