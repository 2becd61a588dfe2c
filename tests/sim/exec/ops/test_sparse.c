/* mma.sp in all forms. Sparse matrices are generated with all their zeros and multiplied here; the instruction gets the
 * nonzero elements and the metadata that locate them.
 *
 * With HAUL_TEST_DEVICE=gpu in the environment the forms run on the real GPU, and products of random numbers must equal
 * those of the virtual one bit for bit. */
#include "fragments.h"

typedef struct sparse_form {
    form form; /* k: with the zeros; more: modifiers before the types */
    unsigned selectors;
} sparse_form;

enum { ROWS = 16, DEPTH = 128, LANE_BYTES = LANES * 8 };

typedef struct operands {
    double a[ROWS * DEPTH], packed[ROWS * DEPTH], b[MOST], c[MOST], d[MOST];
    uint32_t metadata[LANES];
} operands;

/* ---- a sparse matrix ---- */

/* Elements of a chunk, those that exist, those that one index stands for. */
typedef struct granularity {
    unsigned chunk, kept, together;
} granularity;

static granularity granularity_of(element e) {
    if (elements[e].bits == 32) return (granularity){2, 1, 1};
    return elements[e].bits == 4 ? (granularity){8, 4, 2} : (granularity){4, 2, 1};
}

/* Chooses two different positions of four, in order; tf32's are two neighbours, the lower or the upper ones. */
static void choose(element e, unsigned indices[2]) {
    static const unsigned pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const unsigned n = elements[e].bits == 32 ? random_bits() % 2 * 5 : random_bits() % 6;
    memcpy(indices, pairs[n], sizeof pairs[n]);
}

/* Keeps the chosen elements of a row's chunk in `a`, packs them, and returns the four bits that locate them. */
static unsigned pack_chunk(const form *f, double *a, double *packed) {
    const granularity g = granularity_of(f->a);
    double kept[8] = {0};
    unsigned indices[2];
    choose(f->a, indices);
    for (unsigned n = 0; n < g.kept; n++) {
        const unsigned at = g.kept == 1 ? indices[0] / 2 : indices[n / g.together] * g.together + n % g.together;
        kept[at] = packed[n] = a[at];
    }
    memcpy(a, kept, g.chunk * sizeof *a);
    return indices[0] | indices[1] << 2;
}

/* Places the four bits of a row's chunk as the manual draws it. */
static void put_metadata(const form *f, unsigned selector, unsigned row, unsigned chunk, unsigned bits,
                         uint32_t *lane) {
    const unsigned chunks = f->k / granularity_of(f->a).chunk, first = row % 8 * 4, upper = row / 8;
    const bool is_narrow = elements[f->a].bits < 16;
    if (is_narrow) {
        const unsigned pair = chunks == 8 ? 2 * selector : chunk / 8 * 2;
        lane[first + pair + upper] |= bits << chunk % 8 * 4;
    } else {
        const unsigned thread = chunks == 4 ? selector : 2 * selector + chunk / 4;
        lane[first + thread] |= bits << (16 * upper + chunk % 4 * 4);
    }
}

static void make_sparse(const form *f, unsigned selector, operands *x) {
    const granularity g = granularity_of(f->a);
    for (unsigned l = 0; l < LANES; l++) x->metadata[l] = 0;
    for (unsigned row = 0; row < f->m; row++)
        for (unsigned chunk = 0; chunk < f->k / g.chunk; chunk++) {
            const unsigned bits = pack_chunk(f, x->a + row * f->k + chunk * g.chunk,
                                             x->packed + row * f->k / g.chunk * g.kept + chunk * g.kept);
            put_metadata(f, selector, row, chunk, bits, x->metadata);
        }
}

/* ---- kernels ---- */

