/* The instruction descriptor of tcgen05.mma: decodes the product that it describes and finds its defects.
 *
 * The descriptor is a register of 32 bits, made when the kernel runs, so its types and shape are known only here. Where
 * the fields are depends on the kind: the kinds with scale factors have other fields for the number of rows and the
 * scales. The rules are those of the PTX ISA 9.0. A defect is a message for the user, without the descriptor itself. */
#include "exec/ops/tmem_mma.h"

/* Returns `bits` bits of the descriptor from bit `at` on. */
static uint32_t field(uint32_t descriptor, unsigned at, unsigned bits) {
    return descriptor >> at & ((1u << bits) - 1);
}

/* Returns the type that a code means for this kind; 0: none. */
static uint32_t type_of(sim_tmem_kind k, uint32_t code) {
    static const uint8_t small[] = {PTX_E4M3, PTX_E5M2, 0, PTX_E2M3, PTX_E3M2, PTX_E2M1, 0, 0};
    switch (k) {
    case SIM_TMEM_KIND_F16: return code == 0 ? PTX_F16 : code == 1 ? PTX_BF16 : 0;
    case SIM_TMEM_KIND_TF32: return code == 2 ? PTX_TF32 : 0;
    case SIM_TMEM_KIND_I8: return code == 0 ? PTX_U8 : code == 1 ? PTX_S8 : 0;
    case SIM_TMEM_KIND_F8F6F4:
    case SIM_TMEM_KIND_MXF8F6F4: return small[code];
    default: return code == 1 ? PTX_E2M1 : 0;
    }
}

/* Returns whether the kind has scale factors. The order of the enumeration tells. */
static bool is_scaled(sim_tmem_kind k) {
    return k >= SIM_TMEM_KIND_MXF8F6F4;
}

/* Returns the type of d; 0: no such code. */
static uint32_t sum_type_of(sim_tmem_kind k, uint32_t code) {
    if (is_scaled(k)) return PTX_F32;
    if (k == SIM_TMEM_KIND_I8) return code == 2 ? PTX_S32 : 0;
    if (code == 1) return PTX_F32;
    return code == 0 && k != SIM_TMEM_KIND_TF32 ? PTX_F16 : 0;
}

/* Returns the elements of k of a dense product: 32 bytes of them, 4-bit kinds packed. */
static uint32_t depth_of(sim_tmem_kind k) {
    switch (k) {
    case SIM_TMEM_KIND_F16: return 16;
    case SIM_TMEM_KIND_TF32: return 8;
    case SIM_TMEM_KIND_MXF4:
    case SIM_TMEM_KIND_MXF4NVF4: return 64;
    default: return 32;
    }
}

/* Returns the bits of an element as stored: smaller ones of the mixed kinds take a byte. */
static uint32_t bits_of(sim_tmem_kind k) {
    return 256 / depth_of(k);
}

/* Returns where the rows and columns of d are, which the shape and the number of blocks determine. */
static sim_tmem_layout layout_of(const sim_tmem_op *t, uint32_t m) {
    if (t->flags & SIM_TMEM_WEIGHTS_STAY)
        return m == 32 ? SIM_TMEM_LAYOUT_QUARTERS : m == 64 ? SIM_TMEM_LAYOUT_HALVES : SIM_TMEM_LAYOUT_ROWS;
    if (!(t->flags & SIM_TMEM_FOR_PAIR)) return m == 64 ? SIM_TMEM_LAYOUT_HALF_LANES : SIM_TMEM_LAYOUT_ROWS;
    if (m == 256) return SIM_TMEM_LAYOUT_ROWS;
    return t->flags & SIM_TMEM_SPARSE ? SIM_TMEM_LAYOUT_HALF_LANES : SIM_TMEM_LAYOUT_HALVES;
}

