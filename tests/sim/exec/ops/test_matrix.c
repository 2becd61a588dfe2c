/* Matrix products in all forms, compared with products computed here. Elements are small integers, so that every order
 * of summing gives the same. The layout of fragments is written here as the PTX manual draws it.
 *
 * With HAUL_TEST_DEVICE=gpu in the environment the forms run on the real GPU, and products of random numbers must equal
 * those of the virtual one bit for bit. */
#include "fragments.h"

/* Writes the kernel; inputs are a, b and c, fragment by fragment. */
static void put_kernel(text *t, const form *f, const char *opcode) {
    unsigned at = 0;
    const unsigned a = registers_of(f->a, f->m * f->k), b = registers_of(f->b, f->n * f->k);
    const unsigned c = registers_of(f->c, f->m * f->n), d = registers_of(f->d, f->m * f->n);
    text_put(t, ".version 8.7\n.target sm_90a\n.address_size 64\n" BEGIN
                "mul.wide.u32 %rd3, %r0, 8;\nadd.u64 %rd4, %rd3, %rd0;\nadd.u64 %rd3, %rd3, %rd1;\n");
    put_loads(t, 'a', f->a, a, &at);
    put_loads(t, 'b', f->b, b, &at);
    put_loads(t, 'c', f->c, c, &at);
    text_printf(t, ".reg .%s %%d<%u>;\n%s ", register_type(f->d), d, opcode);
    put_fragment(t, 'd', d), text_put(t, ", "), put_fragment(t, 'a', a), text_put(t, ", ");
    put_fragment(t, 'b', b), text_put(t, ", "), put_fragment(t, 'c', c), text_put(t, ";\n");
    for (unsigned r = 0; r < d; r++)
        text_printf(t, "st.global.%s [%%rd4+%u], %%d%u;\n", register_type(f->d), r * LANES * 8, r);
    text_put(t, END);
}

typedef struct matrices {
    double a[MOST], b[MOST], c[MOST], d[MOST];
} matrices;

static void run_product(const form *f, const char *opcode, const char *where, const matrices *x, uint64_t *out) {
    static uint64_t in[3 * REGISTERS * LANES];
    const unsigned a = registers_of(f->a, f->m * f->k) * LANES, b = registers_of(f->b, f->n * f->k) * LANES;
    const unsigned c = registers_of(f->c, f->m * f->n) * LANES;
    text t = {0};
    pack(f, f->a, index_a, x->a, f->m * f->k, in);
    pack(f, f->b, index_b, x->b, f->n * f->k, in + a);
    pack(f, f->c, index_c, x->c, f->m * f->n, in + a + b);
    put_kernel(&t, f, opcode);
    memset(out, 0, REGISTERS * LANES * sizeof *out);
    run_kernel(&(kernel_run){.ptx = text_string(&t),
                             .device = where,
                             .in = in,
                             .in_bytes = (a + b + c) * sizeof *in,
                             .out = out,
                             .out_bytes = REGISTERS * LANES * sizeof *out});
    text_free(&t);
}

/* ---- small integers ---- */

static double product(const form *f, const matrices *x, unsigned i, unsigned j) {
    double sum = x->c[i * f->n + j];
    const bool xor = strstr(f->more, "xor") != NULL;
    for (unsigned k = 0; k < f->k; k++) {
        const double a = x->a[i * f->k + k], b = x->b[k * f->n + j];
        sum += xor? (double)(a != b) : a *b;
    }
    return sum;
}

static void put_opcode(text *t, const form *f) {
    const char *saturates = strcmp(f->more, ".satfinite") == 0 ? f->more : "";
    text_printf(t, "mma.sync.aligned.m%un%uk%u.row.col%s.%s.%s.%s.%s%s", f->m, f->n, f->k, saturates,
                elements[f->d].name, elements[f->a].name, elements[f->b].name, elements[f->c].name,
                *saturates ? "" : f->more);
}

static void check_form(const form *f) {
    static matrices x;
    uint64_t out[REGISTERS * LANES];
    text opcode = {0};
    fill(f->a, x.a, f->m * f->k);
    fill(f->b, x.b, f->k * f->n);
    fill(f->c == F16 ? F16 : f->c, x.c, f->m * f->n);
    put_opcode(&opcode, f);
    run_product(f, text_string(&opcode), device(), &x, out);
    unpack(f, f->d, index_c, x.d, f->m * f->n, out);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++)
            if (x.d[i * f->n + j] != product(f, &x, i, j))
                fail_msg("%s: row %u, column %u is %g, not %g", text_string(&opcode), i, j, x.d[i * f->n + j],
                         product(f, &x, i, j));
    text_free(&opcode);
}

