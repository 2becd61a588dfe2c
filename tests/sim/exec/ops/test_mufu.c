/* Approximate functions equal an H100's bit for bit, for every significand and for numbers of all kinds. Each row has
 * the hash of all results, recorded on the GPU. With HAUL_TEST_DEVICE=gpu in the environment the GPU must reproduce
 * it. */
#include "kernel.h"

#include "base/hash.h"

typedef struct sweep {
    const char *instruction;
    uint32_t from, step; /* argument i is from + i * step, as bits; for doubles the upper word */
    uint32_t log2_count;
    uint64_t hash;
} sweep;

enum { EVERY = 23, MANY = 20, ALL_HALVES = 16 }; /* log2 of the number of arguments */
#define ONE 0x3f800000u
#define MIX 0x9e3779b1u /* odd: steps through all bit patterns */

#define ARGUMENT "mad.lo.u32 %%r3, %%r1, 0x%x, 0x%x;\n"
#define SINGLE ARGUMENT "mov.b32 %%f0, %%r3;\n%s %%f1, %%f0;\nmov.b32 %%r4, %%f1;\n"
#define HALF ARGUMENT "cvt.u16.u32 %%h0, %%r3;\n%s %%h1, %%h0;\ncvt.u32.u16 %%r4, %%h1;\n"
#define DOUBLE                                                                                                     \
    ARGUMENT "mul.lo.u32 %%r5, %%r3, 0x85ebca6b;\nmov.b64 %%fd0, {%%r5, %%r3};\n%s %%fd1, %%fd0;\nmov.b64 {%%r6, " \
             "%%r4}, %%fd1;\nmad.lo.u32 %%r4, %%r6, 0xc2b2ae35, %%r4;\n"
#define QUOTIENT                                                                                               \
    ARGUMENT "mul.lo.u32 %%r5, %%r3, 0x85ebca6b;\nshf.l.wrap.b32 %%r5, %%r5, %%r5, 15;\nmov.b32 %%f0, %%r5;\n" \
             "mov.b32 %%f2, %%r3;\n%s %%f1, %%f0, %%f2;\nmov.b32 %%r4, %%f1;\n"

static uint64_t hash_of_results(const char *form, const sweep *s) {
    char body[1024], ptx[4096];
    const uint32_t count = 1u << s->log2_count;
    uint32_t *out = calloc(count, sizeof *out);
    assert_non_null(out);
    snprintf(body, sizeof body, form, s->step, s->from, s->instruction);
    snprintf(ptx, sizeof ptx, "%s%s%s%s", HEAD BEGIN, body, OUT("%r4"), END);
    run_kernel(&(kernel_run){.ptx = ptx,
                             .device = getenv("HAUL_TEST_DEVICE"),
                             .blocks = count / 256,
                             .threads = 256,
                             .out = out,
                             .out_bytes = count * sizeof *out});
    const uint64_t hash = hash_bytes(HASH_START, out, count * sizeof *out);
    free(out);
    return hash;
}

