/* tcgen05.mma and its kin: products whose sums are in tensor memory, made in the background. d = a b + d for the rows
 * of one block, or (.cta_group::2) of a pair, of which each block has half of a's rows and half of b's columns. */
#include "ptx/tcgen05.h"
#include "sim/hazard/hazard.h"
#include "sim/machine.h"
#include "sim/ops/sparse.h"
#include "sim/ops/tmem.h"
#include "sim/tmem.h"

enum { CHUNK_ROWS = 16, CHUNK_COLUMNS = 128, WORST_CHUNKS = 1024 };

/* ---- the instruction: op.more is a tensor_op in the pool ---- */

typedef enum product_kind {
    KIND_F16,
    KIND_TF32,
    KIND_F8F6F4,
    KIND_I8,
    KIND_MXF8F6F4,
    KIND_MXF4,
    KIND_MXF4NVF4
} product_kind;

enum { WEIGHTS_STAY = 1, SPARSE = 2, PAIR = 4, A_IN_TENSOR_MEMORY = 8, A_SHIFTED = 16 };

/* An operand's slot and what is added to it. */
typedef struct slot_and_offset {
    uint32_t slot, offset;
} slot_and_offset;

typedef struct tensor_op {
    uint32_t kind, flags;
    uint32_t scales; /* factors of a row of a; 0: it is not scaled */
    uint32_t scale_of_d;
    slot_and_offset d, a, metadata, scale_a, scale_b;
    uint32_t a_descriptor, b, descriptor, keep, flip, zeros;
    uint32_t disabled[8], disabled_count;
} tensor_op;

static const tensor_op *tensor_op_at(const sim_block *b, const sim_op *op) {
    return (const tensor_op *)(const void *)(b->sm->grid->program->pool + op->more);
}

/* ---- the instruction descriptor ---- */

/* How a block's part of d lies in tensor memory: by rows, in lanes 16 by 16 of 32, or in halves or quarters of its
 * columns one below the other. */
typedef enum layout { LAYOUT_ROWS, LAYOUT_HALF_LANES, LAYOUT_HALVES, LAYOUT_QUARTERS } layout;

typedef struct tensor_product {
    uint32_t m, n, k;       /* of the whole product; k counts what a sparse a leaves out */
    uint32_t rows, columns; /* of a block's part of a, of b */
    uint32_t type_a, type_b, type_d;
    uint32_t bits;       /* of an element in tensor memory: 8-bit containers of smaller ones */
    uint32_t depth_of_a; /* as it is stored */
    layout layout;
    bool transposes_a, transposes_b, negates_a, negates_b, saturates;
    uint32_t selector, id_a, id_b; /* of metadata and scale factors */
    bool scales_are_exponents;
} tensor_product;

static uint32_t field(uint32_t descriptor, unsigned at, unsigned bits) {
    return descriptor >> at & ((1u << bits) - 1);
}

static uint32_t type_of(product_kind k, uint32_t code) {
    static const uint8_t small[] = {PTX_E4M3, PTX_E5M2, 0, PTX_E2M3, PTX_E3M2, PTX_E2M1, 0, 0};
    switch (k) {
    case KIND_F16: return code == 0 ? PTX_F16 : code == 1 ? PTX_BF16 : 0;
    case KIND_TF32: return code == 2 ? PTX_TF32 : 0;
    case KIND_I8: return code == 0 ? PTX_U8 : code == 1 ? PTX_S8 : 0;
    case KIND_F8F6F4:
    case KIND_MXF8F6F4: return small[code];
    default: return code == 1 ? PTX_E2M1 : 0;
    }
}

static bool is_scaled(product_kind k) {
    return k >= KIND_MXF8F6F4;
}

static uint32_t sum_type_of(product_kind k, uint32_t code) {
    if (is_scaled(k)) return PTX_F32;
    if (k == KIND_I8) return code == 2 ? PTX_S32 : 0;
    if (code == 1) return PTX_F32;
    return code == 0 && k != KIND_TF32 ? PTX_F16 : 0;
}

static uint32_t depth_of(product_kind k) {
    switch (k) {
    case KIND_F16: return 16;
    case KIND_TF32: return 8;
    case KIND_MXF4:
    case KIND_MXF4NVF4: return 64;
    default: return 32;
    }
}

static uint32_t bits_of(product_kind k) {
    return 256 / depth_of(k);
}

static layout layout_of(const tensor_op *t, uint32_t m) {
    if (t->flags & WEIGHTS_STAY) return m == 32 ? LAYOUT_QUARTERS : m == 64 ? LAYOUT_HALVES : LAYOUT_ROWS;
    if (!(t->flags & PAIR)) return m == 64 ? LAYOUT_HALF_LANES : LAYOUT_ROWS;
    if (m == 256) return LAYOUT_ROWS;
    return t->flags & SPARSE ? LAYOUT_HALF_LANES : LAYOUT_HALVES;
}