static void put_kernel(text *t, const form *f, unsigned selector) {
    unsigned at = 0;
    const unsigned a = registers_of(f->a, f->m * f->k / 2), b = registers_of(f->b, f->n * f->k);
    const unsigned c = registers_of(f->c, f->m * f->n), d = registers_of(f->d, f->m * f->n);
    const bool ordered = random_bits() % 2;
    text_put(t, ".version 8.7\n.target sm_90a\n.address_size 64\n" BEGIN
                "mul.wide.u32 %rd3, %r0, 8;\nadd.u64 %rd4, %rd3, %rd0;\nadd.u64 %rd3, %rd3, %rd1;\n");
    put_loads(t, 'a', f->a, a, &at);
    put_loads(t, 'b', f->b, b, &at);
    put_loads(t, 'c', f->c, c, &at);
    text_printf(t, "ld.global.b32 %%r9, [%%rd3+%u];\n.reg .%s %%d<%u>;\n", at * 8, register_type(f->d), d);
    text_printf(t, "mma.sp%s.sync.aligned.m16n8k%u.row.col%s.%s.%s.%s.%s ", ordered ? "::ordered_metadata" : "", f->k,
                f->more, elements[f->d].name, elements[f->a].name, elements[f->b].name, elements[f->c].name);
    put_fragment(t, 'd', d), text_put(t, ", "), put_fragment(t, 'a', a), text_put(t, ", ");
    put_fragment(t, 'b', b), text_put(t, ", "), put_fragment(t, 'c', c);
    text_printf(t, ", %%r9, %u;\n", selector);
    for (unsigned r = 0; r < d; r++)
        text_printf(t, "st.global.%s [%%rd4+%u], %%d%u;\n", register_type(f->d), r * LANE_BYTES, r);
    text_put(t, END);
}

static void run_product(const form *f, unsigned selector, const char *where, const operands *x, uint64_t *out) {
    static uint64_t in[4 * REGISTERS * LANES];
    const form packed = {f->m, f->n, f->k / 2, f->a, f->b, f->c, f->d, ""};
    const unsigned a = registers_of(f->a, f->m * f->k / 2) * LANES, b = registers_of(f->b, f->n * f->k) * LANES;
    const unsigned c = registers_of(f->c, f->m * f->n) * LANES;
    text t = {0};
    pack(&packed, f->a, index_a, x->packed, f->m * f->k / 2, in);
    pack(f, f->b, index_b, x->b, f->n * f->k, in + a);
    pack(f, f->c, index_c, x->c, f->m * f->n, in + a + b);
    for (unsigned l = 0; l < LANES; l++) in[a + b + c + l] = x->metadata[l];
    put_kernel(&t, f, selector);
    memset(out, 0, REGISTERS * LANES * sizeof *out);
    run_kernel(&(kernel_run){.ptx = text_string(&t),
                             .device = where,
                             .in = in,
                             .in_bytes = (a + b + c + LANES) * sizeof *in,
                             .out = out,
                             .out_bytes = REGISTERS * LANES * sizeof *out});
    text_free(&t);
}

static double product(const form *f, const operands *x, unsigned i, unsigned j) {
    double sum = x->c[i * f->n + j];
    for (unsigned k = 0; k < f->k; k++) sum += x->a[i * f->k + k] * x->b[k * f->n + j];
    return sum;
}

/* ---- tests ---- */