static void check(const char *form, const sweep *sweeps, size_t count) {
    unsigned wrong = 0;
    for (const sweep *s = sweeps; s < sweeps + count; s++) {
        const uint64_t hash = hash_of_results(form, s);
        if (hash == s->hash) continue;
        print_error("%s from 0x%x by 0x%x: 0x%016llx\n", s->instruction, s->from, s->step, (unsigned long long)hash);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

#define CHECK(form, ...)                                          \
    do {                                                          \
        (void)state;                                              \
        static const sweep sweeps_[] = {__VA_ARGS__};             \
        check(form, sweeps_, sizeof sweeps_ / sizeof sweeps_[0]); \
    } while (0)

static void every_significand_gives_the_bits_of_an_h100(void **state) {
    CHECK(SINGLE, {"rcp.approx.ftz.f32", ONE, 1, EVERY, 0xf8e542897275aba6},
          {"rsqrt.approx.ftz.f32", ONE, 1, EVERY + 1, 0xe97cb9514f40c1a6},
          {"sqrt.approx.ftz.f32", ONE, 1, EVERY + 1, 0x00c12112be50958b},
          {"ex2.approx.ftz.f32", ONE, 1, EVERY, 0x22e625cd696df00d},
          {"ex2.approx.ftz.f32", ONE | 1u << 31, 1, EVERY, 0xbdb5657b3dd8bb3b},
          {"lg2.approx.ftz.f32", ONE, 1, EVERY, 0xed4797a64eced0df},
          {"lg2.approx.ftz.f32", 0x3f000000, 1, EVERY, 0xe942a8a3499dac36},
          {"sin.approx.ftz.f32", ONE, 1, EVERY + 1, 0x4d8a3b894fe40f27},
          {"cos.approx.ftz.f32", ONE, 1, EVERY + 1, 0x37b10dee98775a3d},
          {"tanh.approx.f32", 0x3b800000, 8, EVERY, 0x7553c97fc33379bf},
          {"tanh.approx.f32", 0x3f000000, 4, EVERY, 0xebe77b9bac661a93});
}

static void numbers_of_all_kinds_do(void **state) {
    CHECK(
        SINGLE, {"rcp.approx.f32", 0, MIX, MANY, 0xcf79788302cac946},
        {"rcp.approx.ftz.f32", 0, MIX, MANY, 0xd056842f13df44d3},
        {"rsqrt.approx.f32", 0, MIX, MANY, 0xd7f4b9850de11f02},
        {"rsqrt.approx.ftz.f32", 0, MIX, MANY, 0x93b8c645ce0b2a65},
        {"sqrt.approx.f32", 0, MIX, MANY, 0xbda50aba1b7d96a3},
        {"sqrt.approx.ftz.f32", 0, MIX, MANY, 0x18609c07b580b575}, {"ex2.approx.f32", 0, MIX, MANY, 0xb675c6edb02e2cb5},
        {"ex2.approx.ftz.f32", 0, MIX, MANY, 0x7559bf7bd7aa7135}, {"lg2.approx.f32", 0, MIX, MANY, 0x52ef875635602645},
        {"lg2.approx.ftz.f32", 0, MIX, MANY, 0x010986f8295a78fb}, {"sin.approx.f32", 0, MIX, MANY, 0x32e679eed82b766a},
        {"sin.approx.ftz.f32", 0, MIX, MANY, 0x32e679eed82b766a}, {"tanh.approx.f32", 0, MIX, MANY, 0xfd2d156858e3db4b},
        {"cos.approx.f32", 0, MIX, MANY, 0xb3dc674febf52dff}, {"cos.approx.ftz.f32", 0, MIX, MANY, 0xb3dc674febf52dff});
}

static void quotients_do(void **state) {
    CHECK(QUOTIENT, {"div.approx.f32", 0, MIX, MANY, 0x82b685aadc1948e3},
          {"div.approx.ftz.f32", 0, MIX, MANY, 0x29f38c49edb7020b}, {"div.full.f32", 0, MIX, MANY, 0x781ded5fced4b9b1},
          {"div.full.ftz.f32", 0, MIX, MANY, 0x0b0d14d653752af7});
}

static void doubles_do(void **state) {
    CHECK(DOUBLE, {"rcp.approx.ftz.f64", 0, MIX, MANY, 0x02853140e5b8720b},
          {"rsqrt.approx.ftz.f64", 0, MIX, MANY, 0xd42c6a0b9ae7f75e},
          {"rsqrt.approx.f64", 0, MIX, MANY, 0xb6e69edaccdcadcb});
}

static void halves_do(void **state) {
    CHECK(HALF, {"tanh.approx.f16", 0, 1, ALL_HALVES, 0x0c63d67009316163},
          {"tanh.approx.bf16", 0, 1, ALL_HALVES, 0xae5bcb72143fd4c3},
          {"ex2.approx.f16", 0, 1, ALL_HALVES, 0x826400784e3af3e9},
          {"ex2.approx.ftz.bf16", 0, 1, ALL_HALVES, 0xd7395a52795acea6});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_significand_gives_the_bits_of_an_h100),
        cmocka_unit_test(numbers_of_all_kinds_do),
        cmocka_unit_test(quotients_do),
        cmocka_unit_test(doubles_do),
        cmocka_unit_test(halves_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