static const char *shape_fault(const tensor_op *t, const tensor_product *p) {
    const bool integers = t->kind == KIND_I8, pair = t->flags & PAIR, sparse = t->flags & SPARSE;
    const uint32_t step = pair ? (integers ? 32 : 16) : integers && p->n > 32 ? 16 : 8;
    if (t->flags & WEIGHTS_STAY) {
        if (p->m != 32 && p->m != 64 && p->m != 128) return "rows of d: 32, 64 or 128 with .ws";
        const bool wide = p->n == 256 && !sparse;
        return p->n == 64 || p->n == 128 || wide ? NULL : "columns of d: 64, 128 or (not sparse) 256 with .ws";
    }
    if (is_scaled(t->kind) && !pair && p->m != 128) return "rows of d: 128 for this kind";
    if (is_scaled(t->kind) && pair && sparse && p->m != 256) return "rows of d: 256 for this kind";
    if (p->m != (pair ? 128 : 64) && p->m != (pair ? 256 : 128)) return "rows of d: 64 or 128, of a pair 128 or 256";
    return p->n && p->n <= 256 && p->n % step == 0 ? NULL : "columns of d: no such number for this kind";
}

static const char *form_fault(const tensor_op *t, const tensor_product *p, uint32_t d) {
    const bool is_4bit = t->kind == KIND_MXF4 || t->kind == KIND_MXF4NVF4;
    const bool whole =
        (p->type_a == PTX_E4M3 || p->type_a == PTX_E5M2) && (p->type_b == PTX_E4M3 || p->type_b == PTX_E5M2);
    const bool small = ptx_bits(p->type_a) == 8 && t->kind != KIND_I8 && !whole;
    if (!p->type_a || !p->type_b) return "no such type of a or b for this kind";
    if (!p->type_d) return "no such type of d for this kind";
    if (field(d, 2, 1) != (t->flags & SPARSE ? 1u : 0u))
        return "the bit for a sparse a does not say what the instruction says";
    if (p->type_a == PTX_BF16 && p->type_d == PTX_F16) return "bf16 is summed in f32 only";
    if ((p->negates_a || p->negates_b) && t->kind == KIND_I8) return "integers are not negated";
    if ((p->transposes_a || p->transposes_b) && (is_4bit || small))
        return "elements of less than 8 bits are not transposed";
    if (is_4bit && field(d, 31, 1)) return "a depth of 96 is there from sm_103 on";
    if ((t->kind == KIND_I8 || t->kind == KIND_F8F6F4) && (t->flags & SPARSE) && p->selector)
        return "the sparsity selector is 0 for elements of 8 bits";
    return shape_fault(t, p);
}

/* NULL, or what is wrong with the descriptor. */
static const char *read_descriptor(const tensor_op *t, uint32_t d, tensor_product *p) {
    const bool sparse = t->flags & SPARSE, is_4bit = t->kind == KIND_MXF4 || t->kind == KIND_MXF4NVF4;
    *p = (tensor_product){
        .m = is_scaled(t->kind) ? field(d, 27, 2) * 128 : field(d, 24, 5) * 16,
        .n = field(d, 17, 6) * 8,
        .k = depth_of(t->kind) * (sparse ? 2 : 1),
        .type_a = type_of(t->kind, field(d, 7, 3)),
        .type_b = type_of(t->kind, field(d, 10, is_4bit ? 2 : 3)),
        .type_d = sum_type_of(t->kind, field(d, 4, 2)),
        .bits = bits_of(t->kind),
        .depth_of_a = depth_of(t->kind),
        .negates_a = field(d, 13, 1),
        .negates_b = field(d, 14, 1),
        .transposes_a = field(d, 15, 1),
        .transposes_b = field(d, 16, 1),
        .saturates = t->kind == KIND_I8 && field(d, 3, 1),
        .selector = is_scaled(t->kind) ? 0 : field(d, 0, 2),
        .id_a = field(d, 29, 2),
        .id_b = field(d, 4, 2),
        .scales_are_exponents = field(d, 23, 1),
    };
    p->layout = layout_of(t, p->m);
    p->rows = t->flags & PAIR ? p->m / 2 : p->m;
    p->columns = t->flags & PAIR ? p->n / 2 : p->n;
    return form_fault(t, p, d);
}

/* ---- where things lie in tensor memory ---- */