static const sparse_form forms[] = {
    {{16, 8, 16, F16, F16, F16, F16, ""}, 4},   {{16, 8, 16, F16, F16, F32, F32, ""}, 4},
    {{16, 8, 32, F16, F16, F16, F16, ""}, 2},   {{16, 8, 32, F16, F16, F32, F32, ""}, 2},
    {{16, 8, 16, BF16, BF16, F32, F32, ""}, 4}, {{16, 8, 32, BF16, BF16, F32, F32, ""}, 2},
    {{16, 8, 8, TF32, TF32, F32, F32, ""}, 4},  {{16, 8, 16, TF32, TF32, F32, F32, ""}, 2},
    {{16, 8, 64, E4M3, E5M2, F32, F32, ""}, 1}, {{16, 8, 64, E5M2, E4M3, F32, F32, ""}, 1},
    {{16, 8, 32, S8, U8, S32, S32, ""}, 2},     {{16, 8, 64, U8, S8, S32, S32, ".satfinite"}, 1},
    {{16, 8, 64, S4, U4, S32, S32, ""}, 2},     {{16, 8, 128, U4, S4, S32, S32, ".satfinite"}, 1},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void check_form(const form *f, unsigned selector) {
    static operands x;
    uint64_t out[REGISTERS * LANES];
    fill(f->a, x.a, f->m * f->k);
    fill(f->b, x.b, f->k * f->n);
    fill(f->c, x.c, f->m * f->n);
    make_sparse(f, selector, &x);
    run_product(f, selector, device(), &x, out);
    unpack(f, f->d, index_c, x.d, f->m * f->n, out);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++)
            if (x.d[i * f->n + j] != product(f, &x, i, j))
                fail_msg("k%u %s, selector %u: row %u, column %u is %g, not %g", f->k, elements[f->a].name, selector, i,
                         j, x.d[i * f->n + j], product(f, &x, i, j));
}

static void all_forms_multiply(void **state) {
    (void)state;
    for (size_t n = 0; n < FORMS; n++)
        for (unsigned selector = 0; selector < forms[n].selectors; selector++) check_form(&forms[n].form, selector);
}

static bool is_floating(const form *f) {
    return elements[f->a].exponent != 0;
}

static void compare_bits(const form *f, unsigned selector) {
    static operands x;
    uint64_t out[REGISTERS * LANES], simulated[REGISTERS * LANES];
    fill_widely(f->a, x.a, f->m * f->k);
    fill_widely(f->b, x.b, f->k * f->n);
    fill_widely(f->c, x.c, f->m * f->n);
    make_sparse(f, selector, &x);
    run_product(f, selector, device(), &x, out);
    run_product(f, selector, "sim:h100", &x, simulated);
    if (memcmp(out, simulated, sizeof out) != 0)
        fail_msg("k%u %s in %s: other bits than on sim:h100", f->k, elements[f->a].name, elements[f->d].name);
}

static void sums_are_those_of_the_matrix_units(void **state) {
    (void)state;
    if (strncmp(device(), "gpu", 3) != 0) skip();
    for (unsigned round = 0; round < 4; round++)
        for (size_t n = 0; n < FORMS; n++)
            if (is_floating(&forms[n].form)) compare_bits(&forms[n].form, round % forms[n].selectors);
}

static void expect_refusal(const char *instruction, const char *why) {
    text ptx = {0};
    text_put(&ptx, ".version 8.6\n.target sm_90a\n.address_size 64\n" BEGIN);
    text_put(&ptx, instruction), text_put(&ptx, "\n" END);
    expect_failure(&(kernel_run){.ptx = text_string(&ptx)}, HAUL_ERROR_SYNTAX, why);
    text_free(&ptx);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    expect_refusal("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f0,%f1,%f2,%f3},{%r2,%r3},{%r4,%r5},"
                   "{%r6,%r7},%r8,0;",
                   "no such types of c and d together");
    expect_refusal("mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 {%r2,%r3},{%r2,%r3,%r4,%r5},{%r2,%r3,%r4,%r5},"
                   "{%r6,%r7},%r8,2;",
                   "takes 0 or 1 as sparsity selector");
    expect_refusal("mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r2,%r3,%r4,%r5},{%r2,%r3,%r4,%r5},"
                   "{%r2,%r3,%r4,%r5},{%r2,%r3,%r4,%r5},%r8,1;",
                   "takes 0 as sparsity selector");
    expect_refusal("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2,%r3},{%r2,%r3,%r4,%r5},{%r4,%r5},"
                   "{%r6,%r7},%r8,0;",
                   "operand 2 of 'mma': must be 2 registers in braces");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_multiply),
        cmocka_unit_test(sums_are_those_of_the_matrix_units),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