static void all_forms_multiply(void **state) {
    static const form forms[] = {
        {16, 8, 8, F16, F16, F16, F16, ""},
        {16, 8, 8, F16, F16, F32, F32, ""},
        {16, 8, 16, F16, F16, F16, F16, ""},
        {16, 8, 16, F16, F16, F32, F32, ""},
        {16, 8, 8, BF16, BF16, F32, F32, ""},
        {16, 8, 16, BF16, BF16, F32, F32, ""},
        {16, 8, 4, TF32, TF32, F32, F32, ""},
        {16, 8, 8, TF32, TF32, F32, F32, ""},
        {16, 8, 32, E4M3, E5M2, F32, F32, ""},
        {16, 8, 32, E5M2, E4M3, F16, F16, ""},
        {16, 8, 16, E4M3, E4M3, F32, F32, ""},
        {16, 8, 16, E5M2, E5M2, F16, F16, ""},
        {8, 8, 4, F64, F64, F64, F64, ""},
        {16, 8, 4, F64, F64, F64, F64, ""},
        {16, 8, 8, F64, F64, F64, F64, ".rz"},
        {16, 8, 16, F64, F64, F64, F64, ""},
        {8, 8, 16, S8, U8, S32, S32, ""},
        {16, 8, 16, U8, S8, S32, S32, ""},
        {16, 8, 32, S8, S8, S32, S32, ".satfinite"},
        {16, 8, 32, U8, U8, S32, S32, ""},
        {8, 8, 32, S4, U4, S32, S32, ""},
        {16, 8, 32, U4, S4, S32, S32, ""},
        {16, 8, 64, S4, S4, S32, S32, ""},
        {16, 8, 64, U4, U4, S32, S32, ".satfinite"},
        {8, 8, 128, B1, B1, S32, S32, ".xor.popc"},
        {8, 8, 128, B1, B1, S32, S32, ".and.popc"},
        {16, 8, 128, B1, B1, S32, S32, ".xor.popc"},
        {16, 8, 256, B1, B1, S32, S32, ".and.popc"},
    };
    (void)state;
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) check_form(&forms[n]);
}

/* ---- numbers of all sizes ---- */

static double size_of_terms(const form *f, const matrices *x, unsigned i, unsigned j) {
    double sum = fabs(x->c[i * f->n + j]);
    for (unsigned k = 0; k < f->k; k++) sum += fabs(x->a[i * f->k + k] * x->b[k * f->n + j]);
    return sum;
}

/* Returns the greatest error relative to the size of the terms. */
static double worst_error(const form *f, const matrices *x) {
    double worst = 0;
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++)
            worst = fmax(worst, fabs(x->d[i * f->n + j] - product(f, x, i, j)) / size_of_terms(f, x, i, j));
    return worst;
}

static void check_error(const form *f, double allowed) {
    static matrices x;
    uint64_t out[REGISTERS * LANES], simulated[REGISTERS * LANES];
    text opcode = {0};
    fill_widely(f->a, x.a, f->m * f->k);
    fill_widely(f->b, x.b, f->k * f->n);
    fill_widely(f->c, x.c, f->m * f->n);
    put_opcode(&opcode, f);
    run_product(f, text_string(&opcode), device(), &x, out);
    run_product(f, text_string(&opcode), "sim:h100", &x, simulated);
    unpack(f, f->d, index_c, x.d, f->m * f->n, out);
    if (worst_error(f, &x) > allowed)
        fail_msg("%s: error %g, not below %g", text_string(&opcode), worst_error(f, &x), allowed);
    if (memcmp(out, simulated, sizeof out) != 0) fail_msg("%s: other bits than on sim:h100", text_string(&opcode));
    text_free(&opcode);
}