static uint32_t lane_of_row(const tensor_product *p, uint32_t address, uint32_t row) {
    if (p->layout == LAYOUT_HALF_LANES) return sim_tmem_lane(address) + row % CHUNK_ROWS + row / CHUNK_ROWS * SIM_LANES;
    return row;
}

static uint32_t *sum_at(sim_tmem *memory, const tensor_product *p, uint32_t address, uint32_t row, uint32_t column) {
    const uint32_t parts = p->layout == LAYOUT_HALVES ? 2 : p->layout == LAYOUT_QUARTERS ? 4 : 1, wide = p->n / parts;
    const uint32_t lane = lane_of_row(p, address, row) + column / wide * (SIM_TMEM_LANES / parts);
    return &memory->words[lane][sim_tmem_column(address) + column % wide];
}

static uint32_t columns_of_sums(const tensor_product *p) {
    return p->layout == LAYOUT_HALVES ? p->n / 2 : p->layout == LAYOUT_QUARTERS ? p->n / 4 : p->n;
}

/* ---- matrices in shared memory ---- */

typedef struct described {
    const sim_block *block;
    sim_descriptor descriptor;
    uint32_t rows, chunks; /* of 16 bytes */
    uint32_t along;        /* elements in a chunk */
} described;

static described describe(const sim_block *b, uint64_t bits, bool transposed, uint32_t rows, uint32_t depth,
                          uint32_t element_bits) {
    described d = {.block = b, .descriptor = sim_tmem_descriptor_of(bits, transposed), .along = 128 / element_bits};
    d.rows = transposed ? depth : rows;
    d.chunks = (transposed ? rows : depth) / d.along;
    return d;
}

/* A chunk's elements: of 4 or 6 bits in containers of 8, sixteen side by side and then nothing. */
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

/* Element (row, k) goes to raw[row * by_row + k * by_k], for rows from `first` on, `count` of them. */
static void read_rows(const described *d, uint32_t type, uint32_t container, uint32_t first, uint32_t count,
                      uint32_t *raw, uint32_t by_row, uint32_t by_k) {
    const bool transposed = d->descriptor.transposed;
    const uint32_t outer = transposed ? d->rows : count, inner = transposed ? count / d->along : d->chunks;
    const uint32_t first_outer = transposed ? 0 : first, first_inner = transposed ? first / d->along : 0;
    for (uint32_t o = 0; o < outer; o++) {
        for (uint32_t c = 0; c < inner; c++) {
            const uint32_t at = sim_descriptor_chunk(&d->descriptor, first_outer + o, first_inner + c);
            for (uint32_t e = 0; e < d->along; e++) {
                const uint32_t along = c * d->along + e, row = transposed ? along : o, k = transposed ? o : along;
                raw[row * by_row + k * by_k] = element_in(d->block->shared + at, type, container, e);
            }
        }
    }
}

/* ---- checks at issue ---- */

typedef struct chunk_list {
    uint32_t count, address[WORST_CHUNKS];
} chunk_list;

static bool list_chunks(sim_warp *w, const sim_op *op, uint32_t lane, const described *d, chunk_list *list) {
    for (uint32_t row = 0; row < d->rows; row++) {
        for (uint32_t c = 0; c < d->chunks; c++) {
            const uint32_t at = sim_descriptor_chunk(&d->descriptor, row, c);
            if (!sim_tmem_check_chunk(w, op, lane, at)) return false;
            if (list->count < WORST_CHUNKS) list->address[list->count++] = at;
        }
    }
    return true;
}

static described describe_a(const sim_block *b, const tensor_product *p, uint64_t bits) {
    return describe(b, bits, p->transposes_a, p->rows, p->depth_of_a, p->bits);
}

static described describe_b(const sim_block *b, const tensor_product *p, uint64_t bits) {
    return describe(b, bits, p->transposes_b, p->columns, p->k, p->bits);
}

static sim_step wrong(sim_warp *w, const sim_op *op, uint32_t lane, const char *what, uint64_t bits, const char *why) {
    return sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, lane, "%s 0x%llx: %s", what, (unsigned long long)bits, why);
}

static uint32_t columns_of_a(const tensor_product *p) {
    return p->depth_of_a * p->bits / 32;
}

static uint32_t columns_of_metadata(const tensor_product *p) {
    return p->bits <= 8 ? 2 : 1;
}

/* Columns of tensor memory that a scaled product's factors take. */
static uint32_t scale_columns(uint32_t rows) {
    return (rows + SIM_LANES - 1) / SIM_LANES;
}

