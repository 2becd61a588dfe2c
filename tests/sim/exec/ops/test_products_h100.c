/* Products of floating-point matrices equal an H100's bit for bit (tests/data/h100/products.txt, one hash per line).
 * Covers every unit's types and depths and both kinds of sums. Elements are far apart, close together, mostly zeros,
 * powers of two, at either end of their range, or infinities and NaNs.
 *
 * With HAUL_TEST_DEVICE=gpu:0 a real GPU runs them; HAUL_TEST_RECORD=FILE writes the hashes, HAUL_TEST_BITS=FILE all
 * results. */
#include "kernel.h"

#include "base/text.h"
#include "../../jit/random.h"

#include <stdbool.h>

enum { WARPS = 64, LANES = 32, REGION = 416, B_AT = 128, C_AT = 256, METADATA_AT = 384, SUMS = 128 };

/* ---- numbers ---- */

typedef struct format {
    unsigned bits, mantissa, exponent, shift; /* shift: unused bits below */
    bool no_infinity;
} format;

static const format f16 = {16, 10, 5, 0, false}, bf16 = {16, 7, 8, 0, false}, tf32 = {32, 10, 8, 13, false},
                    e4m3 = {8, 3, 4, 0, true}, e5m2 = {8, 2, 5, 0, false}, f32 = {32, 23, 8, 0, false};

typedef enum spread { ANY, SPECIAL, SPARSE, NEAR, SOME, POWERS, LOW, HIGH, SPREADS } spread;
static const char *const spreads[] = {"any", "special", "sparse", "near", "some", "powers", "low", "high"};

static uint32_t draw_between(uint64_t *state, int low, int high) {
    return (uint32_t)(low + (int)draw_below(state, (uint32_t)(high - low + 1)));
}

/* Draws an exponent, not that of infinities. */
static uint32_t draw_exponent(uint64_t *state, const format *f, spread s, bool is_sum) {
    const int top = (1 << f->exponent) - 1, bias = top >> 1, most = f->no_infinity ? top : top - 1;
    const int reach = s == NEAR ? 3 : is_sum ? 24 : 14;
    switch (s) {
    case NEAR:
    case SOME:
    case POWERS:
        return draw_between(state, bias - reach < 0 ? 0 : bias - reach, bias + reach > most ? most : bias + reach);
    case LOW: return draw_between(state, 0, is_sum ? 6 : bias / 2 + 3);
    case HIGH: return draw_between(state, is_sum ? most - 4 : bias + bias / 2, most);
    default: return draw_between(state, 0, most);
    }
}

static uint32_t draw_special(uint64_t *state, const format *f) {
    const uint32_t top = ((1u << f->exponent) - 1) << f->mantissa, fractions = (1u << f->mantissa) - 1;
    switch (draw_below(state, 4)) {
    case 0: return f->no_infinity ? top | fractions : top;
    case 1: return top | fractions;
    case 2: return 0;
    default: return draw_below(state, fractions);
    }
}

static uint32_t draw_element(uint64_t *state, const format *f, spread s, bool is_sum) {
    const uint32_t sign = draw_below(state, 2) << (f->mantissa + f->exponent);
    uint32_t fraction = draw_below(state, 1u << f->mantissa), bits;
    if (s == SPARSE && draw_below(state, is_sum ? 2 : 4)) return sign << f->shift;
    const uint32_t exponent = draw_exponent(state, f, s, is_sum);
    if (s == POWERS) fraction = 0;
    if (f->no_infinity && exponent + 1 == 1u << f->exponent) fraction &= ~1u; /* all ones is a NaN */
    bits = exponent << f->mantissa | fraction;
    if (s == SPECIAL && draw_below(state, 24) == 0) bits = draw_special(state, f);
    return (bits | sign) << f->shift;
}

static uint32_t draw_word(uint64_t *state, const format *f, spread s, bool is_sum) {
    uint32_t word = 0;
    for (unsigned at = 0; at < 32; at += f->bits) word |= draw_element(state, f, s, is_sum) << at;
    return word;
}

/* ---- kinds of products ---- */