/* Terms are truncated 2^-25 (of 8-bit types 2^-13) below the greatest one. */
static void sums_are_as_exact_as_the_matrix_units(void **state) {
    static const struct {
        form form;
        double error;
    } forms[] = {
        {{16, 8, 8, F16, F16, F32, F32, ""}, 0x1p-21},   {{16, 8, 16, F16, F16, F32, F32, ""}, 0x1p-21},
        {{16, 8, 16, F16, F16, F16, F16, ""}, 0x1p-11},  {{16, 8, 16, BF16, BF16, F32, F32, ""}, 0x1p-21},
        {{16, 8, 8, TF32, TF32, F32, F32, ""}, 0x1p-21}, {{16, 8, 32, E4M3, E4M3, F32, F32, ""}, 0x1p-10},
        {{16, 8, 16, F64, F64, F64, F64, ""}, 0x1p-51},
    };
    (void)state;
    for (unsigned round = 0; round < 4; round++)
        for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) check_error(&forms[n].form, forms[n].error);
}

/* ---- numbers at the limits ---- */

/* Fills all three matrices with one number each. */
static void check_constants(const form *f, double a, double b, double c, double expected) {
    static matrices x;
    uint64_t out[REGISTERS * LANES];
    text opcode = {0};
    for (unsigned n = 0; n < f->m * f->k; n++) x.a[n] = a;
    for (unsigned n = 0; n < f->k * f->n; n++) x.b[n] = b;
    for (unsigned n = 0; n < f->m * f->n; n++) x.c[n] = c;
    put_opcode(&opcode, f);
    run_product(f, text_string(&opcode), device(), &x, out);
    unpack(f, f->d, index_c, x.d, f->m * f->n, out);
    for (unsigned n = 0; n < f->m * f->n; n++)
        if (x.d[n] != expected)
            fail_msg("%s: %a * %a summed and %a is %a, not %a", text_string(&opcode), a, b, c, x.d[n], expected);
    text_free(&opcode);
}

/* Sixteen such products and the sum, aligned to 25 bits of fraction, need more than 32 bits. */
static void the_greatest_significands_are_summed(void **state) {
    static const form halves = {16, 8, 16, F16, F16, F32, F32, ""}, words = {16, 8, 8, TF32, TF32, F32, F32, ""};
    const double most = 2 - 0x1p-10, sum = 2 - 0x1p-23;
    (void)state;
    check_constants(&halves, most, most, sum, 0x1.07c002p+6);
    check_constants(&halves, -most, most, -sum, -0x1.07c002p+6);
    check_constants(&halves, most, most, 0, 0x1.ff8008p+5);
    check_constants(&words, most, most, sum, 0x1.0fc002p+5);
}

/* Products of small and great elements are as exact as others; sums keep their size. */
static void elements_may_be_far_from_one(void **state) {
    static const form brains = {16, 8, 16, BF16, BF16, F32, F32, ""}, words = {16, 8, 4, TF32, TF32, F32, F32, ""};
    (void)state;
    check_constants(&brains, 0x1p-50, 0x1p-50, 0, 0x1p-96);
    check_constants(&brains, 0x1p-51, 0x1p51, 1, 17);
    check_constants(&brains, 0x1p50, 0x1p50, 0x1p100, 0x1.1p104);
    check_constants(&brains, 0, 0x1p50, 0x1p-126, 0x1p-126);
    check_constants(&brains, 0x1p-126, 0x1p100, 0x1p127, 0x1p127);
    check_constants(&words, 0x1p-100, 0x1p-20, 0x1p-120, 0x1.4p-118);
}

/* ---- matrices of bytes, since sm_100 ---- */

#define BYTES_OF_ROW "mul.lo.u32 %r3, %r0, 0x10101010;\nadd.u32 %r4, %r3, 0x03020100;\n"
#define BYTE_KERNEL(body)                                                                                        \
    ".version 8.6\n.target sm_100a\n.address_size 64\n" BEGIN ".shared .align 16 .b8 s[512];\nmov.u32 %r2, s;\n" \
    "mad.lo.u32 %r2, %r0, 16, %r2;\n" body END

