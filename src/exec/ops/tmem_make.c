/* tcgen05.mma: executes the product, asynchronously to the warp: d = a b + d for the rows of one block or
 * (.cta_group::2) of a pair. Each block of a pair holds half of a's rows and half of b's columns.
 *
 * The work is done in tiles of 16 rows by up to 128 columns. For each tile, factors are read as raw elements, decoded
 * to significands and exponents, and scaled if the kind has scale factors. They are multiplied by the same code as
 * other products (multiply.h). Sums are read from and written to tensor memory. Order of the loops: b's columns
 * outside, so that they are read once.
 *
 * The issue is in tmem_mma.c and the instruction descriptor in tmem_descriptor.c. None of this was compared with
 * hardware; docs/architecture.md lists what NVIDIA's manual leaves open. */
#include "check/hazard.h"
#include "exec/ops/multiply.h"
#include "exec/ops/sparse.h"
#include "exec/ops/tmem_mma.h"
#include "exec/ops/usual.h"
#include "exec/products.h"
#include "exec/tmem.h"
#include "machine/machine.h"

enum { CHUNK_COLUMNS = 128 };

/* ---- elements ---- */

/* Returns an element of a chunk. Elements of 4 or 6 bits in containers of 8 are packed, sixteen in a row, with padding
 * after them. */
static uint32_t element_in(const unsigned char *chunk, uint32_t type, uint32_t container, uint32_t e) {
    uint64_t low;
    uint32_t raw = 0;
    memcpy(&low, chunk, sizeof low);
    if (type == PTX_E2M1) return chunk[e / 2] >> 4 * (e % 2) & 15;
    if (type == PTX_E2M3 || type == PTX_E3M2) {
        const uint32_t at = 6 * e;
        return ((uint32_t)chunk[at / 8] | (uint32_t)chunk[at / 8 + 1] << 8) >> at % 8 & 63;
    }
    memcpy(&raw, chunk + e * (container / 8), container / 8);
    return raw;
}

/* Reads rows `first` to first + count - 1. Element (row, k) goes to raw[row * by_row + k * by_k]. */
static void read_rows(const sim_tmem_matrix *d, uint32_t type, uint32_t container, uint32_t first, uint32_t count,
                      uint32_t *raw, uint32_t by_row, uint32_t by_k) {
    const bool transposed = d->descriptor.transposed;
    const uint32_t outer = transposed ? d->rows : count, inner = transposed ? count / d->along : d->chunks;
    const uint32_t first_outer = transposed ? 0 : first, first_inner = transposed ? first / d->along : 0;
    for (uint32_t o = 0; o < outer; o++) {
        for (uint32_t c = 0; c < inner; c++) {
            const uint32_t at = sim_descriptor_chunk(&d->descriptor, first_outer + o, first_inner + c);
            for (uint32_t e = 0; e < d->along; e++) {
                const uint32_t along = c * d->along + e, row = transposed ? along : o, k = transposed ? o : along;
                raw[row * by_row + k * by_k] = element_in(d->block->engine_view + at, type, container, e);
            }
        }
    }
}

/* ---- factors ---- */

/* Reads rows of a that lie in tensor memory, packed in 32-bit columns. A shifted a takes each row from the next lane;
 * the last row has none and stays. */
static void read_a_from_tensor_memory(sim_tmem *memory, const sim_tmem_op *t, const sim_tmem_product *p,
                                      uint32_t address, uint32_t first, uint32_t *raw) {
    const uint32_t each = 32 / p->bits, mask = p->bits == 32 ? UINT32_MAX : (1u << p->bits) - 1;
    for (uint32_t r = 0; r < SIM_TILE_ROWS; r++) {
        const uint32_t next = t->flags & SIM_TMEM_SHIFTS_A && first + r + 1 < p->rows ? 1 : 0;
        const uint32_t *words =
            memory->words[sim_tmem_lane_of_row(p, address, first + r + next)] + sim_tmem_column(address);
        for (uint32_t k = 0; k < p->depth_of_a; k++) {
            const uint32_t element = words[k / each] >> k % each * p->bits & mask;
            const bool is_shifted = p->type_a == PTX_E2M1 && p->bits == 8;
            raw[r * p->depth_of_a + k] = is_shifted ? element >> 2 & 15 : element;
        }
    }
}

