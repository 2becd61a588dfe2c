/* Whole programs for the matrix units, compiled by nvcc from tests/data/ptx/gemm.cu. Checks their products, and that
 * `haul check` finds nothing. Elements are small integers, so sums are exact. With HAUL_TEST_DEVICE=gpu:0 in the
 * environment they run on the real GPU. */
#include <haul/haul.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { M = 128, N = 192, K = 256 };

typedef struct program {
    const char *kernel;
    uint32_t grid_x, grid_y, threads;
    bool by_columns; /* b is n x k */
    bool by_maps;    /* a and b are tensor maps */
} program;

static const program programs[] = {
    {"gemm_wmma", N / 64, M / 16, 128, false, false},
    {"gemm_mma", N / 64, M / 64, 128, false, false},
    {"gemm_wgmma", N / 64, M / 64, 128, true, true},
};

static haul_device *device;
static haul_module *module;
static haul_buffer *a, *by_rows, *by_columns, *c;

static int element_of_a(unsigned row, unsigned k) {
    return (int)((row * 7 + k * 3) % 9) - 4;
}

static int element_of_b(unsigned k, unsigned column) {
    return (int)((column * 5 + k) % 7) - 3;
}

static uint16_t half_of(int x) {
    static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400};
    return (uint16_t)(halves[abs(x)] | (x < 0 ? 0x8000 : 0));
}

static haul_buffer *upload(const void *data, size_t bytes) {
    haul_buffer *buffer;
    assert_int_equal(haul_buffer_create(device, bytes, &buffer), HAUL_OK);
    assert_int_equal(haul_buffer_write(buffer, 0, data, bytes), HAUL_OK);
    return buffer;
}

static void make_matrices(void) {
    static uint16_t data_a[M * K], rows[K * N], columns[N * K];
    static const float zeros[M * N];
    for (unsigned k = 0; k < K; k++) {
        for (unsigned i = 0; i < M; i++) data_a[i * K + k] = half_of(element_of_a(i, k));
        for (unsigned j = 0; j < N; j++) rows[k * N + j] = columns[j * K + k] = half_of(element_of_b(k, j));
    }
    a = upload(data_a, sizeof data_a);
    by_rows = upload(rows, sizeof rows);
    by_columns = upload(columns, sizeof columns);
    c = upload(zeros, sizeof zeros);
}

static haul_tensor_map map_of(haul_buffer *buffer, uint64_t rows) {
    const haul_tensor tensor = {.buffer = buffer,
                                .type = HAUL_TENSOR_F16,
                                .rank = 2,
                                .extent = {K, rows},
                                .pitch = {K * sizeof(uint16_t)},
                                .box = {64, 64},
                                .swizzle = HAUL_TENSOR_SWIZZLE_128B};
    haul_tensor_map map;
    if (haul_tensor_map_encode(&tensor, &map) != HAUL_OK) fail_msg("%s", haul_message());
    return map;
}

static void launch(const program *p, haul_run *run) {
    const haul_tensor_map map_a = map_of(a, M), map_b = map_of(by_columns, N);
    const haul_argument with_maps[] = {{.kind = HAUL_ARGUMENT_BYTES, .bytes = &map_a, .size = sizeof map_a},
                                       {.kind = HAUL_ARGUMENT_BYTES, .bytes = &map_b, .size = sizeof map_b}};
    const haul_argument with_buffers[] = {
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = a},
        {.kind = HAUL_ARGUMENT_BUFFER, .buffer = p->by_columns ? by_columns : by_rows}};
    haul_argument arguments[5];
    memcpy(arguments, p->by_maps ? with_maps : with_buffers, sizeof with_maps);
    arguments[2] = (haul_argument){.kind = HAUL_ARGUMENT_BUFFER, .buffer = c};
    arguments[3] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = N};
    arguments[4] = (haul_argument){.kind = HAUL_ARGUMENT_I32, .integer = K};
    const haul_launch l = {.kernel = p->kernel,
                           .grid = {p->grid_x, p->grid_y, 1},
                           .block = {p->threads, 1, 1},
                           .arguments = arguments,
                           .argument_count = 5};
    if (haul_launch_run(module, &l, run) != HAUL_OK) fail_msg("%s: %s", p->kernel, haul_message());
}

static void check_product(const program *p) {
    static float out[M * N];
    assert_int_equal(haul_buffer_read(c, 0, out, sizeof out), HAUL_OK);
    for (unsigned i = 0; i < M; i++) {
        for (unsigned j = 0; j < N; j++) {
            int sum = 0;
            for (unsigned k = 0; k < K; k++) sum += element_of_a(i, k) * element_of_b(k, j);
            if (out[i * N + j] != (float)sum)
                fail_msg("%s: row %u, column %u is %g, not %d", p->kernel, i, j, (double)out[i * N + j], sum);
        }
    }
}

static void check_findings(const program *p, const haul_launch_record *r) {
    if (r->finding_count)
        fail_msg("%s: %s: %s", p->kernel, haul_finding_kinds[r->findings[0].kind].key, r->findings[0].what);
}

static bool is_virtual(const char *name) {
    return strncmp(name, "sim", 3) == 0;
}

static void open_on(const char *name, bool checks) {
    const haul_device_options options = {.check = checks};
    if (haul_device_open(name, &options, &device) != HAUL_OK) fail_msg("%s", haul_message());
    if (haul_module_load_file(device, TEST_DATA "/ptx/gemm.ptx", &module) != HAUL_OK) fail_msg("%s", haul_message());
    make_matrices();
}

static const char *device_name(void) {
    const char *name = getenv("HAUL_TEST_DEVICE");
    return name && strncmp(name, "gpu", 3) == 0 ? "gpu:0" : "sim:h100";
}

static void products_are_exact(void **state) {
    (void)state;
    open_on(device_name(), false);
    for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
        launch(&programs[n], NULL);
        check_product(&programs[n]);
    }
    haul_device_close(device);
}

static void checks_find_nothing(void **state) {
    (void)state;
    if (!is_virtual(device_name())) skip();
    open_on("sim:h100", true);
    for (size_t n = 0; n < sizeof programs / sizeof *programs; n++) {
        haul_run *run;
        assert_int_equal(haul_run_create(device, &run), HAUL_OK);
        launch(&programs[n], run);
        check_findings(&programs[n], &run->launches[0]);
        check_product(&programs[n]);
        haul_run_free(run);
    }
    haul_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(checks_find_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
