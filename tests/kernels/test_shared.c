/* Ways through shared memory: strides, broadcasts, tiles, staging. */
#include "fixture.h"

static void check_shared_strides(uint32_t n) {
    static const char *const names[] = {"", "shared_stride", "shared_stride2", "", "shared_stride4"};
    for (uint32_t words = 1; words <= 4; words *= 2) {
        for (uint32_t stride = 1; stride <= 9; stride += 2 + stride % 2) {
            float *in = randoms((size_t)n * words, n);
            shape s = cover(n, 64);
            s.shared_bytes = 64 * stride * words * 4;
            assert_maps("banks", names[words], s, in, (size_t)n * words, in, (size_t)n * words, PARAMETERS(n, stride));
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
    for (size_t k = 0; k < COUNT(ways); k++) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_memory_gives_back_what_was_stored_at_any_stride),
        cmocka_unit_test(broadcasts_read_the_group_s_word),
        cmocka_unit_test(transposes_are_right_for_any_number_of_rows_and_columns),
        cmocka_unit_test(staging_gives_back_the_source_for_any_alignment),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
