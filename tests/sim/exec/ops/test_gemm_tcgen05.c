/* Whole programs for the matrix units of sm_100, compiled by nvcc from tests/data/ptx/gemm_tcgen05.cu. Compares their
 * products with ones computed here, and checks that `haul check` finds nothing. Elements are small integers, so sums
 * are exact. */
#include <haul/haul.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { M = 256, N = 256, DEPTH_BYTES = 640, TILE = 128 };

typedef struct program {
    const char *kernel;
    unsigned bits;
    uint32_t (*encode)(int x);
    bool integers, is_pair;
} program;

/* ---- numbers ---- */

static uint32_t single_bits(int x) {
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t to_tf32(int x) {
    return single_bits(x);
}

static uint32_t to_bf16(int x) {
    return single_bits(x) >> 16;
}

/* Returns sign, exponent and the upper fraction bits of a single in a smaller type. */
static uint32_t narrow(int x, unsigned fraction, int bias, unsigned sign) {
    const uint32_t bits = single_bits(x), exponent = (bits >> 23 & 0xff) - 127 + (uint32_t)bias;
    if (x == 0) return 0;
    return bits >> 31 << sign | exponent << fraction | (bits & 0x7fffff) >> (23 - fraction);
}

static uint32_t to_f16(int x) {
    return narrow(x, 10, 15, 15);
}

static uint32_t to_e4m3(int x) {
    return narrow(x, 3, 7, 7);
}

static uint32_t to_s8(int x) {
    return (uint32_t)x & 0xff;
}

static const program programs[] = {
    {"gemm_f16", 16, to_f16, false, false},   {"gemm_bf16", 16, to_bf16, false, false},
    {"gemm_tf32", 32, to_tf32, false, false}, {"gemm_e4m3", 8, to_e4m3, false, false},
    {"gemm_s8", 8, to_s8, true, false},       {"gemm_pair", 16, to_f16, false, true},
};

static int element_of_a(unsigned row, unsigned k) {
    return (int)((row * 7 + k * 3 + row * k) % 9) - 4;
}

static int element_of_b(unsigned column, unsigned k) {
    return (int)((column * 5 + k + column * k % 11) % 7) - 3;
}

/* ---- running ---- */

static haul_device *device;
static haul_module *module;

static haul_buffer *upload(const void *data, size_t bytes) {
    haul_buffer *buffer;
    assert_int_equal(haul_buffer_create(device, bytes, &buffer), HAUL_OK);
    assert_int_equal(haul_buffer_write(buffer, 0, data, bytes), HAUL_OK);
    return buffer;
}

static haul_buffer *make_matrix(const program *p, unsigned rows, int (*element)(unsigned, unsigned)) {
    static unsigned char data[M * DEPTH_BYTES];
    const unsigned bytes = p->bits / 8, depth = DEPTH_BYTES / bytes;
    for (unsigned row = 0; row < rows; row++) {
        for (unsigned k = 0; k < depth; k++) {
            const uint32_t bits = p->encode(element(row, k));
            memcpy(data + row * DEPTH_BYTES + k * bytes, &bits, bytes);
        }
    }
    return upload(data, rows * DEPTH_BYTES);
}

static haul_tensor_map map_of(haul_buffer *buffer, uint64_t rows, uint32_t box) {
    const haul_tensor tensor = {.buffer = buffer,
                                .type = HAUL_TENSOR_U8,
                                .rank = 2,
                                .extent = {DEPTH_BYTES, rows},
                                .pitch = {DEPTH_BYTES},
                                .box = {128, box},
                                .swizzle = HAUL_TENSOR_SWIZZLE_128B};
    haul_tensor_map map;
    if (haul_tensor_map_encode(&tensor, &map) != HAUL_OK) fail_msg("%s", haul_message());
    return map;
}

static void launch(const program *p, haul_buffer *a, haul_buffer *b, haul_buffer *c, haul_run *run) {
    const haul_tensor_map map_a = map_of(a, M, TILE), map_b = map_of(b, N, p->is_pair ? TILE / 2 : TILE);
    const haul_argument arguments[] = {{.kind = HAUL_ARGUMENT_BYTES, .bytes = &map_a, .size = sizeof map_a},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map_b, .size = sizeof map_b},
                                       {.kind = HAUL_ARGUMENT_BUFFER, .buffer = c},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = N},
                                       {.kind = HAUL_ARGUMENT_I32, .integer = DEPTH_BYTES}};
    const haul_launch l = {.kernel = p->kernel,
                           .grid = {N / TILE, M / TILE, 1},
                           .block = {128, 1, 1},
                           .arguments = arguments,
                           .argument_count = 5};
    if (haul_launch_run(module, &l, run) != HAUL_OK) fail_msg("%s: %s", p->kernel, haul_message());
}

static void check_product(const program *p, haul_buffer *c) {
    static uint32_t out[M * N];
    assert_int_equal(haul_buffer_read(c, 0, out, sizeof out), HAUL_OK);
    for (unsigned i = 0; i < M; i++) {
        for (unsigned j = 0; j < N; j++) {
            int sum = 0;
            for (unsigned k = 0; k < DEPTH_BYTES / (p->bits / 8); k++) sum += element_of_a(i, k) * element_of_b(j, k);
            if (out[i * N + j] != (p->integers ? (uint32_t)sum : single_bits(sum)))
                fail_msg("%s: row %u, column %u is 0x%08x, not %d", p->kernel, i, j, out[i * N + j], sum);
        }
    }
}

static void run_programs(bool checks) {
    static const uint32_t zeros[M * N];
    const haul_device_options options = {.check = checks};
    if (haul_device_open("sim:b200", &options, &device) != HAUL_OK) fail_msg("%s", haul_message());
    if (haul_module_load_file(device, TEST_DATA "/ptx/gemm_tcgen05.ptx", &module) != HAUL_OK)
        fail_msg("%s", haul_message());
    for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
        const program *p = &programs[n];
        haul_buffer *a = make_matrix(p, M, element_of_a), *b = make_matrix(p, N, element_of_b);
        haul_buffer *c = upload(zeros, sizeof zeros);
        haul_run *run;
        assert_int_equal(haul_run_create(device, &run), HAUL_OK);
        launch(p, a, b, c, run);
        const haul_launch_record *r = &run->launches[0];
        if (r->finding_count)
            fail_msg("%s: %s: %s", p->kernel, haul_finding_kinds[r->findings[0].kind].key, r->findings[0].what);
        check_product(p, c);
        haul_run_free(run);
    }
    haul_device_close(device);
}

static void products_are_exact(void **state) {
    (void)state;
    run_programs(false);
}

static void checks_find_nothing(void **state) {
    (void)state;
    run_programs(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(checks_find_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