static bool check_tensor_memory(sim_warp *w, const sim_op *op, uint32_t lane, const sim_block *b, const tensor_op *t,
                                const tensor_product *p, const sim_tmem_work *work) {
    if (!sim_tmem_check(w, op, lane, b, work->d, columns_of_sums(p))) return false;
    if (t->flags & A_IN_TENSOR_MEMORY && !sim_tmem_check(w, op, lane, b, (uint32_t)work->a, columns_of_a(p)))
        return false;
    if (t->flags & SPARSE && !sim_tmem_check(w, op, lane, b, work->metadata + p->selector, columns_of_metadata(p)))
        return false;
    return !t->scales || (sim_tmem_check(w, op, lane, b, work->scale_a, scale_columns(p->rows)) &&
                          sim_tmem_check(w, op, lane, b, work->scale_b, scale_columns(p->n)));
}

static bool check_lane(sim_warp *w, const sim_op *op, uint32_t lane, const tensor_product *p, uint32_t address) {
    const uint32_t at = sim_tmem_lane(address);
    if (at == 0 || (at == CHUNK_ROWS && p->layout == LAYOUT_HALF_LANES)) return true;
    wrong(w, op, lane, "tensor memory at", address, "a matrix of this size may not begin at this lane");
    return false;
}

static bool check_shared_matrices(sim_warp *w, const sim_op *op, uint32_t lane, const tensor_op *t,
                                  const tensor_product *p, const sim_tmem_work *work, chunk_list *list) {
    const described a = describe_a(w->block, p, work->a), b = describe_b(w->block, p, work->b);
    const bool a_in_shared = !(t->flags & A_IN_TENSOR_MEMORY);
    const char *fault = sim_tmem_descriptor_fault(work->b);
    if (fault) return wrong(w, op, lane, "descriptor of b", work->b, fault), false;
    if (a_in_shared) fault = sim_tmem_descriptor_fault(work->a);
    if (fault) return wrong(w, op, lane, "descriptor of a", work->a, fault), false;
    list->count = 0;
    return (!a_in_shared || list_chunks(w, op, lane, &a, list)) && list_chunks(w, op, lane, &b, list);
}

/* ---- factors ---- */

static void read_a_from_tensor_memory(sim_tmem *memory, const tensor_op *t, const tensor_product *p, uint32_t address,
                                      uint32_t first, uint32_t *raw) {
    const uint32_t each = 32 / p->bits, mask = p->bits == 32 ? UINT32_MAX : (1u << p->bits) - 1;
    for (uint32_t r = 0; r < CHUNK_ROWS; r++) {
        const uint32_t next = t->flags & A_SHIFTED && first + r + 1 < p->rows ? 1 : 0;
        const uint32_t *words = memory->words[lane_of_row(p, address, first + r + next)] + sim_tmem_column(address);
        for (uint32_t k = 0; k < p->depth_of_a; k++) {
            const uint32_t element = words[k / each] >> k % each * p->bits & mask;
            const bool is_shifted = p->type_a == PTX_E2M1 && p->bits == 8;
            raw[r * p->depth_of_a + k] = is_shifted ? element >> 2 & 15 : element;
        }
    }
}

static void negate(uint32_t *raw, uint32_t count, uint32_t type) {
    const sim_small_float s = sim_small_float_of(type);
    for (uint32_t n = 0; n < count; n++) raw[n] ^= 1u << (s.shift + s.mantissa + s.exponent);
}

static void read_a(const sim_block *b, const tensor_op *t, const tensor_product *p, const sim_tmem_work *work,
                   uint32_t first, uint32_t *raw) {
    const described a = describe_a(b, p, work->a);
    if (t->flags & A_IN_TENSOR_MEMORY)
        read_a_from_tensor_memory(sim_tmem_of(b), t, p, (uint32_t)work->a, first, raw);
    else
        read_rows(&a, p->type_a, p->bits, first, CHUNK_ROWS, raw, p->depth_of_a, 1);
    if (p->negates_a) negate(raw, CHUNK_ROWS * p->depth_of_a, p->type_a);
}

/* ---- columns of b that count as zero ---- */

static uint32_t byte_of(uint64_t bits, unsigned at) {
    return (uint32_t)(bits >> at & 0xff);
}

/* A part's columns are used and left out by turns, beginning somewhere in a span. */
static bool is_zero_column(const tensor_product *p, uint64_t zeros, uint32_t column) {
    const uint32_t parts = SIM_TMEM_LANES / p->m, wide = p->n / parts, part = column / wide;
    const uint32_t out = byte_of(zeros, 40) + 1, in = byte_of(zeros, 48) + 1;
    const uint32_t at = column % wide + byte_of(zeros, 8 * part) + (zeros >> (32 + part) & 1 ? in : 0);
    return zeros >> 39 & 1 && at % (in + out) >= in;
}

