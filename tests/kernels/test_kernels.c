/* Every kernel that ships, on sizes around every boundary it has, against the host's own computation; words beyond the
 * end of a result must stay as they were. */
#include <haul/haul.h>
#include <kernels/kernels.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MARGIN = 40 };

static const uint32_t sizes[] = {1,   2,   3,   4,    5,    7,    31,   32,   33,   100,  127,  255,
                                 256, 257, 999, 1023, 1024, 1025, 1027, 2049, 3333, 4096, 4999, 5000};

static haul_device *device;

static void must(haul_status status) {
    if (status != HAUL_OK) fail_msg("%s", haul_message());
}

static int open_device(void **state) {
    (void)state;
    return haul_device_open("sim:h100", NULL, &device) != HAUL_OK;
}

static int close_device(void **state) {
    (void)state;
    haul_device_close(device);
    return 0;
}

/* ---- arrays: `count` floats and a margin of canaries, which the device's copies have too ---- */

static float *canaries(size_t count) {
    float *floats = malloc((count + MARGIN) * sizeof *floats);
    assert_non_null(floats);
    for (size_t i = 0; i < count + MARGIN; i++) floats[i] = -1.0e30f;
    return floats;
}

static float *randoms(size_t count, uint32_t seed) {
    float *floats = canaries(count);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        floats[i] = (float)(seed >> 8) / 16777216.0f;
    }
    return floats;
}

static haul_buffer *upload(const float *floats, size_t count) {
    haul_buffer *buffer;
    must(haul_buffer_create(device, (count + MARGIN) * sizeof *floats, &buffer));
    must(haul_buffer_write(buffer, 0, floats, (count + MARGIN) * sizeof *floats));
    return buffer;
}

/* Ends the buffer. */
static void assert_holds(haul_buffer *buffer, const float *expected, size_t count) {
    float *got = canaries(count);
    must(haul_buffer_read(buffer, 0, got, (count + MARGIN) * sizeof *got));
    for (size_t i = 0; i < count + MARGIN; i++) {
        if (memcmp(&got[i], &expected[i], sizeof *got) == 0) continue;
        fail_msg("element %zu of %zu is %.9g, expected %.9g", i, count, (double)got[i], (double)expected[i]);
    }
    free(got);
    haul_buffer_free(buffer);
}

/* ---- launches ---- */

#define B(value) \
    { .kind = HAUL_ARGUMENT_BUFFER, .buffer = (value) }
#define U(value) \
    { .kind = HAUL_ARGUMENT_I32, .integer = (value) }
#define F(value) \
    { .kind = HAUL_ARGUMENT_F32, .real = (double)(value) }
typedef struct shape {
    uint32_t grid[2], block[2], shared_bytes;
} shape;

static shape cover(size_t n, uint32_t block) {
    return (shape){.grid = {(uint32_t)((n + block - 1) / block), 1}, .block = {block, 1}};
}

/* Each module is loaded once; the device's end is theirs too. */
static haul_module *module_of(const char *name) {
    static struct {
        const char *name;
        haul_module *module;
    } loaded[16];
    size_t k = 0;
    while (loaded[k].name && strcmp(loaded[k].name, name) != 0) k++;
    if (loaded[k].name) return loaded[k].module;
    const haul_kernel_module *source = haul_kernel_module_find(name);
    assert_non_null(source);
    must(haul_module_load(device, name, source->ptx, (size_t)(source->end - source->ptx), &loaded[k].module));
    loaded[k].name = name;
    return loaded[k].module;
}

static void launch(const char *name, const char *kernel, shape s, const haul_argument *arguments, size_t count) {
    const haul_launch l = {.kernel = kernel,
                           .grid = {s.grid[0], s.grid[1], 1},
                           .block = {s.block[0], s.block[1], 1},
                           .shared_bytes = s.shared_bytes,
                           .arguments = arguments,
                           .argument_count = count};
    must(haul_launch_run(module_of(name), &l, NULL));
}

static void for_each_size(void (*check)(uint32_t n)) {
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) check(sizes[k]);
}

