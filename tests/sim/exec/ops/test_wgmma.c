/* Asynchronous products of a warpgroup: factors in shared memory in all layouts, compared with products computed here.
 * The layouts are those of a tensor copy: rows as wide as the swizzle, with 16-byte pieces swapped within each row by
 * the row's number. Elements are small integers, so every order of summing gives the same.
 *
 * With HAUL_TEST_DEVICE=gpu in the environment they run on the real GPU. */
#include "kernel.h"

#include "base/text.h"

enum { THREADS = 128, ROWS = 64, A_AT = 0, B_AT = 16384, IMAGE = 49152, METADATA = IMAGE + THREADS * 16, PIECE = 16 };

typedef struct kind {
    const char *name;
    unsigned bits, k;
    const char *more; /* operands after scale-d */
    const char *sums; /* type */
    bool sparse;      /* half of a's elements are omitted; k includes them */
} kind;

static const kind f16 = {"f16", 16, 16, ", 1, 1", "f32", false}, bf16 = {"bf16", 16, 16, ", 1, 1", "f32", false},
                  f16_in_f16 = {"f16", 16, 16, ", 1, 1", "f16", false}, tf32 = {"tf32", 32, 8, ", 1, 1", "f32", false},
                  e4m3 = {"e4m3", 8, 32, ", 1, 1", "f32", false}, s8 = {"s8", 8, 32, "", "s32", false};
static const kind sparse_f16 = {"f16", 16, 32, ", 1, 1", "f32", true},
                  sparse_bf16 = {"bf16", 16, 32, ", 1, 1", "f32", true},
                  sparse_f16_in_f16 = {"f16", 16, 32, ", 1, 1", "f16", true},
                  sparse_tf32 = {"tf32", 32, 16, ", 1, 1", "f32", true},
                  sparse_e4m3 = {"e4m3", 8, 64, ", 1, 1", "f32", true}, sparse_s8 = {"s8", 8, 64, "", "s32", true};

typedef struct layout {
    unsigned width; /* of a row in bytes: 16 without a swizzle */
    bool transposed;
    unsigned skip; /* elements along k, or along the rows, before the matrix: as if a wider tile were walked */
} layout;

typedef struct test {
    const kind *kind;
    unsigned n;
    layout a, b;
    bool a_in_registers;
} test;

/* ---- numbers ---- */

static uint32_t encode(const kind *k, int x) {
    float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (k->name[0] == 's') return (uint32_t)x & 0xff;
    if (k->name[0] == 't') return bits;
    if (k->name[0] == 'b') return bits >> 16;
    if (x == 0) return 0;
    const uint32_t sign = bits >> 31, exponent = (bits >> 23 & 0xff) - 127, fraction = bits & 0x7fffff;
    if (k->bits == 8) return sign << 7 | (exponent + 7) << 3 | fraction >> 20;
    return sign << 15 | (exponent + 15) << 10 | fraction >> 13;
}

static double decode(const char *type, const unsigned char *at) {
    uint32_t word = 0;
    float single;
    memcpy(&word, at, type[0] == 'f' && type[1] == '1' ? 2 : 4);
    memcpy(&single, &word, sizeof single);
    if (strcmp(type, "s32") == 0) return (double)(int32_t)word;
    if (strcmp(type, "f32") == 0) return (double)single;
    const double magnitude = (double)(word & 0x3ff) / 1024 + 1;
    const int exponent = (int)(word >> 10 & 31) - 15;
    const double scale = exponent < 0 ? 1 / (double)(1 << -exponent) : (double)(1 << exponent);
    return (word & 0x7fff) == 0 ? 0 : (word >> 15 ? -1 : 1) * magnitude * scale;
}

/* Returns the positions of the two elements (for tf32: halves of the one element) in a row's chunk of four. */
static const unsigned *places_in(const kind *k, unsigned row, unsigned chunk) {
    static const unsigned pairs[][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};
    return pairs[(row * 5 + chunk * 3) % (k->bits == 32 ? 2 : 6)];
}

/* Returns the stored columns of a. */
static unsigned depth_of_a(const kind *k) {
    return k->sparse ? k->k / 2 : k->k;
}