/* Flips the sign bit of each element. */
static void negate(uint32_t *raw, uint32_t count, uint32_t type) {
    const sim_small_float s = sim_small_float_of(type);
    for (uint32_t n = 0; n < count; n++) raw[n] ^= 1u << (s.shift + s.mantissa + s.exponent);
}

/* Reads the tile's rows of a. `first` counts within the block's part. */
static void read_a(const sim_block *b, const sim_tmem_op *t, const sim_tmem_product *p, const sim_tmem_work *work,
                   uint32_t first, uint32_t *raw) {
    const sim_tmem_matrix a = sim_tmem_matrix_a(b, p, work->a);
    if (t->flags & SIM_TMEM_HAS_A)
        read_a_from_tensor_memory(sim_tmem_of(b), t, p, (uint32_t)work->a, first, raw);
    else
        read_rows(&a, p->type_a, p->bits, first, SIM_TILE_ROWS, raw, p->depth_of_a, 1);
    if (p->negates_a) negate(raw, SIM_TILE_ROWS * p->depth_of_a, p->type_a);
}

/* ---- columns of b that count as zero ---- */

static uint32_t byte_of(uint64_t bits, unsigned at) {
    return (uint32_t)(bits >> at & 0xff);
}

/* Columns of a part are used and omitted by turns, starting at some position of a span. The descriptor has a byte of
 * start for each part, and the lengths of both kinds of runs less one. */
static bool is_zero_column(const sim_tmem_product *p, uint64_t zeros, uint32_t column) {
    const uint32_t parts = SIM_TMEM_LANES / p->m, wide = p->n / parts, part = column / wide;
    const uint32_t out = byte_of(zeros, 40) + 1, in = byte_of(zeros, 48) + 1;
    const uint32_t at = column % wide + byte_of(zeros, 8 * part) + (zeros >> (32 + part) & 1 ? in : 0);
    return zeros >> 39 & 1 && at % (in + out) >= in;
}

/* Sets the elements of such columns to zero. */
static void clear_columns(const sim_tmem_product *p, uint64_t zeros, uint32_t first, uint32_t count, uint32_t *raw) {
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t k = 0; k < p->k && is_zero_column(p, zeros, first + j); k++) raw[k * count + j] = 0;
}

/* The blocks of a pair share b's columns. A tile may need columns of both. */
static void read_b(sim_block *const blocks[SIM_TMEM_PAIR], const sim_tmem_product *p, const sim_tmem_work *work,
                   uint32_t first, uint32_t count, uint32_t *raw) {
    const uint32_t shift = (uint32_t)(work->zeros >> 56 & 63);
    for (uint32_t done = 0; done < count;) {
        const uint32_t column = first + done, own = column % p->columns;
        const uint32_t left = count - done, here = p->columns - own < left ? p->columns - own : left;
        const sim_tmem_matrix b = sim_tmem_matrix_b(blocks[column / p->columns], p, work->b);
        read_rows(&b, p->type_b, p->bits, own + shift, here, raw + done, 1, count);
        done += here;
    }
    if (work->zeros) clear_columns(p, work->zeros, first, count, raw);
    if (p->negates_b) negate(raw, p->k * count, p->type_b);
}

/* ---- scale factors: a byte for each row and block of k, in 32 rows below each other, repeated four times ---- */

