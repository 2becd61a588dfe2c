#include "../harness.h"

void smooth(float *out, const float *in, int width, int height);

const exercise_case exercise_cases[] = {
    {"512 x 256: whole tiles", "whole", 512, 256},
    {"500 x 256: columns that fill no tile", "columns", 500, 256},
    {"512 x 250: rows that fill no tile", "rows", 512, 250},
    {"1 x 1: a single element", "small", 1, 1},
    {"3 x 5: less than a tile", "small", 3, 5},
    {"1024 x 1024, measured", "measured", 1024, 1024},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

static float at(const float *in, int x, int y, int width, int height) {
    return x >= 0 && x < width && y >= 0 && y < height ? in[y * width + x] : 0;
}

void exercise_try(const exercise_case *c) {
    const int width = c->n, height = c->m;
    const size_t count = (size_t)width * (size_t)height;
    float *in = exercise_numbers(count, 1 << 20), *want = (float *)exercise_host(count * 4), *out = exercise_output(count);
    for (size_t i = 0; i < count; i++) in[i]++; /* none is 0, so that a missing one shows */
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            want[y * width + x] = at(in, x, y, width, height) + at(in, x - 1, y, width, height) +
                                  at(in, x + 1, y, width, height) + at(in, x, y - 1, width, height) +
                                  at(in, x, y + 1, width, height);
    const float *from = (float *)exercise_on_device(in, count * 4);
    while (exercise_again()) smooth(out, from, width, height);
    exercise_moves(8.0 * (double)count);
    exercise_hold(out, want, (size_t)width, (size_t)height, (size_t)width);
}
