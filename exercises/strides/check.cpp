#include "../harness.h"

void triple(float *out, const float *in, int n);

const exercise_case exercise_cases[] = {
    {"n = 16384: whole blocks", "whole", 16384, 0},
    {"n = 1: a single element", "small", 1, 0},
    {"n = 300: less than a block", "small", 300, 0},
    {"n = 17000: the last block is not full", "tail", 17000, 0},
    {"n = 1048576, measured", "measured", 1048576, 0},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n;
    const float *in = exercise_numbers(n, 1 << 20), *from = (float *)exercise_on_device(in, n * 4);
    float *want = (float *)exercise_host(n * 4), *out = exercise_output(n);
    for (size_t i = 0; i < n; i++) want[i] = 3 * in[i] + 2;
    while (exercise_again()) triple(out, from, c->n);
    exercise_moves(8.0 * (double)n);
    exercise_hold(out, want, n, 1, n);
}