/* Launches kernel(in, out, n, parameters...) and holds `out`, `count` floats that were canaries, against `expected`. */
static void assert_maps(const char *module, const char *kernel, shape s, const float *in, size_t in_count,
                        const float *expected, size_t count, const uint32_t parameters[], size_t parameter_count) {
    float *before = canaries(count);
    haul_buffer *from = upload(in, in_count), *to = upload(before, count);
    haul_argument arguments[8] = {B(from), B(to)};
    for (size_t k = 0; k < parameter_count; k++) arguments[2 + k] = (haul_argument)U(parameters[k]);
    launch(module, kernel, s, arguments, 2 + parameter_count);
    assert_holds(to, expected, count);
    haul_buffer_free(from);
    free(before);
}
#define PARAMETERS(...) (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

/* ---- copies ---- */

static void check_copies(uint32_t n) {
    static const char *const forms[][2] = {
        {"copy", "copy_vector"},       {"batches", "batch_looped"}, {"batches", "batch_unrolled"},
        {"batches", "batch_restrict"}, {"batches", "batch_vector"},
    };
    float *in = randoms(n, n);
    assert_maps("copy", "copy_scalar", cover(n, 128), in, n, in, n, PARAMETERS(n));
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        shape s = cover(n, 4 * 128);
        s.block[0] = 128;
        assert_maps(forms[k][0], forms[k][1], s, in, n, in, n, PARAMETERS(n));
    }
    free(in);
}

static void copies_move_every_word_and_no_more(void **state) {
    (void)state;
    for_each_size(check_copies);
}

static void check_strides(uint32_t n) {
    for (uint32_t stride = 1; stride < 70; stride = stride * 3 - 1 + (stride == 1)) {
        uint32_t span = (n - 1) * stride + 1;
        float *wide = randoms(span, n), *narrow = canaries(n), *spread = canaries(span);
        for (uint32_t i = 0; i < n; i++) narrow[i] = spread[(size_t)i * stride] = wide[(size_t)i * stride];
        assert_maps("strides", "load_stride", cover(n, 64), wide, span, narrow, n, PARAMETERS(n, stride));
        assert_maps("strides", "store_stride", cover(n, 64), narrow, n, spread, span, PARAMETERS(n, stride));
        free(wide), free(narrow), free(spread);
    }
}

static void strides_touch_only_the_words_on_them(void **state) {
    (void)state;
    for_each_size(check_strides);
}

/* ---- derivatives ---- */

typedef enum stencil { ROWS, FAST, SLOW } stencil;

static void check_stencil(stencil which, uint32_t n0, uint32_t n1, uint32_t pitch, uint32_t lead) {
    static const char *const kernels[] = {"copy_rows", "derivative_fast", "derivative_slow"};
    size_t words = (size_t)lead + (size_t)pitch * (n1 + 1) + n0;
    float *in = randoms(words, n0 + n1), *out = canaries(words), *before = canaries(words);
    for (uint32_t i1 = 0; i1 < n1; i1++) {
        for (uint32_t i0 = 0; i0 < n0; i0++) {
            size_t i = lead + (size_t)(i1 + (which == SLOW)) * pitch + i0;
            float left = which == ROWS ? 0.0f : in[i - (which == FAST ? 1 : pitch)];
            out[i] = which == ROWS ? in[i] : 0.25f * (in[i] - left);
        }
    }
    haul_buffer *from = upload(in, words), *to = upload(before, words);
    const haul_argument arguments[] = {B(from), B(to), U(n0), U(n1), U(pitch), U(lead), F(0.25f)};
    shape s = {.grid = {(n0 + 31) / 32, (n1 + 3) / 4}, .block = {32, 4}};
    launch("derivatives", kernels[which], s, arguments, which == ROWS ? 6 : 7);
    assert_holds(to, out, words);
    haul_buffer_free(from);
    free(in), free(out), free(before);
}

static void derivatives_are_right_for_any_layout(void **state) {
    (void)state;
    for (stencil which = ROWS; which <= SLOW; which++) {
        check_stencil(which, 1, 1, 2, 1);
        check_stencil(which, 32, 5, 34, 1);
        check_stencil(which, 32, 5, 64, 32);
        check_stencil(which, 33, 7, 40, 3);
        check_stencil(which, 1000, 9, 1024, 32);
    }
}

/* ---- shared memory ---- */