/* Returns one scale factor. Four are in a word; rows 32 apart are in adjacent columns. */
static uint32_t scale_byte(const sim_tmem *memory, uint32_t address, uint32_t row, uint32_t byte, uint32_t lane) {
    const uint32_t word =
        memory->words[lane / SIM_LANES * SIM_LANES + row % SIM_LANES][sim_tmem_column(address) + row / SIM_LANES];
    return word >> 8 * (byte & 3) & 0xff;
}

/* Scales value * 2^exponent in place; returns false if the scale is NaN. Significands get three more fraction bits.
 * Exponents are ue8m0, with 255 as NaN. Others are e4m3 without sign, with 3 bits of fraction. */
static bool scale_element(sim_factor *f, uint32_t at, uint32_t scale, bool is_exponent) {
    if (is_exponent) {
        f->value[at] *= 8;
        f->exponent[at] += (int32_t)scale - 127;
        return scale != 0xff;
    }
    const uint32_t e = scale >> 3 & 15, fraction = scale & 7;
    f->value[at] *= (int32_t)(e ? fraction | 8 : fraction);
    f->exponent[at] += (int32_t)(e ? e : 1) - 7;
    return (scale & 0x7f) != 0x7f;
}

typedef struct scaling {
    const sim_tmem *memory;
    const sim_tmem_op *op;
    const sim_tmem_product *product;
    const sim_metadata *metadata; /* of a sparse a */
    uint32_t lane;                /* of d's rows */
} scaling;

/* Returns which scale factor of its row an element of k has. */
static uint32_t block_of(const scaling *s, uint32_t k) {
    return k * s->op->scales / s->product->k;
}

/* Scales the tile's rows of a. If a is sparse, metadata give each element's k. Returns false if a factor is NaN. */
static bool scale_a(const scaling *s, uint32_t address, uint32_t first, sim_factor *f) {
    const sim_tmem_product *p = s->product;
    bool good = true;
    f->mantissa += 3;
    for (uint32_t r = 0; r < SIM_TILE_ROWS; r++) {
        for (uint32_t at = 0; at < p->depth_of_a; at++) {
            const uint32_t k = s->metadata ? sim_sparse_index(p->bits, s->metadata->rows[r], at) : at;
            const uint32_t scale = scale_byte(s->memory, address, first + r, p->id_a + block_of(s, k), s->lane);
            good &= scale_element(f, r * p->depth_of_a + at, scale, p->scales_are_exponents);
        }
    }
    return good;
}

/* Halves of d's columns are below each other, and so are their factors. */
static bool scale_b(const scaling *s, uint32_t address, uint32_t first, uint32_t count, sim_factor *f) {
    const sim_tmem_product *p = s->product;
    bool good = true;
    f->mantissa += 3;
    for (uint32_t j = 0; j < count; j++) {
        const bool lower = p->layout == SIM_TMEM_LAYOUT_HALVES && first + j >= p->n / 2;
        const uint32_t row = lower ? first + j - p->n / 2 : first + j, lane = lower ? s->lane + 64 : s->lane;
        for (uint32_t k = 0; k < p->k; k++) {
            const uint32_t scale = scale_byte(s->memory, address, row, p->id_b + block_of(s, k), lane);
            good &= scale_element(f, k * count + j, scale, p->scales_are_exponents);
        }
    }
    return good;
}

/* ---- metadata of a sparse a ---- */

/* Elements of 16 and 32 bits: 16 bits of two rows, eight apart, share a word, and the two halves of k are eight lanes
 * apart. Other elements: two words of the row's own lane. */
static uint64_t metadata_of(const sim_tmem *memory, const sim_tmem_product *p, uint32_t address, uint32_t row) {
    const uint32_t column = sim_tmem_column(address) + p->selector;
    if (p->bits <= 8) {
        const uint32_t *words = memory->words[sim_tmem_lane_of_row(p, address, row)] + column;
        return words[0] | (uint64_t)words[1] << 32;
    }
    const uint32_t first = sim_tmem_lane_of_row(p, address, row / SIM_TILE_ROWS * SIM_TILE_ROWS) + row % 8,
                   shift = row / 8 % 2 * 16;
    const uint32_t low = memory->words[first][column] >> shift, high = memory->words[first + 8][column] >> shift;
    return (low & 0xffff) | (uint64_t)(high & 0xffff) << 16;
}