/* A row of a has `words` words. A column of b has as many, or twice as many if a is sparse. */
typedef struct kind {
    const char *name, *shape, *types; /* types: d, a, b, c */
    const format *a, *b;
    unsigned words;
    bool half; /* sums are in half precision */
    bool sparse, warpgroup;
} kind;

static const kind kinds[] = {
    {"mma f16 k16", "m16n8k16", "f32.f16.f16.f32", &f16, &f16, 8, false, false, false},
    {"mma f16 k8", "m16n8k8", "f32.f16.f16.f32", &f16, &f16, 4, false, false, false},
    {"mma f16 k16 in f16", "m16n8k16", "f16.f16.f16.f16", &f16, &f16, 8, true, false, false},
    {"mma f16 k8 in f16", "m16n8k8", "f16.f16.f16.f16", &f16, &f16, 4, true, false, false},
    {"mma bf16 k16", "m16n8k16", "f32.bf16.bf16.f32", &bf16, &bf16, 8, false, false, false},
    {"mma bf16 k8", "m16n8k8", "f32.bf16.bf16.f32", &bf16, &bf16, 4, false, false, false},
    {"mma tf32 k8", "m16n8k8", "f32.tf32.tf32.f32", &tf32, &tf32, 8, false, false, false},
    {"mma tf32 k4", "m16n8k4", "f32.tf32.tf32.f32", &tf32, &tf32, 4, false, false, false},
    {"mma e4m3", "m16n8k32", "f32.e4m3.e4m3.f32", &e4m3, &e4m3, 8, false, false, false},
    {"mma e5m2", "m16n8k32", "f32.e5m2.e5m2.f32", &e5m2, &e5m2, 8, false, false, false},
    {"mma e4m3 e5m2", "m16n8k32", "f32.e4m3.e5m2.f32", &e4m3, &e5m2, 8, false, false, false},
    {"mma.sp f16", "m16n8k32", "f32.f16.f16.f32", &f16, &f16, 8, false, true, false},
    {"mma.sp bf16", "m16n8k32", "f32.bf16.bf16.f32", &bf16, &bf16, 8, false, true, false},
    {"mma.sp tf32", "m16n8k16", "f32.tf32.tf32.f32", &tf32, &tf32, 8, false, true, false},
    {"mma.sp e4m3", "m16n8k64", "f32.e4m3.e4m3.f32", &e4m3, &e4m3, 8, false, true, false},
    {"wgmma f16", "m64n8k16", "f32.f16.f16", &f16, &f16, 8, false, false, true},
    {"wgmma f16 in f16", "m64n8k16", "f16.f16.f16", &f16, &f16, 8, true, false, true},
    {"wgmma bf16", "m64n8k16", "f32.bf16.bf16", &bf16, &bf16, 8, false, false, true},
    {"wgmma tf32", "m64n8k8", "f32.tf32.tf32", &tf32, &tf32, 8, false, false, true},
    {"wgmma e4m3", "m64n8k32", "f32.e4m3.e4m3", &e4m3, &e4m3, 8, false, false, true},
    {"wgmma e5m2", "m64n8k32", "f32.e5m2.e5m2", &e5m2, &e5m2, 8, false, false, true},
    {"wgmma e4m3 in f16", "m64n8k32", "f16.e4m3.e4m3", &e4m3, &e4m3, 8, true, false, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Draws which two of each four elements exist; for tf32, which one of two. */
static uint32_t draw_metadata(uint64_t *state, const kind *k) {
    static const uint32_t pairs[] = {4, 8, 12, 9, 13, 14}, single[] = {4, 14};
    uint32_t word = 0;
    for (unsigned at = 0; at < 32; at += 4)
        word |= (k->a == &tf32 ? single[draw_below(state, 2)] : pairs[draw_below(state, 6)]) << at;
    return word;
}

static void fill(const kind *k, spread s, unsigned round, uint32_t *in) {
    uint64_t state = ((uint64_t)(k - kinds) * SPREADS + s + 1) * 0x9e3779b97f4a7c15u + round;
    for (unsigned w = 0; w < WARPS; w++, in += REGION) {
        for (unsigned n = 0; n < B_AT; n++) in[n] = draw_word(&state, k->a, s, false);
        for (unsigned n = B_AT; n < C_AT; n++) in[n] = draw_word(&state, k->b, s, false);
        for (unsigned n = C_AT; n < METADATA_AT; n++) in[n] = draw_word(&state, k->half ? &f16 : &f32, s, true);
        for (unsigned n = METADATA_AT; n < REGION; n++) in[n] = draw_metadata(&state, k);
    }
}

/* ---- kernels ---- */

static void put_registers(text *t, const char *name, unsigned count) {
    for (unsigned r = 0; r < count; r++) text_printf(t, "%s%%%s%u", r ? ", " : "{", name, r);
    text_put(t, "}");
}

/* Places of a lane's words: rows of a are 32 bytes apart, columns of b 64; registers of c are consecutive. */
static void put_loads(text *t, const kind *k) {
    text_put(t, ".reg .b32 %a<4>, %b<4>, %c<4>, %m;\nshr.u32 %r3, %r1, 5;\nand.b32 %r4, %r0, 31;\n"
                "shr.u32 %r5, %r4, 2;\nand.b32 %r6, %r4, 3;\n");
    text_printf(t, "mad.wide.u32 %%rd3, %%r3, %d, %%rd1;\nmad.wide.u32 %%rd4, %%r5, 32, %%rd3;\n", REGION * 4);
    text_put(t, "mad.wide.u32 %rd4, %r6, 4, %rd4;\nmad.wide.u32 %rd5, %r5, 64, %rd3;\n"
                "mad.wide.u32 %rd5, %r6, 4, %rd5;\nmad.wide.u32 %rd6, %r4, 4, %rd3;\n");
    text_printf(t, "mad.wide.u32 %%rd7, %%r3, %d, %%rd0;\nmad.wide.u32 %%rd7, %%r4, 4, %%rd7;\n", SUMS * 4);
    for (unsigned r = 0; r < k->words / 2; r++)
        text_printf(t, "ld.global.u32 %%a%u, [%%rd4+%u];\n", r, r % 2 * 256 + r / 2 * 16);
    for (unsigned r = 0; r < (k->sparse ? 4 : k->words / 4); r++)
        text_printf(t, "ld.global.u32 %%b%u, [%%rd5+%u];\n", r, B_AT * 4 + r * 16);
    for (unsigned r = 0; r < (k->half ? 2 : 4); r++)
        text_printf(t, "ld.global.u32 %%c%u, [%%rd6+%u];\n", r, C_AT * 4 + r * LANES * 4);
    text_printf(t, "ld.global.u32 %%m, [%%rd6+%d];\n", METADATA_AT * 4);
}

static void put_product(text *t, const kind *k) {
    text_printf(t, "mma%s.sync.aligned.%s.row.col.%s ", k->sparse ? ".sp" : "", k->shape, k->types);
    put_registers(t, "c", k->half ? 2 : 4);
    text_put(t, ", ");
    put_registers(t, "a", k->words / 2);
    text_put(t, ", ");
    put_registers(t, "b", k->sparse ? 4 : k->words / 4);
    text_put(t, ", ");
    put_registers(t, "c", k->half ? 2 : 4);
    text_put(t, k->sparse ? ", %m, 0;\n" : ";\n");
}

/* The first warp's b goes to shared memory: two blocks of 8 columns by 16 bytes. */
static void put_warpgroup_product(text *t, const kind *k) {
    text_put(t, ".shared .align 128 .b8 columns[256];\n.reg .pred %free;\nmov.u32 %r7, columns;\n"
                "shr.u32 %r8, %r0, 3;\nand.b32 %r9, %r0, 7;\nshr.u32 %r10, %r9, 2;\nand.b32 %r11, %r9, 3;\n"
                "mad.lo.u32 %r12, %r10, 128, %r7;\nmad.lo.u32 %r12, %r8, 16, %r12;\nmad.lo.u32 %r12, %r11, 4, %r12;\n"
                "setp.ge.u32 %free, %r0, 64;\n@%free bra $written;\nand.b32 %r13, %r3, 0xfffffffc;\n");
    text_printf(t, "mad.wide.u32 %%rd8, %%r13, %d, %%rd1;\nmad.wide.u32 %%rd8, %%r8, 64, %%rd8;\n", REGION * 4);
    text_printf(t, "mad.wide.u32 %%rd8, %%r9, 4, %%rd8;\nld.global.u32 %%r14, [%%rd8+%d];\n", B_AT * 4);
    text_put(t, "st.shared.u32 [%r12], %r14;\n$written:\nfence.proxy.async;\nbar.sync 0;\nshr.u32 %r7, %r7, 4;\n"
                "cvt.u64.u32 %rd9, %r7;\nor.b64 %rd9, %rd9, 0x800080000;\nwgmma.fence.sync.aligned;\n");
    text_printf(t, "wgmma.mma_async.sync.aligned.%s.%s ", k->shape, k->types);
    put_registers(t, "c", k->half ? 2 : 4);
    text_put(t, ", ");
    put_registers(t, "a", 4);
    text_printf(t, ", %%rd9, 1, 1, 1%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
                k->a->bits == 16 ? ", 0" : "");
}

static void write_kernel(text *t, const kind *k) {
    text_put(t, ".version 8.7\n.target sm_90a\n.address_size 64\n" BEGIN);
    put_loads(t, k);
    if (k->warpgroup)
        put_warpgroup_product(t, k);
    else
        put_product(t, k);
    for (unsigned r = 0; r < (k->half ? 2 : 4); r++)
        text_printf(t, "st.global.u32 [%%rd7+%u], %%c%u;\n", r * LANES * 4, r);
    text_put(t, END);
}

static void run_products(const kind *k, spread s, unsigned round, uint32_t out[WARPS * SUMS]) {
    static uint32_t in[WARPS * REGION];
    const char *device = getenv("HAUL_TEST_DEVICE");
    text ptx = {0};
    write_kernel(&ptx, k);
    fill(k, s, round, in);
    memset(out, 0, WARPS * SUMS * sizeof *out);
    const kernel_run run = {.ptx = text_string(&ptx),
                            .blocks = WARPS / 4,
                            .threads = 4 * LANES,
                            FROM(in),
                            .out = out,
                            .out_bytes = WARPS * SUMS * sizeof *out};
    if ((device ? try_elsewhere(device, &run) : try_kernel(&run)) != HAUL_OK)
        fail_msg("%s: %s", k->name, haul_message());
    text_free(&ptx);
}

/* ---- comparison with the record ---- */

static FILE *open_named(const char *variable) {
    const char *path = getenv(variable);
    return path ? fopen(path, "wb") : NULL;
}

static void sums_are_those_of_an_h100(void **state) {
    (void)state;
    static uint32_t out[WARPS * SUMS];
    FILE *hashes = open_named("HAUL_TEST_RECORD"), *bits = open_named("HAUL_TEST_BITS");
    FILE *known = hashes ? NULL : fopen(TEST_DATA "/h100/products.txt", "r");
    unsigned wrong = 0;
    for (unsigned k = 0; k < KINDS; k++) {
        for (unsigned s = 0; s < SPREADS; s++) {
            unsigned long long want = 0;
            run_products(&kinds[k], (spread)s, 0, out);
            const uint64_t got = hash_words(out, WARPS * SUMS);
            if (bits) fwrite(out, sizeof out, 1, bits);
            if (hashes) fprintf(hashes, "%016llx %s: %s\n", (unsigned long long)got, kinds[k].name, spreads[s]);
            if (known && fscanf(known, "%llx%*[^\n]", &want) == 1 && want == got) continue;
            print_error("%s, %s: other bits than an H100's\n", kinds[k].name, spreads[s]);
            wrong += !hashes;
        }
    }
    if (known) fclose(known);
    if (hashes) fclose(hashes);
    if (bits) fclose(bits);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_those_of_an_h100)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