/* Returns the k of the element in a row's stored column. */
static unsigned place_of_a(const kind *k, unsigned row, unsigned column) {
    if (!k->sparse) return column;
    if (k->bits == 32) return 2 * column + places_in(k, row, column)[0] / 2;
    return column / 2 * 4 + places_in(k, row, column / 2)[column % 2];
}

static int element_of_a(unsigned row, unsigned k) {
    return (int)((row * 7 + k * 3) % 9) - 4;
}

static int element_of_b(unsigned k, unsigned column) {
    return (int)((column * 5 + k) % 7) - 3;
}

static double product(const test *t, unsigned row, unsigned column) {
    double sum = 0;
    for (unsigned c = 0; c < depth_of_a(t->kind); c++) {
        const unsigned k = place_of_a(t->kind, row, c);
        sum += element_of_a(row, k) * element_of_b(k, column);
    }
    return sum;
}

/* ---- layouts ---- */

/* Distances between groups of eight rows, and between neighbours along the rows. */
typedef struct distances {
    uint32_t leading, stride;
} distances;

static distances distances_of(const layout *l, unsigned rows) {
    const uint32_t block = 8 * l->width;
    if (l->width == PIECE && !l->transposed) return (distances){rows / 8 * block, block};
    if (l->width == PIECE) return (distances){rows / 8 * block, block}; /* to the next k, to the next rows */
    if (!l->transposed) return (distances){PIECE, block};
    return (distances){4 * block, block}; /* four groups of eight k are more than there are */
}

/* Returns the address of byte `byte` of element (row, k). */
static uint32_t place(const layout *l, unsigned rows, unsigned bytes, unsigned row, unsigned k) {
    const distances d = distances_of(l, rows);
    const unsigned outer = l->transposed ? k : row, along = (l->transposed ? row : k) + l->skip, at = along * bytes;
    uint32_t offset;
    if (l->width == PIECE && !l->transposed)
        offset = row / 8 * d.stride + at / PIECE * d.leading;
    else if (l->width == PIECE)
        offset = k / 8 * d.leading + at / PIECE * d.stride;
    else
        offset = outer / 8 * d.stride + at / l->width * d.leading + at % l->width / PIECE * PIECE;
    offset += outer % 8 * l->width;
    return (offset ^ (offset >> 7 & (l->width / PIECE - 1)) << 4) + at % PIECE;
}

static void put(unsigned char *at, const kind *k, int x) {
    const uint32_t bits = encode(k, x);
    memcpy(at, &bits, k->bits / 8);
}

static void lay_out(const test *t, unsigned char *image) {
    const unsigned bytes = t->kind->bits / 8;
    memset(image, 0, IMAGE);
    for (unsigned k = 0; k < depth_of_a(t->kind); k++)
        for (unsigned row = 0; row < ROWS; row++)
            put(image + A_AT + place(&t->a, ROWS, bytes, row, k), t->kind,
                element_of_a(row, place_of_a(t->kind, row, k)));
    for (unsigned k = 0; k < t->kind->k; k++) {
        for (unsigned column = 0; column < t->n; column++)
            put(image + B_AT + place(&t->b, t->n, bytes, column, k), t->kind, element_of_b(k, column));
    }
}

static uint64_t descriptor(const layout *l, unsigned rows, uint32_t at, unsigned bytes) {
    const distances d = distances_of(l, rows);
    const uint64_t swizzle = l->width == 128 ? 1 : l->width == 64 ? 2 : l->width == 32 ? 3 : 0;
    return (at + l->skip * bytes) / 16 | (uint64_t)(d.leading / 16) << 16 | (uint64_t)(d.stride / 16) << 32 |
           swizzle << 62;
}

/* ---- kernels ---- */