/* ---- sums ---- */

/* Adjacent elements of a row of d in one lane of tensor memory. */
typedef struct sum_run {
    uint32_t *words;
    uint32_t lane, count;
} sum_run;

/* Returns the first of `count` elements of d with those that follow it in its lane. Parts of d's columns may be below
 * each other (sim_tmem_layout). */
static sum_run run_at(sim_tmem *memory, const sim_tmem_product *p, uint32_t address, uint32_t row, uint32_t column,
                      uint32_t count) {
    const uint32_t parts = p->layout == SIM_TMEM_LAYOUT_HALVES     ? 2
                           : p->layout == SIM_TMEM_LAYOUT_QUARTERS ? 4
                                                                   : 1,
                   wide = p->n / parts, left = wide - column % wide;
    const uint32_t lane = sim_tmem_lane_of_row(p, address, row) + column / wide * (SIM_TMEM_LANES / parts);
    return (sum_run){.words = &memory->words[lane][sim_tmem_column(address) + column % wide],
                     .lane = lane,
                     .count = count < left ? count : left};
}

/* Reads the tile's sums, or zeros if the product does not add to d. scale-input-d divides them by a power of two. */
static void read_sums(sim_tmem *memory, const sim_tmem_product *p, const sim_tmem_op *t, const sim_tmem_work *work,
                      uint32_t row, uint32_t column, uint32_t count, sim_operands *o) {
    const float scale = f32_of_bits((127 - t->scale_of_d) << 23);
    memset(o->sum.integer, 0, SIM_TILE_ROWS * count * sizeof *o->sum.integer);
    for (uint32_t i = 0; i < SIM_TILE_ROWS && work->keeps; i++) {
        for (uint32_t j = 0; j < count;) {
            const sum_run run = run_at(memory, p, work->d, row + i, column + j, count - j);
            int32_t *integers = o->sum.integer + i * count + j;
            float *singles = o->sum.single + i * count + j;
            if (p->type_d == PTX_S32)
                memcpy(integers, run.words, run.count * sizeof *integers);
            else if (p->type_d == PTX_F16)
                for (uint32_t n = 0; n < run.count; n++) singles[n] = scale * f32_of_f16((uint16_t)run.words[n]);
            else
                for (uint32_t n = 0; n < run.count; n++) singles[n] = scale * f32_of_bits(run.words[n]);
            j += run.count;
        }
    }
}

/* Returns whether the instruction leaves that lane of d unchanged. */
static bool is_disabled(const sim_tmem_work *work, uint32_t rank, uint32_t lane) {
    return work->disabled[rank * (SIM_TMEM_LANES / SIM_LANES) + lane / SIM_LANES] >> lane % SIM_LANES & 1;
}

/* Rounds halves to nearest. Single precision and integers share their bits in the union. */
static void write_sums(sim_tmem *memory, const sim_tmem_product *p, const sim_tmem_work *work, uint32_t rank,
                       uint32_t row, uint32_t column, uint32_t count, const sim_operands *o) {
    for (uint32_t i = 0; i < SIM_TILE_ROWS; i++) {
        for (uint32_t j = 0; j < count;) {
            const sum_run run = run_at(memory, p, work->d, row + i, column + j, count - j);
            const float *singles = o->sum.single + i * count + j;
            const bool is_kept = is_disabled(work, rank, run.lane);
            if (!is_kept && p->type_d == PTX_F16)
                for (uint32_t n = 0; n < run.count; n++) run.words[n] = f16_of_f32(singles[n]);
            else if (!is_kept)
                memcpy(run.words, o->sum.integer + i * count + j, run.count * sizeof *run.words);
            j += run.count;
        }
    }
}

