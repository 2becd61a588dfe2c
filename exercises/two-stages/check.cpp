#include "../harness.h"

void scale(float *out, const float *in, int n);

const exercise_case exercise_cases[] = {
    {"n = 256: whole blocks", "whole", 256, 0},
    {"n = 1: a single element", "small", 1, 0},
    {"n = 100: less than a block", "small", 100, 0},
    {"n = 1000: the last block is not full", "tail", 1000, 0},
    {"n = 135168: several elements a thread", "rounds", 135168, 0},
    {"n = 100003: several elements a thread, not all as many", "rounds-tail", 100003, 0},
    {"n = 2097152, measured", "measured", 2097152, 0},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n;
    const float *in = exercise_numbers(n, 1 << 20), *from = (float *)exercise_on_device(in, n * 4);
    float *want = (float *)exercise_host(n * 4), *out = exercise_output(n);
    for (size_t i = 0; i < n; i++) want[i] = 2 * in[i] + 1;
    while (exercise_again()) scale(out, from, c->n);
    exercise_moves(8.0 * n);
    exercise_hold(out, want, n, 1, n);
}
