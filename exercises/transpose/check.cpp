#include "../harness.h"

void transpose(float *out, const float *in, int width, int height);

const exercise_case exercise_cases[] = {
    {"64 x 64: whole tiles", "square", 64, 64},
    {"96 x 32: more columns than rows", "oblong", 96, 32},
    {"32 x 160: more rows than columns", "oblong", 32, 160},
    {"1 x 1: a single element", "small", 1, 1},
    {"7 x 5: less than a tile", "small", 7, 5},
    {"100 x 45: tiles that are not full", "tail", 100, 45},
    {"33 x 129: one column and one row behind whole tiles", "tail", 33, 129},
    {"1024 x 1024, measured", "measured", 1024, 1024},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t width = (size_t)c->n, height = (size_t)c->m, count = width * height;
    const float *in = exercise_numbers(count, 1 << 24), *from = (float *)exercise_on_device(in, count * 4);
    float *want = (float *)exercise_host(count * 4), *out = exercise_output(count);
    for (size_t i = 0; i < count; i++) want[i % width * height + i / width] = in[i];
    while (exercise_again()) transpose(out, from, c->n, c->m);
    exercise_moves(8.0 * (double)count);
    exercise_hold(out, want, height, width, height);
}