/* ---- the product ---- */

/* 4-bit elements: twice as many as 8-bit ones. */
static uint32_t width_of(const sim_tmem_product *p, unsigned sm) {
    return p->bits == 4 ? 2 * sim_sum_width(PTX_E4M3, sm) : sim_sum_width(p->type_a, sm);
}

/* Returns an element as a double, scaled; infinities and NaNs as they are. */
static double value_of(const sim_factor *f, uint32_t at, uint32_t type) {
    const double raw = sim_decode_one(f->raw[at], type);
    if (raw != raw || raw - raw != 0) return raw;
    return (double)f->value[at] * f64_of_bits((uint64_t)(f->exponent[at] - (int32_t)f->mantissa + 1023) << 52);
}

/* Adds products whose elements include infinities or NaNs. */
static void add_specials(const sim_product *p, const sim_operands *o, uint32_t row, float *sum) {
    for (uint32_t j = 0; j < p->n; j++) {
        double total = (double)sum[j];
        for (uint32_t k = 0; k < p->k; k++)
            total += value_of(&o->a, row * p->k + k, p->type_a) * value_of(&o->b, k * p->n + j, p->type_b);
        sum[j] = canonical_f32(sim_cut_to_single(total));
    }
}

/* Sums one row of a with each column, `width` products at a time. */
static void add_row(const sim_product *p, const sim_operands *o, uint32_t row, uint32_t width, unsigned sm, bool finite,
                    float *sum) {
    for (uint32_t j = 0; j < p->n; j++) finite &= (bits_of_f32(sum[j]) & 0x7f800000) != 0x7f800000;
    if (!finite) add_specials(p, o, row, sum);
    for (uint32_t k = 0; finite && k < p->k; k += width)
        sim_add_products(p, o, row, 1, k, k + width < p->k ? k + width : p->k, sim_sum_fraction(PTX_F16, sm), sum);
}

/* Selects the elements of b that a row of a sparse a is multiplied with. */
static void select_row(const sim_product *p, const sim_operands *o, const sim_metadata *m, uint32_t row, uint32_t bits,
                       uint32_t depth, sim_operands *part) {
    part->a.mantissa = o->a.mantissa;
    part->b.mantissa = o->b.mantissa;
    for (uint32_t at = 0; at < depth; at++) {
        const uint32_t from = sim_sparse_index(bits, m->rows[row], at) * p->n;
        part->a.raw[at] = o->a.raw[row * depth + at];
        part->a.value[at] = o->a.value[row * depth + at];
        part->a.exponent[at] = o->a.exponent[row * depth + at];
        memcpy(part->b.raw + at * p->n, o->b.raw + from, p->n * sizeof(uint32_t));
        memcpy(part->b.value + at * p->n, o->b.value + from, p->n * sizeof(int32_t));
        memcpy(part->b.exponent + at * p->n, o->b.exponent + from, p->n * sizeof(int32_t));
    }
}

/* Multiplies row by row: rows of a sparse a have different elements of b. */
static void multiply_floats(const sim_product *whole, const sim_tmem_product *t, sim_operands *o, const sim_metadata *m,
                            unsigned sm, bool finite) {
    sim_product p = *whole;
    sim_operands part;
    p.k = t->depth_of_a;
    for (uint32_t row = 0; row < SIM_TILE_ROWS; row++) {
        float *sum = o->sum.single + row * p.n;
        if (m) select_row(&p, o, m, row, t->bits, p.k, &part);
        add_row(&p, m ? &part : o, m ? 0 : row, width_of(t, sm), sm, finite, sum);
    }
}

static void multiply_integers(const sim_product *p, sim_operands *o, const sim_metadata *m) {
    if (m)
        sim_multiply_sparse(p, o, m, 0, sim_multiply);
    else
        sim_multiply_integers(p, o);
}