static void clear_columns(const tensor_product *p, uint64_t zeros, uint32_t first, uint32_t count, uint32_t *raw) {
    for (uint32_t j = 0; j < count; j++)
        for (uint32_t k = 0; k < p->k && is_zero_column(p, zeros, first + j); k++) raw[k * count + j] = 0;
}

/* The block's pair shares b's columns. */
static void read_b(sim_block *const blocks[SIM_TMEM_PAIR], const tensor_product *p, const sim_tmem_work *work,
                   uint32_t first, uint32_t count, uint32_t *raw) {
    const uint32_t shift = (uint32_t)(work->zeros >> 56 & 63);
    for (uint32_t done = 0; done < count;) {
        const uint32_t column = first + done, own = column % p->columns;
        const uint32_t left = count - done, here = p->columns - own < left ? p->columns - own : left;
        const described b = describe_b(blocks[column / p->columns], p, work->b);
        read_rows(&b, p->type_b, p->bits, own + shift, here, raw + done, 1, count);
        done += here;
    }
    if (work->zeros) clear_columns(p, work->zeros, first, count, raw);
    if (p->negates_b) negate(raw, p->k * count, p->type_b);
}

/* ---- scale factors: a byte for each row and block of k, 32 rows below each other, four times over ---- */

static uint32_t scale_byte(const sim_tmem *memory, uint32_t address, uint32_t row, uint32_t byte, uint32_t lane) {
    const uint32_t word =
        memory->words[lane / SIM_LANES * SIM_LANES + row % SIM_LANES][sim_tmem_column(address) + row / SIM_LANES];
    return word >> 8 * (byte & 3) & 0xff;
}

/* value * 2^exponent is scaled in place; false: by NaN. Significands get three more bits behind the point. */
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
    const tensor_op *op;
    const tensor_product *product;
    const sim_metadata *metadata; /* of a sparse a */
    uint32_t lane;                /* of the rows of d */
} scaling;

static uint32_t block_of(const scaling *s, uint32_t k) {
    return k * s->op->scales / s->product->k;
}

static bool scale_a(const scaling *s, uint32_t address, uint32_t first, sim_factor *f) {
    const tensor_product *p = s->product;
    bool good = true;
    f->mantissa += 3;
    f->is_near = false;
    for (uint32_t r = 0; r < CHUNK_ROWS; r++) {
        for (uint32_t at = 0; at < p->depth_of_a; at++) {
            const uint32_t k = s->metadata ? sim_sparse_index(p->bits, s->metadata->rows[r], at) : at;
            const uint32_t scale = scale_byte(s->memory, address, first + r, p->id_a + block_of(s, k), s->lane);
            good &= scale_element(f, r * p->depth_of_a + at, scale, p->scales_are_exponents);
        }
    }
    return good;
}