/* Returns the defect of m or n; NULL: none. .ws has shapes of its own. */
static const char *shape_fault(const sim_tmem_op *t, const sim_tmem_product *p) {
    const bool integers = t->kind == SIM_TMEM_KIND_I8, pair = t->flags & SIM_TMEM_FOR_PAIR,
               sparse = t->flags & SIM_TMEM_SPARSE;
    const uint32_t step = pair ? (integers ? 32 : 16) : integers && p->n > 32 ? 16 : 8;
    if (t->flags & SIM_TMEM_WEIGHTS_STAY) {
        if (p->m != 32 && p->m != 64 && p->m != 128) return "rows of d: 32, 64 or 128 with .ws";
        const bool wide = p->n == 256 && !sparse;
        return p->n == 64 || p->n == 128 || wide ? NULL : "columns of d: 64, 128 or (not sparse) 256 with .ws";
    }
    if (is_scaled(t->kind) && !pair && p->m != 128) return "rows of d: 128 for this kind";
    if (is_scaled(t->kind) && pair && sparse && p->m != 256) return "rows of d: 256 for this kind";
    if (p->m != (pair ? 128 : 64) && p->m != (pair ? 256 : 128)) return "rows of d: 64 or 128, of a pair 128 or 256";
    return p->n && p->n <= 256 && p->n % step == 0 ? NULL : "columns of d: no such number for this kind";
}

/* Returns the defect of types, signs, transposition or shape; NULL: none. */
static const char *form_fault(const sim_tmem_op *t, const sim_tmem_product *p, uint32_t d) {
    const bool is_4bit = t->kind == SIM_TMEM_KIND_MXF4 || t->kind == SIM_TMEM_KIND_MXF4NVF4;
    const bool whole =
        (p->type_a == PTX_E4M3 || p->type_a == PTX_E5M2) && (p->type_b == PTX_E4M3 || p->type_b == PTX_E5M2);
    const bool small = ptx_bits(p->type_a) == 8 && t->kind != SIM_TMEM_KIND_I8 && !whole;
    if (!p->type_a || !p->type_b) return "no such type of a or b for this kind";
    if (!p->type_d) return "no such type of d for this kind";
    if (field(d, 2, 1) != (t->flags & SIM_TMEM_SPARSE ? 1u : 0u))
        return "the bit for a sparse a does not say what the instruction says";
    if (p->type_a == PTX_BF16 && p->type_d == PTX_F16) return "bf16 is summed in f32 only";
    if ((p->negates_a || p->negates_b) && t->kind == SIM_TMEM_KIND_I8) return "integers are not negated";
    if ((p->transposes_a || p->transposes_b) && (is_4bit || small))
        return "elements of less than 8 bits are not transposed";
    if (is_4bit && field(d, 31, 1)) return "a depth of 96 is there from sm_103 on";
    if ((t->kind == SIM_TMEM_KIND_I8 || t->kind == SIM_TMEM_KIND_F8F6F4) && (t->flags & SIM_TMEM_SPARSE) && p->selector)
        return "the sparsity selector is 0 for elements of 8 bits";
    return shape_fault(t, p);
}

/* m is in units of 16 rows, or of 128 for kinds with scale factors, n in units of 8 columns. A sparse a has twice the k
 * of a dense one, of which it stores half. */
const char *sim_tmem_read_descriptor(const sim_tmem_op *t, uint32_t d, sim_tmem_product *p) {
    const bool sparse = t->flags & SIM_TMEM_SPARSE,
               is_4bit = t->kind == SIM_TMEM_KIND_MXF4 || t->kind == SIM_TMEM_KIND_MXF4NVF4;
    *p = (sim_tmem_product){
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
        .saturates = t->kind == SIM_TMEM_KIND_I8 && field(d, 3, 1),
        .selector = is_scaled(t->kind) ? 0 : field(d, 0, 2),
        .id_a = field(d, 29, 2),
        .id_b = field(d, 4, 2),
        .scales_are_exponents = field(d, 23, 1),
    };
    p->layout = layout_of(t, p->m);
    p->rows = t->flags & SIM_TMEM_FOR_PAIR ? p->m / 2 : p->m;
    p->columns = t->flags & SIM_TMEM_FOR_PAIR ? p->n / 2 : p->n;
    return form_fault(t, p, d);
}