/* A chunk of rows by a chunk of columns. */
typedef struct tile {
    sim_block *const *blocks;
    uint32_t (*columns)[SIM_LANES]; /* b, if the product may be usual; else NULL */
    const sim_tmem_op *op;
    const sim_tmem_product *product;
    const sim_tmem_work *work;
    uint32_t rank, row, column, count;
} tile;

/* Decodes and scales both factors. *finite: there is no infinity or NaN among them. A NaN among the scale factors makes
 * all sums of the tile NaN. */
static void decode_tile(const tile *t, sim_operands *o, const sim_metadata *m, bool *finite) {
    const sim_tmem_product *p = t->product;
    const scaling s = {.memory = sim_tmem_of(t->blocks[t->rank]),
                       .op = t->op,
                       .product = p,
                       .metadata = m,
                       .lane = sim_tmem_lane_of_row(p, t->work->d, t->row)};
    const bool good_a = sim_decode_floats(&o->a, SIM_TILE_ROWS * p->depth_of_a, p->type_a);
    const bool good_b = sim_decode_floats(&o->b, p->k * t->count, p->type_b);
    *finite = good_a && good_b;
    if (!t->op->scales) return;
    const bool known_a = scale_a(&s, t->work->scale_a, t->row, &o->a);
    const bool known_b = scale_b(&s, t->work->scale_b, t->column, t->count, &o->b);
    if (known_a && known_b) return;
    for (uint32_t n = 0; n < SIM_TILE_ROWS * t->count; n++) o->sum.single[n] = f32_of_bits(0x7fffffff);
    *finite = false;
}

/* Returns a tile's product with `count` columns. */
static sim_product product_of(const sim_tmem_op *t, const sim_tmem_product *p, uint32_t count) {
    const bool sparse = t->flags & SIM_TMEM_SPARSE;
    return (sim_product){.m = SIM_TILE_ROWS,
                         .n = count,
                         .k = p->k,
                         .type_a = p->type_a,
                         .type_b = p->type_b,
                         .type_c = p->type_d,
                         .type_d = p->type_d,
                         .flags = (p->saturates ? SIM_PRODUCT_SATURATES : 0u) | (sparse ? SIM_PRODUCT_SPARSE : 0u)};
}

/* Returns the words of a row along k. */
static uint32_t words_of(const sim_product *p) {
    return p->k * ptx_bits(p->type_a) / 32;
}

/* Returns whether tiles of b's columns may be computed in vectors of rows (usual.h). */
static bool may_be_usual(const sim_tmem_op *t, const sim_tmem_product *p, const sim_product *whole, unsigned sm) {
    return !t->scales && p->bits == ptx_bits(p->type_a) && sim_may_be_usual(whole, sm);
}

/* Returns false, with no effect, if the caller must take the general path. */
static bool multiply_usual(const tile *t, const sim_product *whole, unsigned sm, sim_operands *o) {
    const uint32_t words = words_of(whole), count = t->count, chunks = words / SIM_GROUP_LANES;
    uint32_t rows[SIM_MOST_A][SIM_LANES];
    sim_row_registers r;
    float sums[SIM_TILE_ROWS * CHUNK_COLUMNS], *sum = o->sum.single;
    sim_pack_rows(o->a.raw, whole->k, 1, SIM_TILE_ROWS, words, ptx_bits(whole->type_a), rows, 1, 2);
    for (uint32_t n = 0; n < SIM_MOST_A; n++) r.a[n] = rows[n];
    for (uint32_t n = 0; n < count / SIM_GROUPS * chunks; n++) r.b[n] = t->columns[n];
    for (uint32_t n = 0; n < SIM_TILE_ROWS * count; n++) sums[n] = sum[n % SIM_TILE_ROWS * count + n / SIM_TILE_ROWS];
    if (!sim_multiply_usual(whole, &r, sm, sums)) return false;
    for (uint32_t n = 0; n < SIM_TILE_ROWS * count; n++) sum[n % SIM_TILE_ROWS * count + n / SIM_TILE_ROWS] = sums[n];
    return true;
}