static void check_shared_strides(uint32_t n) {
    static const char *const kernels[] = {"", "shared_stride", "shared_stride2", "", "shared_stride4"};
    for (uint32_t words = 1; words <= 4; words *= 2) {
        for (uint32_t stride = 1; stride <= 9; stride += 2 + stride % 2) {
            float *in = randoms((size_t)n * words, n);
            shape s = cover(n, 64);
            s.shared_bytes = 64 * stride * words * 4;
            assert_maps("banks", kernels[words], s, in, (size_t)n * words, in, (size_t)n * words,
                        PARAMETERS(n, stride));
            free(in);
        }
    }
}

static void shared_memory_gives_back_what_was_stored_at_any_stride(void **state) {
    (void)state;
    for_each_size(check_shared_strides);
}

static void broadcasts_read_the_group_s_word(void **state) {
    (void)state;
    enum { N = 200, BLOCK = 64 };
    float *in = randoms(N, 1), *out = canaries(N);
    for (uint32_t group = 1; group <= 64; group *= 4) {
        for (uint32_t i = 0; i < N; i++) out[i] = in[i / BLOCK * BLOCK + i % BLOCK / group];
        shape s = cover(N, BLOCK);
        s.shared_bytes = BLOCK * 4;
        assert_maps("banks", "shared_broadcast", s, in, N, out, N, PARAMETERS(N, group));
    }
    free(in), free(out);
}

static void check_transposes(uint32_t rows, uint32_t columns) {
    size_t count = (size_t)rows * columns;
    float *in = randoms(count, rows), *out = canaries(count);
    for (size_t i = 0; i < count; i++) out[i % columns * rows + i / columns] = in[i];
    shape s = {.grid = {(columns + 31) / 32, (rows + 31) / 32}, .block = {32, 8}};
    assert_maps("banks", "transpose_swizzled", s, in, count, out, count, PARAMETERS(rows, columns));
    for (uint32_t pitch = 32; pitch < 36; pitch++) {
        s.shared_bytes = 32 * pitch * 4;
        assert_maps("banks", "transpose_pitched", s, in, count, out, count, PARAMETERS(rows, columns, pitch));
    }
    free(in), free(out);
}

static void transposes_are_right_for_any_number_of_rows_and_columns(void **state) {
    (void)state;
    check_transposes(1, 1);
    check_transposes(32, 32);
    check_transposes(31, 65);
    check_transposes(100, 7);
    check_transposes(64, 96);
}

static void check_staging(uint32_t n) {
    static const struct {
        const char *kernel;
        uint32_t words;
    } ways[] = {{"stage4_sync", 1},  {"stage4_async", 1},  {"stage8_sync", 2},     {"stage8_async", 2},
                {"stage16_sync", 4}, {"stage16_async", 4}, {"stage16_async_l1", 4}};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        for (uint32_t shift = 0; shift < 4; shift++) {
            uint32_t skew = (shift * 3 + n) % 5;
            size_t words = ways[k].words, count = (n + shift) * words;
            float *in = randoms(count, n + shift);
            /* The result is the input moved; its margin is the canaries that follow both. */
            shape s = cover(n, 96);
            s.shared_bytes = (uint32_t)((96 + skew) * words * 4);
            assert_maps("staging", ways[k].kernel, s, in, count, in + shift * words, n * words,
                        PARAMETERS(n, shift, skew));
            free(in);
        }
    }
}

static void staging_gives_back_the_source_for_any_alignment(void **state) {
    (void)state;
    for_each_size(check_staging);
}

/* ---- computation ---- */

static void check_saxpy_rung(const char *module, const char *kernel, uint32_t n, uint32_t blocks) {
    float *x = randoms(n, n), *y = randoms(n, n + 1), *out = canaries(n);
    for (uint32_t i = 0; i < n; i++) out[i] = fmaf(1.5f, x[i], y[i]);
    haul_buffer *device_x = upload(x, n), *device_y = upload(y, n);
    const haul_argument arguments[] = {U(n), F(1.5f), B(device_x), B(device_y)};
    launch(module, kernel, (shape){.grid = {blocks, 1}, .block = {256, 1}}, arguments, 4);
    assert_holds(device_y, out, n);
    haul_buffer_free(device_x);
    free(x), free(y), free(out);
}