static void put_copy(text *t) {
    text_put(t, ".version 8.6\n.target sm_90a\n.address_size 64\n" BEGIN
                ".shared .align 1024 .b8 s[49152];\nmov.u32 %r2, s;\nmul.lo.u32 %r3, %r0, 4;\n"
                "COPY: cvt.u64.u32 %rd3, %r3;\nadd.u64 %rd3, %rd3, %rd1;\nld.global.u32 %r4, [%rd3];\n"
                "add.u32 %r5, %r2, %r3;\nst.shared.u32 [%r5], %r4;\nadd.u32 %r3, %r3, 512;\n"
                "setp.lt.u32 %p1, %r3, 49152;\n@%p1 bra COPY;\n"
                "fence.proxy.async.shared::cta;\nbar.sync 0;\nshr.u32 %r2, %r2, 4;\ncvt.u64.u32 %rd4, %r2;\n");
}

/* Words of a's fragments follow the image: four for each thread. */
static void put_a(text *t, const test *x, const char **name) {
    *name = "%rd5";
    if (x->a_in_registers) {
        *name = "{%r10, %r11, %r12, %r13}";
        text_put(t, "mul.wide.u32 %rd6, %r0, 16;\nadd.u64 %rd6, %rd6, %rd1;\n"
                    "ld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd6+49152];\n");
        return;
    }
    text_printf(t, "add.u64 %%rd5, %%rd4, %llu;\n",
                (unsigned long long)descriptor(&x->a, ROWS, A_AT, x->kind->bits / 8));
}

static void put_sums(text *t, unsigned count) {
    for (unsigned r = 0; r < count; r++) text_printf(t, "%s%%d%u", r ? ", " : "{", r);
    text_put(t, "}");
}

/* Pairs of threads hold the metadata of elements of 16 and 32 bits. */
static unsigned selector_of(const test *t) {
    return t->kind->bits >= 16 && t->n % 16 == 0;
}

/* `reuses`: overwrites the registers that the product reads at its issue before waiting for it. */
static void put_kernel(text *t, const test *x, unsigned count, bool reuses) {
    const char *a, *type = strcmp(x->kind->sums, "f32") == 0 ? "f32" : "b32";
    const bool transposes = x->kind->bits == 16;
    put_copy(t);
    put_a(t, x, &a);
    text_printf(t, "add.u64 %%rd7, %%rd4, %llu;\n.reg .%s %%d<%u>;\n",
                (unsigned long long)descriptor(&x->b, x->n, B_AT, x->kind->bits / 8), type, count);
    if (x->kind->sparse)
        text_put(t, "mul.wide.u32 %rd6, %r0, 4;\nadd.u64 %rd6, %rd6, %rd1;\nld.global.u32 %r14, [%rd6+51200];\n");
    text_printf(t,
                "wgmma.fence.sync.aligned;\nsetp.ne.u32 %%p2, %%r0, %%r0;\n"
                "wgmma.mma_async%s.sync.aligned.m64n%uk%u.%s.%s.%s ",
                x->kind->sparse ? ".sp" : "", x->n, x->kind->k, x->kind->sums, x->kind->name, x->kind->name);
    put_sums(t, count);
    text_printf(t, ", %s, %%rd7, ", a);
    if (x->kind->sparse) text_printf(t, "%%r14, %u, ", selector_of(x));
    text_printf(t, "%%p2%s", x->kind->more);
    if (transposes && !x->a_in_registers) text_printf(t, ", %d", x->a.transposed);
    if (transposes) text_printf(t, ", %d", x->b.transposed);
    text_put(t, ";\nwgmma.commit_group.sync.aligned;\n");
    if (reuses) text_put(t, "not.b64 %rd5, %rd4;\nnot.b64 %rd7, %rd7;\nnot.b32 %r14, %r0;\nnot.pred %p2, %p2;\n");
    text_put(t, "wgmma.wait_group.sync.aligned 0;\n"
                "mul.lo.u32 %r3, %r0, 4;\ncvt.u64.u32 %rd8, %r3;\nadd.u64 %rd8, %rd8, %rd0;\n");
    for (unsigned r = 0; r < count; r++) text_printf(t, "st.global.%s [%%rd8+%u], %%d%u;\n", type, r * THREADS * 4, r);
    text_put(t, END);
}

/* Lays out a's fragments as in the manual: register r has row lane / 4 + 8 (r % 2) and elements from 4 (r / 2) + lane %
 * 4 on. */