/* Computes a tile from tensor memory and shared memory to tensor memory. */
static void make_tile(const tile *t, sim_operands *o) {
    const sim_tmem_product *p = t->product;
    sim_block *b = t->blocks[t->rank];
    sim_tmem *memory = sim_tmem_of(b);
    sim_metadata metadata, *m = t->op->flags & SIM_TMEM_SPARSE ? &metadata : NULL;
    const unsigned sm = b->sm->grid->machine->sm;
    const sim_product whole = product_of(t->op, p, t->count);
    bool finite;
    read_a(b, t->op, p, t->work, t->row, o->a.raw);
    for (uint32_t r = 0; m && r < SIM_TILE_ROWS; r++)
        m->rows[r] = metadata_of(memory, p, t->work->metadata, t->row + r);
    read_sums(memory, p, t->op, t->work, t->row, t->column, t->count, o);
    if (t->columns && multiply_usual(t, &whole, sm, o)) {
        write_sums(memory, p, t->work, t->rank, t->row, t->column, t->count, o);
        return;
    }
    if (p->type_d == PTX_S32) {
        multiply_integers(&whole, o, m);
    } else {
        decode_tile(t, o, m, &finite);
        multiply_floats(&whole, p, o, m, sm, finite);
    }
    write_sums(memory, p, t->work, t->rank, t->row, t->column, t->count, o);
}

/* Tells the checks that the product has read its factors now. */
static void check_factors(sim_block *b, const sim_tmem_work *work, const sim_tmem_op *t, const sim_tmem_product *p) {
    sim_warp *w = &b->warps[work->thread / SIM_LANES];
    const uint32_t lane = 1u << work->thread % SIM_LANES;
    sim_tmem_chunks list;
    if (sim_tmem_check_matrices(w, work->op, lane, t, p, work, &list))
        sim_hazard_factors_read(w, work->op, lane, list.address, list.count, work->issued);
}

/* Computes all blocks' rows for each chunk of b's columns. */
void sim_tmem_make(sim_block *b, const sim_tmem_work *work) {
    const sim_tmem_op *t = sim_tmem_op_at(b, work->op);
    sim_block *first = t->flags & SIM_TMEM_FOR_PAIR ? &b->cluster[b->rank & ~1u] : b;
    sim_block *const blocks[SIM_TMEM_PAIR] = {first, t->flags & SIM_TMEM_FOR_PAIR ? first + 1 : first};
    sim_tmem_product p;
    sim_operands o;
    uint32_t columns[SIM_MOST_B][SIM_LANES];
    sim_tmem_read_descriptor(t, work->descriptor, &p);
    if (b->sm->hazards && work->effect != SIM_EFFECT_ONLY) check_factors(b, work, t, &p);
    if (work->effect == SIM_CHECKS_ONLY) return;
    for (uint32_t column = 0; column < p.n; column += CHUNK_COLUMNS) {
        const uint32_t count = p.n - column < CHUNK_COLUMNS ? p.n - column : CHUNK_COLUMNS;
        const sim_product whole = product_of(t, &p, count);
        const bool usual = may_be_usual(t, &p, &whole, b->sm->grid->machine->sm);
        const uint32_t words = words_of(&whole);
        read_b(blocks, &p, work, column, count, o.b.raw);
        if (usual) sim_pack_rows(o.b.raw, 1, count, count, words, p.bits, columns, words / SIM_GROUP_LANES, 1);
        for (uint32_t rank = 0; rank < p.m / p.rows; rank++) {
            for (uint32_t row = 0; row < p.rows; row += SIM_TILE_ROWS) {
                const tile one = {blocks, usual ? columns : NULL, t, &p, work, rank, row, column, count};
                make_tile(&one, &o);
            }
        }
    }
}
