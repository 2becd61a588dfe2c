#include "../harness.h"

void gather(float *out, const float *in, const int *rows, int count, int width);

const exercise_case exercise_cases[] = {
    {"1024 rows of 64", "whole", 1024, 64},
    {"1024 rows of 100: more than whole warps", "width", 1024, 100},
    {"1024 rows of 7: less than a warp", "width", 1024, 7},
    {"1003 rows of 64: the last block is not full", "count", 1003, 64},
    {"a single row of 64", "count", 1, 64},
    {"a single element", "count", 1, 1},
    {"16384 rows of 64, measured", "measured", 16384, 64},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

/* Distinguishes scattered from gathered rows: some of them agree by chance. */
static void look_for_scatter(const float *got, const float *in, const int *rows, int count, int width) {
    int same = 0;
    for (int r = 0; r < count; r++) same += got[rows[r] * width] == in[r * width];
    if (count > 8 && same * 2 > count) exercise_fault("scattered", "row rows[r] of out has row r of in");
}

/* Distinguishes rows that were copied in their order, as if there were no list. */
static void look_for_copy(const float *got, const float *in, int count, int width) {
    int same = 0;
    for (int r = 0; r < count; r++) same += got[r * width] == in[r * width];
    if (count > 8 && same * 2 > count) exercise_fault("in-order", "row r of out has row r of in");
}

void exercise_try(const exercise_case *c) {
    const int count = c->n, width = c->m;
    const size_t size = (size_t)count * (size_t)width, bytes = size * 4;
    const float *in = exercise_numbers(size, 1 << 24), *from = (float *)exercise_on_device(in, bytes);
    const float *drawn = exercise_numbers((size_t)count, (unsigned)count);
    int *rows = (int *)exercise_host((size_t)count * 4);
    float *want = (float *)exercise_host(bytes), *out = exercise_output(size);
    for (int r = 0; r < count; r++) rows[r] = (int)drawn[r];
    for (int r = 0; r < count; r++)
        for (int k = 0; k < width; k++) want[r * width + k] = in[rows[r] * width + k];
    const int *list = (int *)exercise_on_device(rows, (size_t)count * 4);
    while (exercise_again()) gather(out, from, list, count, width);
    exercise_moves(2.0 * (double)bytes + 4.0 * count);
    const float *got = exercise_hold(out, want, (size_t)width, (size_t)count, (size_t)width);
    if (!got) return;
    look_for_scatter(got, in, rows, count, width);
    look_for_copy(got, in, count, width);
}