/* Lane l has written bytes 16l to 16l + 15. */
static void bytes_are_loaded_transposed(void **state) {
    (void)state;
    uint32_t out[64] = {0};
    run_kernel(&(kernel_run){
        .ptx = BYTE_KERNEL(BYTES_OF_ROW "add.u32 %r5, %r4, 0x04040404;\nadd.u32 %r6, %r4, 0x08080808;\n"
                                        "add.u32 %r7, %r4, 0x0c0c0c0c;\nst.shared.v4.b32 [%r2], {%r4, %r5, %r6, %r7};\n"
                                        "bar.sync 0;\n"
                                        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r8, %r9}, [%r2];\n"
                                        "st.global.b32 [%rd2], %r8;\nst.global.b32 [%rd2+128], %r9;\n"),
        .device = "sim:b200",
        INTO(out)});
    for (unsigned r = 0; r < 2; r++) {
        for (unsigned lane = 0; lane < 32; lane++) {
            const uint32_t row = 4 * (lane % 4) + 2 * r, column = lane / 4, first = 16 * row + column;
            const uint32_t places[] = {first, first + 16, first + 8, first + 24};
            uint32_t want = 0;
            for (unsigned byte = 0; byte < 4; byte++) want |= (places[byte] & 0xff) << 8 * byte;
            assert_int_equal(out[32 * r + lane], want);
        }
    }
}

#define NARROW(format)                                                                                \
    BYTE_KERNEL("mad.wide.u32 %rd3, %r0, 16, %rd1;\nld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd3];\n" \
                "st.shared.v4.b32 [%r2], {%r4, %r5, %r6, %r7};\nbar.sync 0;\n"                        \
                "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16." format " {%r8}, [%r2];\n" OUT("%r8"))

/* The row of lane l begins with the elements l, l + 1, ..., l + 15 of 4 or 6 bits. */
static void narrow_elements_become_bytes(void **state) {
    (void)state;
    static const char *const kernels[] = {NARROW("b4x16_p64"), NARROW("b6x16_p32")};
    for (unsigned n = 0; n < 2; n++) {
        const unsigned bits = n ? 6 : 4;
        uint32_t in[128] = {0}, out[32] = {0};
        for (unsigned k = 0; k < 32 * 16 * bits; k++) {
            const unsigned row = k / (16 * bits), at = k % (16 * bits);
            in[4 * row + at / 32] |= ((row + at / bits) >> at % bits & 1) << at % 32;
        }
        run_kernel(&(kernel_run){.ptx = kernels[n], .device = "sim:b200", FROM(in), INTO(out)});
        for (unsigned byte = 0; byte < 128; byte++) {
            const uint32_t row = byte / 16, column = byte % 16;
            assert_int_equal(out[byte / 4] >> 8 * (byte % 4) & 0xff, (row + column) & ((1u << bits) - 1));
        }
    }
}

/* Element (row, column) of the 16x8 matrix has the value 16 column + row, its position in memory. */
static void bytes_are_stored_transposed(void **state) {
    (void)state;
    uint32_t in[32], out[32] = {0};
    for (unsigned lane = 0; lane < 32; lane++) {
        const uint32_t first = 16 * 2 * (lane % 4) + lane / 4;
        in[lane] = first | (first + 16) << 8 | (first + 8) << 16 | (first + 24) << 24;
    }
    run_kernel(&(kernel_run){
        .ptx = BYTE_KERNEL("mad.wide.u32 %rd3, %r0, 4, %rd1;\nld.global.b32 %r8, [%rd3];\n"
                           "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r2], {%r8};\nbar.sync 0;\n"
                           "mov.u32 %r3, s;\nmad.lo.u32 %r3, %r0, 4, %r3;\nld.shared.b32 %r4, [%r3];\n" OUT("%r4")),
        .device = "sim:b200",
        FROM(in),
        INTO(out)});
    expect_words(out, 32, 0x03020100 + i * 0x04040404);
}

/* ---- counters and refusals ---- */

static double count_matrices(const char *ptx, haul_counter counter) {
    uint32_t out[32] = {0};
    haul_launch_record record = {0};
    run_kernel(&(kernel_run){.ptx = ptx, INTO(out), .record = &record});
    return record.counters[counter];
}

#define LOAD_ROWS(pitch)                                                                             \
    KERNEL(".shared .align 16 .b8 s[8192];\nmov.u32 %r2, s;\nmad.lo.u32 %r2, %r0, " pitch ", %r2;\n" \
           "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r2];\n" OUT("%r4"))

