#include "../harness.h"

enum { SLOTS = 64 };

void negate(float *out, const float *in, int blocks, int rounds);

const exercise_case exercise_cases[] = {
    {"one round", "one", 1, 1},
    {"two rounds", "several", 1, 2},
    {"three blocks of five rounds", "several", 3, 5},
    {"132 blocks of 16 rounds, measured", "measured", 132, 16},
};
const int exercise_case_count = sizeof exercise_cases / sizeof *exercise_cases;

void exercise_try(const exercise_case *c) {
    const size_t n = (size_t)c->n * (size_t)c->m * SLOTS;
    float *in = exercise_numbers(n, 1 << 24), *want = (float *)exercise_host(n * 4), *out = exercise_output(n);
    for (size_t i = 0; i < n; i++) want[i] = -++in[i];
    const float *from = (float *)exercise_on_device(in, n * 4);
    while (exercise_again()) negate(out, from, c->n, c->m);
    exercise_moves(8.0 * (double)n);
    exercise_hold(out, want, n, 1, n);
}