static void lay_out_fragments(const test *t, uint32_t *words) {
    const unsigned each = 32 / t->kind->bits;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        for (unsigned r = 0; r < 4; r++) {
            const unsigned row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r % 2),
                           k = (4 * (r / 2) + thread % 4) * each;
            words[4 * thread + r] = 0;
            for (unsigned e = 0; e < each; e++)
                words[4 * thread + r] |= encode(t->kind, element_of_a(row, place_of_a(t->kind, row, k + e)))
                                         << e * t->kind->bits;
        }
    }
}

/* Four bits for each chunk of a row. For elements of 16 and 32 bits a thread holds four chunks of two rows, for bytes
 * eight of one. */
static void lay_out_metadata(const test *t, uint32_t *words) {
    const bool is_wide = t->kind->bits >= 16;
    for (unsigned row = 0; row < ROWS; row++) {
        for (unsigned chunk = 0; chunk < (is_wide ? 8u : 16u); chunk++) {
            const unsigned *at = places_in(t->kind, row, chunk), upper = row / 8 % 2;
            const unsigned thread =
                row / 16 * 32 + row % 8 * 4 + (is_wide ? 2 * selector_of(t) + chunk / 4 : chunk / 8 * 2 + upper);
            words[thread] |= (at[0] | at[1] << 2) << (is_wide ? 16 * upper + chunk % 4 * 4 : chunk % 8 * 4);
        }
    }
}

static const char *device(void) {
    const char *wanted = getenv("HAUL_TEST_DEVICE");
    return wanted && strncmp(wanted, "gpu", 3) == 0 ? "gpu:0" : "sim:h100";
}

static void check_sums(const test *t, const unsigned char *out) {
    const bool halves = strcmp(t->kind->sums, "f16") == 0;
    for (unsigned thread = 0; thread < THREADS; thread++) {
        for (unsigned i = 0; i < ROWS * t->n / THREADS; i++) {
            const unsigned row = thread / 32 * 16 + thread % 32 / 4 + 8 * (i / 2 % 2);
            const unsigned column = 8 * (i / 4) + 2 * (thread % 4) + i % 2;
            const unsigned at = halves ? (i / 2 * THREADS + thread) * 4 + i % 2 * 2 : (i * THREADS + thread) * 4;
            if (decode(t->kind->sums, out + at) != product(t, row, column))
                fail_msg("%s, n %u, a %u%s, b %u%s: row %u, column %u is %g, not %g", t->kind->name, t->n, t->a.width,
                         t->a.transposed ? " transposed" : "", t->b.width, t->b.transposed ? " transposed" : "", row,
                         column, decode(t->kind->sums, out + at), product(t, row, column));
        }
    }
}

static void check_reusing(const test *t, bool reuses) {
    static unsigned char in[METADATA + THREADS * 4], out[ROWS * 256 * 4];
    const unsigned count = ROWS * t->n / THREADS / (strcmp(t->kind->sums, "f16") == 0 ? 2 : 1);
    text ptx = {0};
    lay_out(t, in);
    lay_out_fragments(t, (uint32_t *)(void *)(in + IMAGE));
    memset(in + METADATA, 0, sizeof in - METADATA);
    if (t->kind->sparse) lay_out_metadata(t, (uint32_t *)(void *)(in + METADATA));
    put_kernel(&ptx, t, count, reuses);
    run_kernel(&(kernel_run){.ptx = text_string(&ptx),
                             .device = device(),
                             .threads = THREADS,
                             FROM(in),
                             .out = out,
                             .out_bytes = count * THREADS * 4});
    check_sums(t, out);
    text_free(&ptx);
}

static void check_product(const test *t) {
    check_reusing(t, false);
}

/* ---- tests ---- */