static void check_saxpy(uint32_t n) {
    check_saxpy_rung("saxpy", "saxpy_scalar", n, (n + 255) / 256);
    check_saxpy_rung("saxpy", "saxpy_vector", n, (n + 1023) / 1024);
    for (uint32_t blocks = 1; blocks <= 3; blocks++) { /* so that threads make from none to many rounds */
        check_saxpy_rung("saxpy", "saxpy_registers", n, blocks);
        check_saxpy_rung("saxpy", "saxpy_two_stages", n, blocks);
        check_saxpy_rung("saxpy", "saxpy_stages", n, blocks);
        check_saxpy_rung("saxpy_sm90", "saxpy_bulk", n, blocks);
    }
}

static void every_rung_of_saxpy_is_right_for_any_size_and_grid(void **state) {
    (void)state;
    for_each_size(check_saxpy);
    check_saxpy(40 * 1024 + 5); /* bulk stages are filled many times */
}

static void check_maxpool(uint32_t n) {
    float *in = randoms(n, n), *out = canaries(n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = i < 15 ? 0 : i - 15, to = i + 15 < n ? i + 15 : n - 1;
        out[i] = in[from];
        for (uint32_t k = from; k <= to; k++) out[i] = fmaxf(out[i], in[k]);
    }
    static const char *const kernels[] = {"maxpool15_plain", "maxpool15_staged"};
    for (size_t k = 0; k < 2; k++) {
        float *before = canaries(n);
        haul_buffer *from = upload(in, n), *to = upload(before, n);
        const haul_argument arguments[] = {B(to), B(from), U(n)};
        launch("maxpool", kernels[k], cover(n, 256), arguments, 3);
        assert_holds(to, out, n);
        haul_buffer_free(from);
        free(before);
    }
    free(in), free(out);
}

static void max_pooling_clamps_to_the_array(void **state) {
    (void)state;
    for_each_size(check_maxpool);
}

static void check_sgemm(uint32_t n) {
    size_t count = (size_t)n * n;
    float *a = randoms(count, n), *b = randoms(count, n + 1), *c = canaries(count), *before = canaries(count);
    for (size_t i = 0; i < count; i++) {
        c[i] = 0.0f;
        for (uint32_t k = 0; k < n; k++) c[i] = fmaf(a[i / n * n + k], b[(size_t)k * n + i % n], c[i]);
    }
    haul_buffer *device_a = upload(a, count), *device_b = upload(b, count), *device_c = upload(before, count);
    const haul_argument arguments[] = {B(device_a), B(device_b), B(device_c), U(n)};
    shape s = {.grid = {(n + 15) / 16, (n + 15) / 16}, .block = {16, 16}};
    launch("sgemm", "sgemm_tiled", s, arguments, 4);
    assert_holds(device_c, c, count);
    haul_buffer_free(device_a), haul_buffer_free(device_b);
    free(a), free(b), free(c), free(before);
}

static void matrix_products_are_right_for_any_side(void **state) {
    (void)state;
    check_sgemm(1);
    check_sgemm(15);
    check_sgemm(16);
    check_sgemm(33);
    check_sgemm(64);
}

/* ---- the table of modules ---- */

static void modules_are_found_by_name_and_nothing_else_is(void **state) {
    (void)state;
    const haul_kernel_module *m = haul_kernel_module_find("saxpy");
    assert_non_null(m);
    assert_string_equal(m->name, "saxpy");
    assert_int_equal(strlen(m->ptx), m->end - m->ptx);
    assert_non_null(strstr(m->ptx, "saxpy_scalar"));
    assert_null(haul_kernel_module_find("sax"));
    assert_null(haul_kernel_module_find(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_found_by_name_and_nothing_else_is),
        cmocka_unit_test(copies_move_every_word_and_no_more),
        cmocka_unit_test(strides_touch_only_the_words_on_them),
        cmocka_unit_test(derivatives_are_right_for_any_layout),
        cmocka_unit_test(shared_memory_gives_back_what_was_stored_at_any_stride),
        cmocka_unit_test(broadcasts_read_the_group_s_word),
        cmocka_unit_test(transposes_are_right_for_any_number_of_rows_and_columns),
        cmocka_unit_test(staging_gives_back_the_source_for_any_alignment),
        cmocka_unit_test(every_rung_of_saxpy_is_right_for_any_size_and_grid),
        cmocka_unit_test(max_pooling_clamps_to_the_array),
        cmocka_unit_test(matrix_products_are_right_for_any_side),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