/* Halves of d's columns are below each other: so are their factors. */
static bool scale_b(const scaling *s, uint32_t address, uint32_t first, uint32_t count, sim_factor *f) {
    const tensor_product *p = s->product;
    bool good = true;
    f->mantissa += 3;
    f->is_near = false;
    for (uint32_t j = 0; j < count; j++) {
        const bool lower = p->layout == LAYOUT_HALVES && first + j >= p->n / 2;
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
 * apart. Others: two words of the row's own lane. */
static uint64_t metadata_of(const sim_tmem *memory, const tensor_product *p, uint32_t address, uint32_t row) {
    const uint32_t column = sim_tmem_column(address) + p->selector;
    if (p->bits <= 8) {
        const uint32_t *words = memory->words[lane_of_row(p, address, row)] + column;
        return words[0] | (uint64_t)words[1] << 32;
    }
    const uint32_t first = lane_of_row(p, address, row / CHUNK_ROWS * CHUNK_ROWS) + row % 8, shift = row / 8 % 2 * 16;
    const uint32_t low = memory->words[first][column] >> shift, high = memory->words[first + 8][column] >> shift;
    return (low & 0xffff) | (uint64_t)(high & 0xffff) << 16;
}

/* ---- sums ---- */

static void read_sums(sim_tmem *memory, const tensor_product *p, const tensor_op *t, const sim_tmem_work *work,
                      uint32_t row, uint32_t column, uint32_t count, sim_operands *o) {
    const float scale = f32_of_bits((127 - t->scale_of_d) << 23);
    for (uint32_t i = 0; i < CHUNK_ROWS; i++) {
        for (uint32_t j = 0; j < count; j++) {
            const uint32_t bits = work->keeps ? *sum_at(memory, p, work->d, row + i, column + j) : 0;
            const uint32_t n = i * count + j;
            if (p->type_d == PTX_S32)
                o->sum.integer[n] = (int32_t)bits;
            else
                o->sum.single[n] = scale * (p->type_d == PTX_F16 ? f32_of_f16((uint16_t)bits) : f32_of_bits(bits));
        }
    }
}

static bool is_disabled(const sim_tmem_work *work, uint32_t rank, uint32_t lane) {
    return work->disabled[rank * (SIM_TMEM_LANES / SIM_LANES) + lane / SIM_LANES] >> lane % SIM_LANES & 1;
}

static void write_sums(sim_tmem *memory, const tensor_product *p, const sim_tmem_work *work, uint32_t rank,
                       uint32_t row, uint32_t column, uint32_t count, const sim_operands *o) {
    for (uint32_t i = 0; i < CHUNK_ROWS; i++) {
        for (uint32_t j = 0; j < count; j++) {
            uint32_t *sum = sum_at(memory, p, work->d, row + i, column + j);
            const uint32_t n = i * count + j, lane = (uint32_t)(sum - memory->words[0]) / SIM_TMEM_COLUMNS;
            if (is_disabled(work, rank, lane)) continue;
            *sum = p->type_d == PTX_F16 ? f16_of_f32(o->sum.single[n]) : (uint32_t)o->sum.integer[n];
        }
    }
}

/* ---- the product ---- */

/* Two of the four-bit elements of the others. */
static uint32_t width_of(const tensor_product *p, unsigned sm) {
    return p->bits == 4 ? 2 * sim_sum_width(PTX_E4M3, sm) : sim_sum_width(p->type_a, sm);
}

static double value_of(const sim_factor *f, uint32_t at, uint32_t type) {
    const double raw = sim_decode_one(f->raw[at], type);
    if (raw != raw || raw - raw != 0) return raw;
    return (double)f->value[at] * f64_of_bits((uint64_t)(f->exponent[at] - (int32_t)f->mantissa + 1023) << 52);
}

/* With infinities or NaNs among the elements. */
static void add_specials(const sim_product *p, const sim_operands *o, uint32_t row, float *sum) {
    for (uint32_t j = 0; j < p->n; j++) {
        double total = (double)sum[j];
        for (uint32_t k = 0; k < p->k; k++)
            total += value_of(&o->a, row * p->k + k, p->type_a) * value_of(&o->b, k * p->n + j, p->type_b);
        sum[j] = canonical_f32(sim_cut_to_single(total));
    }
}

static void add_row(const sim_product *p, const sim_operands *o, uint32_t row, uint32_t width, unsigned sm, bool finite,
                    float *sum) {
    for (uint32_t j = 0; j < p->n; j++) finite &= (bits_of_f32(sum[j]) & 0x7f800000) != 0x7f800000;
    if (!finite) add_specials(p, o, row, sum);
    for (uint32_t k = 0; finite && k < p->k; k += width)
        sim_add_products(p, o, row, 1, k, k + width < p->k ? k + width : p->k, sim_sum_fraction(PTX_F16, sm), sum);
}

/* What of b a row of a sparse a meets. */
static void select_row(const sim_product *p, const sim_operands *o, const sim_metadata *m, uint32_t row, uint32_t bits,
                       uint32_t depth, sim_operands *part) {
    part->a.mantissa = o->a.mantissa;
    part->b.mantissa = o->b.mantissa;
    part->a.is_near = o->a.is_near;
    part->b.is_near = o->b.is_near;
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

static void multiply_floats(const sim_product *whole, const tensor_product *t, sim_operands *o, const sim_metadata *m,
                            unsigned sm, bool finite) {
    sim_product p = *whole;
    sim_operands part;
    p.k = t->depth_of_a;
    for (uint32_t row = 0; row < CHUNK_ROWS; row++) {
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
    const tensor_op *op;
    const tensor_product *product;
    const sim_tmem_work *work;
    uint32_t rank, row, column, count;
} tile;

static void decode_tile(const tile *t, sim_operands *o, const sim_metadata *m, bool *finite) {
    const tensor_product *p = t->product;
    const scaling s = {.memory = sim_tmem_of(t->blocks[t->rank]),
                       .op = t->op,
                       .product = p,
                       .metadata = m,
                       .lane = lane_of_row(p, t->work->d, t->row)};
    const bool good_a = sim_decode_floats(&o->a, CHUNK_ROWS * p->depth_of_a, p->type_a);
    const bool good_b = sim_decode_floats(&o->b, p->k * t->count, p->type_b);
    *finite = good_a && good_b;
    if (!t->op->scales) return;
    const bool known_a = scale_a(&s, t->work->scale_a, t->row, &o->a);
    const bool known_b = scale_b(&s, t->work->scale_b, t->column, t->count, &o->b);
    if (known_a && known_b) return;
    for (uint32_t n = 0; n < CHUNK_ROWS * t->count; n++) o->sum.single[n] = f32_of_bits(0x7fffffff);
    *finite = false;
}

static void make_tile(const tile *t, sim_operands *o) {
    const tensor_product *p = t->product;
    sim_block *b = t->blocks[t->rank];
    sim_tmem *memory = sim_tmem_of(b);
    sim_metadata metadata, *m = t->op->flags & SPARSE ? &metadata : NULL;
    const unsigned sm = b->sm->grid->machine->sm;
    const sim_product whole = {.m = CHUNK_ROWS,
                               .n = t->count,
                               .k = p->k,
                               .type_a = p->type_a,
                               .type_b = p->type_b,
                               .type_c = p->type_d,
                               .type_d = p->type_d,
                               .flags = (p->saturates ? SIM_PRODUCT_SATURATES : 0u) | (m ? SIM_PRODUCT_SPARSE : 0u)};
    bool finite;
    read_a(b, t->op, p, t->work, t->row, o->a.raw);
    for (uint32_t r = 0; m && r < CHUNK_ROWS; r++) m->rows[r] = metadata_of(memory, p, t->work->metadata, t->row + r);
    read_sums(memory, p, t->op, t->work, t->row, t->column, t->count, o);
    if (p->type_d == PTX_S32) {
        multiply_integers(&whole, o, m);
    } else {
        decode_tile(t, o, m, &finite);
        multiply_floats(&whole, p, o, m, sm, finite);
    }
    write_sums(memory, p, t->work, t->rank, t->row, t->column, t->count, o);
}

static void check_factors(sim_block *b, const sim_tmem_work *work, const tensor_op *t, const tensor_product *p) {
    sim_warp *w = &b->warps[work->thread / SIM_LANES];
    const uint32_t lane = 1u << work->thread % SIM_LANES;
    chunk_list list;
    if (check_shared_matrices(w, work->op, lane, t, p, work, &list))
        sim_hazard_factors_read(w, work->op, lane, list.address, list.count, work->issued);
}

/* All blocks' rows, for b chunk by chunk of its columns. */
static void make(sim_block *b, const sim_tmem_work *work) {
    const tensor_op *t = tensor_op_at(b, work->op);
    sim_block *first = t->flags & PAIR ? &b->cluster[b->rank & ~1u] : b;
    sim_block *const blocks[SIM_TMEM_PAIR] = {first, t->flags & PAIR ? first + 1 : first};
    tensor_product p;
    sim_operands o;
    read_descriptor(t, work->descriptor, &p);
    if (b->sm->hazards) check_factors(b, work, t, &p);
    for (uint32_t column = 0; column < p.n; column += CHUNK_COLUMNS) {
        const uint32_t count = p.n - column < CHUNK_COLUMNS ? p.n - column : CHUNK_COLUMNS;
        read_b(blocks, &p, work, column, count, o.b.raw);
        for (uint32_t rank = 0; rank < p.m / p.rows; rank++) {
            for (uint32_t row = 0; row < p.rows; row += CHUNK_ROWS) {
                const tile one = {blocks, t, &p, work, rank, row, column, count};
                make_tile(&one, &o);
            }
        }
    }
}

/* ---- issue ---- */

static uint32_t word_at(const sim_warp *w, slot_and_offset s, unsigned lane) {
    return SIM_SLOT(w, uint32_t, s.slot)[lane] + s.offset;
}

static sim_tmem_work work_of(const sim_warp *w, const sim_op *op, const tensor_op *t, unsigned lane) {
    sim_tmem_work work = {
        .make = make,
        .op = op,
        .thread = w->index * SIM_LANES + lane,
        .a = t->flags & A_IN_TENSOR_MEMORY ? word_at(w, t->a, lane) : SIM_SLOT(w, uint64_t, t->a_descriptor)[lane],
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

static bool check_work(sim_warp *w, const sim_op *op, uint32_t lane, const tensor_op *t, const sim_tmem_work *work,
                       tensor_product *p, chunk_list *list) {
    const char *fault = read_descriptor(t, work->descriptor, p);
    sim_block *first = w->block;
    if (fault) return wrong(w, op, lane, "instruction descriptor", work->descriptor, fault), false;
    if (t->flags & PAIR) first = sim_tmem_pair(w, op, lane);
    if (!first || !check_lane(w, op, lane, p, work->d)) return false;
    if (t->flags & A_IN_TENSOR_MEMORY && !check_lane(w, op, lane, p, (uint32_t)work->a)) return false;
    for (uint32_t b = 0; b < p->m / p->rows; b++)
        if (!check_tensor_memory(w, op, lane, first + b, t, p, work)) return false;
    return check_shared_matrices(w, op, lane, t, p, work, list);
}

/* Stores and loads of the block's warps that are not over yet. */
static void check_order(sim_warp *w, const sim_op *op, const tensor_op *t, const tensor_product *p,
                        const sim_tmem_work *work) {
    sim_hazard_tmem(w, op, HAUL_ACTION_ASYNC_WRITE, sim_tmem_column(work->d), columns_of_sums(p));
    if (t->flags & A_IN_TENSOR_MEMORY)
        sim_hazard_tmem(w, op, HAUL_ACTION_ASYNC_READ, sim_tmem_column((uint32_t)work->a), columns_of_a(p));
    if (t->flags & SPARSE)
        sim_hazard_tmem(w, op, HAUL_ACTION_ASYNC_READ, sim_tmem_column(work->metadata) + p->selector,
                        columns_of_metadata(p));
    if (!t->scales) return;
    sim_hazard_tmem(w, op, HAUL_ACTION_ASYNC_READ, sim_tmem_column(work->scale_a), scale_columns(p->rows));
    sim_hazard_tmem(w, op, HAUL_ACTION_ASYNC_READ, sim_tmem_column(work->scale_b), scale_columns(p->n));
}

static sim_step issue(sim_warp *w, const sim_op *op, uint32_t active) {
    const tensor_op *t = tensor_op_at(w->block, op);
    for (uint32_t left = active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        sim_tmem_work work = work_of(w, op, t, lane);
        tensor_product p;
        chunk_list list;
        if (!check_work(w, op, 1u << lane, t, &work, &p, &list)) return SIM_STOP;
        if (w->sm->hazards) {
            work.issued = sim_hazard_factors(w, op, 1u << lane, list.address, list.count);
            check_order(w, op, t, &p, &work);
        }
        work.columns = columns_of_sums(&p);
        work.is_for_pair = t->flags & PAIR;
        if (!sim_tmem_add(w->block, &work))
            return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, active,
                               "the host has no memory for a product in flight");
    }
    return SIM_NEXT;
}

/* ---- lowering ---- */

static slot_and_offset address_in(sim_lowering *l, const ptx_operand *o) {
    bool wide;
    int64_t offset;
    const uint32_t slot = sim_address(l, o, &wide, &offset);
    return (slot_and_offset){slot, (uint32_t)offset};
}

static uint32_t scales_of(const ptx_instruction *i) {
    const unsigned scale = i->mods[PTX_SLOT_SCALE_VEC], kind = i->mods[PTX_SLOT_KIND];
    if (!i->mods[PTX_SLOT_BLOCK_SCALE]) return 0;
    if (scale == PTX_MOD_SCALE_VEC_4X || scale == PTX_MOD_SCALE_BLOCK_16) return 4;
    return kind == PTX_MOD_KIND_MXF8F6F4 ? 1 : 2;
}

static uint32_t flags_of(const ptx_instruction *i) {
    const bool weights = i->op == PTX_OP_TMEM_MMA_WS || i->op == PTX_OP_TMEM_MMA_WS_SP;
    const bool sparse =
        i->op == PTX_OP_TMEM_MMA_SP || i->op == PTX_OP_TMEM_MMA_SP_SCALED || i->op == PTX_OP_TMEM_MMA_WS_SP;
    return (weights ? WEIGHTS_STAY : 0u) | (sparse ? SPARSE : 0u) |
           (i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2 ? PAIR : 0u) |
           (i->operands[1].kind == PTX_MEMORY ? A_IN_TENSOR_MEMORY : 0u) | (i->mods[PTX_SLOT_ASHIFT] ? A_SHIFTED : 0u);
}

/* Operands behind the instruction descriptor: lanes and a scale of d, scale factors, or columns that are zero. */
static void lower_tail(sim_lowering *l, const ptx_instruction *i, unsigned at, tensor_op *t) {
    const bool weights = t->flags & WEIGHTS_STAY;
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

static haul_status lower_tensor_product(sim_lowering *l, const ptx_instruction *i) {
    enum { D, A, B, METADATA };
    const slot_and_offset zero = {SIM_SLOT_ZERO, 0};
    tensor_op t = {.kind = i->mods[PTX_SLOT_KIND] - PTX_MOD_KIND_F16 + 0u,
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
    if (t.flags & A_IN_TENSOR_MEMORY)
        t.a = address_in(l, &i->operands[A]);
    else
        t.a_descriptor = sim_source(l, &i->operands[A], PTX_B64);
    t.b = sim_source(l, &i->operands[B], PTX_B64);
    if (t.flags & SPARSE) t.metadata = address_in(l, &i->operands[at++]);
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