/* Each matrix takes a wavefront. Rows 64 bytes apart share banks in pairs, rows 128 bytes apart all share theirs. */
static void each_matrix_is_a_pass(void **state) {
    (void)state;
    assert_int_equal(count_matrices(LOAD_ROWS("16"), HAUL_COUNTER_SHARED_LD_WAVEFRONTS), 4);
    assert_int_equal(count_matrices(LOAD_ROWS("16"), HAUL_COUNTER_SHARED_LD_CONFLICTS), 0);
    assert_int_equal(count_matrices(LOAD_ROWS("144"), HAUL_COUNTER_SHARED_LD_CONFLICTS), 0);
    assert_int_equal(count_matrices(LOAD_ROWS("64"), HAUL_COUNTER_SHARED_LD_WAVEFRONTS), 16);
    assert_int_equal(count_matrices(LOAD_ROWS("128"), HAUL_COUNTER_SHARED_LD_WAVEFRONTS), 32);
    assert_int_equal(count_matrices(LOAD_ROWS("128"), HAUL_COUNTER_SHARED_LD_CONFLICTS), 28);
    assert_int_equal(count_matrices(LOAD_ROWS("16"), HAUL_COUNTER_INST_SHARED_LD), 0); /* as in Nsight Compute */
}

static double count_fragment(const char *ptx, haul_counter counter) {
    uint32_t in[512] = {0}, out[512] = {0};
    haul_launch_record record = {0};
    run_kernel(&(kernel_run){.ptx = ptx, FROM(in), INTO(out), .record = &record});
    return record.counters[counter];
}

#define FACTOR "{%r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11}"
#define SUMS "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"
#define IN_SHARED(layout, pitch)                               \
    KERNEL(".shared .align 16 .b8 s[4096];\nmov.u32 %r2, s;\n" \
           "wmma.load.a.sync.aligned." layout ".m16n16k16.shared.f16 " FACTOR ", [%r2], " pitch ";\n" OUT("%r4"))
#define IN_GLOBAL(layout) \
    KERNEL("wmma.load.b.sync.aligned." layout ".m16n16k16.global.f16 " FACTOR ", [%rd1], 32;\n" OUT("%r4"))
#define MOVED_SUMS(layout)                                                                    \
    KERNEL("wmma.load.c.sync.aligned." layout ".m16n16k16.global.f32 " SUMS ", [%rd1], 16;\n" \
           "wmma.store.d.sync.aligned." layout ".m16n16k16.global.f32 [%rd0], " SUMS ", 16;\n")

#define MOVED_DOUBLES(layout)                                                                 \
    KERNEL("wmma.load.c.sync.aligned." layout ".m8n8k4.global.f64 {%fd0, %fd1}, [%rd1], 8;\n" \
           "wmma.store.d.sync.aligned." layout ".m8n8k4.global.f64 [%rd0], {%fd0, %fd1}, 8;\n")

/* Machine code loads factors like ldmatrix, or by words that it transposes; adjacent sums are one access. */
static void fragments_count_as_machine_code_moves_them(void **state) {
    (void)state;
    assert_int_equal(count_fragment(IN_SHARED("row", "16"), HAUL_COUNTER_SHARED_LD_WAVEFRONTS), 8);
    assert_int_equal(count_fragment(IN_SHARED("col", "16"), HAUL_COUNTER_SHARED_LD_WAVEFRONTS), 8);
    assert_int_equal(count_fragment(IN_SHARED("row", "24"), HAUL_COUNTER_SHARED_LD_CONFLICTS), 0);
    assert_int_equal(count_fragment(IN_SHARED("row", "16"), HAUL_COUNTER_INST_SHARED_LD), 0);
    assert_int_equal(count_fragment(IN_GLOBAL("row"), HAUL_COUNTER_INST_GLOBAL_LD), 4);
    assert_int_equal(count_fragment(IN_GLOBAL("col"), HAUL_COUNTER_L1_GLOBAL_LD_SECTORS), 32);
    assert_int_equal(count_fragment(MOVED_SUMS("row"), HAUL_COUNTER_INST_GLOBAL_LD), 4);
    assert_int_equal(count_fragment(MOVED_SUMS("row"), HAUL_COUNTER_L1_GLOBAL_ST_SECTORS), 32);
    assert_int_equal(count_fragment(MOVED_SUMS("col"), HAUL_COUNTER_INST_GLOBAL_ST), 8);
    assert_int_equal(count_fragment(MOVED_DOUBLES("row"), HAUL_COUNTER_INST_GLOBAL_ST), 1);
    assert_int_equal(count_fragment(MOVED_DOUBLES("row"), HAUL_COUNTER_L1_GLOBAL_ST_SECTORS), 16);
    assert_int_equal(count_fragment(MOVED_DOUBLES("col"), HAUL_COUNTER_INST_GLOBAL_ST), 2);
}