static void factors_lie_in_all_layouts(void **state) {
    static const unsigned widths[] = {16, 32, 64, 128};
    (void)state;
    for (unsigned a = 0; a < 4; a++) {
        for (unsigned b = 0; b < 4; b++) {
            check_product(&(test){&f16, 64, {widths[a], false, 0}, {widths[b], false, 0}, false});
            check_product(&(test){&bf16, 128, {widths[a], true, 0}, {widths[b], false, 0}, false});
            check_product(&(test){&f16, 64, {widths[a], false, 0}, {widths[b], true, 0}, false});
            check_product(&(test){&f16, 128, {widths[a], true, 0}, {widths[b], true, 0}, false});
        }
    }
}

/* Walks a tile of 128-byte rows 32 bytes at a time: the descriptor's address moves, its rows do not. */
static void a_tile_is_walked_along_k(void **state) {
    (void)state;
    for (unsigned step = 0; step < 4; step++) {
        check_product(&(test){&f16, 32, {128, false, 16 * step}, {128, false, 16 * (3 - step)}, false});
        check_product(&(test){&e4m3, 32, {128, false, 32 * step}, {128, false, 32 * step}, false});
    }
    check_product(&(test){&tf32, 16, {64, false, 8}, {64, false, 8}, false});
}

static void all_types_multiply(void **state) {
    static const kind *const kinds[] = {&f16, &bf16, &f16_in_f16, &tf32, &e4m3, &s8};
    static const unsigned columns[] = {8, 24, 96, 256};
    (void)state;
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned n = 0; n < 4; n++) {
            check_product(&(test){kinds[k], columns[n], {128, false, 0}, {128, false, 0}, false});
            check_product(&(test){kinds[k], columns[n], {128, false, 0}, {32, false, 0}, true});
        }
    }
}

static void sparse_matrices_multiply(void **state) {
    static const kind *const kinds[] = {&sparse_f16,  &sparse_bf16, &sparse_f16_in_f16,
                                        &sparse_tf32, &sparse_e4m3, &sparse_s8};
    static const unsigned columns[] = {8, 24, 96, 256}, widths[] = {16, 64, 128};
    (void)state;
    for (unsigned k = 0; k < 6; k++) {
        for (unsigned n = 0; n < 4; n++) {
            check_product(&(test){kinds[k], columns[n], {32, false, 0}, {widths[n % 3], false, 0}, false});
            check_product(&(test){kinds[k], columns[n], {128, false, 0}, {128, false, 0}, true});
        }
    }
    check_product(&(test){&sparse_f16, 128, {128, true, 0}, {128, true, 0}, false});
}

static void what_is_read_at_the_issue_may_be_overwritten(void **state) {
    (void)state;
    check_reusing(&(test){&f16, 64, {128, false, 0}, {128, false, 0}, false}, true);
    check_reusing(&(test){&e4m3, 32, {128, false, 0}, {32, false, 0}, true}, true);
    check_reusing(&(test){&sparse_f16, 24, {32, false, 0}, {64, false, 0}, false}, true);
    check_reusing(&(test){&sparse_s8, 96, {128, false, 0}, {128, false, 0}, true}, true);
}

/* All factors are 1, and the sums 16. Warp 0 hands b back for its warpgroup, whose other warps come to the product
 * late; then another warp clears b. */
#define HANDED_BACK                                                                                                  \
    ".version 8.6\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 b[256];\n.shared .align 8 .b64 "         \
    "bar;\n" BEGIN "mov.u32 %r3, b;\nmad.lo.u32 %r4, %r0, 4, %r3;\nmov.u32 %r5, bar;\nmov.u32 %r6, 0x3c003c00;\n"    \
    "setp.lt.u32 %p1, %r0, 64;\n@%p1 st.shared.u32 [%r4], %r6;\nfence.proxy.async.shared::cta;\nsetp.eq.u32 %p2, "   \
    "%r0, 0;\n"                                                                                                      \
    "@%p2 mbarrier.init.shared.b64 [%r5], 1;\nbar.sync 0;\nsetp.ge.u32 %p3, %r0, 128;\n@%p3 bra CLEAR;\n"            \
    "mov.u32 %r7, 0;\nsetp.lt.u32 %p4, %r0, 32;\n@%p4 bra MULTIPLY;\n"                                               \
    "LATE: add.u32 %r7, %r7, 1;\nsetp.lt.u32 %p4, %r7, 20000;\n@%p4 bra LATE;\nMULTIPLY:\n"                          \
    "mov.u32 %r10, %r6;\nmov.u32 %r11, %r6;\nmov.u32 %r12, %r6;\nmov.u32 %r13, %r6;\nshr.u32 %r3, %r3, 4;\n"         \
    "cvt.u64.u32 %rd4, %r3;\nor.b64 %rd4, %rd4, 0x0000001000080000;\nwgmma.fence.sync.aligned;\n"                    \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r10, %r11, %r12, %r13}, %rd4, 0, 1, " \
    "1, "                                                                                                            \
    "0;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"                                       \
    "@%p2 mbarrier.arrive.shared.b64 _, [%r5];\nst.global.f32 [%rd2], %f0;\nret;\n"                                  \
    "CLEAR: mbarrier.try_wait.parity.shared.b64 %p5, [%r5], 0;\n@!%p5 bra CLEAR;\nmov.u32 %r6, 0;\n"                 \
    "st.shared.u32 [%r4+-512], %r6;\n" END

