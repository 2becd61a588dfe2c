#include "../harness.h"

void saxpy(float *out, float a, const float *x, const float *y, int n);

const exercise_case exercise_cases[] = {
    {"n = 8192: whole blocks of vectors", "whole", 8192, 0},
    {"n = 8195: three elements behind them", "tail", 8195, 0},
    {"n = 8197: a vector and an element behind them", "tail", 8197, 0},
    {"n = 3: less than a vector", "small", 3, 0},
    {"n = 1: a single element", "small", 1, 0},
    {"n = 1000: less than a block of vectors", "tail", 1000, 0},
    {"n = 1048576, measured", "measured", 1048576, 0},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n;
    const float *x = exercise_numbers(n, 1 << 10), *y = exercise_numbers(n, 1 << 20);
    float *want = (float *)exercise_host(n * 4), *out = exercise_output(n);
    for (size_t i = 0; i < n; i++) want[i] = 3 * x[i] + y[i];
    const float *first = (float *)exercise_on_device(x, n * 4), *second = (float *)exercise_on_device(y, n * 4);
    while (exercise_again()) saxpy(out, 3, first, second, c->n);
    exercise_moves(12.0 * (double)n);
    exercise_hold(out, want, n, 1, n);
}