/* Kernels sum rows like this: the columns of b are alike, so one result of each row is enough. */
static void results_may_be_left_out_and_sums_be_constants(void **state) {
    (void)state;
    float out[96];
    run_kernel(&(kernel_run){
        .ptx = KERNEL("mov.u32 %r3, 0x3c003c00;\nmov.f32 %f0, 0f40000000;\nmov.f64 %fd0, 0d4008000000000000;\n"
                      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, _, %f2, _}, {%r3, %r3, %r3, %r3}, "
                      "{%r3, %r3}, {%f0, 0., 0f42000000, 0.};\n"
                      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {_, %fd1}, {%fd0}, {%fd0}, "
                      "{0d0000000000000000, 0d3FF0000000000000};\ncvt.rn.f32.f64 %f3, %fd1;\n"
                      "mul.wide.u32 %rd3, %r0, 12;\nadd.u64 %rd3, %rd3, %rd0;\nst.global.f32 [%rd3], %f1;\n"
                      "st.global.f32 [%rd3+4], %f2;\nst.global.f32 [%rd3+8], %f3;\n"),
        INTO(out)});
    for (unsigned n = 0; n < 96; n++) assert_true(out[n] == (n % 3 == 0 ? 18 : n % 3 == 1 ? 48 : 37));
}

static void expect_refusal(const char *target, const char *instruction, const char *why) {
    text ptx = {0};
    text_printf(&ptx, ".version 8.6\n.target %s\n.address_size 64\n", target);
    text_put(&ptx, BEGIN), text_put(&ptx, instruction), text_put(&ptx, "\n" END);
    expect_failure(&(kernel_run){.ptx = text_string(&ptx)}, HAUL_ERROR_SYNTAX, why);
    text_free(&ptx);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    expect_refusal("sm_75",
                   "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r2,%r3},{%r2,%r3,%r4,%r5},{%r6,%r7},{%r2,%r3};",
                   "needs sm_80 or later");
    expect_refusal("sm_90",
                   "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {%f0,%f1,%f2,%f3},{%r2,%r3},{%r4},{%r5,%r6};",
                   "no such types of c and d together");
    expect_refusal("sm_90", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r2,%r3},{%r2,%r3},{%r4,%r5},{%r5,%r6};",
                   "operand 3 of 'mma': must be 1 register in braces");
    expect_refusal("sm_90", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {_,_},{%r2,%r3},{%r4},{%r5,%r6};",
                   "must have a register in its braces");
    expect_refusal("sm_90", "mma.sync.aligned.m8n8k32.row.col.s32.s8.s8.s32 {%r2,%r3},{%r2},{%r4},{%r5,%r6};",
                   "has no such shape");
    expect_refusal("sm_90", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3}, [%r4];",
                   "must be 4 registers in braces");
    expect_refusal("sm_90", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r4], {%r2};",
                   "needs sm_100f, sm_110f or sm_120f");
    expect_refusal("sm_70", "wmma.load.a.sync.aligned.row.m16n16k16.bf16 {%r2,%r3,%r4,%r5}, [%rd1], 16;",
                   "needs sm_80 or later");
    expect_refusal("sm_90", "wmma.load.a.sync.aligned.row.m16n16k16.tf32 {%r2,%r3,%r4,%r5}, [%rd1], 16;",
                   "no such shape for this type");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_multiply),
        cmocka_unit_test(sums_are_as_exact_as_the_matrix_units),
        cmocka_unit_test(the_greatest_significands_are_summed),
        cmocka_unit_test(elements_may_be_far_from_one),
        cmocka_unit_test(results_may_be_left_out_and_sums_be_constants),
        cmocka_unit_test(bytes_are_loaded_transposed),
        cmocka_unit_test(narrow_elements_become_bytes),
        cmocka_unit_test(bytes_are_stored_transposed),
        cmocka_unit_test(each_matrix_is_a_pass),
        cmocka_unit_test(fragments_count_as_machine_code_moves_them),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