static void a_wait_is_for_the_whole_warpgroups_product(void **state) {
    (void)state;
    enum { MULTIPLIERS = 128 };
    float out[MULTIPLIERS] = {0};
    run_kernel(&(kernel_run){.ptx = HANDED_BACK, .threads = MULTIPLIERS + 64, INTO(out)});
    for (unsigned t = 0; t < MULTIPLIERS; t++) assert_float_equal(out[t], 16, 0);
}

static void expect_fault(const char *instructions, uint32_t threads, const char *why) {
    text ptx = {0};
    text_put(&ptx, ".version 8.6\n.target sm_90a\n.address_size 64\n" BEGIN);
    text_put(&ptx, instructions);
    text_put(&ptx, END);
    uint32_t out[THREADS];
    memset(out, 0, sizeof out);
    expect_failure(&(kernel_run){.ptx = text_string(&ptx), .threads = threads, INTO(out)}, HAUL_ERROR_FAULT, why);
    text_free(&ptx);
}

#define SMALL_PRODUCT \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd4, %rd4, 0, 1, 1, 0, 0;\n"

static void what_hardware_cannot_do_is_a_fault(void **state) {
    (void)state;
    expect_fault("mov.u64 %rd4, 0x3fff;\n" SMALL_PRODUCT, 128, "matrix outside the block's shared memory");
    expect_fault("mov.u64 %rd4, 64;\n" SMALL_PRODUCT, 96, "not in a complete warpgroup of four warps");
}

static void expect_refusal(const char *target, const char *instruction, const char *why) {
    text ptx = {0};
    text_printf(&ptx, ".version 8.6\n.target %s\n.address_size 64\n", target);
    text_put(&ptx, BEGIN), text_put(&ptx, instruction), text_put(&ptx, END);
    expect_failure(&(kernel_run){.ptx = text_string(&ptx)}, HAUL_ERROR_SYNTAX, why);
    text_free(&ptx);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    expect_refusal("sm_90", "wgmma.fence.sync.aligned;\n", "needs sm_90a (the module");
    expect_refusal("sm_100a", SMALL_PRODUCT, "needs sm_90a (the module");
    expect_refusal("sm_90a", "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8 {%r1}, %rd4, %rd4, 0;\n",
                   "has no such shape for integers");
    expect_refusal("sm_90a",
                   "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%f0,%f1,%f2,%f3}, %rd4, %rd4, 0, 2, 1;\n",
                   "takes 1 or -1 as signs");
    expect_refusal("sm_90a",
                   "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd4, %rd4, 0, 1, 1, 0;\n",
                   "takes a flag for each matrix in shared memory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_lie_in_all_layouts),
        cmocka_unit_test(a_tile_is_walked_along_k),
        cmocka_unit_test(sparse_matrices_multiply),
        cmocka_unit_test(all_types_multiply),
        cmocka_unit_test(what_hardware_cannot_do_is_a_fault),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(what_is_read_at_the_issue_may_be_overwritten),
        cmocka_unit_test(a_wait_is_for_the_whole_warpgroups_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
